/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts are in the unit of their type. */
#include <stdlib.h>
#include <string.h>

#include "report/model/format.h"
#include "report/types/type-text.h"
#include "tests/harness.h"

static void is_text(char *text, const char *wanted)
{
    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(counts_have_three_digits)
{
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {
        {0, "0"},           {999, "999"},           {1000, "1.00 k"},
        {1234, "1.23 k"},   {9994, "9.99 k"},       {9996, "10.0 k"},
        {99940, "99.9 k"},  {99960, "100 k"},       {999499, "999 k"},
        {999500, "1.00 M"}, {1234567890, "1.23 G"}, {UINT64_MAX, "18.4 E"},
    };

    for ( size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++ )
        is_text(format_count(counts[i].count), counts[i].text);
}

TEST(each_type_has_its_own_words)
{
    struct loaded loaded;

    loaded_init(&loaded);
    is_text(type_amount(&loaded, 1500000000), "1.500 s");
    is_text(type_part(&loaded, 1500000000), "1.500 s of pCPU time");
    CHECK_TEXT(type_whole(&loaded), "pCPU time");
    CHECK_TEXT(type_member(&loaded), "time_ns");
    loaded.types.shown = XENOPROF_TYPE_WAITING;
    is_text(type_length(&loaded, 1500000000), "1.500 s");
    CHECK_TEXT(type_whole(&loaded), "waiting time");
    CHECK_TEXT(type_member(&loaded), "amount");
    loaded.types.shown = XENOPROF_TYPE_EVENT;
    types_name(&loaded.types, XENOPROF_TYPE_EVENT,
               &(struct xenoprof_type){.name = "c:k", .unit = "cycles"});
    is_text(type_amount(&loaded, 1500000), "1.50 M");
    is_text(type_length(&loaded, 1500000), "1.50 M cycles");
    is_text(type_part(&loaded, 1500000), "1.50 M cycles of c:k");
    CHECK_TEXT(type_whole(&loaded), "c:k");
    loaded_free(&loaded);
}
