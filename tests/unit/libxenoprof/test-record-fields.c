/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of fields have all that a record has, once, and names for it. */
#include <string.h>

#include "tests/harness.h"
#include "tests/records/record-fields.h"

/* Each byte of the structure but these belongs to one field, and putting the
 * field's largest value changes no other byte. */
static void covers(const struct field *fields, size_t size, size_t head,
                   size_t reserved)
{
    uint8_t owners[256] = {0}, structure[256];

    CHECK(size <= sizeof(owners));
    for ( ; fields->name; fields++ )
    {
        CHECK((size_t)fields->offset + fields->size <= size);
        memset(structure, 0, sizeof(structure));
        field_put(fields, structure, UINT64_MAX);
        CHECK_EQ(field_get(fields, structure),
                 UINT64_MAX >> (64 - 8 * fields->size));
        for ( size_t i = 0; i < sizeof(structure); i++ )
        {
            bool mine = i >= fields->offset &&
                        i < (size_t)fields->offset + fields->size;

            CHECK_EQ(structure[i], mine ? 255 : 0);
            if ( mine )
                owners[i]++;
        }
    }
    for ( size_t i = 0; i < size; i++ )
        CHECK_EQ(owners[i], i >= head && i < size - reserved ? 1 : 0);
}

TEST(no_byte_of_a_record_is_without_a_field)
{
    const size_t head = sizeof(struct xenoprof_record);

    covers(sample_fields, sizeof(struct xenoprof_sample), head, 0);
    covers(lost_fields, sizeof(struct xenoprof_lost), head, 4);
}

/* What the text of a part has in another form, or not at all: the length of
 * the tail, and what is reserved. */
static size_t without_field(const struct record_part *part)
{
    if ( part->bit == XENOPROF_PART_GUEST )
        return 3;
    if ( part->bit == XENOPROF_PART_ENTRY )
        return 2;
    if ( part->bit == XENOPROF_PART_EVENT )
        return 4;
    if ( part->bit == XENOPROF_PART_TASK )
        return 4;
    return part->tail == PART_TAIL_NOTHING ? 0 : 8;
}

TEST(no_byte_of_a_part_is_without_a_field)
{
    unsigned int bits = 0;

    for ( unsigned int i = 0; i < RECORD_PARTS; i++ )
    {
        const struct record_part *part = &record_parts[i];

        covers(part_texts[i].fields, part->size, 0, without_field(part));
        CHECK_EQ(part->size % 8, 0);
        CHECK(!(bits & part->bit));
        bits |= part->bit;
    }
    CHECK_EQ(bits, XENOPROF_PARTS_ALL);
}

/* Returns how many names there are: none is there twice, or could be taken
 * for a number, or for two. */
static unsigned int names(const char *const *list)
{
    unsigned int count = 0;

    for ( ; list[count]; count++ )
    {
        if ( (list == field_marks || list == field_entries) && !*list[count] )
            continue;
        CHECK(*list[count] && (*list[count] < '0' || *list[count] > '9'));
        CHECK(!strpbrk(list[count], ", \t\n=#"));
        CHECK(strcmp(list[count], "none"));
        for ( unsigned int i = 0; i < count; i++ )
            CHECK(strcmp(list[i], list[count]));
    }
    return count;
}

TEST(every_mode_cause_and_mark_has_a_name_of_its_own)
{
    CHECK_EQ(names(mode_names), XENOPROF_MODES);
    CHECK_EQ(names(cause_names), XENOPROF_CAUSES);
    CHECK_EQ(names(field_marks), 19);
}

TEST(what_has_no_name_is_unknown)
{
    CHECK_TEXT(xenoprof_mode_name(XENOPROF_MODE_IDLE), "idle");
    CHECK_TEXT(xenoprof_mode_name(XENOPROF_MODES), "unknown");
    CHECK_TEXT(xenoprof_mode_name(~0u), "unknown");
    CHECK_TEXT(xenoprof_cause_name(XENOPROF_LOST_DAEMON), "daemon");
    CHECK_TEXT(xenoprof_cause_name(XENOPROF_CAUSES), "unknown");
}
