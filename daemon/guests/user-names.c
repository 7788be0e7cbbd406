/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest's agent calls addresses of processes.
 *
 * What is named is a place of its file, as the file counts addresses, so that
 * processes which run the same code share it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "guests.h"

bool guest_user_is_spent(const struct guests *guests, const struct guest *guest)
{
    return guest->domain && guest_account_user_is_spent(
                                guests_account((struct guests *)guests, guest));
}

/* An agent in the guest names code at the guest's cost, one of a guest root at
 * dom0's. */
static bool is_too_dear(const struct user_names *names)
{
    return names->spent && agent_link_is_root(names->link);
}

enum guest_wait guest_user_code_wait(const struct user_names *names,
                                     const struct user_answer *answer)
{
    enum agent_state state = agent_link_state(names->link);

    if ( answer )
        return answer->waits ? GUEST_ASKED : GUEST_READY;
    if ( is_too_dear(names) )
        return GUEST_READY;
    return state == AGENT_PRESENT || state == AGENT_COMING ? GUEST_NOT_ASKED
                                                           : GUEST_READY;
}

bool guest_user_code_ask(struct user_names *names, const struct xen *xen,
                         const struct user_code *code, uint64_t time)
{
    const struct agent_question question = {
        .time = guest_user_time(names, xen, time),
        .address = code->of.address,
        .tgid = code->of.pid,
    };
    struct user_answer *answer;

    if ( !agent_link_can_ask(names->link) ||
         user_inlines_are_full(&names->inlines) )
        return false;
    answer = user_answers_ask(&names->answers, code);
    if ( !answer ||
         !agent_link_ask(names->link, &question,
                         user_answers_number(&names->answers, answer)) )
        return false;
    answer->time = question.time;
    user_answers_wait(&names->answers, answer);
    return true;
}

void user_names_ask_inlines(struct user_names *names)
{
    if ( !is_too_dear(names) )
        user_inlines_ask(&names->inlines, names->link);
}

static enum xenoprof_status name_place(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest,
                                       const struct xenoprof_place *place,
                                       uint32_t *ret)
{
    return named_place(guests, writer, guest, &guest->user->places, place, ret);
}

/* Code of no file is "//anon"; "[vdso]" is one. */
static bool is_file(const char *path)
{
    return (path[0] == '/' && path[1] != '/') || path[0] == '[';
}

/* Returns whether the sample waits on, for what was inlined. */
static bool want_inlined(struct user_names *names,
                         const struct user_answer *answer,
                         const struct agent_name_reply *said)
{
    struct user_inline wanted = {
        .question = {.time = answer->time,
                     .address = answer->of.address,
                     .tgid = answer->of.pid},
        .id = said->id,
        .address = said->address,
    };

    if ( said->found > AGENT_NO_SYMBOL || said->path[0] != '/' ||
         !agent_link_has_inlines(names->link) || is_too_dear(names) )
        return false;
    snprintf(wanted.image, sizeof(wanted.image), "%s", said->path);
    return user_inlines_add(&names->inlines, &wanted);
}

/* Returns the entry of what was said, or NULL if there is no memory. */
static struct user_answer *take_answer(struct user_names *names,
                                       const struct agent_name_reply *said)
{
    struct user_answer *answer = user_answers_at(&names->answers, said->id);

    user_answer_drop_inlined(answer);
    if ( !want_inlined(names, answer, said) )
        user_answers_settle(&names->answers, answer);
    if ( said->found > AGENT_NO_SYMBOL )
        return user_answers_make_own(&names->answers, answer);
    answer->lasts = answer->key.image;
    return answer;
}

static enum xenoprof_status take_named_address(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct agent_name_reply *said)
{
    struct user_answer *answer = take_answer(guest->user, said);
    struct xenoprof_place place = {.mode = XENOPROF_MODE_USER, .image = "user"};

    if ( !answer )
        return XENOPROF_OK;
    place.address = answer->of.address;
    if ( said->found <= AGENT_NO_SYMBOL )
    {
        place.address = said->address;
        place.symbol = said->symbol;
        place.symbol_start = said->start;
    }
    if ( is_file(said->path) )
        place.image = said->path;
    return name_place(guests, writer, guest, &place, &answer->place);
}

/* Says once in each file of the session which line a place is of. */
static enum xenoprof_status say_line(struct guests *guests,
                                     struct xenoprof_writer *writer,
                                     const struct guest *guest, uint32_t place,
                                     const struct user_line *line)
{
    const struct xenoprof_line said = {
        .place = place, .line = line->line, .path = line->path};
    struct table *lined = &guest->user->lined;
    const uint64_t number = place;

    if ( !line->line || table_find(lined, &number) ||
         !guest_has_places(guests, guest) || !table_put(lined, &number) )
        return XENOPROF_OK;
    return xenoprof_writer_line(writer, &said);
}

/* A function that was inlined begins at no address of its own. */
static enum xenoprof_status name_inlined(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct user_inlined *said,
                                         uint32_t *ret)
{
    static const char mark[] = " (inlined)";
    char name[AGENT_TEXT_MAX + sizeof(mark)];
    const struct xenoprof_place place = {
        .mode = XENOPROF_MODE_USER,
        .address = said->of.address,
        .image = said->of.image,
        .symbol = name,
    };
    enum xenoprof_status code = XENOPROF_OK;

    for ( uint32_t i = 0; !code && i < said->count; i++ )
    {
        snprintf(name, sizeof(name), "%s%s", said->names[i], mark);
        code = name_place(guests, writer, guest, &place, &ret[i]);
        if ( !code )
            code = say_line(guests, writer, guest, ret[i], &said->lines[i]);
    }
    return code;
}

/* If the session's next file has begun meanwhile, the address is asked for
 * again; so it is later if the agent took too long. */
static enum xenoprof_status take_inlined(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest,
                                         const struct user_inlined *said)
{
    struct user_answers *answers = &guest->user->answers;
    struct user_answer *answer = user_answers_at(answers, said->of.id);
    enum xenoprof_status code;

    user_answers_settle(answers, answer);
    answer->lasts &= said->known;
    if ( !answer->place )
        return XENOPROF_OK;
    code = say_line(guests, writer, guest, answer->place,
                    &said->lines[said->count]);
    if ( code || !said->count )
        return code;
    answer->inner = calloc(said->count, sizeof(*answer->inner));
    if ( !answer->inner )
        return XENOPROF_OK;
    code = name_inlined(guests, writer, guest, said, answer->inner);
    answer->inlined = code ? 0 : said->count;
    return code;
}

enum xenoprof_status user_names_take(struct guests *guests,
                                     struct xenoprof_writer *writer,
                                     struct guest *guest)
{
    enum xenoprof_status code = XENOPROF_OK;
    struct user_names *names = guest->user;
    struct user_inlined inlined;
    struct agent_name_reply said;

    while ( !code && agent_link_next(names->link, &said) )
        code = take_named_address(guests, writer, guest, &said);
    while ( !code && user_inlines_next(&names->inlines, names->link, &inlined) )
        code = take_inlined(guests, writer, guest, &inlined);
    return code;
}

enum xenoprof_status guest_user_code_places(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct user_code *code, const struct user_answer *answer,
    uint32_t *ret, size_t room, size_t *count)
{
    const struct xenoprof_place place = {.mode = XENOPROF_MODE_USER,
                                         .address = code->of.address,
                                         .image = "user"};

    *count = 0;
    if ( answer && answer->place )
    {
        while ( *count < answer->inlined && *count < room )
        {
            ret[*count] = answer->inner[*count];
            ++*count;
        }
        if ( *count < room )
            ret[(*count)++] = answer->place;
        return XENOPROF_OK;
    }
    if ( room )
        *count = 1;
    return room ? name_place(guests, writer, guest, &place, ret) : XENOPROF_OK;
}
