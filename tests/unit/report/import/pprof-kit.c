/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pprof-kit.h"

#include <stdlib.h>
#include <string.h>

#include "report/export/pprof-fields.h"

void pprof_kit_number(struct buffer *to, unsigned int field, uint64_t number)
{
    if ( !buffer_reserve(to, 2 * NUMBER_BYTES) )
        abort();
    to->used = (size_t)(put_number(put_number(to->bytes + to->used,
                                              (uint64_t)field << 3),
                                   number) -
                        to->bytes);
}

void pprof_kit_bytes(struct buffer *to, unsigned int field, const void *bytes,
                     size_t size)
{
    uint8_t *end;

    if ( !buffer_reserve(to, 2 * NUMBER_BYTES + size) )
        abort();
    end = put_number(to->bytes + to->used, (uint64_t)field << 3 | 2);
    to->used = (size_t)(put_number(end, size) - to->bytes);
    if ( size && !buffer_append(to, bytes, size) )
        abort();
}

void pprof_kit_message(struct buffer *to, unsigned int field, size_t count,
                       const uint64_t *numbers)
{
    struct buffer message = {0};

    for ( size_t i = 0; i < count; i++ )
        if ( numbers[i] )
            pprof_kit_number(&message, (unsigned int)i + 1, numbers[i]);
    pprof_kit_bytes(to, field, message.bytes, message.used);
    buffer_free(&message);
}

void pprof_kit_text(struct buffer *to, const char *text)
{
    pprof_kit_bytes(to, PPROF_STRING, text, strlen(text));
}

#define MESSAGE(to, field, ...)                                                \
    pprof_kit_message(to, field,                                               \
                      sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),    \
                      (const uint64_t[]){__VA_ARGS__})

/* A location with one line. */
static void put_place(struct buffer *to, uint64_t id, uint64_t image,
                      uint64_t address, uint64_t symbol)
{
    struct buffer place = {0};

    pprof_kit_number(&place, PPROF_LOCATION_ID, id);
    pprof_kit_number(&place, PPROF_LOCATION_MAPPING, image);
    pprof_kit_number(&place, PPROF_LOCATION_ADDRESS, address);
    if ( symbol )
        MESSAGE(&place, PPROF_LOCATION_LINE, symbol);
    pprof_kit_bytes(to, PPROF_LOCATION, place.bytes, place.used);
    buffer_free(&place);
}

enum {
    KIT_EMPTY,
    KIT_SAMPLES,
    KIT_COUNT,
    KIT_TIME,
    KIT_NS,
    KIT_XEN,
    KIT_KERNEL,
    KIT_PROGRAM,
    KIT_DO_CALL,
    KIT_READ,
    KIT_DOMAIN,
    KIT_WEB,
    KIT_DOMID,
    KIT_MODE,
    KIT_MODE_XEN,
    KIT_VCPU,
    KIT_TWO,
    KIT_PROCESS,
    KIT_NGINX,
    KIT_PID,
    KIT_ADDRESS,
    KIT_TEXTS
};

static const char *const kit_texts[KIT_TEXTS] = {
    "",         "samples",  "count",    "time", "nanoseconds", "[xen]",
    "[kernel]", "/bin/web", "do_call",  "read", "domain",      "web",
    "domid",    "mode",     "xen",      "vcpu", "2",           "process",
    "nginx",    "pid",      "0x401000",
};

static void put_our_sample(struct buffer *to)
{
    static const uint64_t ids[] = {1, 2, 3}, values[] = {3, 10};
    struct buffer sample = {0};

    for ( size_t i = 0; i < 3; i++ )
        pprof_kit_number(&sample, PPROF_SAMPLE_LOCATION, ids[i]);
    for ( size_t i = 0; i < 2; i++ )
        pprof_kit_number(&sample, PPROF_SAMPLE_VALUE, values[i]);
    MESSAGE(&sample, PPROF_SAMPLE_LABEL, KIT_DOMAIN, KIT_WEB);
    MESSAGE(&sample, PPROF_SAMPLE_LABEL, KIT_DOMID, KIT_TWO);
    MESSAGE(&sample, PPROF_SAMPLE_LABEL, KIT_MODE, KIT_MODE_XEN);
    MESSAGE(&sample, PPROF_SAMPLE_LABEL, KIT_VCPU, KIT_TWO);
    MESSAGE(&sample, PPROF_SAMPLE_LABEL, KIT_PROCESS, KIT_NGINX);
    MESSAGE(&sample, PPROF_SAMPLE_LABEL, KIT_PID, 0, 77);
    pprof_kit_bytes(to, PPROF_SAMPLE, sample.bytes, sample.used);
    buffer_free(&sample);
}

void pprof_kit_ours(struct buffer *to)
{
    MESSAGE(to, PPROF_SAMPLE_TYPE, KIT_SAMPLES, KIT_COUNT);
    MESSAGE(to, PPROF_SAMPLE_TYPE, KIT_TIME, KIT_NS);
    put_our_sample(to);
    MESSAGE(to, PPROF_MAPPING, 1, 0, 0, 0, KIT_XEN);
    MESSAGE(to, PPROF_MAPPING, 2, 0, 0, 0, KIT_KERNEL);
    MESSAGE(to, PPROF_MAPPING, 3, 0, 0, 0, KIT_PROGRAM);
    put_place(to, 1, 1, 0xffff82d040200000, 1);
    put_place(to, 2, 2, 0xffffffff81000000, 2);
    put_place(to, 3, 3, 0x401000, 3);
    MESSAGE(to, PPROF_FUNCTION, 1, KIT_DO_CALL);
    MESSAGE(to, PPROF_FUNCTION, 2, KIT_READ);
    MESSAGE(to, PPROF_FUNCTION, 3, KIT_ADDRESS);
    for ( size_t i = 0; i < KIT_TEXTS; i++ )
        pprof_kit_text(to, kit_texts[i]);
    pprof_kit_number(to, PPROF_TIME_NANOS, 1700000000000000000);
    pprof_kit_number(to, PPROF_DURATION_NANOS, 1000000000);
}

void pprof_kit_other(struct buffer *to)
{
    static const char *const texts[] = {"",      "allocs", "count", "space",
                                        "bytes", "inner",  "outer"};
    struct buffer part = {0};

    MESSAGE(to, PPROF_SAMPLE_TYPE, 1, 2);
    MESSAGE(to, PPROF_SAMPLE_TYPE, 3, 4);
    pprof_kit_bytes(&part, PPROF_SAMPLE_LOCATION, "\x01\x02", 2);
    pprof_kit_bytes(&part, PPROF_SAMPLE_VALUE, "\x03\x80\x08", 3);
    pprof_kit_bytes(to, PPROF_SAMPLE, part.bytes, part.used);
    part.used = 0;
    pprof_kit_number(&part, PPROF_LOCATION_ID, 1);
    MESSAGE(&part, PPROF_LOCATION_LINE, 1);
    MESSAGE(&part, PPROF_LOCATION_LINE, 2);
    pprof_kit_bytes(to, PPROF_LOCATION, part.bytes, part.used);
    buffer_free(&part);
    put_place(to, 2, 0, 0x1234, 0);
    MESSAGE(to, PPROF_FUNCTION, 1, 5);
    MESSAGE(to, PPROF_FUNCTION, 2, 0, 6);
    for ( size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++ )
        pprof_kit_text(to, texts[i]);
    pprof_kit_number(to, PPROF_DEFAULT_SAMPLE_TYPE, 3);
}
