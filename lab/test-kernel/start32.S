/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry of the 32-bit kernel: stays as it is started, in protected mode
 * without paging, with flat segments. By Xen in a PVH guest, or by a PC's
 * multiboot loader in an hvm guest, whose magic number is then in eax.
 */
#define MULTIBOOT_HEADER 0x1badb002
#define MULTIBOOT_LOADER 0x2badb002

    .section .text.start, "ax"
    .balign 4
    .long MULTIBOOT_HEADER, 0, -MULTIBOOT_HEADER

    .section .note.xen, "a", @note
    .long 4, 4, 18              /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long start

    .section .text.start
    .globl start
start:
    cld
    mov $stack_top, %esp
    xor %ebp, %ebp              /* the end of every stack walk */
    sub $12, %esp               /* with it, a multiple of 16 at each call */
    push %ebx
    cmp $MULTIBOOT_LOADER, %eax
    je 1f
    call started_by_xen
    jmp 2f
1:  call started_by_multiboot
2:  pause
    jmp 2b

    .bss
    .balign 16
    .skip 16384
stack_top:

    .section .note.GNU-stack, "", @progbits
