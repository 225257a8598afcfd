package sidecar

import (
	"os"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
)

// environment is what a client knows of its process better than the sidecar. What is missing is observed
// here, each time that an envelope is built.
type environment struct {
	// Timezone is an IANA name, or "unknown".
	Timezone string `json:"timezone"`
	// CurrentDate, YYYY-MM-DD, keeps the date from changing: it is for tests.
	CurrentDate string `json:"currentDate"`
	// Shell is the value of SHELL, or else of ComSpec; "" stands for none.
	Shell *string `json:"shell"`
	// Platform is a name of Node.js or of Go.
	Platform string `json:"platform"`
}

// over lays what the client knows over what is known here.
func (e *environment) over(known envelope.Environment) (envelope.Environment, error) {
	if e.Timezone != "" {
		known.Zone = e.Timezone
	}
	if e.Platform != "" {
		known.OS = e.Platform
	}
	if e.Shell != nil {
		shell, others := *e.Shell, known.Getenv
		if others == nil {
			others = os.Getenv
		}
		known.Getenv = func(key string) string {
			switch key {
			case "SHELL":
				return shell
			case "ComSpec":
				return ""
			}
			return others(key)
		}
	}
	if e.CurrentDate == "" {
		return known, nil
	}
	day, err := time.Parse(time.DateOnly, e.CurrentDate)
	if err != nil {
		return known, invalid("params.environment.currentDate", "want YYYY-MM-DD, got %.40q", e.CurrentDate)
	}
	location, err := time.LoadLocation(known.Zone)
	if err != nil || known.Zone == "" {
		location = time.Local
	}
	noon := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, location)
	known.Now = func() time.Time { return noon }
	return known, nil
}
