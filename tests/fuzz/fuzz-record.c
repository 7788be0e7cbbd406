/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records, as bytes and as text: what is valid survives the way to text and
 * back, byte for byte. */
#include <string.h>

#include "libxenoprof.h"
#include "tests/fuzz/fuzz.h"

static struct xenoprof_handle *handle;
static uint64_t first[XENOPROF_RECORD_MAX / 8], second[XENOPROF_RECORD_MAX / 8];

/* Text form is canonical: printing what was scanned gives it again. */
static void through_text(const struct xenoprof_view *view)
{
    struct xenoprof_view again;
    char *text, *text_again;
    const char *at;
    size_t length;

    FUZZ_CHECK(!xenoprof_record_print(view, &text));
    at = text;
    FUZZ_CHECK(
        !xenoprof_record_scan(handle, &at, second, sizeof(second), &length));
    FUZZ_CHECK(length == view->head->length && !*at);
    FUZZ_CHECK(!xenoprof_record_check(second, length, &again));
    FUZZ_CHECK(!xenoprof_record_print(&again, &text_again));
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
    length = xenoprof_record_encode(&view, first, sizeof(first));
    FUZZ_CHECK(length == view.head->length);
    FUZZ_CHECK(!memcmp(first, data, length) || !view.head->parts);
}

static void as_text(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    const char *at = text;
    struct xenoprof_view view;
    size_t length;

    while ( !xenoprof_record_scan(handle, &at, first, sizeof(first), &length) )
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

static const char *const seeds[] = {
    "sample time=7 domain=5 vcpu=0 pcpu=3 mode=xen weight=1 period=1003009 "
    "ip=0xffff82d040260000 sp=0xffff8300 flags=0x2 marks=moved,truncated\n"
    "  guest ip=0xffffffff810011ca sp=0x1 flags=0x2 cs=0x10 ss=0x18 "
    "mode=kernel\n"
    "  registers rax=0x1 r15=0x2 cr3=0x3\n"
    "  xen-stack 0xffff82d040260000 0xffff82d04020f3d1\n"
    "  window address=0xffffc90000123f50\n    000102030405060708090a0b\n"
    "  window2 address=0x8000\n    ff\n",
    "lost time=5 count=3 cause=ring\n",
    "pad\n  bytes\n    0000000000000000\n",
    "other kind=4711 parts=0x3\n  bytes\n    0011223344556677\n",
};

#define SEEDS (sizeof(seeds) / sizeof(seeds[0]))

/* Each as text, then each as bytes. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const char *text = number < 2 * SEEDS ? seeds[number % SEEDS] : NULL;
    size_t length;

    if ( !handle )
        handle = xenoprof_open();
    if ( !text )
        return 0;
    if ( number < SEEDS )
    {
        memcpy(bytes, text, strlen(text));
        return strlen(text);
    }
    FUZZ_CHECK(
        !xenoprof_record_scan(handle, &text, first, sizeof(first), &length));
    memcpy(bytes, first, length);
    return length;
}
