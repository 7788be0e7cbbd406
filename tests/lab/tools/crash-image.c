/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash-image: loads what Xen is to run when it crashes, in the place of a
 * kernel that would save a dump: a few instructions that say so on the serial
 * line and reset the machine.  Xen needs crashkernel=SIZE on its command line.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

#define PAGE 4096

/* Runs at any address, with 64 bits and no stack. */
asm(".pushsection .rodata\n"
    ".globl crash_image, crash_image_end\n"
    "crash_image:\n"
    "    lea 2f(%rip), %rsi\n"
    "    cld\n"
    "1:  mov $0x3fd, %dx\n" /* the serial line's state: ready for a byte? */
    "    in %dx, %al\n"
    "    test $0x20, %al\n"
    "    jz 1b\n"
    "    mov $0x3f8, %dx\n"
    "    lodsb\n"
    "    test %al, %al\n"
    "    jz 3f\n"
    "    out %al, %dx\n"
    "    jmp 1b\n"
    "2:  .asciz \"\\r\\nlab: the crash image runs\\r\\n\"\n"
    "3:  mov $0xfe, %al\n" /* the keyboard controller resets the machine */
    "    out %al, $0x64\n"
    "4:  hlt\n"
    "    jmp 4b\n"
    "crash_image_end:\n"
    ".popsection\n");
extern const char crash_image[], crash_image_end[];

static int die(const char *what)
{
    fprintf(stderr, "crash-image: ");
    perror(what);
    return 1;
}

int main(void)
{
    xc_interface *xc = xc_interface_open(NULL, NULL, 0);
    xen_kexec_segment_t segment = {.buf_size = PAGE, .dest_size = PAGE};
    uint64_t size = 0, start = 0;
    DECLARE_HYPERCALL_BUFFER(char, code);

    if ( !xc )
        return die("there is no Xen");
    if ( xc_kexec_get_range(xc, KEXEC_RANGE_MA_CRASH, 0, &size, &start) )
        return die("Xen does not say where a crash image may lie");
    if ( size < PAGE )
    {
        fprintf(stderr, "crash-image: Xen has no room for a crash image; boot "
                        "it with crashkernel=16M\n");
        return 1;
    }
    code = xc_hypercall_buffer_alloc_pages(xc, code, 1);
    if ( !code )
        return die("no memory");
    memset(code, 0, PAGE);
    memcpy(code, crash_image, crash_image_end - crash_image);
    set_xen_guest_handle(segment.buf.h, code);
    segment.dest_maddr = start;
    if ( xc_kexec_load(xc, KEXEC_TYPE_CRASH, EM_X86_64, start, 1, &segment) )
        return die("Xen does not take the crash image");
    printf("loaded at %#lx\n", (unsigned long)start);
    return 0;
}
