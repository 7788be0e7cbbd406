/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a map of compiled functions, in two pieces: what is found is
 * among them, and has a name; and if it is trampolines, these have rows. */
#include "agent/jit-map.h"

#include <string.h>

#include "agent/trampolines.h"
#include "fuzz.h"
#include "rows/row-table.h"

static void look(struct jit_map *map, uint64_t address)
{
    const struct jit_function *function = jit_map_find(map, address);

    if ( !function )
        return;
    FUZZ_CHECK(address - function->start < function->size);
    FUZZ_CHECK(strlen(jit_map_name(map, function)) <= JIT_LINE_MAX);
}

static void look_for_trampolines(struct jit_map *map, uint64_t start)
{
    uint64_t image = trampolines_image(map, start, start + 0x2000);
    struct buffer bytes = {0};
    struct row_table *table;

    if ( !image )
        return;
    FUZZ_CHECK(trampolines_rows(image, &bytes));
    table = row_table_get(bytes.bytes, bytes.used);
    FUZZ_CHECK(table);
    row_table_close(table);
    buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit_map map = {0};
    const char *text = (const char *)data;
    size_t half = jit_map_add(&map, text, size / 2), all;

    FUZZ_CHECK(half <= size / 2);
    look(&map, 0x1000);
    all = half + jit_map_add(&map, text + half, size - half);
    FUZZ_CHECK(all <= size && (!all || text[all - 1] == '\n'));
    for ( size_t i = 0; i < map.functions.count; i++ )
    {
        look(&map, map.functions.items[i].start);
        look(&map, map.functions.items[i].start + 0xfff);
    }
    look(&map, 0);
    look(&map, UINT64_MAX);
    look_for_trampolines(&map, 0x1000);
    look_for_trampolines(&map, UINT64_MAX - 0x2000);
    jit_map_free(&map);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const char *const seeds[] = {
        "1000 20 LazyCompile:*work a.js:3\n1000 40 moved\n1ff0 20 next\n",
        "0x1000 0x10 py::main:/srv/x.py\nffffffffffffffff ffff all\n10 10 a",
        "1000 b py::main:/srv/x.py\n1010 b py::work:/srv/x.py\n",
    };

    if ( number >= sizeof(seeds) / sizeof(seeds[0]) )
        return 0;
    memcpy(bytes, seeds[number], strlen(seeds[number]));
    return strlen(seeds[number]);
}
