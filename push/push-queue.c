/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of files that are written whole, named, read and removed. */
#include "push-queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/scope.h"

#define QUEUE_MAGIC   "xpwindow"
#define QUEUE_VERSION 1u
#define QUEUE_NEW     "new"
#define QUEUE_SUFFIX  ".window"
#define NAME_DIGITS   20

/* A file begins with it, in this machine's order of bytes; nobody else reads
 * it. */
struct queue_file {
    char magic[8];
    uint32_t version;
    uint32_t body_sum; /* CRC-32 */
    uint64_t body_size;
    struct queue_head head;
    uint32_t zero;
    uint32_t sum; /* CRC-32 of what is before it */
};

static uint32_t sum_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
}

static void name_of(uint64_t number, char name[NAME_MAX])
{
    snprintf(name, NAME_MAX, "%0*" PRIu64 QUEUE_SUFFIX, NAME_DIGITS, number);
}

static bool number_of(const char *name, uint64_t *ret)
{
    char *end;

    if ( strspn(name, "0123456789") != NAME_DIGITS )
        return false;
    errno = 0;
    *ret = strtoull(name, &end, 10);
    return !errno && *ret < UINT64_MAX && strcmp(end, QUEUE_SUFFIX) == 0;
}

static bool read_all(int fd, void *bytes, size_t size)
{
    char *at = bytes;

    while ( size )
    {
        ssize_t got = read(fd, at, size);

        if ( got < 0 && errno == EINTR )
            continue;
        if ( got <= 0 )
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;

    while ( size )
    {
        ssize_t put = write(fd, at, size);

        if ( put < 0 && errno == EINTR )
            continue;
        if ( put <= 0 )
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* Whether the head is whole, and says how long a file of this size is. */
static bool head_is_whole(const struct queue_file *file, uint64_t size)
{
    return memcmp(file->magic, QUEUE_MAGIC, sizeof(file->magic)) == 0 &&
           file->version == QUEUE_VERSION &&
           file->sum == sum_of(file, offsetof(struct queue_file, sum)) &&
           file->body_size <= QUEUE_BODY_MAX &&
           file->body_size + sizeof(*file) == size &&
           memchr(file->head.engine, 0, sizeof(file->head.engine)) &&
           memchr(file->head.session, 0, sizeof(file->head.session));
}

/* Opens the file of a window, and reads its head.  Returns -1 if it is torn. */
static int open_window(const struct push_queue *queue, uint64_t number,
                       struct queue_file *ret)
{
    char name[NAME_MAX];
    struct stat state;
    int fd;

    name_of(number, name);
    fd = openat(queue->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if ( fd < 0 )
        return -1;
    if ( fstat(fd, &state) == 0 && S_ISREG(state.st_mode) &&
         read_all(fd, ret, sizeof(*ret)) &&
         head_is_whole(ret, (uint64_t)state.st_size) )
        return fd;
    close(fd);
    return -1;
}

static void count_drop(struct push_queue *queue, enum queue_drop why,
                       uint64_t samples)
{
    queue->dropped[why].windows++;
    queue->dropped[why].samples += samples;
}

static void remove_file(struct push_queue *queue, uint64_t number)
{
    char name[NAME_MAX];

    name_of(number, name);
    unlinkat(queue->folder, name, 0);
}

static int compare_entries(const void *a, const void *b)
{
    const struct queue_entry *left = a, *right = b;

    return left->number < right->number ? -1 : left->number > right->number;
}

static void add_entry(struct push_queue *queue, struct queue_entry *entry,
                      uint64_t number, const struct queue_file *file)
{
    *entry = (struct queue_entry){
        .number = number,
        .size = sizeof(*file) + file->body_size,
        .samples = file->head.samples,
        .to = file->head.to,
    };
    queue->bytes += entry->size;
    queue->samples += entry->samples;
    if ( number >= queue->next )
    {
        queue->next = number + 1;
        queue->last = file->head;
    }
}

/* Takes up a file of the folder.  Returns false if there is no memory. */
static bool take_up(struct push_queue *queue, const char *name)
{
    struct queue_entry *entry;
    struct queue_file file;
    uint64_t number;
    int fd SCOPE_CLOSE = -1;

    /* What was being written when the machine stopped. */
    if ( strcmp(name, QUEUE_NEW) == 0 )
        unlinkat(queue->folder, QUEUE_NEW, 0);
    if ( !number_of(name, &number) )
        return true;
    fd = open_window(queue, number, &file);
    if ( fd < 0 )
    {
        count_drop(queue, QUEUE_DROP_TORN, 0);
        remove_file(queue, number);
        return true;
    }
    entry = vector_add(queue);
    if ( entry )
        add_entry(queue, entry, number, &file);
    return entry;
}

int queue_open(struct push_queue *queue, int folder, struct failure *failure)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    bool taken = true;

    queue->folder = folder;
    if ( !names )
        return fail(failure, STATUS_FAILED,
                    "the queue's folder cannot be read: %s", strerror(errno));
    while ( taken && (entry = readdir(names)) )
        taken = take_up(queue, entry->d_name);
    closedir(names);
    if ( !taken )
        return fail_memory(failure);
    if ( queue->count )
        qsort(queue->items, queue->count, sizeof(*queue->items),
              compare_entries);
    return 0;
}

void queue_close(struct push_queue *queue)
{
    vector_free(queue);
}

size_t queue_count(const struct push_queue *queue)
{
    return queue->count - queue->first;
}

/* Entries that are gone take no memory for ever. */
static void forget_first(struct push_queue *queue)
{
    const struct queue_entry *entry = &queue->items[queue->first];

    queue->bytes -= entry->size;
    queue->samples -= entry->samples;
    queue->first++;
    if ( queue->first < queue->count / 2 && queue->first < 1024 )
        return;
    queue->count -= queue->first;
    memmove(queue->items, queue->items + queue->first,
            queue->count * sizeof(*queue->items));
    queue->first = 0;
}

void queue_done(struct push_queue *queue)
{
    remove_file(queue, queue->items[queue->first].number);
    forget_first(queue);
}

void queue_drop(struct push_queue *queue, enum queue_drop why)
{
    count_drop(queue, why, queue->items[queue->first].samples);
    queue_done(queue);
}

static void make_room(struct push_queue *queue, uint64_t size)
{
    while ( queue_count(queue) && (queue_count(queue) >= QUEUE_COUNT_MAX ||
                                   queue->bytes + size > queue->bytes_max) )
        queue_drop(queue, QUEUE_DROP_SIZE);
}

/* Its name says that all of it is there. */
static bool write_window(struct push_queue *queue,
                         const struct queue_file *file,
                         const struct buffer *body)
{
    char name[NAME_MAX];
    int fd SCOPE_CLOSE = openat(
        queue->folder, QUEUE_NEW,
        O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

    name_of(queue->next, name);
    return fd >= 0 && write_all(fd, file, sizeof(*file)) &&
           write_all(fd, body->bytes, body->used) && fdatasync(fd) == 0 &&
           renameat(queue->folder, QUEUE_NEW, queue->folder, name) == 0;
}

int queue_put(struct push_queue *queue, const struct queue_head *head,
              const struct buffer *body, struct failure *failure)
{
    struct queue_file file = {
        .magic = QUEUE_MAGIC,
        .version = QUEUE_VERSION,
        .body_size = body->used,
        .body_sum = sum_of(body->bytes, body->used),
        .head = *head,
    };
    const uint64_t size = sizeof(file) + body->used;
    struct queue_entry *entry;

    file.sum = sum_of(&file, offsetof(struct queue_file, sum));
    if ( body->used > QUEUE_BODY_MAX || size > queue->bytes_max )
    {
        count_drop(queue, QUEUE_DROP_SIZE, head->samples);
        return 0;
    }
    make_room(queue, size);
    entry = vector_add(queue);
    if ( !entry )
        return fail_memory(failure);
    queue->count--;
    if ( !write_window(queue, &file, body) )
        return fail(failure, STATUS_DISK_FULL,
                    "a window cannot be written to the queue: %s",
                    strerror(errno));
    queue->count++;
    add_entry(queue, entry, queue->next, &file);
    return 0;
}

void queue_expire(struct push_queue *queue, uint64_t now)
{
    while ( queue_count(queue) )
    {
        uint64_t to = queue->items[queue->first].to;

        if ( to > now || now - to <= queue->age_max )
            return;
        queue_drop(queue, QUEUE_DROP_AGE);
    }
}

static bool read_window(struct push_queue *queue, uint64_t number,
                        struct queue_head *head, struct buffer *body)
{
    struct queue_file file;
    int fd SCOPE_CLOSE = open_window(queue, number, &file);

    body->used = 0;
    if ( fd < 0 || !buffer_reserve(body, file.body_size) ||
         !read_all(fd, body->bytes, file.body_size) ||
         sum_of(body->bytes, file.body_size) != file.body_sum )
        return false;
    body->used = file.body_size;
    *head = file.head;
    return true;
}

bool queue_first(struct push_queue *queue, struct queue_head *head,
                 struct buffer *body)
{
    while ( queue_count(queue) )
    {
        if ( read_window(queue, queue->items[queue->first].number, head, body) )
            return true;
        queue_drop(queue, QUEUE_DROP_TORN);
    }
    return false;
}
