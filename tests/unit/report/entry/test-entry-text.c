/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What entries are called; whole reports are in tests/golden/report. */
#include <stdlib.h>
#include <string.h>

#include "report/entry/entry-text.h"
#include "tests/harness.h"

static const struct {
    int way;
    uint8_t kind;
    uint32_t first, last;
} rows[] = {
#define WAY(kind, first, last, name, detail, reason)                           \
    {__LINE__, XENOPROF_ENTRY_##kind, first, last},
#include "report/entry/ways.def"
#undef WAY
};

/* None is hidden behind those before it. */
TEST(each_row_is_that_of_some_code)
{
    for ( int i = 0; i < (int)(sizeof(rows) / sizeof(rows[0])); i++ )
    {
        unsigned int found = 0;

        for ( uint32_t code = rows[i].first; code <= rows[i].last; code++ )
        {
            const struct xenoprof_entry entry = {.kind = rows[i].kind,
                                                 .code = code};

            found += entry_way(&entry) == i;
        }
        CHECK(found);
    }
}

static void called(struct xenoprof_entry entry, const char *wanted)
{
    char *text = entry_text(&entry);

    CHECK_TEXT(text, wanted);
    free(text);
}

#define PV(code, flags)                                                        \
    (struct xenoprof_entry)                                                    \
    {                                                                          \
        0, code, XENOPROF_ENTRY_PV, flags, 0                                   \
    }
#define SVM(code, detail, flags)                                               \
    (struct xenoprof_entry)                                                    \
    {                                                                          \
        detail, code, XENOPROF_ENTRY_SVM, flags, 0                             \
    }

/* Xen sets bit 8 when it hands something on, and clears it in iret. */
TEST(bit_8_of_a_vector)
{
    called(PV(0x100, 0), "hypercall");
    called(PV(0x100, XENOPROF_ENTRY_USER), "syscall");
    called(PV(0x000, 0), "hypercall iret");
    called(PV(0x10e, 0), "#PF");
    called(PV(0x00e, 0), "#PF");
    called(PV(0x00d, 0), "#GP (emulated)");
    called(PV(0x10d, 0), "#GP");
    called(PV(0x1fa, 0), "interrupt timer");
    called(PV(0x1fc, 0), "interrupt event");
    called(PV(0x0fc, XENOPROF_ENTRY_PROFILER), "profiler");
    called(PV(0x031, 0), "interrupt");
    called(PV(0x01f, 0), "vector 0x1f");
}

TEST(details_are_shown_where_they_are_known)
{
    called(SVM(0x7b, 0x3f80000, 0), "exit ioio 0x3f8 out");
    called(SVM(0x7b, ~0ull, 0), "exit ioio 0xffff in");
    called(SVM(0x7b, 0, 0), "exit ioio 0x0 out");
    called(SVM(0x7b, 0, XENOPROF_ENTRY_BARE), "exit ioio");
    called(SVM(0x7c, ~0ull, 0), "exit msr 0xffffffff write");
    called(SVM(0x400, 6, 0), "exit npf");
    called(SVM(0x61, 0, XENOPROF_ENTRY_PROFILER), "profiler");
    called(SVM(~0u, 0, 0), "exit 0xffffffff");
}
