// Command ferry is the guest of the quickstart: what an agent should know that works on the timetable of
// a ferry company.
package main

import (
	"errors"
	"strings"

	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/message"
)

func init() {
	message.Handle("ferry/season", season)
	message.Handle("ferry/deploy", func(*message.Context) (string, error) {
		return "Deploy to the test quay first.", nil
	})
	message.Handle("ferry/tides", tides)
}

func main() {}

// season follows the prompt.
func season(c *message.Context) (string, error) {
	switch {
	case strings.Contains(c.Prompt, "winter"):
		return "The winter timetable is data/winter.csv. Quay B is closed from November to March.", nil
	case strings.Contains(c.Prompt, "summer"):
		return "The summer timetable is data/summer.csv. Extra crossings leave from quay C.", nil
	}
	return "", nil
}

// tides cannot do without its configuration and says so; the turn goes on without it.
func tides(*message.Context) (string, error) {
	station, ok := pintle.Config("station")
	if !ok {
		return "", errors.New("no tide station is configured (key station)")
	}
	return "Tides are those of " + station + ".", nil
}
