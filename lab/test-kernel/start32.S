/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PVH entry, 32-bit kernel: stays as Xen starts it, in protected mode without
 * paging, with flat segments.
 */
    .section .note.xen, "a", @note
    .long 4, 4, 18              /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long start

    .section .text.start, "ax"
    .globl start
start:
    cld
    mov $stack_top, %esp
    xor %ebp, %ebp              /* the end of every stack walk */
    push %ebx
    call test_kernel
1:  pause
    jmp 1b

    .bss
    .balign 16
    .skip 16384
stack_top:

    .section .note.GNU-stack, "", @progbits
