// Package proof shows of a rewritten module, from its bytes alone, that it cannot run for long without
// its host's leave. It shares no code with the rewriter: what one of them gets wrong, the other does
// not get wrong in the same way.
//
// The engine validates types; the proof relies on that, on the host (which refills the fuel global,
// sets the depth global to 0 before each call, answers grow, and does not return from a tick about a
// full stack), and on nothing else. Of every module that [Check] accepts, this is true:
//
//   - Nothing runs before the host calls it: there is no start section.
//   - Fuel is a mutable i64 global and depth a mutable i32 global, both 0 at first, exported under
//     their agreed names and under no others. Instructions name them only in the sequences written down
//     in this package. No charge in these is negative, so that only the host puts fuel back.
//   - tick and grow are imported once, with their agreed types, and called in those sequences alone.
//     They are not exported, not in a table, not named by ref.func.
//   - Every function and every loop begins with a charge of at least one unit and a check: tick is
//     called if fuel is below 0. The exceptions are the functions that read and write a v128 global for
//     the host, which have no loop and no call and which nothing in the module can call.
//   - What is done was charged before. On every path, since the function was entered, the charges are
//     at least the sum of the least weights of the instructions (eighths of a unit, listed in this
//     package). What was charged outside of a loop pays for nothing in it, so that this holds however
//     often a loop runs.
//   - At most 32,768 units are charged on any path through one function without a check, and at most
//     256 behind a call without a check, before the function returns. So a recursion that comes back,
//     up to 16,384 frames, charges at most some four million units without one.
//   - Instructions that move memory or table entries move at most 64 KiB or 8,192 entries, by a
//     constant or because a comparison with the length was made on every path, and are charged by their
//     length. memory.grow asks grow first; it and table.grow are charged by what is asked for and
//     checked.
//   - A function that calls others counts its frame: it adds at least 64 bytes and 8 for each
//     parameter, local, result and operand (as many as there are at any time) to depth, calls tick and
//     traps if that makes more than 1 MiB, and takes them off where it returns, which is at one place.
//     The exception is a function that calls only functions which call no others. Calls of imported
//     functions do not count: a host function does not call back.
//   - Every mutable global of a number is exported under a private name, of a v128 through three
//     functions.
//
// The proof is one pass over the code: time and memory are linear in the size of the module, and
// nothing in it panics or calls itself on any input.
package proof
