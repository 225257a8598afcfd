package quickjs

import "errors"

// jobs runs what promises wait for until nothing is left. A program that goes on for good runs out of what
// a call may use.
func (v *VM) jobs() error {
	for {
		// 1: one ran; 0: there was none; below: one failed, which nobody can have noticed
		result, err := v.run("qjs_execute_pending_job")
		if err != nil {
			return err
		}
		if int32(result) < 0 {
			err := v.pending()
			if e := (*Exception)(nil); !errors.As(err, &e) || e.Err != nil {
				return err // what stopped the program, or the machine's
			}
		}
		if err := v.stopped(); err != nil {
			return err
		}
		if result == 0 {
			return nil
		}
	}
}

// stopped returns the exception of a program that was interrupted and went on nevertheless, or that caught
// what cannot be caught.
func (v *VM) stopped() error {
	if why := v.machine.Stop(); why != nil {
		return &Exception{Reason: why.Error(), Err: why}
	}
	return nil
}

func (v *VM) dropException() error {
	x, err := v.run("qjs_get_exception")
	if err != nil {
		return err
	}
	return v.free(x)
}
