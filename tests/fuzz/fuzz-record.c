/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records, as bytes and as text: what is valid survives the way to text and
 * back, byte for byte. */
#include <string.h>

#include "fuzz.h"
#include "tests/records/records.h"

static struct xenoprof_handle *handle;
static uint64_t first[XENOPROF_RECORD_MAX / 8], second[XENOPROF_RECORD_MAX / 8];

/* Text form is canonical: printing what was scanned gives it again. */
static void through_text(const struct xenoprof_view *view)
{
    struct xenoprof_view again;
    char *text, *text_again;
    const char *at;
    size_t length;

    FUZZ_CHECK(!record_print(view, &text));
    at = text;
    FUZZ_CHECK(!record_scan(handle, &at, second, sizeof(second), &length));
    FUZZ_CHECK(length == view->head->length && !*at);
    FUZZ_CHECK(!xenoprof_record_check(second, length, &again));
    FUZZ_CHECK(!record_print(&again, &text_again));
    FUZZ_CHECK(!strcmp(text, text_again));
    free(text);
    free(text_again);
}

static void as_bytes(const uint8_t *data, size_t size)
{
    struct xenoprof_view view;
    size_t length;

    if ( xenoprof_record_check(data, size, &view) )
        return;
    through_text(&view);
    length = record_encode(&view, first, sizeof(first));
    FUZZ_CHECK(length == view.head->length);
    FUZZ_CHECK(!memcmp(first, data, length) || !view.head->parts);
}

static void as_text(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    const char *at = text;
    struct xenoprof_view view;
    size_t length;

    while ( !record_scan(handle, &at, first, sizeof(first), &length) )
    {
        FUZZ_CHECK(!xenoprof_record_check(first, length, &view));
        through_text(&view);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if ( !handle )
        handle = xenoprof_open();
    as_bytes(data, size);
    as_text(data, size);
    return 0;
}
