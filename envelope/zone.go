package envelope

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const zoneUnknown = "unknown"

// processZone finds the name of the zone that package time uses as Local, which does not tell it: the
// variable TZ, the link /etc/localtime, or the name in /etc/timezone.
func (e Environment) processZone() string {
	zone := strings.TrimPrefix(e.getenv("TZ"), ":")
	if zone == "" && e.Getenv == nil {
		if _, set := os.LookupEnv("TZ"); set {
			return "UTC" // set but empty
		}
	}
	if zone == "" {
		if link, err := os.Readlink("/etc/localtime"); err == nil {
			zone = filepath.ToSlash(link)
		} else if name, err := os.ReadFile("/etc/timezone"); err == nil {
			zone = strings.TrimSpace(string(name))
		} else if _, err := os.Stat("/etc/localtime"); os.IsNotExist(err) && runtime.GOOS != "windows" {
			return "UTC" // what package time falls back to
		}
	}
	if _, after, ok := strings.Cut(zone, "zoneinfo/"); ok {
		zone = after
	}
	if zone == "" {
		return zoneUnknown
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return zoneUnknown
	}
	return zone
}
