package quickjs

// A Fault is a request or an answer with which the host cannot go on. The program may be as good as
// before.
type Fault struct {
	Of     FaultKind
	Reason string
}

func (f *Fault) Error() string { return f.Reason }

// A FaultKind says who is at fault.
type FaultKind uint8

// The kinds of faults.
const (
	BadAnswer  FaultKind = iota // it does not follow the transport
	TooLarge                    // an answer is beyond its limit
	NoMemory                    // there is no room in the guest for what the host hands over
	NoContract                  // the bundle does not have what a host calls
	BadRequest                  // the host's own fault
)
