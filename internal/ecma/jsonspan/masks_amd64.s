//go:build !purego

#include "textflag.h"

DATA bytes<>+0(SB)/8, $0x2222222222222222 // quotation mark
DATA bytes<>+8(SB)/8, $0x2222222222222222
DATA bytes<>+16(SB)/8, $0x5c5c5c5c5c5c5c5c // backslash
DATA bytes<>+24(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA bytes<>+32(SB)/8, $0x1f1f1f1f1f1f1f1f // the last control character
DATA bytes<>+40(SB)/8, $0x1f1f1f1f1f1f1f1f
DATA bytes<>+48(SB)/8, $0x6e6e6e6e6e6e6e6e // n
DATA bytes<>+56(SB)/8, $0x6e6e6e6e6e6e6e6e
DATA bytes<>+64(SB)/8, $0x7474747474747474 // t
DATA bytes<>+72(SB)/8, $0x7474747474747474
GLOBL bytes<>(SB), RODATA|NOPTR, $80

// SIXTEEN compares 16 bytes and adds the outcome to the masks in R8 to R11.
#define SIXTEEN(at) \
	MOVOU    at(DI), X0; \
	MOVO     X0, X1;     \
	MOVO     X0, X2;     \
	MOVO     X0, X3;     \
	MOVO     X0, X4;     \
	PMINUB   X7, X2;     \
	PCMPEQB  X0, X2;     \
	PCMPEQB  X5, X0;     \
	PCMPEQB  X6, X1;     \
	PCMPEQB  X8, X3;     \
	PCMPEQB  X9, X4;     \
	POR      X4, X3;     \
	PMOVMSKB X0, AX;     \
	PMOVMSKB X1, BX;     \
	PMOVMSKB X2, CX;     \
	PMOVMSKB X3, DX;     \
	SHLQ     $at, AX;    \
	SHLQ     $at, BX;    \
	SHLQ     $at, CX;    \
	SHLQ     $at, DX;    \
	ORQ      AX, R8;     \
	ORQ      BX, R9;     \
	ORQ      CX, R10;    \
	ORQ      DX, R11

// func masks(block *[64]byte) (quote, slash, control, usual uint64)
TEXT ·masks(SB), NOSPLIT, $0-40
	MOVQ  block+0(FP), DI
	MOVOU bytes<>+0(SB), X5
	MOVOU bytes<>+16(SB), X6
	MOVOU bytes<>+32(SB), X7
	MOVOU bytes<>+48(SB), X8
	MOVOU bytes<>+64(SB), X9
	XORL  R8, R8
	XORL  R9, R9
	XORL  R10, R10
	XORL  R11, R11
	SIXTEEN(0)
	SIXTEEN(16)
	SIXTEEN(32)
	SIXTEEN(48)
	MOVQ  R8, quote+8(FP)
	MOVQ  R9, slash+16(FP)
	MOVQ  R10, control+24(FP)
	MOVQ  R11, usual+32(FP)
	RET
