/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables in sealed files, in a list; a keyed hash, and then all bytes, say
 * which of them are equal. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "guest/fingerprint.h"
#include "cage/memory-file.h"
#include "table-store.h"

struct stored_table {
    struct sealed_table sealed; /* first: what users have */
    struct table_store *store;
    struct stored_table *next;
    uint64_t hash;
    unsigned int users;
};

struct table_store {
    struct stored_table *list;
    uint8_t key[16];
    uint64_t bytes;
    size_t count;
};

struct table_draft {
    struct table_store *store;
    struct fingerprint hash;
    int file;
    size_t size, most;
};

struct table_store *table_store_open(void)
{
    struct table_store *store = calloc(1, sizeof(*store));

    if ( store && getrandom(store->key, sizeof(store->key), 0) !=
                      (ssize_t)sizeof(store->key) )
    {
        free(store);
        return NULL;
    }
    return store;
}

void table_store_close(struct table_store *store)
{
    free(store);
}

uint64_t table_store_bytes(const struct table_store *store)
{
    return store->bytes;
}

size_t table_store_count(const struct table_store *store)
{
    return store->count;
}

static struct stored_table *stored_of(const struct sealed_table *table)
{
    return (struct stored_table *)table;
}

const struct sealed_table *table_hold(const struct sealed_table *table)
{
    if ( table )
        stored_of(table)->users++;
    return table;
}

void table_release(const struct sealed_table *table)
{
    struct stored_table *stored = stored_of(table), **at;

    if ( !table || --stored->users )
        return;
    at = &stored->store->list;
    while ( *at != stored )
        at = &(*at)->next;
    *at = stored->next;
    stored->store->bytes -= stored->sealed.size;
    stored->store->count--;
    close(stored->sealed.file);
    free(stored);
}

struct table_draft *table_draft_begin(struct table_store *store, size_t most)
{
    struct table_draft *draft = calloc(1, sizeof(*draft));

    if ( !draft )
        return NULL;
    draft->store = store;
    draft->most = most;
    draft->file = memory_file_make("xenoprof-table");
    if ( draft->file < 0 )
    {
        free(draft);
        return NULL;
    }
    fingerprint_start(&draft->hash, store->key);
    return draft;
}

void table_draft_drop(struct table_draft *draft)
{
    if ( !draft )
        return;
    if ( draft->file >= 0 )
        close(draft->file);
    free(draft);
}

bool table_draft_add(struct table_draft *draft, const void *bytes, size_t size)
{
    const char *at = bytes;

    if ( size > draft->most - draft->size )
        return false;
    fingerprint_add(&draft->hash, bytes, size);
    draft->size += size;
    while ( size )
    {
        ssize_t done = write(draft->file, at, size);

        if ( done <= 0 )
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static const void *map_table(int file, size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);

    return bytes == MAP_FAILED ? NULL : bytes;
}

static bool are_equal(const struct sealed_table *table,
                      const struct table_draft *draft)
{
    const void *a = map_table(table->file, table->size);
    const void *b = map_table(draft->file, draft->size);
    bool equal = a && b && memcmp(a, b, draft->size) == 0;

    if ( a )
        munmap((void *)a, table->size);
    if ( b )
        munmap((void *)b, draft->size);
    return equal;
}

static struct stored_table *find_equal(const struct table_draft *draft,
                                       uint64_t hash)
{
    struct stored_table *table = draft->store->list;

    while ( table &&
            (table->hash != hash || table->sealed.size != draft->size ||
             !are_equal(&table->sealed, draft)) )
        table = table->next;
    return table;
}

/* The draft's file is the table's from now on. */
static struct stored_table *store_draft(struct table_draft *draft,
                                        uint64_t hash)
{
    struct stored_table *table = calloc(1, sizeof(*table));

    if ( !table )
        return NULL;
    table->sealed = (struct sealed_table){draft->file, draft->size};
    draft->file = -1;
    table->hash = hash;
    table->store = draft->store;
    table->next = table->store->list;
    table->store->list = table;
    table->store->bytes += draft->size;
    table->store->count++;
    return table;
}

const struct sealed_table *table_draft_end(struct table_draft *draft)
{
    uint64_t hash = fingerprint_end(&draft->hash);
    struct stored_table *table = NULL;

    if ( draft->size && memory_file_seal(draft->file) )
    {
        table = find_equal(draft, hash);
        if ( !table )
            table = store_draft(draft, hash);
    }
    table_draft_drop(draft);
    return table ? table_hold(&table->sealed) : NULL;
}
