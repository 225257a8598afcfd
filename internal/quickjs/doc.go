// Package quickjs drives guests of transport pintle-js/1: the JavaScript engine QuickJS-NG as a WebAssembly
// module, and a guest's program that runs on it. ABI.md section 13 says what host and program say to each
// other; requests and answers are turned into those of pintle/1 here, so that nothing above can tell.
//
// The engine never calls the host for the program. What the program reads comes with a request, and what
// it says goes with the answer. So nothing here is called back.
package quickjs
