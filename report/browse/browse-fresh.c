/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-fresh.h"

#include "base/clock.h"
#include "base/must.h"
#include "browse-keys.h"
#include "browse-page.h"
#include "browse-screen.h"

#include <string.h>

#define NS_PER_MS 1000000u
#define GROWS_NS  (1000ull * NS_PER_MS) /* between two looks at how large */
#define DRAW_NS   (100ull * NS_PER_MS)
#define READ_PART 10u /* at most that part of the time goes into reading */

static const struct gathered_session *session_of(const struct browse *browse)
{
    return browse->wanted->session;
}

/* Whether more may come. */
static bool may_grow(const struct browse *browse)
{
    return !session_of(browse)->loaded.closed;
}

int browse_fresh_wait(const struct browse *browse)
{
    const uint64_t now = monotonic_now(), next = browse->fresh.next;

    if ( session_of(browse)->begun )
        return 0;
    if ( browse->fresh.paused || !may_grow(browse) )
        return -1;
    return now < next ? (int)((next - now) / NS_PER_MS) + 1 : 0;
}

static void note_percent(struct browse_fresh *fresh,
                         const struct loaded *loaded)
{
    const uint64_t start = loaded->clocks.start, end = fresh->end;
    const uint64_t last = loaded->last < end ? loaded->last : end;

    if ( start && end > start && last > start )
        fresh->percent = (unsigned int)(100.0 * (double)(last - start) /
                                        (double)(end - start));
}

/* What is shown is the session that was read before. */
static bool step(void *argument, const struct loaded *loaded)
{
    struct browse *browse = argument;
    const uint64_t now = monotonic_now();
    const int key = browse_screen_key(0);

    note_percent(&browse->fresh, loaded);
    if ( key > 0 )
        browse_key(browse, key);
    browse->quit |= key < 0;
    if ( !browse->quit && (key || now - browse->fresh.drawn >= DRAW_NS) )
    {
        browse_draw(browse);
        browse->fresh.drawn = now;
    }
    return !browse->quit;
}

static void begin_reading(struct browse *browse)
{
    struct xenoprof_handle *handle = must(xenoprof_open());
    struct browse_fresh *fresh = &browse->fresh;
    const char *path = session_of(browse)->path;

    fresh->reading = true;
    fresh->percent = 0;
    fresh->bytes = session_bytes(path);
    if ( xenoprof_session_end(handle, path, &fresh->end) )
        fresh->end = 0;
    xenoprof_close(handle);
}

static void read_session(struct browse *browse)
{
    const uint64_t begun = monotonic_now();
    const struct read_watch watch = {step, browse};
    struct query query = *browse->wanted->report->query;
    struct gathered_session session = {.whole = false};
    struct failure failure = {.status = STATUS_DONE};

    begin_reading(browse);
    query.silent = true;
    query.watch = &watch;
    gather(&session, &query, browse->wanted->report->path, &failure);
    browse->fresh.reading = false;
    if ( !browse->quit && session.whole &&
         (!browse->fresh.paused || session_of(browse)->begun) )
        browse_renew(browse, &session);
    else if ( !browse->quit && !session.whole )
    {
        browse_say(browse, must(strdup(failure.text)));
        browse->wanted->session->begun = false;
    }
    gathered_free(&session);
    browse->fresh.next = monotonic_now() +
                         (READ_PART - 1) * (monotonic_now() - begun);
}

void browse_fresh_turn(struct browse *browse)
{
    const uint64_t now = monotonic_now();
    struct browse_fresh *fresh = &browse->fresh;

    if ( session_of(browse)->begun )
        read_session(browse);
    else if ( !fresh->bytes )
        fresh->bytes = session_bytes(session_of(browse)->path);
    else if ( session_bytes(session_of(browse)->path) != fresh->bytes )
    {
        /* All that is open is what the user has seen. */
        fresh->touched = true;
        read_session(browse);
    }
    if ( fresh->next < now + GROWS_NS )
        fresh->next = now + GROWS_NS;
}
