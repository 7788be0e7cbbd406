/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PVH entry, 64-bit kernel: Xen starts a PVH guest in 32-bit protected mode
 * without paging, with the start info's address in ebx. Maps the low 4 GiB
 * one to one (the console's page lies near their end), enters long mode.
 */
#define PAGE_PRESENT_WRITE 0x03
#define PAGE_LARGE         0x83
#define EFER               0xc0000080

    .section .note.xen, "a", @note
    .long 4, 4, 18              /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long start

    .code32
    .section .text.start, "ax"
    .globl start
start:
    cld
    mov $stack_top, %esp

    mov $tables, %edi           /* level 4: one entry */
    lea 0x1000 + PAGE_PRESENT_WRITE(%edi), %eax
    mov %eax, (%edi)

    lea 0x1000(%edi), %esi      /* level 3: four entries */
    lea 0x2000 + PAGE_PRESENT_WRITE(%edi), %eax
    mov $4, %ecx
1:  mov %eax, (%esi)
    add $0x1000, %eax
    add $8, %esi
    loop 1b

    lea 0x2000(%edi), %esi      /* level 2: 2048 pages of 2 MiB */
    mov $PAGE_LARGE, %eax
    mov $2048, %ecx
1:  mov %eax, (%esi)
    add $0x200000, %eax
    add $8, %esi
    loop 1b

    mov %cr4, %eax
    or $0x20, %eax              /* PAE */
    mov %eax, %cr4
    mov %edi, %cr3
    mov $EFER, %ecx
    rdmsr
    or $0x100, %eax             /* LME */
    wrmsr
    mov %cr0, %eax
    or $0x80000000, %eax        /* paging */
    mov %eax, %cr0
    lgdt gdt_pointer
    ljmp $8, $long_mode

    .code64
long_mode:
    mov $16, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    xor %ebp, %ebp              /* the end of every stack walk */
    mov %ebx, %edi
    call started_by_xen
1:  pause
    jmp 1b

/* halts_once(byte): an event is pending there; halts until it has come. */
    .globl halts_once
halts_once:
    movb $1, (%rdi)
    sti
halts_here:
    hlt
    ret

/* Of the event: none is pending any more, and interrupts are off again.  One
 * that came before the HLT would not end it. */
    .globl halts_wake
halts_wake:
    movb $0, (%rdi)
    cmpq $halts_here, (%rsp)
    jne 1f
    incq (%rsp)
1:  andl $~0x200, 16(%rsp)      /* the interrupt flag to return with */
    iretq

    .section .rodata
    .balign 8
gdt:
    .quad 0
    .quad 0x00af9b000000ffff    /* code, 64-bit */
    .quad 0x00cf93000000ffff    /* data */
gdt_pointer:
    .word gdt_pointer - gdt - 1
    .long gdt

    .bss
    .balign 4096
tables:
    .skip 6 * 4096
    .skip 16384
stack_top:

    .section .note.GNU-stack, "", @progbits
