package registry_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/registry"
)

// What lives for one turn takes part beside what is registered.
func ExampleSnapshot_With() {
	var r registry.Registry
	if _, err := r.Register(registry.Contribution{ID: "style", Priority: 10, Source: "style@1.0.0"}); err != nil {
		fmt.Println(err)
	}
	snap := r.Snapshot().With(
		&registry.Contribution{ID: "branch", Priority: 20, Render: registry.Text("You are on main.")},
		&registry.Contribution{ID: "style", Priority: 30, Render: registry.Text("Be brief.")},
	)
	chosen, _ := snap.Select(&registry.RenderContext{})
	for _, c := range chosen {
		fmt.Println(c.ID)
	}
	fmt.Println(snap.Replaced)
	// Output:
	// branch
	// style
	// [{style style@1.0.0 }]
}
