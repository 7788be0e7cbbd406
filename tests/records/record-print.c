/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints records as text, xenoprof-records(5). */
#include <inttypes.h>
#include <stdio.h>

#include "libxenoprof/handle.h"
#include "record-fields.h"
#include "records.h"

#define BYTES_IN_LINE 32u

static void print_marks(FILE *out, uint64_t marks)
{
    const char *before = "";

    for ( unsigned int i = 0; field_marks[i]; i++ )
    {
        if ( !(marks & (1u << i)) || !*field_marks[i] )
            continue;
        fprintf(out, "%s%s", before, field_marks[i]);
        before = ",";
        marks &= ~(uint64_t)(1u << i);
    }
    if ( marks )
        fprintf(out, "%s0x%" PRIx64, before, marks);
    else if ( !*before )
        fprintf(out, "none");
}

static void print_field(FILE *out, const struct field *field,
                        const void *structure)
{
    uint64_t value = field_get(field, structure);

    fprintf(out, " %s=", field->name);
    switch ( field->form )
    {
    case FIELD_DECIMAL: fprintf(out, "%" PRIu64, value); break;
    case FIELD_HEX: fprintf(out, "0x%" PRIx64, value); break;
    case FIELD_MODE: fprintf(out, "%s", xenoprof_mode_name(value)); break;
    case FIELD_CAUSE: fprintf(out, "%s", xenoprof_cause_name(value)); break;
    case FIELD_ENTRY: fprintf(out, "%s", field_entries[value]); break;
    case FIELD_STATE: fprintf(out, "%s", field_states[value]); break;
    case FIELD_MARKS: print_marks(out, value); break;
    }
}

static void print_fields(FILE *out, const char *word,
                         const struct field *fields, const void *structure)
{
    fprintf(out, "%s", word);
    for ( ; fields->name; fields++ )
        print_field(out, fields, structure);
}

static void print_addresses(FILE *out, const uint64_t *addresses, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        fprintf(out, " 0x%" PRIx64, addresses[i]);
}

static void print_bytes(FILE *out, const uint8_t *bytes, size_t size)
{
    for ( size_t i = 0; i < size; i++ )
    {
        if ( i % BYTES_IN_LINE == 0 )
            fprintf(out, "%s    ", i ? "\n" : "");
        fprintf(out, "%02x", bytes[i]);
    }
    if ( size )
        fprintf(out, "\n");
}

static void print_part(FILE *out, unsigned int number, const void *structure)
{
    const struct record_part *part = &record_parts[number];
    const struct part_text *text = &part_texts[number];
    const uint8_t *tail = (const uint8_t *)structure + part->size;
    size_t size = record_part_tail(part, structure);

    fprintf(out, "  ");
    print_fields(out, text->name, text->fields, structure);
    if ( part->tail == PART_TAIL_ADDRESSES )
        print_addresses(out, (const void *)tail, size / sizeof(uint64_t));
    fprintf(out, "\n");
    if ( part->tail == PART_TAIL_BYTES )
        print_bytes(out, tail, size);
}

static void print_sample(FILE *out, const struct xenoprof_view *view)
{
    print_fields(out, "sample", sample_fields, view->sample);
    fprintf(out, "\n");
    for ( unsigned int i = 0; i < RECORD_PARTS; i++ )
    {
        const void *structure = record_part_get(&record_parts[i], view);

        if ( structure )
            print_part(out, i, structure);
    }
}

static void print_lost(FILE *out, const struct xenoprof_lost *lost)
{
    print_fields(out, "lost", lost_fields, lost);
    fprintf(out, "\n");
}

static void print_wait(FILE *out, const struct xenoprof_wait *wait)
{
    print_fields(out, "wait", wait_fields, wait);
    fprintf(out, "\n");
}

static void print_counted(FILE *out, const struct xenoprof_counted *counted)
{
    print_fields(out, "counted", counted_fields, counted);
    fprintf(out, "\n");
}

/* Records of unknown kinds are printed in full, as bytes. */
static void print_other(FILE *out, const struct xenoprof_record *head)
{
    if ( head->kind == XENOPROF_RECORD_PAD )
        fprintf(out, "pad\n");
    else
        fprintf(out, "other kind=%u parts=0x%x\n", head->kind, head->parts);
    fprintf(out, "  bytes\n");
    print_bytes(out, (const uint8_t *)(head + 1), head->length - sizeof(*head));
}

static void print_record(FILE *out, const struct xenoprof_view *view)
{
    if ( view->sample )
        print_sample(out, view);
    else if ( view->lost )
        print_lost(out, view->lost);
    else if ( view->wait )
        print_wait(out, view->wait);
    else if ( view->counted )
        print_counted(out, view->counted);
    else
        print_other(out, view->head);
}

enum xenoprof_status record_print(const struct xenoprof_view *view, char **ret)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int failed;

    if ( !out )
        return XENOPROF_NO_MEMORY;
    print_record(out, view);
    failed = ferror(out);
    if ( fclose(out) || failed )
    {
        free(text);
        return XENOPROF_NO_MEMORY;
    }
    *ret = text;
    return XENOPROF_OK;
}
