/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One request at a time to the parser, and a search in steps beside them. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "parser-link.h"
#include "parser-pipe.h"

#define MILLISECOND 1000000ull
#define SECOND      1000000000ull

#define PAUSES 6 /* how often the pause is doubled */

struct parser_link {
    struct parser_maker maker;
    struct link_limits limits;
    struct parser_process process; /* pid 0: there is none */
    struct parser_pipe pipe;       /* to it */
    unsigned int lives;
    unsigned int deaths;
    uint64_t next_life; /* monotonic ns */

    bool searching;
    uint32_t slot; /* that is searched */
    /* Ends of the whole search, by the parser's clock and by ours. */
    uint64_t search_work, search_wait;
    bool asked; /* it waits for bytes */
    struct wire_read read;
    uint64_t bytes_left; /* of the guest, that it may read */
    size_t file_left;    /* bytes of a file that it waits for */
    int file;            /* open while there are any */
    bool found;          /* it ended; nobody has asked for it yet */
    enum kernel_status code;
    struct kernel_info info;

    struct wire wire;
    struct wire_message in, out;
};

struct parser_link *parser_link_open(const struct parser_maker *maker,
                                     const struct link_limits *limits)
{
    /* Ten thousand times what a request takes, some hundred times what a search
     * takes: emulated processors are slow, and where dom0's vCPUs are
     * preempted, its clocks may count that as the parser's work. */
    static const struct link_limits usual = {
        .work = 250 * MILLISECOND,
        .wait = 2 * SECOND,
        .search = 30 * SECOND,
        .pause = SECOND,
    };
    struct parser_link *link = calloc(1, sizeof(*link));

    if ( !link )
        return NULL;
    link->maker = *maker;
    link->limits = limits ? *limits : usual;
    link->wire = (struct wire){parser_pipe_read, parser_pipe_write,
                               &link->pipe};
    return link;
}

static void close_file(struct parser_link *link)
{
    if ( link->file_left )
        close(link->file);
    link->file_left = 0;
}

static void let_go(struct parser_link *link)
{
    if ( !link->process.pid )
        return;
    close_file(link);
    link->maker.end(link->maker.self);
    close(link->process.requests);
    close(link->process.answers);
    link->process.pid = 0;
    link->searching = link->asked = link->found = false;
}

void parser_link_close(struct parser_link *link)
{
    if ( link )
        let_go(link);
    free(link);
}

unsigned int parser_link_lives(const struct parser_link *link)
{
    return link->lives;
}

static void make_pause(struct parser_link *link)
{
    link->next_life = monotonic_now() + (link->limits.pause << link->deaths);
    link->deaths += link->deaths < PAUSES;
}

static enum link_status die(struct parser_link *link)
{
    let_go(link);
    make_pause(link);
    return LINK_DIED;
}

/* Returns true if there is a parser, or one could be made. */
static bool is_there(struct parser_link *link)
{
    struct parser_process process;

    if ( link->process.pid )
        return true;
    if ( monotonic_now() < link->next_life )
        return false;
    if ( !link->maker.make(link->maker.self, &process) )
    {
        make_pause(link);
        return false;
    }
    link->process = process;
    link->lives++;
    if ( parser_pipe_open(&link->pipe, &process) )
        return true;
    die(link);
    return false;
}

/* For a small request. */
static void set_limits(struct parser_link *link)
{
    parser_pipe_begin(&link->pipe, link->limits.work, link->limits.wait);
}

/* For a step of a search, which gets what is left of its share. */
static void set_search_limits(struct parser_link *link)
{
    parser_pipe_set_limits(&link->pipe, link->search_work,
                           monotonic_now() + link->limits.wait);
}

/* Messages of a search may come between a request and its answer. */
static bool take_of_search(struct parser_link *link)
{
    const struct wire_head *head = &link->in.head;

    if ( !link->searching || link->found || link->asked || link->file_left ||
         head->slot != link->slot )
        return false;
    if ( head->kind == WIRE_READ )
        return link->asked = wire_get_read(&link->in, &link->read);
    if ( head->kind != WIRE_FOUND || !wire_get_found(&link->in, &link->info) )
        return false;
    link->code = (enum kernel_status)head->code;
    return link->found = true;
}

/* Waits for the answer to a small request.  Returns true if it came. */
static bool receive(struct parser_link *link, enum wire_kind kind,
                    uint32_t slot)
{
    while ( wire_receive(&link->wire, &link->in) )
    {
        if ( link->in.head.kind == kind )
            return link->in.head.slot == slot;
        if ( !take_of_search(link) )
            return false;
    }
    return false;
}

bool parser_link_is_busy(const struct parser_link *link)
{
    return link->searching && !link->asked && !link->file_left &&
           !link->found && !parser_pipe_has_answer(&link->pipe, 0);
}

/* Makes the parser ready for a small request. */
static enum link_status get_ready(struct parser_link *link)
{
    if ( !is_there(link) )
        return LINK_NONE;
    set_limits(link);
    if ( !link->searching || link->asked || link->file_left || link->found )
        return LINK_OK;
    if ( parser_link_is_busy(link) )
        return LINK_BUSY;
    return wire_receive(&link->wire, &link->in) && take_of_search(link)
               ? LINK_OK
               : die(link);
}

static enum link_status begin_search(struct parser_link *link,
                                     enum wire_kind kind, uint32_t slot,
                                     const struct link_search *search,
                                     size_t size)
{
    const struct wire_find find = {search->address, search->budget, size,
                                   search->pv};

    if ( !is_there(link) )
        return LINK_NONE;
    if ( link->searching )
        return LINK_BUSY;
    set_limits(link);
    link->search_work = clock_read(link->pipe.clock) + link->limits.search;
    link->search_wait = monotonic_now() + 8 * link->limits.search;
    link->slot = slot;
    link->bytes_left = search->budget + WIRE_READ_MAX;
    wire_begin(&link->out);
    wire_add(&link->out, &find, sizeof(find));
    if ( !wire_send(&link->wire, &link->out, kind, slot) )
        return die(link);
    link->searching = true;
    return LINK_MORE;
}

enum link_status parser_link_find(struct parser_link *link, uint32_t slot,
                                  const struct link_search *search)
{
    return begin_search(link, WIRE_FIND, slot, search, 0);
}

enum link_status parser_link_modules(struct parser_link *link, uint32_t slot,
                                     const struct link_search *search)
{
    return begin_search(link, WIRE_MODULES, slot, search, 0);
}

enum link_status parser_link_file(struct parser_link *link, uint32_t slot,
                                  const struct link_search *search, int file,
                                  size_t size)
{
    enum link_status code = begin_search(link, WIRE_FILE, slot, search, size);

    if ( code != LINK_MORE )
    {
        close(file);
        return code;
    }
    link->file = file;
    link->file_left = size;
    return code;
}

/* Sends the next bytes of the file; none if they cannot be read, which ends the
 * file. */
static bool give_piece(struct parser_link *link)
{
    struct wire_message *out = &link->out;
    size_t most = link->file_left < WIRE_READ_MAX ? link->file_left
                                                  : WIRE_READ_MAX;
    ssize_t got = read(link->file, out->payload, most);

    wire_begin(out);
    out->head.length = got > 0 ? (uint32_t)got : 0;
    if ( out->head.length == 0 || out->head.length == link->file_left )
        close_file(link);
    else
        link->file_left -= out->head.length;
    return wire_send(&link->wire, out, WIRE_PIECE, link->slot);
}

static bool give_bytes(struct parser_link *link, link_read read, void *self)
{
    struct wire_message *out = &link->out;
    bool may = link->read.size <= link->bytes_left;

    wire_begin(out);
    if ( may )
        out->head.length = (uint32_t)read(self, link->slot, link->read.address,
                                          out->payload, link->read.size);
    link->bytes_left -= may ? link->read.size : 0;
    link->asked = false;
    return wire_send(&link->wire, out, WIRE_BYTES, link->slot);
}

/* One step of a search.  Returns false if the parser must be killed. */
static bool step(struct parser_link *link, link_read read, void *self)
{
    set_search_limits(link);
    if ( link->file_left )
        return give_piece(link);
    if ( link->asked )
        return give_bytes(link, read, self);
    return wire_receive(&link->wire, &link->in) && take_of_search(link);
}

enum link_status parser_link_work(struct parser_link *link, uint64_t ns,
                                  link_read read, void *self,
                                  enum kernel_status *code,
                                  struct kernel_info *info)
{
    uint64_t until = monotonic_now() + ns;

    if ( !link->searching )
        return LINK_NONE;
    while ( !link->found )
    {
        uint64_t left, at = monotonic_now();

        if ( clock_read(link->pipe.clock) > link->search_work ||
             at > link->search_wait )
            return die(link);
        left = at < until ? (until - at) / MILLISECOND : 0;
        if ( !link->asked && !link->file_left &&
             !parser_pipe_has_answer(&link->pipe, (int)left) )
            return LINK_MORE;
        if ( !step(link, read, self) )
            return die(link);
        if ( monotonic_now() >= until && !link->found )
            return LINK_MORE;
    }
    link->searching = link->found = false;
    *code = link->code;
    *info = link->info;
    return LINK_OK;
}

static void put_stack(struct wire_message *message,
                      const struct unwind_start *start)
{
    struct wire_stack stack = {
        .ip = start->ip,
        .registers = *start->registers,
        .bits32 = start->bits32,
        .kernel = start->kernel,
    };

    for ( int i = 0; i < 2; i++ )
    {
        stack.addresses[i] = start->windows[i].address;
        stack.lengths[i] = (uint32_t)start->windows[i].length;
    }
    wire_begin(message);
    wire_add(message, &stack, sizeof(stack));
    for ( int i = 0; i < 2; i++ )
        wire_add(message, start->windows[i].bytes, stack.lengths[i]);
}

enum link_status parser_link_stack(struct parser_link *link, uint32_t slot,
                                   const struct unwind_start *start,
                                   struct unwind_result *ret)
{
    enum link_status code = get_ready(link);

    if ( code )
        return code;
    put_stack(&link->out, start);
    if ( wire_send(&link->wire, &link->out, WIRE_STACK, slot) &&
         receive(link, WIRE_FRAMES, slot) && wire_get_frames(&link->in, ret) &&
         ret->frames[0] == start->ip )
        return LINK_OK;
    return die(link);
}

enum link_status parser_link_names(struct parser_link *link, uint32_t slot,
                                   const uint64_t *addresses, size_t count,
                                   struct wire_name *ret)
{
    enum link_status code = get_ready(link);

    if ( code )
        return code;
    wire_begin(&link->out);
    wire_add(&link->out, addresses, count * sizeof(*addresses));
    if ( wire_send(&link->wire, &link->out, WIRE_NAME, slot) &&
         receive(link, WIRE_NAMES, slot) &&
         wire_get_names(&link->in, addresses, count, ret) )
        return LINK_OK;
    return die(link);
}

static size_t read_nothing(void *self, uint32_t slot, uint64_t address,
                           void *to, size_t size)
{
    (void)self;
    (void)slot;
    (void)address;
    (void)to;
    (void)size;
    return 0;
}

/* The parser cannot forget what it is looking for.  Without bytes to read it
 * soon gives up.  Returns false if it does not. */
static bool end_search(struct parser_link *link)
{
    bool good = true;

    set_limits(link);
    parser_pipe_start_clocks(&link->pipe);
    if ( link->file_left )
    {
        close_file(link);
        wire_begin(&link->out);
        good = wire_send(&link->wire, &link->out, WIRE_PIECE, link->slot);
    }
    while ( good && !link->found )
        good = !parser_pipe_is_late(&link->pipe) &&
               (link->asked ? give_bytes(link, read_nothing, NULL)
                            : wire_receive(&link->wire, &link->in) &&
                                  take_of_search(link));
    link->searching = link->found = false;
    return good;
}

bool parser_link_forget(struct parser_link *link, uint32_t slot)
{
    if ( !link->process.pid )
        return true;
    if ( link->searching && link->slot == slot && !end_search(link) )
    {
        let_go(link);
        return false;
    }
    set_limits(link);
    wire_begin(&link->out);
    if ( wire_send(&link->wire, &link->out, WIRE_FORGET, slot) )
        return true;
    die(link);
    return false;
}
