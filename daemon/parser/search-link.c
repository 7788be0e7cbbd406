/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a search says: bytes that it asks for, tables, and how it ended. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cage/process-link.h"
#include "search-link.h"

#define MILLISECOND 1000000ull
#define SECOND      1000000000ull

/* Where Linux has its code and data and its modules', and neither the direct
 * map nor what it maps of devices. */
#define DOM0_FIRST 0xffffffff80000000ull
#define DOM0_END   0xffffffffff000000ull

/* Where Linux maps all memory, which does not move in a dom0: Xen starts its
 * kernel without the code that would choose another place.  What is below 1 MiB
 * has devices. */
#define DIRECT_FIRST 0xffff888000100000ull
#define DIRECT_END   0xffffc88000000000ull

struct search {
    struct process_link process;
    struct search_limits limits;
    struct table_store *store;
    enum search_kind kind;
    bool dom0;
    uint64_t bytes_left;         /* of the guest, that it may read */
    enum link_status status;     /* MORE until it ended */
    struct table_draft *image;   /* NULL until the first piece */
    struct table_draft *modules; /* the same */
    struct task_list tasks;
    bool tasks_came;              /* and were not taken */
    struct found_origin *origins; /* NULL: of another kind */
    struct leaf_name *leaves;     /* the same */
    size_t count; /* threads, processes or code that were asked for */
    struct search_result result;
    struct search_message in, out;
};

static void end_search_with(struct search *search, enum link_status status)
{
    process_link_end(&search->process);
    table_draft_drop(search->image);
    table_draft_drop(search->modules);
    search->image = search->modules = NULL;
    search->status = status;
}

static bool is_of_known(enum search_kind kind)
{
    return kind >= SEARCH_MODULES;
}

static void make_order(const struct search_order *order,
                       struct process_order *ret)
{
    static const enum process_kind kinds[] = {
        [SEARCH_MEMORY] = PROCESS_SEARCH,
        [SEARCH_FILE] = PROCESS_SEARCH_FILE,
        [SEARCH_MODULES] = PROCESS_SEARCH_MODULES,
    };
    const bool of_tasks = order->kind > SEARCH_MODULES;

    *ret = (struct process_order){.kind = of_tasks ? PROCESS_SEARCH_TASKS
                                                   : kinds[order->kind]};
    if ( order->kind == SEARCH_FILE )
        ret->files[ret->count++] = order->file;
    if ( !is_of_known(order->kind) )
        return;
    ret->files[ret->count++] = order->known->image->file;
    if ( order->kind == SEARCH_MODULES && order->known->modules )
        ret->files[ret->count++] = order->known->modules->file;
}

static bool send_begin(struct search *search, const struct search_order *order)
{
    const struct message_begin begin = {
        .address = order->address,
        .budget = order->budget,
        .base = is_of_known(order->kind) ? order->known->base : 0,
        .kept = order->kept,
        .dom0 = order->dom0,
    };

    message_make(&search->out, MESSAGE_BEGIN, &begin, sizeof(begin));
    return process_link_send(&search->process, &search->out,
                             message_size(&search->out));
}

static bool send_threads(struct search *search,
                         const struct search_order *order)
{
    if ( order->kind == SEARCH_ORIGINS )
        message_make(&search->out, MESSAGE_THREADS, order->threads,
                     order->count * sizeof(*order->threads));
    else if ( order->kind == SEARCH_MAPPED )
        message_make(&search->out, MESSAGE_PROCESSES, order->processes,
                     order->count * sizeof(*order->processes));
    else if ( order->kind == SEARCH_LEAVES )
        message_make(&search->out, MESSAGE_LEAVES, order->leaves,
                     order->count * sizeof(*order->leaves));
    else
        return true;
    return process_link_send(&search->process, &search->out,
                             message_size(&search->out));
}

/* Returns whether there is memory for what it may answer. */
static bool expect_answers(struct search *search,
                           const struct search_order *order)
{
    search->count = order->count;
    if ( order->kind == SEARCH_LEAVES )
    {
        search->leaves = calloc(LEAVES_MAX, sizeof(*search->leaves));
        return search->leaves;
    }
    if ( order->kind != SEARCH_ORIGINS )
        return true;
    search->origins = calloc(order->count, sizeof(*search->origins));
    search->result.origins = search->origins;
    return search->origins;
}

struct search *search_begin(const struct process_maker *maker,
                            struct table_store *store,
                            const struct search_order *order,
                            const struct search_limits *limits)
{
    /* Some hundred times what a search takes: emulated processors are slow, and
     * where dom0's vCPUs are preempted, its clocks may count that as the
     * process's work.  Where dom0 has a tenth of a processor, four searches
     * take forty times as long. */
    static const struct search_limits usual = {30 * SECOND, 600 * SECOND};
    struct search *search = calloc(1, sizeof(*search));
    struct process_order processes;

    if ( !search )
        return NULL;
    make_order(order, &processes);
    search->limits = limits ? *limits : usual;
    search->store = store;
    search->kind = order->kind;
    search->dom0 = order->dom0;
    search->bytes_left = order->budget + SEARCH_READ_MAX;
    search->status = LINK_MORE;
    if ( !expect_answers(search, order) ||
         !process_link_begin(&search->process, maker, &processes) )
    {
        free(search->origins);
        free(search->leaves);
        free(search);
        return NULL;
    }
    if ( !send_begin(search, order) || !send_threads(search, order) )
        end_search_with(search, LINK_NONE);
    return search;
}

void search_end(struct search *search)
{
    if ( !search )
        return;
    end_search_with(search, LINK_NONE);
    table_release(search->result.image);
    table_release(search->result.modules);
    for ( size_t i = 0; i < SEARCH_PROCESSES_MAX; i++ )
        free((void *)search->result.spaces[i]);
    free(search->origins);
    free(search->leaves);
    free(search);
}

int search_fd(const struct search *search)
{
    return search->process.socket;
}

const struct search_result *search_get_result(const struct search *search)
{
    return &search->result;
}

const struct task_list *search_take_tasks(struct search *search)
{
    bool came = search->tasks_came;

    search->tasks_came = false;
    return came ? &search->tasks : NULL;
}

uint64_t search_cpu(struct search *search)
{
    return process_link_cpu(&search->process);
}

static bool is_search_late(struct search *search)
{
    return process_link_cpu(&search->process) > search->limits.work ||
           monotonic_now() - search->process.begun > search->limits.wait;
}

static bool lies_in(const struct message_read *range, uint64_t first,
                    uint64_t end)
{
    return range->address >= first && range->address < end &&
           range->size <= end - range->address;
}

static bool may_read_range(const struct search *search,
                           const struct message_read *range)
{
    if ( range->size > search->bytes_left )
        return false;
    return !search->dom0 || lies_in(range, DOM0_FIRST, DOM0_END) ||
           (search->kind == SEARCH_ORIGINS &&
            lies_in(range, DIRECT_FIRST, DIRECT_END));
}

/* Returns how many bytes are there. */
static size_t read_range(struct search *search,
                         const struct message_read *range, search_read read,
                         void *self, uint8_t *to)
{
    if ( !may_read_range(search, range) )
        return 0;
    search->bytes_left -= range->size;
    return read(self, range->address, to, range->size);
}

/* Each of these returns LINK_OK, or what the search ends with. */
static enum link_status give_bytes(struct search *search, search_read read,
                                   void *self)
{
    struct message_read ranges[SEARCH_PIECES_MAX];
    size_t count = message_get_read(&search->in, ranges), got = 0, some;

    if ( !count )
        return LINK_DIED;
    for ( size_t i = 0; i < count; i++ )
    {
        some = read_range(search, &ranges[i], read, self,
                          search->out.payload + got);
        got += some;
        if ( some < ranges[i].size )
            break;
    }
    message_make(&search->out, MESSAGE_BYTES, NULL, got);
    return process_link_send(&search->process, &search->out,
                             message_size(&search->out))
               ? LINK_OK
               : LINK_DIED;
}

static enum link_status take_draft_piece(struct search *search,
                                         struct table_draft **draft,
                                         size_t most)
{
    if ( !*draft )
        *draft = table_draft_begin(search->store, most);
    if ( !*draft )
        return LINK_NONE;
    return table_draft_add(*draft, search->in.payload, search->in.head.size)
               ? LINK_OK
               : LINK_DIED;
}

/* The draft becomes a table if it is of use.  NULL: there is none. */
static const struct sealed_table *end_draft(struct table_draft **draft,
                                            bool useful)
{
    const struct sealed_table *table = NULL;

    if ( *draft && useful )
        table = table_draft_end(*draft);
    else
        table_draft_drop(*draft);
    *draft = NULL;
    return table;
}

/* Modules that were read in part are better than none. */
static bool are_modules_useful(const struct search *search,
                               enum kernel_status status)
{
    return status == KERNEL_OK ||
           (search->kind == SEARCH_MODULES && status != KERNEL_MISMATCH);
}

static enum link_status take_tasks(struct search *search)
{
    if ( !message_get_tasks(&search->in, &search->tasks) )
        return LINK_DIED;
    search->tasks_came = true;
    return LINK_OK;
}

static enum link_status take_origin(struct search *search)
{
    struct search_result *result = &search->result;
    struct message_origin answer;

    if ( !search->origins || result->count == search->count ||
         !message_get_origin(&search->in, &answer) )
        return LINK_DIED;
    search->origins[result->count++] = (struct found_origin){
        .there = answer.there, .origin = answer.origin};
    return LINK_OK;
}

static enum link_status take_mapped(struct search *search)
{
    struct search_result *result = &search->result;
    struct mapped_space *space;
    bool there = false, sound;

    if ( search->kind != SEARCH_MAPPED || result->count == search->count )
        return LINK_DIED;
    space = malloc(sizeof(*space));
    if ( !space )
        return LINK_NONE;
    sound = message_get_mapped(&search->in, &there, space);
    if ( sound && there )
        result->spaces[result->count] = space;
    else
        free(space);
    result->count++;
    return sound ? LINK_OK : LINK_DIED;
}

static enum link_status take_leaf_names(struct search *search)
{
    struct search_result *result = &search->result;

    if ( !search->leaves || result->leaves ||
         message_get_names(&search->in, search->leaves) != search->count )
        return LINK_DIED;
    result->leaves = search->leaves;
    result->count = search->count;
    return LINK_OK;
}

static enum link_status take_found(struct search *search)
{
    struct search_result *result = &search->result;
    struct message_found found;
    bool is_kernel;

    if ( !message_get_found(&search->in, &found) )
        return LINK_DIED;
    is_kernel = !is_of_known(search->kind) && found.status == KERNEL_OK;
    if ( is_kernel && !search->image )
        return LINK_DIED;
    result->status = (enum kernel_status)found.status;
    result->info = found.info;
    result->base = found.base;
    result->image = end_draft(&search->image, is_kernel);
    result->modules = end_draft(&search->modules,
                                are_modules_useful(search, result->status));
    if ( is_kernel && !result->image )
        result->status = KERNEL_NO_MEMORY;
    end_search_with(search, LINK_OK);
    return LINK_OK;
}

static enum link_status take_search_message(struct search *search, size_t size,
                                            search_read read, void *self)
{
    if ( !message_is_whole(&search->in, size) )
        return LINK_DIED;
    switch ( search->in.head.kind )
    {
    case MESSAGE_READ: return give_bytes(search, read, self);
    case MESSAGE_IMAGE:
        return take_draft_piece(search, &search->image, TABLE_IMAGE_MAX);
    case MESSAGE_MODULES:
        return take_draft_piece(search, &search->modules, TABLE_MODULES_MAX);
    case MESSAGE_TASKS: return take_tasks(search);
    case MESSAGE_ORIGIN: return take_origin(search);
    case MESSAGE_MAPPED: return take_mapped(search);
    case MESSAGE_NAMES: return take_leaf_names(search);
    case MESSAGE_FOUND: return take_found(search);
    default: return LINK_DIED;
    }
}

/* Takes one message if there is one.  Returns whether there was. */
static bool take_one_message(struct search *search, search_read read,
                             void *self)
{
    size_t size = sizeof(search->in);
    enum link_status status = process_link_receive(&search->process,
                                                   &search->in, &size);

    if ( status == LINK_MORE )
        return false;
    if ( status == LINK_OK )
        status = take_search_message(search, size, read, self);
    if ( status != LINK_OK )
        end_search_with(search, status);
    return true;
}

/* Waits for a message until then. */
static void wait_for_message(const struct search *search, uint64_t until)
{
    struct pollfd ready = {.fd = search->process.socket, .events = POLLIN};
    uint64_t now = monotonic_now();

    if ( now < until )
        poll(&ready, 1, (int)((until - now + MILLISECOND - 1) / MILLISECOND));
}

enum link_status search_work(struct search *search, uint64_t ns,
                             search_read read, void *self)
{
    uint64_t until = monotonic_now() + ns;

    if ( search->status == LINK_MORE && is_search_late(search) )
        end_search_with(search, search->process.ready ? LINK_DIED : LINK_NONE);
    while ( search->status == LINK_MORE )
    {
        if ( !take_one_message(search, read, self) )
            wait_for_message(search, until);
        if ( monotonic_now() >= until )
            break;
    }
    return search->status;
}
