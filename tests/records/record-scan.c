/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records from text, xenoprof-records(5).  A record is a line that begins at
 * the left margin, and indented lines for its parts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libxenoprof/handle.h"
#include "record-fields.h"
#include "records.h"

struct part_bytes {
    size_t used;
    union {
        struct xenoprof_record head;
        struct xenoprof_window window;
        struct xenoprof_chain chain;
        uint8_t bytes[XENOPROF_RECORD_MAX];
    };
};

/* A record while its lines are read. */
struct scan {
    struct xenoprof_handle *handle;
    const char *line; /* the current line, up to end */
    const char *end;
    const char *at; /* in line */
    struct xenoprof_view view;
    struct part_bytes
        *filling; /* takes lines of bytes; NULL: not allowed here */
    struct xenoprof_sample sample;
    struct xenoprof_lost lost;
    struct xenoprof_wait wait;
    struct xenoprof_counted counted;
    struct part_bytes part[RECORD_PARTS], other;
};

struct word {
    const char *text;
    size_t length;
};

static enum xenoprof_status refuse(struct scan *scan, const char *why,
                                   struct word word)
{
    return handle_fail(
        scan->handle, XENOPROF_INVALID, "record text \"%.*s\": %s \"%.*s\"",
        (int)(scan->end - scan->line < 100 ? scan->end - scan->line : 100),
        scan->line, why, (int)(word.length < 60 ? word.length : 60), word.text);
}

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && !memcmp(word.text, text, word.length);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool next_word(struct scan *scan, struct word *ret)
{
    while ( scan->at < scan->end && blank(*scan->at) )
        scan->at++;
    ret->text = scan->at;
    while ( scan->at < scan->end && !blank(*scan->at) )
        scan->at++;
    ret->length = scan->at - ret->text;
    return ret->length;
}

/* Go to the next line that is not empty or a comment.  Returns false at the
 * text's end. */
static bool next_line(struct scan *scan)
{
    struct word word;

    while ( *scan->end )
    {
        scan->line = scan->at = *scan->end == '\n' ? scan->end + 1 : scan->end;
        scan->end = scan->line + strcspn(scan->line, "\n");
        if ( next_word(scan, &word) && *word.text != '#' )
        {
            scan->at = scan->line;
            return true;
        }
    }
    return false;
}

static bool scan_number(struct word word, uint64_t *ret)
{
    char copy[32], *end;

    if ( !word.length || word.length >= sizeof(copy) || word.text[0] < '0' ||
         word.text[0] > '9' )
        return false;
    memcpy(copy, word.text, word.length);
    copy[word.length] = 0;
    errno = 0;
    *ret = strtoull(copy, &end, 0);
    return !errno && !*end;
}

static bool scan_name(struct word word, const char *const *names, uint64_t *ret)
{
    for ( *ret = 0; names[*ret]; ++*ret )
        if ( *names[*ret] && is(word, names[*ret]) )
            return true;
    return false;
}

static bool scan_marks(struct word word, uint64_t *ret)
{
    const char *end = word.text + word.length;
    uint64_t value;

    *ret = 0;
    if ( is(word, "none") )
        return true;
    for ( ;; )
    {
        const char *comma = memchr(word.text, ',', end - word.text);

        word.length = (comma ? comma : end) - word.text;
        if ( scan_name(word, field_marks, &value) )
            *ret |= 1ull << value;
        else if ( scan_number(word, &value) )
            *ret |= value;
        else
            return false;
        if ( !comma )
            return true;
        word.text = comma + 1;
    }
}

static bool scan_value(const struct field *field, struct word word,
                       uint64_t *ret)
{
    switch ( field->form )
    {
    case FIELD_MODE: return scan_name(word, mode_names, ret);
    case FIELD_CAUSE: return scan_name(word, cause_names, ret);
    case FIELD_ENTRY: return scan_name(word, field_entries, ret);
    case FIELD_STATE: return scan_name(word, field_states, ret);
    case FIELD_MARKS:
        if ( !scan_marks(word, ret) )
            return false;
        break;
    default:
        if ( !scan_number(word, ret) )
            return false;
    }
    return field->size == sizeof(*ret) || !(*ret >> (8 * field->size));
}

/* Split KEY=VALUE.  Returns false if word is anything else. */
static bool split(struct word word, struct word *key, struct word *value)
{
    const char *equals = memchr(word.text, '=', word.length);

    if ( !equals )
        return false;
    *key = (struct word){word.text, equals - word.text};
    *value = (struct word){equals + 1, word.length - key->length - 1};
    return true;
}

static const struct field *find_field(const struct field *fields,
                                      struct word key)
{
    for ( ; fields->name; fields++ )
        if ( is(key, fields->name) )
            return fields;
    return NULL;
}

/* The rest of a line: KEY=VALUE ...; fields that it lacks are 0. */
static enum xenoprof_status scan_fields(struct scan *scan,
                                        const struct field *fields,
                                        void *structure)
{
    struct word word, key, value;
    const struct field *field;
    uint64_t number;

    while ( next_word(scan, &word) )
    {
        if ( !split(word, &key, &value) )
            return refuse(scan, "not KEY=VALUE:", word);
        field = find_field(fields, key);
        if ( !field )
            return refuse(scan, "unknown field", key);
        if ( !scan_value(field, value, &number) )
            return refuse(scan, "not a value of this field:", word);
        field_put(field, structure, number);
    }
    return XENOPROF_OK;
}

static enum xenoprof_status scan_addresses(struct scan *scan,
                                           struct xenoprof_chain *chain)
{
    uint64_t *addresses = (uint64_t *)(chain + 1);
    uint32_t count = 0;
    struct word word;

    while ( next_word(scan, &word) )
    {
        if ( count == XENOPROF_CHAIN_MAX )
            return refuse(scan, "more addresses than a chain holds, from",
                          word);
        if ( !scan_number(word, &addresses[count++]) )
            return refuse(scan, "not an address:", word);
    }
    *chain = (struct xenoprof_chain){.count = count};
    return XENOPROF_OK;
}

static const struct field other_fields[] = {
    {"kind", offsetof(struct xenoprof_record, kind), 2, FIELD_DECIMAL},
    {"parts", offsetof(struct xenoprof_record, parts), 2, FIELD_HEX},
    {NULL, 0, 0, 0},
};

/* Lines of bytes follow; they go after the structure at the beginning. */
static void fill(struct scan *scan, struct part_bytes *bytes, size_t structure)
{
    bytes->used = structure;
    scan->filling = bytes;
}

static int hex_digit(char c)
{
    if ( c >= '0' && c <= '9' )
        return c - '0';
    if ( c >= 'a' && c <= 'f' )
        return c - 'a' + 10;
    return -1;
}

static enum xenoprof_status scan_bytes(struct scan *scan, struct word word)
{
    struct part_bytes *to = scan->filling;

    if ( word.length % 2 )
        return refuse(scan, "half a byte at the end of", word);
    for ( size_t i = 0; i < word.length; i += 2 )
    {
        int high = hex_digit(word.text[i]), low = hex_digit(word.text[i + 1]);

        if ( high < 0 || low < 0 )
            return refuse(scan, "neither a part of a record nor bytes:", word);
        if ( to->used == sizeof(to->bytes) )
            return refuse(scan, "more bytes than a record holds, in", word);
        to->bytes[to->used++] = high << 4 | low;
    }
    return XENOPROF_OK;
}

/* The rest of the line that names a part. */
static enum xenoprof_status scan_part(struct scan *scan, unsigned int number)
{
    const struct record_part *part = &record_parts[number];
    struct part_bytes *bytes = &scan->part[number];

    record_part_put(part, &scan->view, bytes->bytes);
    if ( part->tail == PART_TAIL_ADDRESSES )
        return scan_addresses(scan, &bytes->chain);
    if ( part->tail == PART_TAIL_BYTES )
        fill(scan, bytes, part->size);
    return scan_fields(scan, part_texts[number].fields, bytes->bytes);
}

/* An indented line. */
static enum xenoprof_status scan_more(struct scan *scan)
{
    struct xenoprof_view *view = &scan->view;
    struct word word;

    next_word(scan, &word);
    for ( unsigned int i = 0; view->sample && i < RECORD_PARTS; i++ )
        if ( is(word, part_texts[i].name) )
            return scan_part(scan, i);
    if ( !view->sample && !view->lost && !view->wait && !view->counted &&
         is(word, "bytes") )
    {
        fill(scan, &scan->other, sizeof(scan->other.head));
        return XENOPROF_OK;
    }
    if ( scan->filling )
        return scan_bytes(scan, word);
    return refuse(scan, "not a part of this record:", word);
}

static enum xenoprof_status scan_first(struct scan *scan)
{
    struct word word;

    next_word(scan, &word);
    scan->view.head = &scan->other.head;
    fill(scan, &scan->other, sizeof(scan->other.head));
    scan->filling = NULL;
    if ( is(word, "sample") )
    {
        scan->other.head.kind = XENOPROF_RECORD_SAMPLE;
        scan->view.sample = &scan->sample;
        return scan_fields(scan, sample_fields, &scan->sample);
    }
    if ( is(word, "lost") )
    {
        scan->other.head.kind = XENOPROF_RECORD_LOST;
        scan->view.lost = &scan->lost;
        return scan_fields(scan, lost_fields, &scan->lost);
    }
    if ( is(word, "wait") )
    {
        scan->other.head.kind = XENOPROF_RECORD_WAIT;
        scan->view.wait = &scan->wait;
        return scan_fields(scan, wait_fields, &scan->wait);
    }
    if ( is(word, "counted") )
    {
        scan->other.head.kind = XENOPROF_RECORD_COUNTED;
        scan->view.counted = &scan->counted;
        return scan_fields(scan, counted_fields, &scan->counted);
    }
    if ( is(word, "pad") )
    {
        scan->other.head.kind = XENOPROF_RECORD_PAD;
        return scan_fields(scan, other_fields + 2, &scan->other.head);
    }
    if ( is(word, "other") )
        return scan_fields(scan, other_fields, &scan->other.head);
    return refuse(scan, "not a kind of record:", word);
}

static enum xenoprof_status scan_lines(struct scan *scan)
{
    enum xenoprof_status status;
    const char *end;

    if ( !next_line(scan) )
        return XENOPROF_END;
    status = scan_first(scan);
    for ( end = scan->end; !status && next_line(scan); end = scan->end )
    {
        if ( !blank(*scan->line) )
            break;
        status = scan_more(scan);
    }
    scan->end = end;
    return status;
}

/* Set the lengths of the parts that lines of bytes filled. */
static void finish(struct scan *scan)
{
    for ( unsigned int i = 0; i < RECORD_PARTS; i++ )
        if ( record_parts[i].tail == PART_TAIL_BYTES && scan->part[i].used )
            scan->part[i].window.length = scan->part[i].used -
                                          record_parts[i].size;
    scan->other.head.length = scan->other.used;
}

enum xenoprof_status record_scan(struct xenoprof_handle *handle,
                                 const char **text, void *bytes, size_t size,
                                 size_t *ret)
{
    SCOPE_FREE struct scan *scan = calloc(1, sizeof(*scan));
    struct xenoprof_view view;
    enum xenoprof_status status;

    if ( !scan )
        return handle_no_memory(handle);
    scan->handle = handle;
    scan->end = *text;
    status = scan_lines(scan);
    *text = *scan->end == '\n' ? scan->end + 1 : scan->end;
    if ( status )
        return status;
    finish(scan);
    *ret = record_encode(&scan->view, bytes, size);
    if ( !*ret || xenoprof_record_check(bytes, *ret, &view) )
        return refuse(scan,
                      "the record that ends here is too long, or one of "
                      "its values is impossible",
                      (struct word){"", 0});
    return XENOPROF_OK;
}
