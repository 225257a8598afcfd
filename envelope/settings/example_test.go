package settings_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/envelope/settings"
)

// A host reads the settings file at its start and hands the value to its envelope service.
func ExampleStore_Load() {
	dir, err := os.MkdirTemp("", "agent-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store := settings.Store{Path: settings.Path(dir)}
	doc, err := store.Load() // a missing file is created, with nothing set
	if err != nil {
		fmt.Println(settings.Notification(err)) // the defaults stay in force
	}
	values, _ := doc.AuditEntries()
	service := &envelope.Service{}
	service.SetAuditEntries(values)
	fmt.Println(values)
	// Output: [developer context-user]
}
