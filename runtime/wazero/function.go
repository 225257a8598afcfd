package wazero

import (
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

type function struct {
	api.Function
	name     string
	instance *instance
	answers  bool
	args     []uint64 // room for arguments and results, kept between calls
	params   int
	stack    reflect.Value
}

func (f *function) Call(args ...uint64) (uint64, error) {
	clear(f.args[copy(f.args[:f.params], args):])
	if err := f.CallWithStack(&f.instance.call, f.args); err != nil {
		return 0, asTrap(err)
	}
	if f.stack.IsValid() && f.stack.Len() > maxIdleStack {
		f.Function = f.instance.module.ExportedFunction(f.name)
		f.stack = stackOf(f.Function)
	}
	if !f.answers {
		return 0, nil
	}
	return f.args[0], nil
}

// maxIdleStack is what a function may keep of its stack when it has returned.
const maxIdleStack = 64 << 10

// stackOf returns the stack of a function. wazero makes one for each, lets it grow to what a recursion
// needs, which is 2 MiB for the deepest one allowed, and keeps it for as long as the function; nothing in
// its API tells. A version of wazero that has it elsewhere keeps it.
func stackOf(f api.Function) reflect.Value {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	if stack := v.Elem().FieldByName("stack"); stack.IsValid() && stack.Kind() == reflect.Slice {
		return stack
	}
	return reflect.Value{}
}
