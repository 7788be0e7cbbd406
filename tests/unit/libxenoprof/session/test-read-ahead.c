/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session that threads read ahead is the session that is read without them,
 * whatever is wrong with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/read-ahead.h"
#include "session-kit.h"

#define BLOCKS    60u
#define PER_BLOCK 50u
#define FILES     3u
#define NS        1000u

/* Puts a block's samples.  In some blocks marks or periods are new, and so are
 * shapes; in some all samples are alike: who does not know their shape takes
 * them for others, not for nonsense. */
static void put_block(struct session_kit *kit, unsigned int block)
{
    uint32_t chain[3];

    for ( unsigned int i = 0; i < PER_BLOCK; i++ )
    {
        bool alike = block % 6 == 3;
        unsigned int at = block * PER_BLOCK + (alike ? 0 : i);
        const struct xenoprof_stored sample = {
            .time = NS * (1 + block * PER_BLOCK + i),
            .domain = (uint16_t)(1 + at % 3),
            .vcpu = (uint16_t)(at % 4),
            .mode = 1 + at % 2,
            .marks = block % 5 ? 0 : XENOPROF_MARK_TRUNCATED,
            .weight = 1,
            .period = 1000000 + block / 7 + alike * block,
        };

        for ( unsigned int j = 0; j < 3; j++ )
            chain[j] = kit_place(kit, sample.domain, sample.mode,
                                 0x1000 + (at * (j + 1) % 97) * 16, NULL);
        KIT_OK(kit,
               xenoprof_writer_sample(kit->writer, &sample, chain, 1 + at % 3));
    }
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
}

static struct session_kit *write_session(void)
{
    struct session_kit *kit = kit_create();

    kit_know(kit);
    for ( unsigned int i = 0; i < BLOCKS; i++ )
    {
        put_block(kit, i);
        if ( i % (BLOCKS / FILES) == BLOCKS / FILES - 1 && i + 1 < BLOCKS )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    return kit;
}

static void say_samples(FILE *to, const struct xenoprof_samples *samples)
{
    for ( size_t i = 0; i < samples->count; i++ )
    {
        const struct xenoprof_who *who = &samples->who[samples->whos[i]];
        const struct xenoprof_call *call = &samples->call[samples->calls[i]];

        fprintf(to, "%llu %u.%u %u %x %u: %u %u %u %u\n",
                (unsigned long long)(samples->times ? samples->times[i]
                                                    : samples->first),
                who->domain, who->vcpu, who->mode, who->marks, who->period,
                call->place, call->nodes[0], call->nodes[1], call->nodes[2]);
    }
}

/* All that there is from here on. */
static void say_rest(struct session_kit *kit, struct xenoprof_session *session,
                     FILE *to)
{
    struct xenoprof_item item;
    enum xenoprof_status status;

    while ( (status = xenoprof_session_next_columns(session, &item)) !=
            XENOPROF_END )
    {
        if ( status )
            fprintf(to, "%s\n", xenoprof_message(kit->handle));
        else if ( item.kind == XENOPROF_ITEM_SAMPLES )
            say_samples(to, &item.u.samples);
        else
            fprintf(to, "item %u at %llu\n", item.kind,
                    (unsigned long long)item.time);
        CHECK(!status || status == XENOPROF_DAMAGED);
    }
    fprintf(to, "torn %llu, left out %llu, steps %llu\n",
            (unsigned long long)xenoprof_session_torn(session),
            (unsigned long long)xenoprof_session_left_out(session),
            (unsigned long long)session->steps);
}

/* How a session is to be read. */
struct way {
    unsigned int threads;
    bool leaves, span;
    unsigned int used; /* blocks that threads read, at least */
};

/* malloc'ed. */
static char *say_session(struct session_kit *kit, struct way way)
{
    struct xenoprof_session *session;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    CHECK(to);
    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_threads(session, way.threads);
    if ( way.leaves )
    {
        xenoprof_session_leaves_only(session);
        xenoprof_session_without_times(session);
    }
    if ( way.span )
        xenoprof_session_span(session, 400 * NS, 2500 * NS);
    say_rest(kit, session, to);
    CHECK(read_ahead_used(session->read_ahead) >= way.used);
    xenoprof_session_close(session);
    CHECK(!fclose(to));
    return text;
}

static void same_with_threads(struct session_kit *kit, bool leaves, bool span,
                              unsigned int used)
{
    char *alone = say_session(kit, (struct way){0, leaves, span, 0});

    for ( unsigned int threads = 1; threads <= 7; threads += 3 )
    {
        char *text = say_session(kit,
                                 (struct way){threads, leaves, span, used});

        CHECK_TEXT(text, alone);
        free(text);
    }
    free(alone);
}

TEST(threads_read_what_one_reads)
{
    struct session_kit *kit = write_session();

    same_with_threads(kit, false, false, BLOCKS / 2);
    same_with_threads(kit, true, false, BLOCKS / 2);
    same_with_threads(kit, false, true, BLOCKS / 4);
    kit_destroy(kit);
}

/* Wherever a byte is wrong, the same is lost, and the same is said. */
TEST(threads_lose_what_one_loses)
{
    struct session_kit *kit = write_session();
    const char *path = kit_file(kit, 1);
    size_t size;
    uint8_t *bytes = kit_bytes(path, &size);

    for ( size_t at = 40; at < size; at += size / 40 )
    {
        bytes[at] ^= 0x10;
        kit_put_bytes(path, bytes, size);
        same_with_threads(kit, false, false, BLOCKS / 4);
        bytes[at] ^= 0x10;
    }
    kit_put_bytes(path, bytes, size - 100);
    same_with_threads(kit, false, false, BLOCKS / 4);
    free(bytes);
    kit_destroy(kit);
}

TEST(threads_read_on_when_a_session_grows)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    size_t samples = 0;

    KIT_OK(kit, xenoprof_session_open(kit->handle, kit->folder, &session));
    xenoprof_session_threads(session, 2);
    for ( unsigned int i = 0; i < BLOCKS; i++ )
    {
        put_block(kit, i);
        if ( i % 20 == 19 )
            KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
        while ( i % 6 == 5 && !xenoprof_session_next_columns(session, &item) )
            samples += item.kind == XENOPROF_ITEM_SAMPLES ? item.u.samples.count
                                                          : 0;
    }
    CHECK_EQ(samples, BLOCKS * PER_BLOCK);
    CHECK(read_ahead_used(session->read_ahead) >= BLOCKS / 2);
    /* Some more are asked for when it is closed, and none is there. */
    xenoprof_session_threads(session, 0);
    CHECK_EQ(xenoprof_session_next_columns(session, &item), XENOPROF_END);
    xenoprof_session_close(session);
    kit_destroy(kit);
}
