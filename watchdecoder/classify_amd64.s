#include "textflag.h"

DATA bytes<>+0(SB)/8, $0x2222222222222222 // quotes
DATA bytes<>+8(SB)/8, $0x2222222222222222
DATA bytes<>+16(SB)/8, $0x5c5c5c5c5c5c5c5c // backslashes
DATA bytes<>+24(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA bytes<>+32(SB)/8, $0x2626262626262626 // the bits that brackets and braces do not share
DATA bytes<>+40(SB)/8, $0x2626262626262626
DATA bytes<>+48(SB)/8, $0x7f7f7f7f7f7f7f7f // what they become once these are set
DATA bytes<>+56(SB)/8, $0x7f7f7f7f7f7f7f7f
GLOBL bytes<>(SB), RODATA|NOPTR, $64

// QUARTER leaves in q, e and b the marks of the 16 bytes of X0.
#define QUARTER(q, e, b) \
	MOVO X0, X1; \
	MOVO X0, X2; \
	PCMPEQB X8, X1; \
	PCMPEQB X9, X2; \
	POR X10, X0; \
	PCMPEQB X11, X0; \
	PMOVMSKB X1, q; \
	PMOVMSKB X2, e; \
	PMOVMSKB X0, b

// func classify(p *block) (quotes, escapes, brackets uint64)
//
// SSE2 is part of every amd64. Registers: AX the block; R8, R9, R10 the results.
TEXT ·classify(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), AX
	MOVOU bytes<>+0(SB), X8
	MOVOU bytes<>+16(SB), X9
	MOVOU bytes<>+32(SB), X10
	MOVOU bytes<>+48(SB), X11
	MOVOU 48(AX), X0
	QUARTER(R8, R9, R10)
	SHLQ $16, R8
	SHLQ $16, R9
	SHLQ $16, R10
	MOVOU 32(AX), X0
	QUARTER(BX, CX, DX)
	ORQ BX, R8
	ORQ CX, R9
	ORQ DX, R10
	SHLQ $16, R8
	SHLQ $16, R9
	SHLQ $16, R10
	MOVOU 16(AX), X0
	QUARTER(BX, CX, DX)
	ORQ BX, R8
	ORQ CX, R9
	ORQ DX, R10
	SHLQ $16, R8
	SHLQ $16, R9
	SHLQ $16, R10
	MOVOU (AX), X0
	QUARTER(BX, CX, DX)
	ORQ BX, R8
	ORQ CX, R9
	ORQ DX, R10
	MOVQ R8, quotes+8(FP)
	MOVQ R9, escapes+16(FP)
	MOVQ R10, brackets+24(FP)
	RET
