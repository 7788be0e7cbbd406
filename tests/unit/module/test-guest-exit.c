/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an AMD guest's run ends, in code like that which runs guests. */
#include "module/guest-exit.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness.h"

#define START 0xffff82d040300000ull

/* What the address of STGI's bytes in an immediate is not: an instruction. */
static const uint8_t one[] = {
    0x0f, 0x01, 0xdd,                         /* clgi */
    0xfb,                                     /* sti */
    0x48, 0x8b, 0x83, 0x90, 0x05, 0x00, 0x00, /* mov 0x590(%rbx),%rax */
    0x0f, 0x01, 0xd8,                         /* vmrun */
    0xb8, 0x0f, 0x01, 0xdc, 0x00,             /* mov $0xdc010f,%eax */
    0x0f, 0x01, 0xdc,                         /* stgi */
    0xe8, 0x00, 0x00, 0x00, 0x00,             /* call */
    0xc3,                                     /* ret */
};
#define AFTER_STGI (START + 22)

static const uint8_t two[] = {
    0x0f, 0x01, 0xdc, /* stgi */
    0x0f, 0x01, 0xd8, /* vmrun */
    0x0f, 0x01, 0xdc, /* stgi */
    0xc3,             /* ret */
};

static uint64_t find(const char *name, const uint8_t *code, size_t size)
{
    struct xen_range text = {START, code, size};
    struct xen_image image;
    uint64_t found;
    char symbols[128];

    snprintf(symbols, sizeof(symbols), "%llx T %s\n%llx T next\n", START, name,
             START + sizeof(one));
    CHECK_EQ(xen_image_open_text(&image, &text, symbols, strlen(symbols)), 0);
    found = guest_exit_find(&image);
    xen_image_close(&image);
    return found;
}

TEST(the_instruction_after_stgi)
{
    CHECK_EQ(find("svm_asm_do_resume", one, sizeof(one)), AFTER_STGI);
}

TEST(stgi_that_is_not_there)
{
    CHECK_EQ(find("svm_asm_do_resume", one, 19), 0);
    CHECK_EQ(find("another_function", one, sizeof(one)), 0);
    CHECK_EQ(find("svm_asm_do_resume", one, 0), 0);
}

/* Which one is meant nobody knows. */
TEST(stgi_twice)
{
    CHECK_EQ(find("svm_asm_do_resume", two, sizeof(two)), 0);
}

/* What follows the function is none of its. */
TEST(stgi_of_another_function)
{
    static uint8_t both[sizeof(one) + sizeof(two)];

    memcpy(both, one, sizeof(one));
    memcpy(both + sizeof(one), two, sizeof(two));
    CHECK_EQ(find("svm_asm_do_resume", both, sizeof(both)), AFTER_STGI);
}
