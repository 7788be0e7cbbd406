/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry of the 32-bit kernel: stays as Xen's domain builder starts it, in
 * protected mode without paging, with flat segments: a PVH guest, or an hvm
 * guest in place of the firmware that would look for something to boot.
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
    sub $12, %esp               /* with it, a multiple of 16 at each call */
    push %ebx
    call started_by_xen
1:  pause
    jmp 1b

    .bss
    .balign 16
    .skip 16384
stack_top:

    .section .note.GNU-stack, "", @progbits
