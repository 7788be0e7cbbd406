/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a fetch list:
 *
 *   steps=FROM:OFFSET:LENGTH:f,FROM:OFFSET:LENGTH:s,...  bases=HEX,HEX,...
 */
#include "fetch-list.h"
#include "hypervisor/message.h"

#define LIST_KEYS (1u << KEY_LIST | 1u << KEY_STEPS | 1u << KEY_BASES)

static bool take_separator(const char **text, char mark)
{
    if ( **text != mark )
        return false;
    ++*text;
    return true;
}

/* Reads a number that its member has room for, and what follows it. */
static bool read_member_number(const char **text, uint64_t max, uint64_t *ret)
{
    return words_number(text, 10, ret) && *ret <= max &&
           take_separator(text, ':');
}

static bool read_step(const char **text, struct xenoprof_fetch_step *ret)
{
    uint64_t from, offset, length;

    if ( !read_member_number(text, XENOPROF_FETCH_STEPS, &from) ||
         !read_member_number(text, XENOPROF_FETCH_OFFSET_MAX, &offset) ||
         !read_member_number(text, XENOPROF_FETCH_LENGTH_MAX, &length) )
        return false;
    *ret = (struct xenoprof_fetch_step){
        .from = from,
        .offset = offset,
        .length = length,
        .action = **text == 'f' ? XENOPROF_FETCH_FOLLOW : XENOPROF_FETCH_STORE,
    };
    return take_separator(text, 'f') || take_separator(text, 's');
}

static int read_steps(const char *text, struct xenoprof_fetch *list)
{
    do
    {
        if ( list->steps == XENOPROF_FETCH_STEPS )
            return refuse(ERROR_RANGE, "a fetch list has at most %u steps",
                          XENOPROF_FETCH_STEPS);
        list->steps++;
        if ( !read_step(&text, &list->step[list->steps - 1]) ||
             !xenoprof_fetch_step_is_right(list, list->steps) )
            return refuse(ERROR_INVALID,
                          "step %u is not FROM:OFFSET:LENGTH:s, with 8 to %u "
                          "bytes, or :f, with 8, from 0 or a step before that "
                          "is followed",
                          list->steps, XENOPROF_FETCH_LENGTH_MAX);
    } while ( take_separator(&text, ',') );
    if ( !words_end(text) )
        return refuse(ERROR_INVALID, "steps= takes a list such as "
                                     "0:0:8:f,1:64:16:s");
    return 0;
}

static int read_bases(const char *text, uint32_t max,
                      struct xenoprof_fetch *list)
{
    uint64_t base;

    do
    {
        if ( list->vcpus == max )
            return refuse(ERROR_RANGE, "bases= takes at most %u addresses",
                          max);
        if ( !words_number(&text, 16, &base) ||
             (base && !xenoprof_fetch_is_kernel(base)) )
            return refuse(ERROR_INVALID,
                          "base %u is neither a hexadecimal address of a "
                          "kernel nor 0",
                          list->vcpus);
        list->base[list->vcpus++] = base;
    } while ( take_separator(&text, ',') );
    if ( !words_end(text) )
        return refuse(ERROR_INVALID, "bases= takes a list of hexadecimal "
                                     "addresses");
    return 0;
}

static int read_list(const struct words *words, uint32_t vcpus,
                     struct xenoprof_fetch *list)
{
    int error = read_steps(words->text[KEY_STEPS], list);
    uint32_t stored;

    if ( error )
        return error;
    stored = xenoprof_fetch_stored(list, list->steps);
    if ( !stored || stored > XENOPROF_FETCH_STORED_MAX )
        return refuse(ERROR_RANGE, "the steps store %u bytes, not 8 to %u",
                      stored, XENOPROF_FETCH_STORED_MAX);
    if ( vcpus > XENOPROF_FETCH_VCPUS )
        vcpus = XENOPROF_FETCH_VCPUS;
    return read_bases(words->text[KEY_BASES], vcpus, list);
}

int fetch_list_parse(const struct words *words, const struct domain *domain,
                     struct fetch_list **ret)
{
    struct fetch_list *list;
    int error;

    *ret = NULL;
    if ( !(words->given & (LIST_KEYS | 1u << KEY_ISOLATED)) )
        return 0;
    if ( (words->given & LIST_KEYS) != LIST_KEYS )
        return refuse(ERROR_INVALID, "fetch needs list=, steps= and bases=, or "
                                     "none of them");
    list = port_alloc(sizeof(*list));
    if ( !list )
        return refuse(ERROR_NO_MEMORY,
                      "Xen does not have enough free memory for a fetch list");
    list->list.list = words->value[KEY_LIST];
    list->list.isolated = words->value[KEY_ISOLATED];
    error = read_list(words, domain->vcpus, &list->list);
    if ( error )
        port_free(list, sizeof(*list));
    else
        *ret = list;
    return error;
}
