/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit-dump.h"

#include <string.h>

#define MAGIC 0x4a695444u /* of this machine's byte order */

enum { LOAD = 0, MOVE = 1 };

struct file_head {
    uint32_t magic, version, size, machine, unused, pid;
    uint64_t time, flags;
};

struct record_head {
    uint32_t kind, size;
    uint64_t time;
};

/* The name follows, and the code. */
struct dump_load {
    struct record_head head;
    uint32_t pid, tid;
    uint64_t mapping, start, size, number;
};

struct dump_move {
    struct record_head head;
    uint32_t pid, tid;
    uint64_t mapping, from, to, size, number;
};

struct jit_load {
    uint64_t number;
    uint32_t name; /* where in the map's names */
};

static void add_load(struct jit_dump *dump, const char *bytes, size_t size)
{
    const char *name = bytes + sizeof(struct dump_load);
    size_t room = size - sizeof(struct dump_load), length;
    uint32_t at = (uint32_t)dump->map.names.used;
    struct jit_load *loaded;
    struct dump_load load;

    memcpy(&load, bytes, sizeof(load));
    length = strnlen(name, room < JIT_LINE_MAX ? room : JIT_LINE_MAX);
    if ( length == room || length == JIT_LINE_MAX || !length )
        return;
    jit_map_put(&dump->map, load.start, load.size, name, length);
    if ( dump->map.names.used <= at )
        return;
    if ( !dump->loads.key_size )
        table_init(&dump->loads, sizeof(loaded->number), sizeof(*loaded));
    loaded = table_put(&dump->loads, &load.number);
    if ( loaded )
        loaded->name = at;
}

static void add_move(struct jit_dump *dump, const char *bytes)
{
    const struct jit_load *loaded;
    char name[JIT_LINE_MAX];
    struct dump_move move;

    memcpy(&move, bytes, sizeof(move));
    loaded = dump->loads.key_size ? table_find(&dump->loads, &move.number)
                                  : NULL;
    if ( !loaded )
        return;
    /* Names move when one is added. */
    strcpy(name, (const char *)dump->map.names.bytes + loaded->name);
    jit_map_put(&dump->map, move.to, move.size, name, strlen(name));
}

static size_t add_head(struct jit_dump *dump, const char *bytes, size_t size)
{
    struct file_head head;

    if ( size < sizeof(head) )
        return 0;
    memcpy(&head, bytes, sizeof(head));
    if ( head.magic != MAGIC || head.size < sizeof(head) )
        return JIT_DUMP_BROKEN;
    dump->begun = true;
    return head.size;
}

size_t jit_dump_add(struct jit_dump *dump, const char *bytes, size_t size,
                    size_t left)
{
    struct record_head head;

    if ( !dump->begun )
        return add_head(dump, bytes, size);
    if ( size < sizeof(head) )
        return 0;
    memcpy(&head, bytes, sizeof(head));
    if ( head.size < sizeof(head) )
        return JIT_DUMP_BROKEN;
    if ( head.size > left )
        return 0;
    if ( size > head.size )
        size = head.size;
    if ( head.kind == LOAD && size > sizeof(struct dump_load) )
        add_load(dump, bytes, size);
    if ( head.kind == MOVE && size >= sizeof(struct dump_move) )
        add_move(dump, bytes);
    return head.size;
}

size_t jit_dump_bytes(const struct jit_dump *dump)
{
    return jit_map_bytes(&dump->map) + dump->loads.count * 4 * sizeof(uint64_t);
}

void jit_dump_free(struct jit_dump *dump)
{
    jit_map_free(&dump->map);
    if ( dump->loads.key_size )
        table_free(&dump->loads);
    *dump = (struct jit_dump){.begun = false};
}
