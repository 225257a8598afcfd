package registry_test

import (
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/registry"
)

func Example() {
	var r registry.Registry
	for _, c := range []registry.Contribution{
		{ID: "style", Priority: 10, Render: registry.Text("Answer briefly.")},
		{ID: "deploy", ActiveTools: []string{"deploy"}, Render: registry.Text("Test quay first.")},
	} {
		if _, err := r.Register(c); err != nil {
			log.Fatal(err)
		}
	}
	again, err := r.Register(registry.Contribution{ID: "style", Render: registry.Text("Answer at length.")})
	if err != nil {
		log.Fatal(err)
	}
	chosen, excluded := r.Snapshot().Select(&registry.RenderContext{Provider: "p"})
	fmt.Println(chosen[0].ID, chosen[0].Priority)
	fmt.Println(excluded[0].Contribution.ID, excluded[0].Reason, excluded[0].Tools)
	again.Unregister() // brings nothing back
	fmt.Println(len(r.Snapshot().Contributions))
	// Output:
	// style 0
	// deploy tool-inactive [deploy]
	// 1
}
