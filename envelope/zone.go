package envelope

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

const zoneUnknown = "unknown"

// zones keeps what package time reads from disk for a name each time that it is asked. Which zone is the
// process's own is not kept: a traveller changes it. The zero value is ready and safe for concurrent use.
type zones struct {
	mu    sync.Mutex
	known map[string]*time.Location // nil for a name that stands for no zone
}

// maxZones bounds the names, which come from the process's surroundings.
const maxZones = 16

// load returns a zone, nil if there is none of that name.
func (z *zones) load(name string) *time.Location {
	z.mu.Lock()
	defer z.mu.Unlock()
	location, ok := z.known[name]
	if ok {
		return location
	}
	if location, _ = time.LoadLocation(name); len(z.known) >= maxZones || z.known == nil {
		z.known = map[string]*time.Location{}
	}
	z.known[name] = location
	return location
}

// processZone finds the name of the zone that package time uses as Local, which does not tell it: the
// variable TZ, the link /etc/localtime, or the name in /etc/timezone.
func (e Environment) processZone(z *zones) string {
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
	if z.load(zone) == nil {
		return zoneUnknown
	}
	return zone
}
