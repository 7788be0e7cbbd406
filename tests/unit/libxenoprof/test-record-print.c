/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as text: nothing of them is left out.  Whole records are in
 * tests/golden/records. */
#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"
#include "tests/records/records.h"

static uint64_t storage[XENOPROF_RECORD_MAX / 8];

/* The record that is text is printed as wanted. */
static void printed_as(const char *text, const char *wanted)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_view view;
    size_t length;
    char *printed;

    CHECK_EQ(record_scan(handle, &text, storage, sizeof(storage), &length),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_record_check(storage, length, &view), XENOPROF_OK);
    CHECK_EQ(record_print(&view, &printed), XENOPROF_OK);
    CHECK_TEXT(printed, wanted);
    free(printed);
    xenoprof_close(handle);
}

static void printed_as_it_was(const char *text)
{
    printed_as(text, text);
}

TEST(values_at_their_limits_come_back)
{
    printed_as_it_was(
        "sample time=18446744073709551615 domain=3 vcpu=1 pcpu=2 mode=kernel "
        "weight=8 period=10309278 ip=0xffffffff81000000 sp=0x7 flags=0x246 "
        "marks=moved,truncated,0x8000\n"
        "  window address=0xffff888000000000\n"
        "    00112233445566778899aabb\n");
    printed_as_it_was("sample time=0 domain=65535 vcpu=65535 pcpu=65535 "
                      "mode=user weight=255 period=4294967295 "
                      "ip=0xffffffffffffffff sp=0xffffffffffffffff "
                      "flags=0xffffffffffffffff marks=none\n"
                      "  guest ip=0x1 sp=0x2 flags=0x3 cs=0xffff ss=0xffff "
                      "mode=kernel\n");
}

TEST(bytes_fill_lines_of_32)
{
    printed_as_it_was(
        "sample time=1 domain=0 vcpu=0 pcpu=0 mode=xen weight=1 period=0 "
        "ip=0x0 sp=0x0 flags=0x0 marks=none\n"
        "  xen-stack 0x1 0xffff82d040000000\n"
        "  window address=0x0\n"
        "    "
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
        "  window2 address=0x8\n"
        "    "
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
        "    20\n");
}

TEST(parts_without_content_are_there)
{
    printed_as("sample weight=1\n  xen-stack\n  window\n  registers\n",
               "sample time=0 domain=0 vcpu=0 pcpu=0 mode=xen weight=1 "
               "period=0 ip=0x0 sp=0x0 flags=0x0 marks=none\n"
               "  registers rax=0x0 rdx=0x0 rcx=0x0 rbx=0x0 rsi=0x0 rdi=0x0 "
               "rbp=0x0 rsp=0x0 r8=0x0 r9=0x0 r10=0x0 r11=0x0 r12=0x0 r13=0x0 "
               "r14=0x0 r15=0x0 cr3=0x0\n"
               "  xen-stack\n"
               "  window address=0x0\n");
}

TEST(a_kind_that_is_not_known_is_printed_as_bytes)
{
    printed_as_it_was("other kind=99 parts=0x3\n"
                      "  bytes\n"
                      "    0123456789abcdef\n");
    printed_as_it_was("pad\n"
                      "  bytes\n"
                      "    0000000000000000\n");
    printed_as_it_was("lost time=7 count=18446744073709551615 cause=daemon\n");
}
