// Command bench measures Pintle beside its peers, all in one run, and prints tables of times and ratios
// with the aims of the project. Times of a machine that others use as well say little; the ratios of one
// run say more.
//
// It is a module of its own, so that the peers stay out of the module that hosts depend on.
package main
