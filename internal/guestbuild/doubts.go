package guestbuild

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/spelling"
	"github.com/pintle-wasm/pintle/runtime"
)

// knownCapabilities are those that a host of this version may grant.
var knownCapabilities = []string{abi.CapabilityConfig, abi.CapabilityKV, abi.CapabilityClock, abi.CapabilityRandom, abi.CapabilityLog}

// holds checks what pintle.toml asks for against what was built.
func (f *file) holds(a *runtime.Artifact) error {
	asked := a.Manifest.Limits.MemoryBytes
	for _, m := range a.Module().Memories {
		if start := uint64(m.Min) << 16; asked != 0 && asked < start {
			return f.located(&abi.ManifestError{Field: "limits.memory",
				Reason: fmt.Sprintf("%s are asked for, and the guest starts with %s; ask for more", sizeText(asked), sizeText(start))})
		}
	}
	return nil
}

// doubts are about what is allowed and hardly meant.
func (f *file) doubts() (doubts []string) {
	add := func(field, format string, args ...any) {
		doubts = append(doubts, f.located(&abi.ManifestError{Field: field, Reason: fmt.Sprintf(format, args...)}).Error())
	}
	seen := map[string]bool{}
	for i, c := range f.Capabilities {
		at := fmt.Sprintf("capabilities[%d]", i)
		near := spelling.Nearest(c.Name, knownCapabilities)
		switch {
		case seen[c.Name] && c.Name != abi.CapabilityConfig:
			add(at+".name", "%q is asked for twice", c.Name)
		case near == "":
			add(at+".name", "no host of this version grants %q; it knows %s", c.Name, strings.Join(knownCapabilities, ", "))
		case near != c.Name:
			add(at+".name", "no host of this version grants %q; did you mean %s?", c.Name, near)
		case c.Name == abi.CapabilityConfig && len(c.Keys) == 0:
			add(at, "config without keys gives no value; list those that the guest reads: keys = [\"tone\"]")
		case c.Name != abi.CapabilityConfig && len(c.Keys) > 0:
			add(at+".keys", "only config has keys; %s takes none", c.Name)
		}
		seen[c.Name] = true
	}
	return doubts
}

func sizeText(bytes uint64) string {
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}
