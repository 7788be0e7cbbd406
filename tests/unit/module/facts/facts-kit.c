/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds a hypervisor's text and symbols from a few functions. */
#include "facts-kit.h"

#include "module/facts/pattern.h"
#include "tests/harness.h"

#include <stdio.h>
#include <string.h>

#define FUNCTIONS_MAX 16

static uint8_t text[FUNCTIONS_MAX * KIT_FUNCTION_SIZE];
static char symbols[FUNCTIONS_MAX * 128];

static size_t add_symbol(size_t used, uint64_t address, char type,
                         const char *name)
{
    return used + snprintf(symbols + used, sizeof(symbols) - used,
                           "%016llx %c %s\n", (unsigned long long)address, type,
                           name);
}

void kit_open(struct xen_image *image, const struct kit_function *functions,
              size_t count)
{
    struct xen_range range = {
        .address = KIT_TEXT_ADDRESS,
        .bytes = text,
        .size = count * KIT_FUNCTION_SIZE,
    };
    size_t used = 0;

    CHECK(count <= FUNCTIONS_MAX);
    memset(text, 0xcc, sizeof(text));
    for ( size_t i = 0; i < count; i++ )
    {
        CHECK(functions[i].size <= KIT_FUNCTION_SIZE);
        memcpy(text + i * KIT_FUNCTION_SIZE, functions[i].code,
               functions[i].size);
        used = add_symbol(used, KIT_TEXT_ADDRESS + i * KIT_FUNCTION_SIZE, 't',
                          functions[i].name);
    }
    used = add_symbol(used, KIT_TEXT_ADDRESS + 0x100000, 'd', "per_cpu__test");
    used = add_symbol(used, KIT_TEXT_ADDRESS + 0x100100, 'B', "irq_stat");
    CHECK_EQ(xen_image_open_text(image, &range, symbols, used), 0);
}

long kit_find(const struct xen_image *image, const char *function,
              const char *line)
{
    struct pattern_result result;
    struct xenoprof_facts known;
    struct code_tracer tracer;
    struct pattern pattern;

    facts_clear(&known);
    known.cpu_info_current_vcpu = 56;
    CHECK_EQ(pattern_parse(&pattern, line, &known), 0);
    CHECK_EQ(code_tracer_open(&tracer, image), 0);
    CHECK(xen_image_find(image, function));
    CHECK_EQ(code_trace(&tracer, xen_image_find(image, function)), 0);
    pattern_match(&pattern, &tracer, &result);
    code_tracer_close(&tracer);

    if ( !result.matches )
        return -1;

    return result.contradicts ? -2 : (long)result.offset;
}
