/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the text of a hypervisor: following them ends, and makes a
 * table that the module takes, with a row for each byte.
 *
 * An input is text; its first bytes say where symbols and constants lie.
 */
#include <string.h>

#include "hypervisor/xen-stack/unwind-check.h"
#include "module/unwind/unwind-table.h"
#include "fuzz.h"

#define ADDRESS   0xffff82d040200000ull
#define CONSTANTS 0xffff82d040400000ull
#define SYMBOLS   16u

/* Functions that matter when they are called. */
static const char *const names[SYMBOLS] = {
    "some_function",       "another_function",
    "ret_from_intr",       "svm_asm_do_resume",
    "_stextentry",         "_etextentry",
    "some.cold",           "__x86_indirect_thunk_rax",
    "create_bounce_frame", "kexec_reloc",
    "third_function",      "fourth_function",
    "fifth_function",      "__x86_return_thunk",
    "continue_pv_domain",  "last_function",
};

/* An example for each rule. */
asm(".pushsection fuzz_code, \"ax\", @progbits\n"
    "push %rbp\n mov %rsp, %rbp\n push %rbx\n sub $0x28, %rsp\n"
    "lea -8(%rbp), %rsp\n pop %rbx\n leave\n ret\n .p2align 4\n"
    "lea 8(%rsp), %r10\n and $-16, %rsp\n pushq -8(%r10)\n push %rbp\n"
    "mov %rsp, %rbp\n push %r10\n mov -8(%rbp), %r10\n leave\n"
    "lea -8(%r10), %rsp\n ret\n .p2align 4\n"
    "1: test %edi, %edi\n je 2f\n push %rax\n call 1b\n pop %rax\n"
    "2: jmp 3f\n ud2\n .byte 0x0f, 0x0b, 0x0f, 0xff, 0xff\n nop\n"
    "3: mov %rsp, %rax\n call 4f\n int3\n 4: call 5f\n int3\n"
    "5: mov %rax, %rsp\n push $0\n add $-0x78, %rsp\n"
    "mov %rbp, 0x20(%rsp)\n mov %rsp, %rdi\n call 1b\n"
    "add $0x80, %rsp\n iretq\n .p2align 4\n"
    "mov %rcx, %rsp\n call *%rax\n pushfq\n popfq\n jmp *%rdx\n"
    ".popsection\n");

extern const uint8_t __start_fuzz_code[], __stop_fuzz_code[];

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    size_t size = __stop_fuzz_code - __start_fuzz_code;

    if ( number == SYMBOLS )
        return 0;
    /* In each, symbols begin at other parts. */
    for ( unsigned int i = 0; i < SYMBOLS; i++ )
        bytes[i] = (i + number) % SYMBOLS * 16;
    memcpy(bytes + SYMBOLS, __start_fuzz_code, size);
    return SYMBOLS + size;
}

static const char tables[] = "ffff82d040400000 d _srodata\n"
                             "ffff82d040400000 d __start___ex_table\n"
                             "ffff82d040400010 d __stop___ex_table\n"
                             "ffff82d040400010 d __start_bug_frames_0\n"
                             "ffff82d040400020 d __stop_bug_frames_0\n";

static void open_image(struct xen_image *image, const uint8_t *data,
                       size_t size)
{
    char symbols[4096];
    size_t used = snprintf(symbols, sizeof(symbols), "%s", tables);
    struct xen_range range = {
        .address = ADDRESS, .bytes = data + SYMBOLS, .size = size - SYMBOLS};

    for ( unsigned int i = 0; i < SYMBOLS; i++ )
        used += snprintf(
            symbols + used, sizeof(symbols) - used, "%llx t %s\n",
            (unsigned long long)(ADDRESS + data[i] % range.size * (1 + i)),
            names[i]);
    FUZZ_CHECK(!xen_image_open_text(image, &range, symbols, used));
    image->rodata = (struct xen_range){
        .address = CONSTANTS, .bytes = range.bytes, .size = range.size};
}

static void check_table(const struct xenoprof_unwind *bytes, size_t text_size)
{
    struct unwind_table table;

    FUZZ_CHECK(unwind_check(bytes, bytes->size, 0, &table));
    for ( size_t i = 0; i < text_size; i++ )
        FUZZ_CHECK(unwind_find(&table, ADDRESS + i));
    FUZZ_CHECK(!unwind_find(&table, ADDRESS + text_size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xen_image image;
    struct xenoprof_unwind *bytes;
    struct unwind_report report;

    if ( size <= SYMBOLS )
        return 0;
    open_image(&image, data, size);
    FUZZ_CHECK(!unwind_make(&image, NULL, &bytes, &report));
    FUZZ_CHECK(report.covered <= 10000);
    check_table(bytes, size - SYMBOLS);
    xen_image_close(&image);
    free(bytes);
    return 0;
}
