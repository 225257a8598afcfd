# Everything here needs Go and make; `make check` also needs a C compiler, for the race detector and for
# the second engine, and the targets that rebuild guests need the toolchains of their languages. Nothing is
# written outside the checkout but Go's own caches and the command's cache of compiled guests.

GO        ?= go
FUZZTIME  ?= 10s
FUZZPKGS  ?= ./...
BENCHTIME ?= 300ms
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

PINTLE  = build/pintle
EXAMPLE = examples/quickstart
SOURCES = $(shell find . -name '*.go' -not -path './build/*') go.mod guests/stock/adapters.wasm.gz \
  $(shell find guests/sdk guests/templates internal/quickjs/engine internal/guestbuild -type f -not -path '*/node_modules/*')

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: guests ## build the example guests and show one turn
	@$(PINTLE) turn $(EXAMPLE)/turn.json

.PHONY: test
test: ## run all tests and the conformance kit
	$(GO) test ./...
	$(GO) test -tags purego ./internal/ecma/jsonspan # without assembly, as on other processors
	$(GO) run ./cmd/pintle conformance testdata/vectors

# The packages whose tests run guests or modules.
GUESTPKGS = ./abi ./guests/sdk/assemblyscript ./guests/sdk/c ./guests/stock ./host ./registry ./runtime/... \
  ./internal/enginetest ./internal/guestbuild ./internal/hostile/... ./internal/languages ./internal/quickjs/... \
  ./internal/wasmbin/differential

# Go does not look into folders with this name by itself.
GOGUESTS = ./testdata/guests/example/go ./testdata/guests/faults/go

.PHONY: test-wasmtime
test-wasmtime: ## run the tests that run guests on wasmtime, and the conformance kit; needs a C compiler
	CGO_ENABLED=1 $(GO) test -tags wasmtime -timeout 20m $(GUESTPKGS)
	CGO_ENABLED=1 $(GO) test -tags wasmtime -run Engine ./cmd/pintle
	CGO_ENABLED=1 $(GO) run -tags wasmtime ./cmd/pintle conformance --engine wasmtime testdata/vectors

.PHONY: check
check: format vet staticcheck race test-wasmtime conformance bench-once fuzz-short ## all tests with the race detector and on wasmtime, linters, a short fuzz run

.PHONY: hostile
hostile: ## run the hostile guests on both engines and print what became of them; needs a C compiler
	CGO_ENABLED=1 $(GO) run -tags wasmtime ./internal/hostile/report

.PHONY: hostile-build
hostile-build: ## assemble the hostile guests; needs a C compiler
	CGO_ENABLED=1 $(GO) run -tags wasmtime ./internal/hostile/build testdata/guests/hostile

# A shorter soak is one of the tests.
SOAKTURNS ?= 200000

.PHONY: soak
soak: ## take 200,000 turns on each engine and look that nothing grows; needs a C compiler
	$(GO) test -count 1 -timeout 3h -run '^TestSoak$$' -v ./internal/hostile -turns $(SOAKTURNS)
	CGO_ENABLED=1 $(GO) test -tags wasmtime -count 1 -timeout 3h -run '^TestSoak$$' -v ./internal/hostile -turns $(SOAKTURNS)

.PHONY: bench
bench: ## measure beside the peers, in one run, and print tables of ratios with the aims
	cd internal/bench && $(GO) run .

.PHONY: bench-packages
bench-packages: ## run the benchmarks of the packages; ratios to the floor are in the column x-floor
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

# A fuzzer that is late at the end of its time fails with "context deadline exceeded" and nothing else (a
# fault of Go's); it gets a second run. What it finds is written down and fails both times.
.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME each
	@mkdir -p build; set -e; for pkg in $$($(GO) list $(FUZZPKGS)); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; \
	    run() { $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg; }; \
	    if run >build/fuzz.log 2>&1; then tail -n 1 build/fuzz.log; continue; fi; \
	    cat build/fuzz.log; \
	    if grep -q 'Failing input' build/fuzz.log || ! grep -q 'context deadline exceeded' build/fuzz.log; then exit 1; fi; \
	    run; \
	  done; \
	done

.PHONY: guests
guests: $(EXAMPLE)/guests/ferry.wasm $(EXAMPLE)/guests/contributions.wasm ## build the guests of the examples

.PHONY: stock
stock: $(PINTLE) ## rebuild the adapter guest that the command carries
	$(PINTLE) build guests/adapters -o build/adapters.wasm
	gzip -9 -n -c build/adapters.wasm > guests/stock/adapters.wasm.gz
	$(GO) env GOVERSION > guests/stock/go.version

# The packages whose tests run compilers, with the tag toolchains.
TOOLPKGS = ./internal/guestbuild/... ./guests/sdk/...

# These need clang, lld, wasi-libc, libclang-rt-14-dev-wasm32, rustc, libstd-rust-dev-wasm32 and lld-14 (names of
# Debian 12), asc of the npm package assemblyscript on PATH, and check-languages npm and tsc of the npm package
# typescript as well.
.PHONY: check-languages guests-languages guests-update
check-languages: guests-languages ## all that needs the toolchains of the languages: guests rebuilt, SDKs, engine
	$(GO) test -count 1 -tags toolchains $(TOOLPKGS)
	$(GO) run ./internal/quickjs/engine/verify
	tsc -p guests/sdk/typescript/tsconfig.json

guests-languages: ## rebuild the test guests and the stock guest and compare what they do with those checked in
	$(GO) run ./internal/languages/rebuild

guests-update: ## rebuild the test guests in all languages and put them into the tree
	$(GO) run ./internal/languages/rebuild -update

.PHONY: guests-c
guests-c: $(PINTLE) ## rebuild the test guest in C
	clang --target=wasm32 -nostdlib -Os -mbulk-memory -Wall -Wextra -Wl,--no-entry -Wl,-z,stack-size=16384 \
	  -o build/c.raw.wasm testdata/guests/c/guest.c
	$(PINTLE) build testdata/guests/c --module build/c.raw.wasm -o testdata/guests/c/c.wasm

BENCHCC = clang --target=wasm32 -nostdlib -Os -mbulk-memory -Wall -Wextra -Wl,--no-entry -Wl,-z,stack-size=16384 \
  -Wl,--strip-all

.PHONY: guests-bench
guests-bench: ## rebuild the guests in C of the comparison with the peers
	cd internal/bench/guests && $(BENCHCC) -o echo.wasm echo.c && $(BENCHCC) -DBALLAST=1500000 -o large.wasm echo.c && \
	  $(BENCHCC) -o extism.wasm extism.c

$(PINTLE): $(SOURCES)
	@mkdir -p build
	$(GO) build -o $@ ./cmd/pintle

$(EXAMPLE)/guests/ferry.wasm: $(PINTLE) $(EXAMPLE)/ferry/pintle.toml
	@mkdir -p $(@D)
	@$(PINTLE) build $(EXAMPLE)/ferry -o $@

$(EXAMPLE)/guests/contributions.wasm: $(PINTLE) guests/contributions/pintle.toml
	@mkdir -p $(@D)
	@$(PINTLE) build guests/contributions -o $@

.PHONY: format vet staticcheck race conformance bench-once fuzz-short
format:
	@bad=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$bad" ]; then echo "not formatted:"; echo "$$bad"; exit 1; fi

vet:
	$(GO) vet ./...
	CGO_ENABLED=1 $(GO) vet -tags wasmtime ./...
	$(GO) vet -tags toolchains $(TOOLPKGS)
	cd internal/bench && $(GO) vet ./...
	GOOS=wasip1 GOARCH=wasm $(GO) vet ./guests/... ./examples/adapter ./examples/quickstart/ferry $(GOGUESTS)

staticcheck:
	$(GO) run $(STATICCHECK) ./... $(GOGUESTS)
	CGO_ENABLED=1 $(GO) run $(STATICCHECK) -tags wasmtime ./cmd/... $(GUESTPKGS)
	$(GO) run $(STATICCHECK) -tags toolchains $(TOOLPKGS)
	cd internal/bench && $(GO) run $(STATICCHECK) .

race: # the corpus runs one guest at a time and takes minutes with the detector; isolation and soak do run
	CGO_ENABLED=1 $(GO) test -race -timeout 20m -skip '^TestCorpus$$' ./...

conformance: $(PINTLE)
	$(PINTLE) conformance testdata/vectors

bench-once: # a benchmark that no longer runs is a defect too
	$(GO) test -run '^$$' -bench . -benchtime 1x ./...
	cd internal/bench && $(GO) test ./...

fuzz-short:
	@$(MAKE) --no-print-directory fuzz FUZZTIME=3s
