// Package hashline has what the provider bridge does around the edits of a host whose edit tool takes
// hashline patches: texts with headers such as [path#1A2B], where the tag names the snapshot of the file
// that the patch was made for, and operations on ranges of lines. That host is omp (@oh-my-pi/pi-ai 18.2.11,
// coding agent 18.3.4).
//
// Patches for one snapshot that arrive together are applied as one ([Coalescer]), and ranges that were
// changed once are not changed again by way of the same snapshot ([Claims]). Providers are shown an edit
// tool of another form, which takes the old text and the new one: [ParseEdit], [Edit.Replace] and [Editor] are
// that tool. Applying a patch is the host's own.
//
// The rules are those of the provider bridge's specification, section "Hashline and omp edit overlay", each
// by the word it begins with there: Parse, Coalesce, Claims, Minted tags, Overlay. The reference is the
// bridge's newest state after its release 0.4.3; the older build, around 0.4.1, had the host's own mode of
// replacing in the place of the overlay. The AI SDK's protocol has no part in it. The text of the
// specification is not part of this repository; testdata/vectors/provider-bridge has its cases.
package hashline
