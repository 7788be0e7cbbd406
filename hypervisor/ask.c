/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NMIs that were asked for, in one word for each pCPU that three sides change:
 * a tick asks, the NMI answers, and a tick or stop writes off.
 */
#include "ask.h"

#define WORD_LATE  1ul
#define WORD_IDLE  2ul
#define WORD_SHIFT 2

/*
 * While one NMI is being answered, ticks can change the word at most twice:
 * write off and ask again, or ask.  So this many tries always suffice.
 */
#define ANSWER_TRIES 4

/* All three sides change the word by this alone: the loser has *old as the
 * winner left it.  A full barrier, so that ask_send() is seen by the NMI which
 * is sent after it.  The word is all that the sides hand over: a load before
 * the exchange need not be in order with anything. */
static bool exchange(struct ask *ask, uint64_t *old, uint64_t word)
{
    return __atomic_compare_exchange_n(&ask->word, old, word, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* To be called before the word says so: whoever finds WORD_LATE finds a time
 * that is at most too new. */
static void note_written_off(struct ask *ask, uint64_t now)
{
    __atomic_store_n(&ask->written_off, now, __ATOMIC_RELEASE);
}

/* Returns WORD_LATE if an NMI that was written off may still come. */
static uint64_t still_late(const struct ask *ask, uint64_t word, uint64_t now)
{
    /* Acquire, with note_written_off(). */
    uint64_t then = __atomic_load_n(&ask->written_off, __ATOMIC_ACQUIRE);

    /* The clock of another pCPU may be a little behind. */
    return now < then || now - then < ASK_LATE_FOR ? word & WORD_LATE : 0;
}

enum ask_result ask_send(struct ask *ask, uint64_t now, bool idle)
{
    uint64_t old = __atomic_load_n(&ask->word, __ATOMIC_ACQUIRE);
    uint64_t since = old >> WORD_SHIFT;
    uint64_t late = WORD_LATE;

    if ( since && (now < since || now - since <= ASK_PATIENCE) )
        return ASK_WAITING;
    if ( since )
        note_written_off(ask, now);
    else
        late = still_late(ask, old, now);
    if ( !exchange(ask, &old,
                   (now ? now : 1) << WORD_SHIFT | (idle ? WORD_IDLE : 0) |
                       late) )
        return ASK_WAITING; /* another tick was faster, or the NMI came */
    return since ? ASK_RESEND : ASK_SEND;
}

enum ask_answer ask_answer(struct ask *ask)
{
    uint64_t old = __atomic_load_n(&ask->word, __ATOMIC_ACQUIRE);

    for ( int tries = 0; tries < ANSWER_TRIES && old; tries++ )
    {
        uint64_t since = old >> WORD_SHIFT;

        if ( !exchange(ask, &old, since ? old & WORD_LATE : 0) )
            continue;
        if ( !since )
            return ASK_LATE;
        return old & WORD_IDLE ? ASK_IDLE : ASK_BUSY;
    }
    return ASK_NONE;
}

void ask_expire(struct ask *ask, uint64_t now)
{
    uint64_t old = __atomic_load_n(&ask->word, __ATOMIC_ACQUIRE);

    if ( old == WORD_LATE && !still_late(ask, old, now) )
        exchange(ask, &old, 0);
}

bool ask_outstanding(const struct ask *ask)
{
    /* The NMI was answered by ask_answer(), and may still be in its first half:
     * presence_wait() is what waits for that. */
    return __atomic_load_n(&ask->word, __ATOMIC_ACQUIRE) >> WORD_SHIFT;
}

bool ask_write_off(struct ask *ask, uint64_t now)
{
    uint64_t old = __atomic_load_n(&ask->word, __ATOMIC_ACQUIRE);

    if ( !(old >> WORD_SHIFT) )
        return false;
    note_written_off(ask, now);
    return exchange(ask, &old, WORD_LATE);
}
