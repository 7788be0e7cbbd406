/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a dump of compiled functions, a record at a time: what is found
 * is among them, and has a name. */
#include "agent/jit-dump.h"

#include <string.h>

#include "fuzz.h"
#include "tests/unit/agent/dump-kit.h"

static void look(struct jit_map *map, uint64_t address)
{
    const struct jit_function *function = jit_map_find(map, address);

    if ( !function )
        return;
    FUZZ_CHECK(address - function->start < function->size);
    FUZZ_CHECK(strlen(jit_map_name(map, function)) < JIT_LINE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit_dump dump = {.begun = false};
    const char *bytes = (const char *)data;
    size_t at = 0, whole;

    while ( at < size &&
            (whole = jit_dump_add(&dump, bytes + at, size - at, size - at)) &&
            whole != JIT_DUMP_BROKEN )
        at += whole;
    for ( size_t i = 0; i < dump.map.functions.count; i++ )
        look(&dump.map, dump.map.functions.items[i].start);
    look(&dump.map, 0);
    look(&dump.map, UINT64_MAX);
    FUZZ_CHECK(jit_dump_bytes(&dump) <= 4096 + 64 * size);
    jit_dump_free(&dump);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static struct dump_kit kit;

    if ( number )
        return 0;
    dump_kit_begin(&kit);
    dump_kit_load(&kit, 0x1000, 16, 1, "first", 16);
    dump_kit_move(&kit, 0x1000, 0x2000, 16, 1);
    dump_kit_other(&kit, 2, 48);
    memcpy(bytes, kit.bytes, kit.size);
    return kit.size;
}
