package wasmbin

// Where fuel is charged.
//
// A run is a straight line of instructions: it begins at the start of the function, of a loop or of an
// arm, behind a conditional branch, or where branches come together. It is paid for where it begins. A
// short run is paid for by an earlier one, its payer, through which every path to it leads within the
// same loop, so that real code does not pay for paying. Of runs that exclude each other the payer pays
// for the dearest: it has a credit, and each path may use all of it.
//
// Weights are counted in eighths of a unit of fuel, charges in whole units, rounded up.
const (
	weightsPerUnit = 8

	shortRun  = 24 // weight up to which a run may be paid for by another
	maxCredit = 64 // of one payer

	// Weight between two checks on one path, and behind a call: a recursion that has stopped calling
	// passes no entry of a function on its way back.
	maxUnchecked  = 160_000
	maxBehindCall = 1_024

	entryWeight   = 8
	loopWeight    = 1
	carriedWeight = 2 // of a value that a branch takes with it
)

type run struct {
	at      int // index of the instruction that it begins with
	weight  uint32
	credit  uint32 // what it pays for others
	checked bool   // fuel is looked at where it begins
}

// units returns what is charged where the run begins.
func (r *run) units() uint32 {
	if r.weight == 0 {
		return 0
	}
	return (r.weight + r.credit + weightsPerUnit - 1) / weightsPerUnit
}

// An account is what holds at one place of a function, whatever path led there.
type account struct {
	payer     int    // the last run that pays for itself on all paths
	debt      uint32 // how much of its credit has been used at most
	unchecked uint32 // weight since the last check, at most
	tail      int32  // weight since the first call behind that check, at most; -1: there was none
}

type charges struct {
	runs []run
	now  account
	open bool // now is that of the last run, which has not ended
}

func (c *charges) reset() {
	*c = charges{runs: c.runs[:0]}
	c.check(0, entryWeight)
}

// begin starts a run at a place with the given account.
func (c *charges) begin(at int, a account) {
	c.runs = append(c.runs, run{at: at})
	c.now, c.open = a, true
}

// check starts a run that looks at what is left.
func (c *charges) check(at int, weight uint32) {
	c.end()
	c.runs = append(c.runs, run{at: at, weight: weight, checked: true})
	c.now, c.open = account{unchecked: weight, tail: -1}, true
}

// end decides who pays for the current run.
func (c *charges) end() {
	if !c.open {
		return
	}
	c.open = false
	i := len(c.runs) - 1
	r := &c.runs[i]
	if debt := c.now.debt + r.weight; !r.checked && r.weight <= shortRun && debt <= maxCredit {
		p := &c.runs[c.now.payer]
		p.credit = max(p.credit, debt)
		c.now.debt, r.weight = debt, 0
		return
	}
	c.now.payer, c.now.debt = i, 0
	c.now.spend(maxCredit + weightsPerUnit) // what its charge may become beside its weight
}

// add pays for an instruction of the current run.
func (c *charges) add(weight uint32) {
	c.runs[len(c.runs)-1].weight += weight
	c.now.spend(weight)
}

func (a *account) spend(weight uint32) {
	a.unchecked += weight
	if a.tail >= 0 {
		a.tail += int32(weight)
	}
}

func (c *charges) call() { c.now.tail = max(c.now.tail, 0) }

// due reports whether the current run has to end with a check.
func (c *charges) due() bool { return c.now.unchecked > maxUnchecked || c.now.tail > maxBehindCall }

// used returns an account whose credit so far is used up.
func (c *charges) used(a account) account {
	a.debt = c.runs[a.payer].credit
	return a
}

// meet returns the account of a place where two paths come together: what holds on both. The two have led
// through one place before, whose account is began. If their payers differ, the payer is that of the
// earlier place, with its credit used up.
func (c *charges) meet(a, b, began account) account {
	if a.payer == b.payer {
		a.debt = max(a.debt, b.debt)
	} else {
		began = c.used(began)
		a.payer, a.debt = began.payer, began.debt
	}
	a.unchecked, a.tail = max(a.unchecked, b.unchecked), max(a.tail, b.tail)
	return a
}
