/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-windows SAMPLES SECONDS: reads rings in the daemon's place until it has
 * so many samples of guests, and prints what windows they had, a line for each
 * domain and mode:
 *
 *   DOMAIN MODE KEY=NUMBER...
 *
 *   samples     of the guest, or of Xen with the guest's place
 *   windows, second       samples with a window, with two
 *   none, moved, same, other   samples without one, by their marks
 *   bytes       in all windows
 *   known       windows on a stack of known words (stack-word.h)
 *   shortest, longest     bytes of known words in the shortest, the longest
 *   wrong       windows on such a stack that have another word too
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xenhypfs.h>

#include <xenoprof/door.h>

#include "libxenoprof.h"
#include "lab/test-kernel/stack-word.h"

#define DOMAINS 64u

static struct account {
    uint64_t samples, windows, second, bytes;
    uint64_t none, moved, same, other;
    uint64_t known, shortest, longest, wrong;
} accounts[DOMAINS][XENOPROF_MODES];

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "stack-windows: %s: %s\n", what, why);
    exit(1);
}

static uint64_t status_frame(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    struct xenhypfs_dirent *entry;
    struct xenoprof_door_state *state;

    if ( !hypfs )
        fail("hypfs", "cannot be opened");
    /* Xen answers with another node's content now and then. */
    for ( int i = 0; i < 20; i++ )
    {
        state = xenhypfs_read_raw(hypfs, "/xenoprof/state", &entry);
        if ( state && entry->size >= sizeof(*state) &&
             state->magic == XENOPROF_DOOR_MAGIC &&
             state->sequence == state->sequence_end && state->status_mfn )
            return state->status_mfn;
    }
    fail("the door", "does not show a session");
    return 0;
}

/* Returns how many words lie from the first known word to the last; 0: no word
 * is known. */
static uint64_t known_words(const struct xenoprof_window *window,
                            uint64_t *wrong)
{
    uint64_t start = (8 - window->address % 8) % 8;
    uint64_t first = 0, last = 0, hits = 0, word;

    for ( uint64_t at = start; at + 8 <= window->length; at += 8 )
    {
        memcpy(&word, (const char *)(window + 1) + at, sizeof(word));
        if ( word != stack_word(window->address + at) )
            continue;
        if ( !hits++ )
            first = at;
        last = at;
    }
    *wrong = hits ? (last - first) / 8 + 1 - hits : 0;
    return hits;
}

static void count_window(struct account *account,
                         const struct xenoprof_window *window)
{
    uint64_t wrong, bytes = known_words(window, &wrong) * 8;

    account->bytes += window->length;
    if ( !bytes )
        return;
    account->wrong += wrong != 0;
    if ( !account->known++ || bytes < account->shortest )
        account->shortest = bytes;
    if ( bytes > account->longest )
        account->longest = bytes;
}

static void count_marks(struct account *account, uint32_t marks)
{
    if ( marks & XENOPROF_MARK_MOVED )
        account->moved++;
    else if ( marks & XENOPROF_MARK_SAME_STACK )
        account->same++;
    else if ( marks & XENOPROF_MARK_NO_STACK )
        account->none++;
    else
        account->other++;
}

/* Whether the sample is a guest's, in its own code or in Xen for it. */
static bool count(const struct xenoprof_view *view)
{
    const struct xenoprof_sample *sample = view->sample;
    struct account *account;

    if ( !sample || sample->domain >= DOMAINS ||
         sample->mode == XENOPROF_MODE_IDLE )
        return false;
    account = &accounts[sample->domain]
                       [view->guest ? view->guest->mode : sample->mode];
    account->samples++;
    if ( view->window )
    {
        account->windows++;
        count_window(account, view->window);
    }
    else
        count_marks(account, sample->marks);
    if ( view->window2 )
    {
        account->second++;
        account->bytes += view->window2->length;
    }
    return true;
}

static uint64_t read_all(struct xenoprof_handle *handle,
                         struct xenoprof_source *source)
{
    struct xenoprof_view view;
    uint64_t found = 0;

    if ( xenoprof_source_refresh(source) )
        fail("the rings", xenoprof_message(handle));
    for ( size_t i = 0; i < xenoprof_source_rings(source); i++ )
    {
        enum xenoprof_status code;

        while ( !(code = xenoprof_ring_next(source, i, &view)) )
            found += count(&view);
        if ( code != XENOPROF_END )
            fail("a ring", xenoprof_message(handle));
        xenoprof_ring_release(source, i);
    }
    xenoprof_source_heartbeat(source);
    return found;
}

static void tell(unsigned int domain, unsigned int mode)
{
    const struct account *one = &accounts[domain][mode];

    if ( !one->samples )
        return;
    printf("%u %s samples=%lu windows=%lu second=%lu none=%lu moved=%lu "
           "same=%lu other=%lu bytes=%lu known=%lu shortest=%lu longest=%lu "
           "wrong=%lu\n",
           domain, xenoprof_mode_name(mode), one->samples, one->windows,
           one->second, one->none, one->moved, one->same, one->other,
           one->bytes, one->known, one->shortest, one->longest, one->wrong);
}

int main(int argc, char **argv)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_source *source;
    uint64_t wanted, found = 0;
    time_t end;

    if ( argc != 3 || !handle )
        fail("usage", "SAMPLES SECONDS, in dom0");
    if ( xenoprof_source_xen(handle, status_frame(), &source) )
        fail("the status page", xenoprof_message(handle));
    wanted = strtoull(argv[1], NULL, 10);
    end = time(NULL) + atoi(argv[2]);
    while ( found < wanted && time(NULL) < end )
    {
        found += read_all(handle, source);
        usleep(5000); /* no more than a fraction of a ring comes meanwhile */
    }
    xenoprof_source_close(source);
    xenoprof_close(handle);
    for ( unsigned int domain = 0; domain < DOMAINS; domain++ )
        for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
            tell(domain, mode);
    return found < wanted;
}
