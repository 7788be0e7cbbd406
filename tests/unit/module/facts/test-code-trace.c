/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is traced in small pieces of machine code. */
#include "facts-kit.h"

#include "module/facts/code-trace.h"
#include "tests/harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t flip[] = {
    0x48, 0x8b, 0x87, 0x80, 0x03, 0x00, 0x00, /* mov 0x380(%rdi),%rax */
    0x48, 0x83, 0xf0, 0x01,                   /* xor $0x1,%rax */
    0x48, 0x89, 0x87, 0x80, 0x03, 0x00, 0x00, /* mov %rax,0x380(%rdi) */
    0xc3,                                     /* ret */
};
static const uint8_t stack[] = {
    0x48, 0x89, 0xe2,                         /* mov %rsp,%rdx */
    0x48, 0x81, 0xca, 0xff, 0x7f, 0x00, 0x00, /* or $0x7fff,%rdx */
    0x48, 0x8b, 0x42, 0xc9,                   /* mov -0x37(%rdx),%rax */
    0x48, 0x8b, 0x48, 0x10,                   /* mov 0x10(%rax),%rcx */
    0x48, 0x8d, 0xa2, 0xf9, 0xfe, 0xff, 0xff, /* lea -0x107(%rdx),%rsp */
    0xc3,                                     /* ret */
};
static const uint8_t mask[] = {
    0x48, 0xc7, 0xc0, 0x00, 0x80, 0xff, 0xff, /* mov $-0x8000,%rax */
    0x48, 0x21, 0xe0,                         /* and %rsp,%rax */
    0x48, 0x8b, 0x80, 0xc8, 0x7f, 0x00, 0x00, /* mov 0x7fc8(%rax),%rax */
    0xc3,                                     /* ret */
};
static const uint8_t spill[] = {
    0x53,                         /* push %rbx */
    0x48, 0x83, 0xec, 0x10,       /* sub $0x10,%rsp */
    0x48, 0x89, 0x7c, 0x24, 0x08, /* mov %rdi,0x8(%rsp) */
    0xe8, 0xfb, 0x00, 0x00, 0x00, /* call elsewhere */
    0x48, 0x8b, 0x5c, 0x24, 0x08, /* mov 0x8(%rsp),%rbx */
    0x48, 0x8b, 0x43, 0x18,       /* mov 0x18(%rbx),%rax */
    0x48, 0x8b, 0x48, 0x08,       /* mov 0x8(%rax),%rcx */
    0x48, 0x83, 0xc4, 0x10,       /* add $0x10,%rsp */
    0x5b,                         /* pop %rbx */
    0xc3,                         /* ret */
};
static const uint8_t branch[] = {
    0x48, 0x85, 0xff,       /* test %rdi,%rdi */
    0x74, 0x05,             /* je 1f */
    0x48, 0x8b, 0x47, 0x08, /* mov 0x8(%rdi),%rax */
    0xc3,                   /* ret */
    0x48, 0x8b, 0x46, 0x18, /* 1: mov 0x18(%rsi),%rax */
    0xc3,                   /* ret */
};
static const uint8_t loop[] = {
    0x48, 0x8b, 0x7f, 0x08, /* 1: mov 0x8(%rdi),%rdi */
    0x48, 0x85, 0xff,       /* test %rdi,%rdi */
    0x75, 0xf7,             /* jne 1b */
    0xc3,                   /* ret */
};
static const uint8_t clobber[] = {
    0x48, 0x89, 0xf8,             /* mov %rdi,%rax */
    0x0f, 0xa2,                   /* cpuid */
    0x48, 0x8b, 0x48, 0x08,       /* mov 0x8(%rax),%rcx */
    0x66, 0x0f, 0x1f, 0x04, 0x3f, /* nopw (%rdi,%rdi,1) */
    0xc3,                         /* ret */
};
static const uint8_t virtual[] = {
    0x48, 0x8b, 0x87, 0xc8, 0x05, 0x00, 0x00, /* mov 0x5c8(%rdi),%rax */
    0x0f, 0x01, 0xd8,                         /* vmrun */
    0x48, 0x8b, 0x97, 0x28, 0x0a, 0x00, 0x00, /* mov 0xa28(%rdi),%rdx */
    0x0f, 0x22, 0xda,                         /* mov %rdx,%cr3 */
    0xba, 0x1e, 0x68, 0x00, 0x00,             /* mov $0x681e,%edx */
    0x0f, 0x79, 0x96, 0x80, 0x00, 0x00, 0x00, /* vmwrite 0x80(%rsi),%rdx */
    0xb9, 0x19, 0x00, 0x00, 0x00,             /* mov $0x19,%ecx */
    0xf3, 0x48, 0xa5,                         /* rep movsq */
    0xc3,                                     /* ret */
};
static const uint8_t wide[] = {
    0xf6, 0x87, 0x3c, 0x01, 0x00, 0x00, 0x01, /* testb $0x1,0x13c(%rdi) */
    0x0f, 0xb7, 0x07,                         /* movzwl (%rdi),%eax */
    0x83, 0xbf, 0x40, 0x01, 0x00, 0x00, 0x02, /* cmpl $0x2,0x140(%rdi) */
    0xb8, 0xff, 0xff, 0xff, 0xff,             /* mov $0xffffffff,%eax */
    0x89, 0x47, 0x04,                         /* mov %eax,0x4(%rdi) */
    0xc3,                                     /* ret */
};
static const uint8_t forever[] = {
    0xeb, 0xfe, /* 1: jmp 1b */
};
static const uint8_t tail[] = {
    0x48, 0x8b, 0x77, 0x28,       /* mov 0x28(%rdi),%rsi */
    0xe9, 0xf7, 0xfd, 0xff, 0xff, /* jmp flip */
};

static const uint8_t turns[] = {
    0x31, 0xc0,                   /* xor %eax,%eax */
    0x4c, 0x8b, 0x04, 0x06,       /* 1: mov (%rsi,%rax,1),%r8 */
    0x48, 0x8b, 0x4c, 0x06, 0x08, /* mov 0x8(%rsi,%rax,1),%rcx */
    0x4c, 0x89, 0x04, 0x07,       /* mov %r8,(%rdi,%rax,1) */
    0x48, 0x89, 0x4c, 0x07, 0x08, /* mov %rcx,0x8(%rdi,%rax,1) */
    0x83, 0xc0, 0x10,             /* add $0x10,%eax */
    0x3d, 0xc0, 0x00, 0x00, 0x00, /* cmp $0xc0,%eax */
    0x72, 0xe4,                   /* jb 1b */
    0xc3,                         /* ret */
};
static const uint8_t gap[] = {
    0x48, 0x8b, 0x46, 0x08, /* mov 0x8(%rsi),%rax */
    0x48, 0x89, 0x47, 0x08, /* mov %rax,0x8(%rdi) */
    0x48, 0x8b, 0x46, 0x18, /* mov 0x18(%rsi),%rax */
    0x48, 0x89, 0x47, 0x18, /* mov %rax,0x18(%rdi) */
    0xc3,                   /* ret */
};

static const struct kit_function functions[] = {
    KIT_FUNCTION("flip", flip),           KIT_FUNCTION("a.c#stack", stack),
    KIT_FUNCTION("a.c#mask", mask),       KIT_FUNCTION("a.c#spill", spill),
    KIT_FUNCTION("a.c#branch", branch),   KIT_FUNCTION("a.c#loop", loop),
    KIT_FUNCTION("a.c#clobber", clobber), KIT_FUNCTION("a.c#virtual", virtual),
    KIT_FUNCTION("a.c#tail", tail),       KIT_FUNCTION("a.c#wide", wide),
    KIT_FUNCTION("a.c#forever", forever), KIT_FUNCTION("a.c#turns", turns),
    KIT_FUNCTION("a.c#gap", gap),
};

static long find(const char *function, const char *pattern)
{
    struct xen_image image;
    long offset;

    KIT_OPEN(&image, functions);
    offset = kit_find(&image, function, pattern);
    xen_image_close(&image);

    return offset;
}

TEST(a_bit_that_is_flipped)
{
    CHECK_EQ(find("flip", "write [arg1+?]:8 = xor([arg1+?]:8, 1)"), 0x380);
    CHECK_EQ(find("flip", "write [arg1+?]:8 = xor([arg1+?]:8, 2)"), -1);
    CHECK_EQ(find("flip", "write [arg2+?]:8 = any"), -1);
}

TEST(the_stack_end_by_or_and_by_and)
{
    CHECK_EQ(find("stack", "read [stack_end-?]:8"), 0x38);
    CHECK_EQ(find("stack", "read [[stack_end-?]:8+any]"), 0x38);
    CHECK_EQ(find("stack", "read [current+?]"), 0x10);
    CHECK_EQ(find("stack", "rsp = stack_end-?"), 0x108);
    CHECK_EQ(find("mask", "read [stack_end-?]:8"), 0x38);
}

TEST(an_argument_survives_on_the_stack)
{
    CHECK_EQ(find("spill", "read [[arg1+?]:8+8]:8"), 0x18);
    CHECK_EQ(find("spill", "read [[arg1+0x18]:8+?]:8"), 8);
}

TEST(both_ways_of_a_branch_are_read)
{
    CHECK_EQ(find("branch", "read [arg1+?]:8"), 8);
    CHECK_EQ(find("branch", "read [arg2+?]:8"), 0x18);
    CHECK_EQ(find("branch", "read [any+?]:8"), -2);
    CHECK_EQ(find("branch", "first read [any+?]:8"), 8);
}

TEST(a_loop_is_read_once)
{
    CHECK_EQ(find("loop", "read [arg1+?]:8"), 8);
    CHECK_EQ(find("loop", "read [[arg1+?]:8+any]"), -1);
    CHECK_EQ(find("forever", "read [any+?]"), -1);
}

TEST(what_is_not_followed_is_unknown)
{
    CHECK_EQ(find("clobber", "read [any+?]"), -1);
}

TEST(instructions_of_virtual_machines)
{
    CHECK_EQ(find("virtual", "svm [arg1+?]:8"), 0x5c8);
    CHECK_EQ(find("virtual", "cr3 = [arg1+?]:8"), 0xa28);
    CHECK_EQ(find("virtual", "vmwrite 0x681e, [arg2+?]:8"), 0x80);
    CHECK_EQ(find("virtual", "vmwrite 0x681c, [arg2+?]:8"), -1);
    CHECK_EQ(find("virtual", "copy(arg1, arg2, ?)"), 200);
}

/* test-recipe-shapes.c has the others. */
TEST(copies_by_a_row_of_moves)
{
    CHECK_EQ(find("turns", "copy(arg1, arg2, ?)"), 16);
    CHECK_EQ(find("gap", "copy(any, any, ?)"), -1);
    CHECK_EQ(find("flip", "copy(any, any, ?)"), -1);
}

TEST(widths_and_constants)
{
    CHECK_EQ(find("wide", "test [arg1+?]:1, 1"), 0x13c);
    CHECK_EQ(find("wide", "read [arg1+?]:2"), 0);
    CHECK_EQ(find("wide", "compare [arg1+?]:4, 2"), 0x140);
    CHECK_EQ(find("wide", "write [arg1+?]:4 = 0xffffffff"), 4);
    CHECK_EQ(find("wide", "write [arg1+?]:4 = ones(?)"), -1);
}

TEST(a_jump_that_leaves_is_a_call)
{
    CHECK_EQ(find("tail", "call flip(arg1, [arg1+?]:8)"), 0x28);
    CHECK_EQ(find("tail", "call stack(arg1, [arg1+?]:8)"), -1);
    CHECK_EQ(find("tail", "call *(any, [arg1+?]:8)"), 0x28);
}

TEST(code_that_ends_within_a_function)
{
    struct xen_image image;

    KIT_OPEN(&image, functions);
    for ( size_t size = 0; size < sizeof(flip); size++ )
    {
        struct code_tracer tracer;

        image.text.size = size;
        CHECK_EQ(code_tracer_open(&tracer, &image), 0);
        CHECK_EQ(code_trace(&tracer, xen_image_find(&image, "flip")),
                 size ? 0 : -ENOENT);
        CHECK(tracer.events.count < 4);
        CHECK_EQ(code_trace(&tracer, xen_image_find(&image, "wide")), -ENOENT);
        code_tracer_close(&tracer);
    }
    xen_image_close(&image);
}

/*
 * The bytes are the running hypervisor's, and trusted; a bug must not hang us.
 */
TEST(noise_is_read_to_its_end)
{
    static uint8_t noise[1 << 18];
    static char symbols[64 * 1024];
    struct xen_range range = {KIT_TEXT_ADDRESS, noise, sizeof(noise)};
    struct xen_image image;
    struct code_tracer tracer;
    size_t used = 0;

    srandom(1);
    for ( size_t i = 0; i < sizeof(noise); i++ )
        noise[i] = random();
    for ( unsigned int i = 0; i < 1024; i++ )
        used += sprintf(symbols + used, "%llx t noise.c#f%u\n",
                        KIT_TEXT_ADDRESS + random() % sizeof(noise), i);
    CHECK_EQ(xen_image_open_text(&image, &range, symbols, used), 0);
    CHECK_EQ(code_tracer_open(&tracer, &image), 0);
    for ( size_t i = 0; i < image.symbol_count; i++ )
        CHECK_EQ(code_trace(&tracer, &image.symbols[i]), 0);
    code_tracer_close(&tracer);
    xen_image_close(&image);
}
