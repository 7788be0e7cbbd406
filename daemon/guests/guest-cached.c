/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When names of code in cached files are looked for, and what comes of it. */
#include "base/clock.h"
#include "cached-files.h"
#include "guest-cached.h"
#include "guest-questions.h"

/* Of a guest's memory, for each address: a large file's symbols. */
#define BYTES_EACH (2u << 20)

_Static_assert(LEAVES_MAX <= QUESTION_MOST, "raise QUESTION_MOST");

struct cached_code {
    struct file_code key;
    uint64_t since; /* our clock: of the question, or the answer */
    uint32_t place; /* 0: none in this file of the session */
    bool waits;     /* the answer is to come */
    bool answered;
    bool lasts; /* it does not grow old */
};

static void init(struct guest *guest)
{
    cached_files_init(&guest->cached);
    named_places_init(&guest->cached.places);
}

static void forget_cached(struct guest *guest)
{
    cached_files_forget(&guest->cached);
    table_free(&guest->cached.places);
}

/* What waits gets a place of the next file. */
static void forget_cached_places(struct guest *guest)
{
    const struct table *noted = &guest->questions[QUESTION_cached].noted;

    table_free(&guest->cached.places);
    for ( size_t i = 0; i < noted->count; i++ )
    {
        struct cached_code *code = table_at(noted, i);

        code->place = 0;
        code->answered = false;
    }
}

/* Samples ------------------------------------------------------------ */

bool guest_cached_is(const struct guest *guest,
                     const struct guest_sample *sample)
{
    return sample->mode == XENOPROF_MODE_USER && !guest->user &&
           guest->cached.wanted;
}

static bool may_search(const struct guests *guests, const struct guest *guest)
{
    return guest->state == GUEST_KNOWN && !guest->gone && guests->maker &&
           !guest_account_user_is_spent(
               guests_account((struct guests *)guests, guest));
}

/* Returns false if it is not known which file's code it is. */
static bool code_of_file(const struct guest *guest,
                         const struct guest_sample *sample,
                         struct file_code *ret)
{
    return guest_mappings_code(guest, sample, ret) &&
           table_find(&guest->cached.files, &ret->file);
}

/* Returns what is known, or will be; NULL: it is to be asked for. */
static const struct cached_code *find_cached_code(const struct guest *guest,
                                                  const struct file_code *key)
{
    const struct cached_code *code = table_find(
        &guest->questions[QUESTION_cached].noted, key);
    bool old = code && monotonic_now() - code->since >= CACHED_AGE;

    return code && (code->waits || (code->answered && (code->lasts || !old)))
               ? code
               : NULL;
}

enum guest_wait guest_cached_wait(const struct guests *guests,
                                  const struct guest *guest,
                                  const struct guest_sample *sample)
{
    const struct cached_code *code;
    struct file_code key;
    enum guest_wait wait;

    if ( !sample->thread.pid || !may_search(guests, guest) )
        return GUEST_READY;
    wait = guest_mappings_wait(guests, guest, sample);
    if ( wait != GUEST_NOT_ASKED )
        return wait;
    if ( !code_of_file(guest, sample, &key) )
        return guest_mappings_may_note(guest, sample) ? GUEST_NOT_ASKED
                                                      : GUEST_READY;
    code = find_cached_code(guest, &key);
    if ( !code )
        return GUEST_NOT_ASKED;
    return code->waits && monotonic_now() - code->since < CACHED_PATIENCE
               ? GUEST_ASKED
               : GUEST_READY;
}

bool guest_cached_can_ask(const struct guest *guest)
{
    const struct guest_question *asked = &guest->questions[QUESTION_cached];

    return asked->noted.count < CACHED_CODE_MAX ||
           guest_question_is_idle(asked);
}

/* Puts it into the queue.  Returns false if there is no room now. */
static bool queue_code(struct guest *guest, const struct file_code *key)
{
    struct guest_question *asked = &guest->questions[QUESTION_cached];
    struct cached_code *code;

    if ( !guest_cached_can_ask(guest) )
        return false;
    if ( asked->noted.count >= CACHED_CODE_MAX )
        table_free(&asked->noted);
    code = table_put(&asked->noted, key);
    if ( !code || !guest_question_queue(asked, code) )
        return false;
    code->waits = true;
    code->since = monotonic_now();
    return true;
}

bool guest_cached_ask(struct guests *guests, struct guest *guest,
                      const struct guest_sample *sample)
{
    struct file_code key;

    return guest_cached_wait(guests, guest, sample) != GUEST_NOT_ASKED ||
           guest_mappings_note(guests, guest, sample) ||
           (code_of_file(guest, sample, &key) && queue_code(guest, &key));
}

bool guest_cached_is_away(const struct guest *guest)
{
    return guest->questions[QUESTION_cached].search ||
           guest->questions[QUESTION_mappings].search;
}

enum xenoprof_status guest_cached_leaf(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest,
                                       const struct guest_sample *sample,
                                       uint32_t *ret)
{
    const struct xenoprof_place place = {
        .mode = XENOPROF_MODE_USER, .address = sample->ip, .image = "user"};
    const struct cached_code *code = NULL;
    struct file_code key;

    if ( sample->thread.pid && code_of_file(guest, sample, &key) )
        code = table_find(&guest->questions[QUESTION_cached].noted, &key);
    *ret = code ? code->place : 0;
    return *ret ? XENOPROF_OK
                : named_place(guests, writer, guest, &guest->cached.places,
                              &place, ret);
}

/* Searches ------------------------------------------------------------ */

static void make_leaf_order(const struct guest *guest, const void *keys,
                            struct search_order *order)
{
    static struct leaf_question questions[LEAVES_MAX];
    const struct file_code *asked = keys;

    for ( size_t i = 0; i < order->count; i++ )
    {
        const struct cached_file *file = table_find(&guest->cached.files,
                                                    &asked[i].file);

        questions[i] = (struct leaf_question){.offset = asked[i].offset};
        if ( file )
            questions[i].file = (struct guest_file){file->mapping, file->id};
    }
    order->leaves = questions;
}

static enum xenoprof_status take_leaf_name(struct guests *guests,
                                           struct xenoprof_writer *writer,
                                           struct guest *guest,
                                           struct cached_code *code,
                                           const struct leaf_name *name)
{
    const struct cached_file *file = table_find(&guest->cached.files,
                                                &code->key.file);
    struct xenoprof_place place = {
        .mode = XENOPROF_MODE_USER,
        .address = name->address,
        .image = file ? file->path : NULL,
    };

    /* Code of a file that has neither a path nor a symbol says nothing. */
    if ( !place.image || (!*place.image && name->found != LEAF_SYMBOL) )
        return XENOPROF_OK;
    if ( !*place.image )
        place.image = "user";
    if ( name->found == LEAF_SYMBOL )
    {
        place.symbol = name->name;
        place.symbol_start = name->start;
    }
    code->lasts = name->found == LEAF_SYMBOL ||
                  (name->found == LEAF_ADDRESS && !name->absent);
    return named_place(guests, writer, guest, &guest->cached.places, &place,
                       &code->place);
}

/* What was answered is not asked for again for a while.  Another guest may have
 * the number by now: nothing is said of it then. */
static enum xenoprof_status take_leaf_answer(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct question_answer *answer)
{
    struct cached_code *code = answer->noted;
    const struct leaf_name *names = answer->result ? answer->result->leaves
                                                   : NULL;
    enum xenoprof_status status;

    if ( code )
    {
        code->waits = false;
        code->answered = !answer->stopped;
        code->since = monotonic_now();
    }
    if ( !code || !names )
        return XENOPROF_OK;
    status = guests_own(guests, writer, guest);
    if ( !status )
        status = take_leaf_name(guests, writer, guest, code,
                                &names[answer->at]);
    return status == XENOPROF_END ? XENOPROF_OK : status;
}

const struct question question_cached = {
    .key = sizeof(struct file_code),
    .entry = sizeof(struct cached_code),
    .most = LEAVES_MAX,
    .bytes = BYTES_EACH,
    .pause = CACHED_PAUSE,
    .kind = SEARCH_LEAVES,
    .make = make_leaf_order,
    .take = take_leaf_answer,
    .init = init,
    .forget = forget_cached,
    .next_file = forget_cached_places,
};
