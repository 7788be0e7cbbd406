/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of linkers, and those that stand for more than there is room for. */
#include <stdio.h>
#include <string.h>

#include "agent/plain-name.h"
#include "base/clock.h"
#include "tests/harness.h"

static char plain[256];

static const char *name_of(const char *name)
{
    plain_name(name, plain, sizeof(plain));
    return plain;
}

TEST(names)
{
    CHECK_TEXT(name_of("main"), "main");
    CHECK_TEXT(name_of("_Z"), "_Z");
    CHECK_TEXT(name_of("_ZN1A1fEi"), "A::f");
    CHECK_TEXT(name_of("_ZN1A1fEi@@GLIBC_2.2"), "A::f@@GLIBC_2.2");
    CHECK_TEXT(name_of("memcpy@GLIBC_2.2"), "memcpy@GLIBC_2.2");
    CHECK_TEXT(name_of("_ZN4core3fmt5write17h0123456789abcdefE"),
               "core::fmt::write");
    CHECK_TEXT(name_of("_RNvC5crate4func"), "crate::func");
}

/* Templates whose arguments are the one before, twice: 2 to the power of 60
 * names. */
TEST(a_name_that_never_ends)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[1024] = "_Z1fI1AIiiE";
    uint64_t began = clock_read(CLOCK_PROCESS_CPUTIME_ID);

    for ( unsigned int i = 0; i < 60; i++ )
    {
        char last[8] = "S1_";
        size_t used = strlen(name);

        if ( i >= 35 )
            snprintf(last, sizeof(last), "S1%c_", digits[i - 35]);
        else if ( i )
            snprintf(last, sizeof(last), "S%c_", digits[i + 1]);
        snprintf(name + used, sizeof(name) - used, "S0_I%s%sE", last, last);
    }
    strcat(name, "Evv");
    CHECK_EQ(strlen(name_of(name)), sizeof(plain) - 1);
    CHECK(!strncmp(plain, "f<A<int, int>", 13));
    CHECK(clock_read(CLOCK_PROCESS_CPUTIME_ID) - began < 100000000ull);
    /* One that is not read at all stays, cut. */
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = 0;
    CHECK_EQ(strlen(name_of(name)), sizeof(plain) - 1);
}
