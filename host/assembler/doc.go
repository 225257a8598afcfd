// Package assembler turns the chunks of a model's answer into the blocks that are kept of it, and
// decides which entries of the provider's replay envelope stay beside them. It follows the replay-state
// protocol, sections "Chunk vocabulary and stream rules", "The assembler" and "The replay envelope: one
// keep/drop decision".
//
// An [Assembler] takes any sequence of chunks, legal or not. What it returns agrees with itself: the
// blocks and the entries are cut by the same decision, so that either there are as many entries as
// blocks or there are no entries.
//
// A [Grammar] is the strict counterpart: it tells on a live stream what an adapter does wrong, and at
// which chunk.
package assembler
