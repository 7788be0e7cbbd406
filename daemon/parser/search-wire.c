/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of a search, and the checks that each passes before it is used. */
#include <string.h>

#include "cage/printable.h"
#include "search-wire.h"

void message_make(struct search_message *message, enum message_kind kind,
                  const void *payload, size_t size)
{
    message->head = (struct message_head){MESSAGE_MAGIC, (uint16_t)kind,
                                          (uint32_t)size};
    if ( payload )
        memcpy(message->payload, payload, size);
}

bool message_is_whole(const struct search_message *message, size_t size)
{
    return size >= sizeof(message->head) &&
           message->head.magic == MESSAGE_MAGIC &&
           message->head.kind >= MESSAGE_BEGIN &&
           message->head.kind < MESSAGE_KINDS &&
           message->head.size <= MESSAGE_PAYLOAD_MAX &&
           message_size(message) == size;
}

/* Whether the payload is this structure and nothing else. */
static bool is_just(const struct search_message *message,
                    enum message_kind kind, void *ret, size_t size)
{
    if ( message->head.kind != kind || message->head.size != size )
        return false;
    memcpy(ret, message->payload, size);
    return true;
}

bool message_get_begin(const struct search_message *message,
                       struct message_begin *ret)
{
    return is_just(message, MESSAGE_BEGIN, ret, sizeof(*ret)) &&
           ret->dom0 <= 1 && ret->kept <= 1;
}

size_t message_get_read(const struct search_message *message,
                        struct message_read ret[SEARCH_PIECES_MAX])
{
    size_t count = message->head.size / sizeof(*ret);
    uint64_t left = SEARCH_READ_MAX;

    if ( count > SEARCH_PIECES_MAX ||
         !is_just(message, MESSAGE_READ, ret, count * sizeof(*ret)) )
        return 0;
    for ( size_t i = 0; i < count; left -= ret[i++].size )
        if ( !ret[i].size || ret[i].size > left )
            return 0;
    return count;
}

bool message_get_tasks(const struct search_message *message,
                       struct task_list *ret)
{
    return is_just(message, MESSAGE_TASKS, ret, sizeof(*ret)) &&
           task_list_is_sound(ret);
}

/* Whether it is a path, or nothing, and ends in its room. */
static bool is_path(const char text[ORIGIN_PATH_MAX + 1])
{
    return !text[ORIGIN_PATH_MAX] && origin_path_is_sound(text);
}

bool message_get_origin(const struct search_message *message,
                        struct message_origin *ret)
{
    return is_just(message, MESSAGE_ORIGIN, ret, sizeof(*ret)) &&
           ret->there <= 1 && is_path(ret->origin.exe) &&
           is_path(ret->origin.cgroup);
}

size_t message_get_threads(const struct search_message *message,
                           struct origin_thread ret[SEARCH_THREADS_MAX])
{
    size_t count = message->head.size / sizeof(*ret);

    return count <= SEARCH_THREADS_MAX &&
                   is_just(message, MESSAGE_THREADS, ret, count * sizeof(*ret))
               ? count
               : 0;
}

size_t message_get_processes(const struct search_message *message,
                             struct mapped_process ret[SEARCH_PROCESSES_MAX])
{
    size_t count = message->head.size / sizeof(*ret);

    if ( count > SEARCH_PROCESSES_MAX ||
         !is_just(message, MESSAGE_PROCESSES, ret, count * sizeof(*ret)) )
        return 0;
    for ( size_t i = 0; i < count; i++ )
        if ( ret[i].comm[sizeof(ret[i].comm) - 1] )
            return 0;
    return count;
}

void message_make_mapped(struct search_message *message, bool there,
                         const struct mapped_space *space)
{
    const uint64_t word = there;

    memcpy(message->payload, &word, sizeof(word));
    message_make(message, MESSAGE_MAPPED, NULL,
                 sizeof(word) +
                     mapped_space_put(space, message->payload + sizeof(word)));
}

bool message_get_mapped(const struct search_message *message, bool *there,
                        struct mapped_space *ret)
{
    uint64_t word;

    if ( message->head.kind != MESSAGE_MAPPED ||
         message->head.size < sizeof(word) )
        return false;
    memcpy(&word, message->payload, sizeof(word));
    *there = word;
    return word <= 1 &&
           mapped_space_get(message->payload + sizeof(word),
                            message->head.size - sizeof(word), ret);
}

size_t message_get_leaves(const struct search_message *message,
                          struct leaf_question ret[LEAVES_MAX])
{
    size_t count = message->head.size / sizeof(*ret);

    return count <= LEAVES_MAX &&
                   is_just(message, MESSAGE_LEAVES, ret, count * sizeof(*ret))
               ? count
               : 0;
}

size_t message_get_names(const struct search_message *message,
                         struct leaf_name ret[LEAVES_MAX])
{
    size_t count = message->head.size / sizeof(*ret);

    if ( count > LEAVES_MAX ||
         !is_just(message, MESSAGE_NAMES, ret, count * sizeof(*ret)) )
        return 0;
    for ( size_t i = 0; i < count; i++ )
        if ( !leaf_name_is_sound(&ret[i]) )
            return 0;
    return count;
}

bool message_get_found(const struct search_message *message,
                       struct message_found *ret)
{
    const struct kernel_info *info = &ret->info;

    return is_just(message, MESSAGE_FOUND, ret, sizeof(*ret)) &&
           ret->status <= KERNEL_NO_MEMORY &&
           info->build_id_length <= sizeof(info->build_id) &&
           info->checked <= 1 && info->frame_pointers <= 1 && info->fred <= 1 &&
           is_printable_text(info->row_layout, sizeof(info->row_layout)) &&
           is_printable_text(info->release, sizeof(info->release));
}
