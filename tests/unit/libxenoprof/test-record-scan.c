/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records from text, and the messages about wrong text.  Whole records are in
 * tests/golden/records. */
#include <stdio.h>
#include <string.h>

#include "tests/harness.h"
#include "tests/records/records.h"

static uint64_t storage[XENOPROF_RECORD_MAX / 8];
static struct xenoprof_handle *handle;
static size_t length;

static enum xenoprof_status scan(const char *text)
{
    if ( !handle )
        handle = xenoprof_open();
    return record_scan(handle, &text, storage, sizeof(storage), &length);
}

static void refused(const char *text, const char *why)
{
    CHECK_EQ(scan(text), XENOPROF_INVALID);
    if ( !strstr(xenoprof_message(handle), why) )
        test_fail(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
                  xenoprof_message(handle), why);
}

TEST(the_text_moves_on_by_a_record)
{
    const char *text = "# one\nlost count=1 cause=queue\n\n# two\n"
                       "lost count=2 cause=ring\n  \n# end\n";
    const struct xenoprof_lost *lost = (void *)storage;

    handle = handle ? handle : xenoprof_open();
    for ( unsigned int i = 1; i <= 2; i++ )
    {
        CHECK_EQ(record_scan(handle, &text, storage, sizeof(storage), &length),
                 XENOPROF_OK);
        CHECK_EQ(lost->count, i);
    }
    CHECK_EQ(record_scan(handle, &text, storage, sizeof(storage), &length),
             XENOPROF_END);
}

TEST(text_that_is_no_record_is_refused_with_the_reason)
{
    refused("sampler", "not a kind of record: \"sampler\"");
    refused("  guest ip=1", "not a kind of record: \"guest\"");
    refused("sample ipx=1", "unknown field \"ipx\"");
    refused("sample ip", "not KEY=VALUE: \"ip\"");
    refused("sample ip=1x", "not a value of this field: \"ip=1x\"");
    refused("sample ip=-1", "not a value of this field: \"ip=-1\"");
    refused("sample domain=65536", "not a value of this field");
    refused("sample time=18446744073709551616", "not a value of this field");
    refused("sample mode=root", "not a value of this field: \"mode=root\"");
    refused("sample marks=moved,", "not a value of this field");
    refused("sample weight=0", "is impossible");
    refused("sample weight=1\n  guest mode=xen", "is impossible");
    refused("sample weight=1\n  entry code=0x81", "is impossible");
    refused("sample weight=1\n  entry kind=arm", "not a value of this field");
    refused("sample weight=1\n  gast", "not a part of this record: \"gast\"");
    refused("sample weight=1\n  window\n    0", "half a byte");
    refused("sample weight=1\n  window\n    0g", "neither a part");
    refused("lost cause=ring\n  guest", "not a part of this record");
    refused("sample weight=1\n  xen-stack 1 two", "not an address: \"two\"");
}

TEST(more_than_a_record_holds_is_refused)
{
    static char text[3 * XENOPROF_RECORD_MAX];
    size_t used = sprintf(text, "sample weight=1\n  window address=1\n ");

    memset(text + used, '0', 2 * XENOPROF_RECORD_MAX);
    refused(text, "more bytes than a record holds");
    text[used + 2 * (XENOPROF_RECORD_MAX - 16 - 8)] = 0;
    refused(text, "too long");
    used = sprintf(text, "sample weight=1\n  xen-stack");
    for ( unsigned int i = 0; i <= XENOPROF_CHAIN_MAX; i++ )
        used += sprintf(text + used, " %u", i);
    refused(text, "more addresses than a chain holds");
}
