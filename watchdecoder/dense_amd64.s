#include "textflag.h"

DATA kinds<>+0(SB)/1, $0x22 // quote
DATA kinds<>+1(SB)/1, $0x5c // escape
DATA kinds<>+2(SB)/1, $0x2c // comma
DATA kinds<>+3(SB)/1, $0x3a // colon
DATA kinds<>+4(SB)/1, $0x7b // braceOpen
DATA kinds<>+5(SB)/1, $0x5b // listOpen
DATA kinds<>+6(SB)/1, $0x7d // braceEnd
DATA kinds<>+7(SB)/1, $0x5d // listEnd
DATA kinds<>+8(SB)/1, $0x1f // the highest control
GLOBL kinds<>(SB), RODATA|NOPTR, $9

// MARK writes the marks of the bytes of Y0 and Y1 that equal those of kind.
#define MARK(kind, at) \
	VPCMPEQB kind, Y0, Y2; \
	VPCMPEQB kind, Y1, Y3; \
	VPMOVMSKB Y2, AX; \
	VPMOVMSKB Y3, BX; \
	SHLQ $32, BX; \
	ORQ BX, AX; \
	MOVQ AX, at(DI)

// func markBlocks(p *byte, n int, to *[denseBlocks]blockMarks)
TEXT ·markBlocks(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ to+16(FP), DI
	VPBROADCASTB kinds<>+0(SB), Y7
	VPBROADCASTB kinds<>+1(SB), Y8
	VPBROADCASTB kinds<>+2(SB), Y9
	VPBROADCASTB kinds<>+3(SB), Y10
	VPBROADCASTB kinds<>+4(SB), Y11
	VPBROADCASTB kinds<>+5(SB), Y12
	VPBROADCASTB kinds<>+6(SB), Y13
	VPBROADCASTB kinds<>+7(SB), Y14
	VPBROADCASTB kinds<>+8(SB), Y15

next:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	MARK(Y7, 0)
	VMOVQ AX, X4
	VPCMPEQB X5, X5, X5
	VPCLMULQDQ $0, X5, X4, X4
	VMOVQ X4, 72(DI)
	MARK(Y8, 8)
	MARK(Y9, 16)
	MARK(Y10, 24)
	MARK(Y11, 32)
	MARK(Y12, 40)
	MARK(Y13, 48)
	MARK(Y14, 56)
	VPMINUB Y15, Y0, Y2
	VPMINUB Y15, Y1, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPOR Y2, Y3, Y2
	VPMOVMSKB Y2, AX
	MOVQ AX, 64(DI)
	ADDQ $64, SI
	ADDQ $80, DI
	DECQ CX
	JNZ next
	VZEROUPPER
	RET

// func hasAVX2() bool
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	MOVL $0, AX
	CPUID
	CMPL AX, $7
	JLT  no
	MOVL $1, AX
	MOVL $0, CX
	CPUID
	ANDL $0x18000002, CX // OSXSAVE, AVX and PCLMULQDQ
	CMPL CX, $0x18000002
	JNE  no
	MOVL $0, CX
	XGETBV
	ANDL $6, AX // the operating system keeps XMM and YMM
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	MOVL $0, CX
	CPUID
	TESTL $0x20, BX // AVX2
	JZ   no
	MOVB $1, ret+0(FP)

no:
	RET
