//go:build !purego

#include "textflag.h"

DATA bytes<>+0(SB)/8, $0x2222222222222222 // quotation mark
DATA bytes<>+8(SB)/8, $0x2222222222222222
DATA bytes<>+16(SB)/8, $0x5c5c5c5c5c5c5c5c // backslash
DATA bytes<>+24(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA bytes<>+32(SB)/8, $0x1f1f1f1f1f1f1f1f // the last control character
DATA bytes<>+40(SB)/8, $0x1f1f1f1f1f1f1f1f
GLOBL bytes<>(SB), RODATA|NOPTR, $48

// SIXTEEN compares 16 bytes and adds the outcome to the masks in R8, R9 and R10.
#define SIXTEEN(at) \
	MOVOU    at(DI), X0; \
	MOVO     X0, X1;     \
	MOVO     X0, X2;     \
	PMINUB   X7, X2;     \
	PCMPEQB  X0, X2;     \
	PCMPEQB  X5, X0;     \
	PCMPEQB  X6, X1;     \
	PMOVMSKB X0, AX;     \
	PMOVMSKB X1, BX;     \
	PMOVMSKB X2, CX;     \
	SHLQ     $at, AX;    \
	SHLQ     $at, BX;    \
	SHLQ     $at, CX;    \
	ORQ      AX, R8;     \
	ORQ      BX, R9;     \
	ORQ      CX, R10

// func masks(block *[64]byte) (quote, slash, control uint64)
TEXT ·masks(SB), NOSPLIT, $0-32
	MOVQ  block+0(FP), DI
	MOVOU bytes<>+0(SB), X5
	MOVOU bytes<>+16(SB), X6
	MOVOU bytes<>+32(SB), X7
	XORL  R8, R8
	XORL  R9, R9
	XORL  R10, R10
	SIXTEEN(0)
	SIXTEEN(16)
	SIXTEEN(32)
	SIXTEEN(48)
	MOVQ  R8, quote+8(FP)
	MOVQ  R9, slash+16(FP)
	MOVQ  R10, control+24(FP)
	RET
