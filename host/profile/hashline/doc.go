// Package hashline has what the provider bridge does around the edits of a host whose edit tool takes
// hashline patches: texts with headers such as [path#1A2B], where the tag names the snapshot of the file
// that the patch was made for, and operations on ranges of lines.
//
// Patches for one snapshot that arrive together are applied as one ([Coalescer]), and ranges that were
// changed once are not changed again by way of the same snapshot ([Claims]). Providers are shown an edit
// tool of another form, which takes the old text and the new one: [ParseEdit], [Replace] and [Editor] are
// that tool. The rules are those of the provider bridge's specification, section "Hashline and omp edit
// overlay". Applying a patch is the host's own.
package hashline
