/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dump-kit.h"

#include <string.h>

static void put32(struct dump_kit *kit, uint32_t value)
{
    memcpy(kit->bytes + kit->size, &value, sizeof(value));
    kit->size += sizeof(value);
}

static void put64(struct dump_kit *kit, uint64_t value)
{
    memcpy(kit->bytes + kit->size, &value, sizeof(value));
    kit->size += sizeof(value);
}

void dump_kit_begin(struct dump_kit *kit)
{
    memset(kit, 0, sizeof(*kit));
    put32(kit, 0x4a695444);
    put32(kit, 1);  /* version */
    put32(kit, 40); /* bytes of this head */
    put32(kit, 62); /* x86-64 */
    put32(kit, 0);
    put32(kit, 1); /* process */
    put64(kit, 0);
    put64(kit, 0);
}

static void put_record(struct dump_kit *kit, uint32_t kind, uint32_t size)
{
    put32(kit, kind);
    put32(kit, size);
    put64(kit, 0);
}

static void put_threads(struct dump_kit *kit)
{
    put32(kit, 1);
    put32(kit, 1);
}

void dump_kit_load(struct dump_kit *kit, uint64_t start, uint64_t size,
                   uint64_t number, const char *name, size_t code)
{
    size_t letters = strlen(name) + 1;

    put_record(kit, 0, (uint32_t)(56 + letters + code));
    put_threads(kit);
    put64(kit, start);
    put64(kit, start);
    put64(kit, size);
    put64(kit, number);
    memcpy(kit->bytes + kit->size, name, letters);
    kit->size += letters + code;
}

void dump_kit_move(struct dump_kit *kit, uint64_t from, uint64_t to,
                   uint64_t size, uint64_t number)
{
    put_record(kit, 1, 64);
    put_threads(kit);
    put64(kit, to);
    put64(kit, from);
    put64(kit, to);
    put64(kit, size);
    put64(kit, number);
}

void dump_kit_other(struct dump_kit *kit, uint32_t kind, uint32_t size)
{
    size_t begin = kit->size;

    put_record(kit, kind, size);
    kit->size = begin + (size < 16 ? 16 : size);
}
