/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search: what it was given, its reads of the guest's memory, its tables. */
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "guest/code-frames.h"
#include "guest/kernel.h"
#include "cage/memory-file.h"
#include "cage/parser-sandbox.h"
#include "cage/process-words.h"
#include "search-process.h"

/* One search on its way. */
struct kernel_hunt {
    const struct search_socket *socket;
    const struct search_files *files;
    struct message_begin begin;
    bool gone;       /* the other side */
    bool tasks_sent; /* that are known */
    struct near_memory near;
    struct search_message in, out;
};

static void send_to_daemon(struct kernel_hunt *hunt)
{
    const struct search_socket *socket = hunt->socket;

    hunt->gone = hunt->gone || !socket->send(socket->self, &hunt->out,
                                             message_size(&hunt->out));
}

static bool receive_message(struct kernel_hunt *hunt)
{
    const struct search_socket *socket = hunt->socket;

    hunt->gone = hunt->gone ||
                 !message_is_whole(&hunt->in,
                                   socket->receive(socket->self, &hunt->in,
                                                   sizeof(hunt->in)));
    return !hunt->gone;
}

/* One READ and its BYTES, size at most. */
static size_t ask_for_memory(struct kernel_hunt *hunt,
                             const struct message_read *ranges, size_t count,
                             void *to, size_t size)
{
    message_make(&hunt->out, MESSAGE_READ, ranges, count * sizeof(*ranges));
    send_to_daemon(hunt);
    if ( !receive_message(hunt) )
        return 0;
    hunt->gone = hunt->in.head.kind != MESSAGE_BYTES ||
                 hunt->in.head.size > size;
    if ( hunt->gone )
        return 0;
    memcpy(to, hunt->in.payload, hunt->in.head.size);
    return hunt->in.head.size;
}

/* Together they are one read. */
static size_t read_several(void *self, const struct guest_piece *pieces,
                           size_t count, void *to)
{
    struct message_read ranges[GUEST_PIECES_MAX];
    size_t size = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        ranges[i] = (struct message_read){pieces[i].address, pieces[i].size};
        size += pieces[i].size;
    }
    return count && size <= SEARCH_READ_MAX
               ? ask_for_memory(self, ranges, count, to, size)
               : 0;
}

static size_t read_by_requests(void *self, uint64_t address, void *to,
                               size_t size)
{
    size_t got = 0, piece, wanted;

    do
    {
        struct message_read range = {.address = address + got};

        wanted = size - got < SEARCH_READ_MAX ? size - got : SEARCH_READ_MAX;
        range.size = wanted;
        piece = wanted
                    ? ask_for_memory(self, &range, 1, (char *)to + got, wanted)
                    : 0;
        got += piece;
    } while ( got < size && piece == wanted );
    return got;
}

/* Returns the guest's memory; nothing of it is kept yet. */
static struct guest_memory memory_of_guest(struct kernel_hunt *hunt,
                                           uint64_t budget)
{
    near_forget(&hunt->near);
    return (struct guest_memory){.read = read_by_requests,
                                 .read_pieces = read_several,
                                 .self = hunt,
                                 .left = budget,
                                 .near = &hunt->near};
}

static void send_table(struct kernel_hunt *hunt, enum message_kind kind,
                       const struct buffer *table)
{
    for ( size_t at = 0; at < table->used && !hunt->gone; )
    {
        size_t left = table->used - at;
        size_t size = left < MESSAGE_PAYLOAD_MAX ? left : MESSAGE_PAYLOAD_MAX;

        message_make(&hunt->out, kind, table->bytes + at, size);
        send_to_daemon(hunt);
        at += size;
    }
}

/* Sends what is known of the kernel.  Returns whether there was memory. */
static bool send_tables(struct kernel_hunt *hunt, const struct kernel *kernel,
                        bool with_image, uint64_t *base)
{
    struct buffer image = {0}, modules = {0};
    bool made = (!with_image || kernel_put_image(kernel, &image, base)) &&
                kernel_put_modules(kernel, &modules);

    if ( made )
    {
        send_table(hunt, MESSAGE_IMAGE, &image);
        send_table(hunt, MESSAGE_MODULES, &modules);
    }
    buffer_free(&image);
    buffer_free(&modules);
    return made;
}

/* Few bytes, far from each other: no pages of them are kept. */
static void send_tasks(struct kernel_hunt *hunt, const struct kernel *kernel)
{
    struct guest_memory memory = memory_of_guest(hunt, SEARCH_READ_MAX);
    struct task_list list;

    memory.near = NULL;
    kernel_get_tasks(kernel, &memory, hunt->begin.dom0, &list);
    message_make(&hunt->out, MESSAGE_TASKS, &list, sizeof(list));
    send_to_daemon(hunt);
}

static void send_found(struct kernel_hunt *hunt,
                       const struct message_found *found)
{
    message_make(&hunt->out, MESSAGE_FOUND, found, sizeof(*found));
    send_to_daemon(hunt);
}

/* Looks for the kernel in memory, or for that of the file. */
static enum kernel_status hunt_kernel(struct kernel_hunt *hunt,
                                      struct kernel_images *images,
                                      struct kernel **ret)
{
    struct guest_memory memory = memory_of_guest(hunt, hunt->begin.budget);

    if ( !images )
        return KERNEL_NO_MEMORY;
    if ( hunt->files->file )
        return kernel_from_file(images, hunt->files->file,
                                hunt->files->file_size, &memory,
                                hunt->begin.address, ret);
    return kernel_find(images, &memory, hunt->begin.address, ret);
}

/* Returns whether the code of a kernel that was not found makes frame
 * pointers. */
static bool makes_frames(struct kernel_hunt *hunt)
{
    struct guest_memory memory = memory_of_guest(hunt, SEARCH_READ_MAX);

    return !hunt->gone && code_uses_frames(&memory, hunt->begin.address);
}

static void send_early_tasks(void *self, const struct task_list *list)
{
    struct kernel_hunt *hunt = self;

    if ( list->status != TASK_LIST_KNOWN )
        return;
    message_make(&hunt->out, MESSAGE_TASKS, list, sizeof(*list));
    send_to_daemon(hunt);
    hunt->tasks_sent = true;
}

static void look_for_kernel(struct kernel_hunt *hunt)
{
    struct kernel_images *images = kernel_images_open();
    struct message_found found = {0};
    struct kernel *kernel = NULL;

    if ( images )
        kernel_images_tell_tasks(images, send_early_tasks, hunt,
                                 hunt->begin.dom0);
    found.status = hunt_kernel(hunt, images, &kernel);
    if ( found.status == KERNEL_OK )
    {
        kernel_get_info(kernel, &found.info);
        if ( !send_tables(hunt, kernel, true, &found.base) )
            found.status = KERNEL_NO_MEMORY;
        if ( !hunt->tasks_sent )
            send_tasks(hunt, kernel);
    }
    else
        found.info.frame_pointers = makes_frames(hunt);
    send_found(hunt, &found);
    kernel_close(kernel);
    kernel_images_close(images);
}

static void look_for_modules(struct kernel_hunt *hunt)
{
    const struct search_files *files = hunt->files;
    const struct kernel_tables tables = {
        .image = files->image,
        .image_size = files->image_size,
        .modules = files->modules,
        .modules_size = files->modules_size,
        .base = hunt->begin.base,
    };
    struct guest_memory memory = memory_of_guest(hunt, hunt->begin.budget);
    struct message_found found = {.base = tables.base};
    struct kernel *kernel = NULL;

    found.status = kernel_from_tables(&tables, &kernel);
    if ( found.status == KERNEL_OK )
    {
        found.status = hunt->begin.kept && !kernel_is_here(kernel, &memory)
                           ? KERNEL_MISMATCH
                           : kernel_look_at_modules(kernel, &memory);
        kernel_get_info(kernel, &found.info);
        if ( found.status != KERNEL_MISMATCH &&
             !send_tables(hunt, kernel, false, &found.base) )
            found.status = KERNEL_NO_MEMORY;
        if ( found.status != KERNEL_MISMATCH )
            send_tasks(hunt, kernel);
    }
    send_found(hunt, &found);
    kernel_close(kernel);
}

static void look_for_origins(struct kernel_hunt *hunt,
                             const struct kernel *kernel)
{
    struct guest_memory memory = memory_of_guest(hunt, hunt->begin.budget);
    struct origin_thread threads[SEARCH_THREADS_MAX];
    size_t count = message_get_threads(&hunt->in, threads);

    memory.near = NULL;
    for ( size_t i = 0; i < count; i++ )
    {
        struct message_origin answer;

        answer.there = kernel_get_origin(kernel, &memory, &threads[i],
                                         &answer.origin);
        message_make(&hunt->out, MESSAGE_ORIGIN, &answer, sizeof(answer));
        send_to_daemon(hunt);
        if ( hunt->gone )
            break;
    }
}

/* Each process may cost the same. */
static void look_for_mapped(struct kernel_hunt *hunt,
                            const struct kernel *kernel)
{
    static struct mapped_space space; /* too large for a stack */
    struct mapped_process processes[SEARCH_PROCESSES_MAX];
    size_t count = message_get_processes(&hunt->in, processes);

    for ( size_t i = 0; i < count && !hunt->gone; i++ )
    {
        struct guest_memory memory = memory_of_guest(hunt, hunt->begin.budget /
                                                               count);
        bool there;

        memory.near = NULL;
        there = kernel_get_mapped(kernel, &memory, &processes[i], &space);
        message_make_mapped(&hunt->out, there, &space);
        send_to_daemon(hunt);
    }
}

/* Takes the questions about one file, from the first on that has no answer yet.
 * Returns how many there are, with the numbers of them in at. */
static size_t take_leaves_of_file(const struct leaf_question *questions,
                                  size_t count, const bool *done,
                                  size_t at[LEAVES_MAX])
{
    size_t taken = 0;

    for ( size_t i = 0; i < count; i++ )
        if ( !done[i] &&
             (!taken || !memcmp(&questions[i].file, &questions[at[0]].file,
                                sizeof(questions[i].file))) )
            at[taken++] = i;
    return taken;
}

/* A file is looked at once for all that is asked about it. */
static void name_leaves_of_file(const struct kernel *kernel,
                                struct guest_memory *memory,
                                const struct leaf_question *questions,
                                const size_t *at, size_t count,
                                struct leaf_name *ret)
{
    static struct leaf_name names[LEAVES_MAX];
    uint64_t offsets[LEAVES_MAX];

    for ( size_t i = 0; i < count; i++ )
        offsets[i] = questions[at[i]].offset;
    kernel_get_leaves(kernel, memory, &questions[at[0]].file, offsets, count,
                      names);
    for ( size_t i = 0; i < count; i++ )
        ret[at[i]] = names[i];
}

/* Each question may cost the same. */
static void look_for_leaves(struct kernel_hunt *hunt,
                            const struct kernel *kernel)
{
    static struct leaf_name names[LEAVES_MAX];
    struct leaf_question questions[LEAVES_MAX];
    size_t count = message_get_leaves(&hunt->in, questions);
    size_t at[LEAVES_MAX], some;
    bool done[LEAVES_MAX] = {false};

    while ( !hunt->gone &&
            (some = take_leaves_of_file(questions, count, done, at)) )
    {
        struct guest_memory memory = memory_of_guest(hunt, hunt->begin.budget /
                                                               count * some);

        memory.near = NULL;
        name_leaves_of_file(kernel, &memory, questions, at, some, names);
        for ( size_t i = 0; i < some; i++ )
            done[at[i]] = true;
    }
    message_make(&hunt->out, MESSAGE_NAMES, names, count * sizeof(names[0]));
    send_to_daemon(hunt);
}

/* What is asked says what is looked for. */
static const struct tasks_look {
    enum message_kind asked;
    void (*look)(struct kernel_hunt *hunt, const struct kernel *kernel);
} tasks_looks[] = {
    {MESSAGE_THREADS, look_for_origins},
    {MESSAGE_PROCESSES, look_for_mapped},
    {MESSAGE_LEAVES, look_for_leaves},
};

static const struct tasks_look *find_look(enum message_kind asked)
{
    for ( size_t i = 0; i < sizeof(tasks_looks) / sizeof(*tasks_looks); i++ )
        if ( tasks_looks[i].asked == asked )
            return &tasks_looks[i];
    return NULL;
}

/* The guest goes on meanwhile, so nothing of its memory is kept. */
static void look_at_tasks(struct kernel_hunt *hunt)
{
    const struct kernel_tables tables = {.image = hunt->files->image,
                                         .image_size = hunt->files->image_size,
                                         .base = hunt->begin.base};
    struct message_found found = {.base = tables.base};
    const struct tasks_look *look;
    struct kernel *kernel = NULL;

    if ( !receive_message(hunt) )
        return;
    look = find_look(hunt->in.head.kind);
    found.status = kernel_from_tables(&tables, &kernel);
    if ( look && found.status == KERNEL_OK )
        look->look(hunt, kernel);
    send_found(hunt, &found);
    kernel_close(kernel);
}

void search_serve(const struct search_socket *socket, enum process_kind kind,
                  const struct search_files *files)
{
    static struct kernel_hunt hunt; /* too large for a stack */

    memset(&hunt, 0, sizeof(hunt));
    hunt.socket = socket;
    hunt.files = files;
    if ( !receive_message(&hunt) || !message_get_begin(&hunt.in, &hunt.begin) )
        return;
    if ( kind == PROCESS_SEARCH_MODULES )
        look_for_modules(&hunt);
    else if ( kind == PROCESS_SEARCH_TASKS )
        look_at_tasks(&hunt);
    else
        look_for_kernel(&hunt);
}

/* The process -------------------------------------------------------------- */

static size_t receive_packet(void *self, void *to, size_t size)
{
    ssize_t got = read(SANDBOX_IN, to, size);

    (void)self;
    return got > 0 ? (size_t)got : 0;
}

static bool send_packet(void *self, const void *from, size_t size)
{
    (void)self;
    return write(SANDBOX_OUT, from, size) == (ssize_t)size;
}

/* A user's file may change, shrink, or not be readable to its end, so what can
 * be read of it is copied.  Returns NULL if there is no memory. */
static const uint8_t *copy_file(int file, size_t *size)
{
    struct stat status;
    size_t room, at = 0;
    uint8_t *bytes;
    ssize_t got;

    if ( fstat(file, &status) || status.st_size <= 0 ||
         status.st_size > SEARCH_FILE_MAX )
        return NULL;
    room = (size_t)status.st_size;
    bytes = mmap(NULL, room, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( bytes == MAP_FAILED )
        return NULL;
    do
    {
        got = read(file, bytes + at, room - at);
        at += got > 0 ? (size_t)got : 0;
    } while ( got > 0 && at < room );
    *size = at;
    return bytes;
}

/* Returns whether there was memory for all files that were given. */
static bool take_files(const struct process_order *order,
                       struct search_files *ret)
{
    *ret = (struct search_files){0};
    switch ( order->kind )
    {
    case PROCESS_SEARCH: return true;
    case PROCESS_SEARCH_FILE:
        ret->file = copy_file(order->files[0], &ret->file_size);
        return ret->file;
    case PROCESS_SEARCH_MODULES:
        ret->image = memory_file_map(order->files[0], &ret->image_size);
        if ( order->count > 1 )
            ret->modules = memory_file_map(order->files[1], &ret->modules_size);
        return ret->image && (order->count < 2 || ret->modules);
    case PROCESS_SEARCH_TASKS:
        ret->image = memory_file_map(order->files[0], &ret->image_size);
        return ret->image;
    default: return false;
    }
}

void search_process_run(const struct process_order *order, int socket)
{
    static const struct search_socket packets = {receive_packet, send_packet,
                                                 NULL};
    struct search_files files;

    prctl(PR_SET_NAME, "xenoprof-search");
    if ( take_files(order, &files) &&
         sandbox_enter(socket, socket,
                       order->kind == PROCESS_SEARCH_FILE
                           ? MEMORY_OF_FILE
                           : MEMORY_OF_SEARCH) == 0 &&
         process_say_ready() )
        search_serve(&packets, order->kind, &files);
}
