package main

import (
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/runtime"
)

// An inspectedScript is the program of a guest in JavaScript.
type inspectedScript struct {
	Engine    string `json:"engine"`
	CodeBytes int    `json:"codeBytes"`
	MapBytes  int    `json:"mapBytes"` // of its source map, 0: none
}

// scriptIn returns the program of a guest, nil if it is a module of its own.
func scriptIn(a *runtime.Artifact) *inspectedScript {
	m := a.Module()
	sections, _ := m.CustomSection(abi.BundleSection)
	if len(sections) == 0 {
		return nil
	}
	bundle, err := abi.DecodeBundle(sections[0])
	if err != nil {
		return nil // Examine has refused it
	}
	return &inspectedScript{Engine: quickjs.Engine(m.Sum()), CodeBytes: len(bundle.Code), MapBytes: len(bundle.Map)}
}

// An inspectedImage is what calls begin with.
type inspectedImage struct {
	ImageBytes  int `json:"imageBytes"`
	MemoryBytes int `json:"memoryBytes"`
}

func (i *inspectedImage) String() string {
	return bytesText(i.ImageBytes) + " of a memory of " + bytesText(i.MemoryBytes)
}

// imageSize starts a guest; nil if its calls begin with no image.
func (g *ownGuest) imageSize(cmd *cobra.Command) (size *inspectedImage, err error) {
	h := trialHost(cmd, slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, h.Close(cmd.Context())) }()
	guest, err := g.load(cmd, h, nil)
	if err != nil {
		return nil, err
	}
	reset := guest.Reset()
	if !reset.Copied {
		return nil, nil
	}
	return &inspectedImage{reset.ImageBytes, reset.MemoryBytes}, nil
}
