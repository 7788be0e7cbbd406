/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues of samples, in chunks of memory that is locked. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "spool.h"

struct spool_chunk {
    struct spool_chunk *next;
    uint32_t size;
    uint32_t begin, end; /* of the samples in it */
    uint32_t reserved;
};

struct spool_share {
    uint8_t uuid[16];
    uint64_t bytes;
};

void spool_open(struct spool *spool, uint64_t limit)
{
    *spool = (struct spool){.limit = limit};
    table_init(&spool->shares, 16, sizeof(struct spool_share));
}

/* Returns memory that is locked, or NULL and errno. */
static struct spool_chunk *map_chunk(uint32_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct spool_chunk *chunk = memory;

    if ( memory == MAP_FAILED )
        return NULL;
    /* Not mlock(), which sanitizers replace by nothing. */
    if ( madvise(memory, size, MADV_DONTDUMP) || mlock2(memory, size, 0) )
    {
        int error = errno;

        munmap(memory, size);
        errno = error;
        return NULL;
    }
    chunk->size = size;
    return chunk;
}

static void unmap_spare(struct spool *spool)
{
    struct spool_chunk *chunk = spool->spare;

    spool->spare = chunk->next;
    spool->spares--;
    munmap(chunk, chunk->size);
}

/* Returns a chunk, or NULL if no memory can be locked. */
static struct spool_chunk *get_chunk(struct spool *spool, uint32_t size)
{
    struct spool_chunk *chunk = spool->spare;

    spool->error = 0;
    if ( size == SPOOL_CHUNK && chunk )
    {
        spool->spare = chunk->next;
        spool->spares--;
        if ( spool->unneeded > spool->spares )
            spool->unneeded = spool->spares;
        return chunk;
    }
    /* Spares count, too. */
    while ( spool->spare &&
            spool->used + (uint64_t)spool->spares * SPOOL_CHUNK + size >
                spool->limit )
        unmap_spare(spool);
    chunk = map_chunk(size);
    spool->error = chunk ? 0 : errno;
    return chunk;
}

/* What guests wrote must not outlive its sample.  Making a chunk costs system
 * calls, so the next round may use this one. */
static void put_chunk(struct spool *spool, struct spool_chunk *chunk)
{
    explicit_bzero(chunk + 1, chunk->end - sizeof(*chunk));
    if ( chunk->size != SPOOL_CHUNK )
    {
        munmap(chunk, chunk->size);
        return;
    }
    chunk->next = spool->spare;
    spool->spare = chunk;
    spool->spares++;
}

void spool_trim(struct spool *spool)
{
    while ( spool->unneeded && spool->spare )
    {
        spool->unneeded--;
        unmap_spare(spool);
    }
    spool->unneeded = spool->spares;
}

void spool_close(struct spool *spool)
{
    while ( spool->spare )
        unmap_spare(spool);
    table_free(&spool->shares);
    *spool = (struct spool){0};
}

/* Takes so much from the guest's share.  Returns false if it has no more. */
static bool take_share(struct spool *spool, const struct spool_fifo *fifo,
                       uint32_t size)
{
    struct spool_share *share = table_put(&spool->shares, fifo->uuid);
    uint64_t left = spool->limit > spool->used ? spool->limit - spool->used : 0;

    if ( !share || size > left ||
         (share->bytes + size > left && fifo->given < 2 * size) )
        return false;
    spool->guests += share->bytes == 0;
    share->bytes += size;
    spool->used += size;
    return true;
}

static void return_share(struct spool *spool, const uint8_t uuid[16],
                         uint32_t size)
{
    struct spool_share *share = table_find(&spool->shares, uuid);

    share->bytes -= size;
    spool->guests -= share->bytes == 0;
    spool->used -= size;
}

/* Returns the chunk that has room for so many bytes, or NULL. */
static struct spool_chunk *make_spool_room(struct spool *spool,
                                           struct spool_fifo *fifo,
                                           uint32_t entry)
{
    struct spool_chunk *chunk = fifo->last;
    uint32_t size = (uint32_t)sizeof(*chunk) + entry;

    size = size <= SPOOL_CHUNK ? SPOOL_CHUNK : (size + 4095) & ~4095u;

    if ( chunk && chunk->size - chunk->end >= entry )
        return chunk;
    if ( !take_share(spool, fifo, size) )
    {
        spool->error = 0;
        return NULL;
    }
    chunk = get_chunk(spool, size);
    if ( !chunk )
    {
        return_share(spool, fifo->uuid, size);
        return NULL;
    }
    fifo->given = 0;
    chunk->next = NULL;
    chunk->begin = chunk->end = sizeof(*chunk);
    if ( fifo->last )
        fifo->last->next = chunk;
    else
        fifo->first = chunk;
    fifo->last = chunk;
    return chunk;
}

bool spool_put(struct spool *spool, struct spool_fifo *fifo,
               const uint8_t uuid[16], const struct xenoprof_record *record,
               uint64_t tag, uint64_t now)
{
    const struct spool_entry entry = {
        .size = (uint32_t)sizeof(entry) + record->length,
        .tag = tag,
        .since = now,
    };
    struct spool_chunk *chunk;
    uint8_t *at;

    if ( !fifo->count )
        memcpy(fifo->uuid, uuid, sizeof(fifo->uuid));
    chunk = make_spool_room(spool, fifo, entry.size);
    if ( !chunk )
        return false;
    at = (uint8_t *)chunk + chunk->end;
    memcpy(at, &entry, sizeof(entry));
    memcpy(at + sizeof(entry), record, record->length);
    if ( !fifo->cursor )
    {
        fifo->cursor = chunk;
        fifo->cursor_at = chunk->end;
    }
    chunk->end += entry.size;
    fifo->count++;
    spool->samples++;
    spool->bytes += record->length;
    return true;
}

static struct spool_entry *entry_at(const struct spool_chunk *chunk,
                                    uint32_t at)
{
    return (struct spool_entry *)((uint8_t *)chunk + at);
}

const struct spool_entry *spool_head(const struct spool_fifo *fifo)
{
    return fifo->count ? entry_at(fifo->first, fifo->first->begin) : NULL;
}

/* An empty queue holds no chunk, nor does a chunk without samples stay. */
static void drop_chunk(struct spool *spool, struct spool_fifo *fifo)
{
    struct spool_chunk *chunk = fifo->first;

    fifo->first = chunk->next;
    if ( !fifo->first )
        fifo->last = NULL;
    return_share(spool, fifo->uuid, chunk->size);
    if ( fifo->given < spool->limit )
        fifo->given += chunk->size;
    put_chunk(spool, chunk);
}

void spool_drop_head(struct spool *spool, struct spool_fifo *fifo)
{
    struct spool_chunk *chunk = fifo->first;
    const struct spool_entry *entry = entry_at(chunk, chunk->begin);

    if ( fifo->cursor == chunk && fifo->cursor_at == chunk->begin )
        spool_asked(fifo);
    fifo->count--;
    spool->samples--;
    spool->bytes -= entry->size - sizeof(*entry);
    chunk->begin += entry->size;
    if ( chunk->begin == chunk->end )
        drop_chunk(spool, fifo);
}

void spool_clear(struct spool *spool, struct spool_fifo *fifo)
{
    while ( fifo->count )
        spool_drop_head(spool, fifo);
}

const struct spool_entry *spool_unasked(const struct spool_fifo *fifo)
{
    return fifo->cursor ? entry_at(fifo->cursor, fifo->cursor_at) : NULL;
}

void spool_asked(struct spool_fifo *fifo)
{
    struct spool_chunk *chunk = fifo->cursor;

    fifo->cursor_at += entry_at(chunk, fifo->cursor_at)->size;
    if ( fifo->cursor_at < chunk->end )
        return;
    fifo->cursor = chunk->next;
    fifo->cursor_at = sizeof(*chunk);
}

void spool_ask_again(struct spool_fifo *fifo)
{
    fifo->cursor = fifo->first;
    fifo->cursor_at = fifo->first ? fifo->first->begin : 0;
}

struct xenoprof_view spool_view(const struct spool_entry *entry)
{
    struct xenoprof_view view;

    /* It was checked before it came here, and nobody else can write to it. */
    if ( xenoprof_record_check(entry + 1, entry->size - sizeof(*entry), &view) )
        memset(&view, 0, sizeof(view));
    return view;
}
