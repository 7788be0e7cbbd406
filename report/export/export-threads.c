/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-threads.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/text/folded-name.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PID 100000 /* of domain 0: above pids that people know */
#define OF_VCPU   (1ull << 32)

void threads_init(struct export_threads *threads)
{
    table_init(&threads->table, sizeof(((struct export_thread *)0)->key),
               sizeof(struct export_thread));
}

void threads_free(struct export_threads *threads)
{
    for ( size_t i = 0; i < threads->table.count; i++ )
        free(((struct export_thread *)table_at(&threads->table, i))->comm);
    table_free(&threads->table);
}

char *threads_word(const char *name)
{
    char *word = folded_name(name, "");

    for ( char *at = word; (at = strchr(at, ' ')); )
        *at = '_';
    return word;
}

char *threads_image(const struct walk_function *function, const char *kernel)
{
    char *word SCOPE_FREE = threads_word(function->image);

    if ( function->key.kind != FRAME_CODE || !*word )
        return must(strdup("[unknown]"));
    if ( function->key.mode == XENOPROF_MODE_USER )
        return must(strdup(word));
    return must_text("[%s]", strcmp(word, "kernel") ? word : kernel);
}

static char *name_thread(struct export_walk *walk,
                         const struct export_thread *thread)
{
    char *domain SCOPE_FREE = threads_word(
        walk_label_text(walk, WALK_DOMAIN, thread->key.domain));
    char *comm SCOPE_FREE = NULL;

    if ( thread->key.comm == LABEL_NONE )
        return must(strdup(domain));
    comm = threads_word(walk_label_text(walk, WALK_PROCESS, thread->key.comm));
    return must_text("%s/%s", domain, comm);
}

const struct export_thread *threads_of(struct export_threads *threads,
                                       struct export_walk *walk,
                                       const struct cell *cell)
{
    struct export_thread key = {
        .key = {.domain = walk_label_value(walk, cell, WALK_DOMAIN),
                .comm = walk_label_value(walk, cell, WALK_PROCESS),
                .thread = walk_label_value(walk, cell, WALK_THREAD)}};
    struct export_thread *thread;

    if ( key.key.thread == LABEL_NONE )
        key.key.thread = OF_VCPU | cell->key.vcpu;
    thread = must(table_put(&threads->table, &key.key));
    if ( thread->comm )
        return thread;
    thread->comm = name_thread(walk, thread);
    thread->pid = FIRST_PID + domain_number(loaded_domain(
                                  walk->loaded, (uint32_t)key.key.domain));
    thread->tid = (int32_t)threads->table.count;
    return thread;
}

const char *threads_event(const struct export_walk *walk, uint32_t type)
{
    return type == XENOPROF_TYPE_TIME ? "cpu-clock"
                                      : walk->loaded->types.type[type].name;
}
