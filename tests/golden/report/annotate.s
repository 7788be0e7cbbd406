# SPDX-License-Identifier: GPL-2.0-or-later
# What annotate.expected makes a hypervisor, a kernel and a program of.
        .text
        .type   spin, @function
spin:   push    %rbp
        mov     %rsp, %rbp
        cmpl    $5, counter(%rip)
        je      1f
        call    helper
	mov	%rax, %cr3              # tabs, and RLO
1:      pop     %rbp
        ret
        .size   spin, . - spin
        .fill   9, 1, 0x90
        .type   helper, @function
helper: mov     $0x12345678, %eax
        jmp     *%rax
        .size   helper, . - helper
        .byte   0x06                    # no instruction
label:  pause                           # without a size
        jmp     label
        .type   last, @function
last:   jmp     spin + 4
        .size   last, . - last
        .type   counter, @object
counter: .long  7
        .size   counter, 4
