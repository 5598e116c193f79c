#include "textflag.h"

// func commonBytes(a, b *byte, n int) int
//
// 64 bytes at a time, then 16, then one. Registers: SI and DI the texts, CX their length, AX what is the same.
TEXT ·commonBytes(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	XORL AX, AX

blocks:
	LEAQ  64(AX), DX
	CMPQ  DX, CX
	JGT   sixteen
	MOVOU (SI)(AX*1), X0
	MOVOU 16(SI)(AX*1), X1
	MOVOU 32(SI)(AX*1), X2
	MOVOU 48(SI)(AX*1), X3
	MOVOU (DI)(AX*1), X4
	MOVOU 16(DI)(AX*1), X5
	MOVOU 32(DI)(AX*1), X6
	MOVOU 48(DI)(AX*1), X7
	PCMPEQB X4, X0
	PCMPEQB X5, X1
	PCMPEQB X6, X2
	PCMPEQB X7, X3
	PAND  X1, X0
	PAND  X3, X2
	PAND  X2, X0
	PMOVMSKB X0, BX
	CMPL  BX, $0xffff
	JNE   sixteen
	MOVQ  DX, AX
	JMP   blocks

sixteen:
	LEAQ  16(AX), DX
	CMPQ  DX, CX
	JGT   one
	MOVOU (SI)(AX*1), X0
	MOVOU (DI)(AX*1), X4
	PCMPEQB X4, X0
	PMOVMSKB X0, BX
	XORL  $0xffff, BX
	JNE   differ
	MOVQ  DX, AX
	JMP   sixteen

differ:
	BSFL BX, BX
	ADDQ BX, AX
	JMP  done

one:
	CMPQ AX, CX
	JGE  done
	MOVB (SI)(AX*1), BX
	CMPB BX, (DI)(AX*1)
	JNE  done
	INCQ AX
	JMP  one

done:
	MOVQ AX, ret+24(FP)
	RET
