/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "anonymous.h"

#include "aliases.h"
#include "base/buffer.h"
#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"

#include <stdlib.h>
#include <string.h>

enum what { DROP, KEEP, ALIAS, SILENT, KERNEL };

static const struct {
    const char *key;
    enum what what;
} attributes[] = {
#define ANONYMOUS(attribute, what) {attribute, what},
#include "attributes.def"
#undef ANONYMOUS
};

/* What is said of a guest's kernel and has no name: KEY=VALUE. */
static const char *const kernel_facts[] = {
    "release", "build-id",   "base",           "symbols",
    "modules", "orc-rows",   "bytes-read",     "checked",
    "found",   "orc-layout", "frame-pointers", "tasks",
};

/* Domains' names that all hosts have. */
static const char *const public_domains[] = {"Domain-0", "Xen", "idle"};

static const char *const public_threads[] = {
    XENOPROF_THREAD_MANY, XENOPROF_THREAD_UNREAD, "swapper/"};

void anonymous_free(struct anonymous *anonymous)
{
    for ( size_t i = 0; i < ALIAS_TEXTS; i++ )
    {
        free(anonymous->texts[i]);
        anonymous->texts[i] = NULL;
    }
}

static const char *word_of(struct anonymous *anonymous, size_t at,
                           const char *word)
{
    return anonymous->texts[at] = alias_word(word, strlen(word));
}

static enum what find_attribute(const char *key)
{
    for ( size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++ )
    {
        /* A domain's number is behind it. */
        const size_t length = attributes[i].what == KERNEL
                                  ? strlen(attributes[i].key)
                                  : strlen(key) + 1;

        if ( !strncmp(attributes[i].key, key, length) )
            return attributes[i].what;
    }
    return DROP;
}

static bool is_kernel_fact(const char *fact, size_t length)
{
    for ( size_t i = 0; i < sizeof(kernel_facts) / sizeof(*kernel_facts); i++ )
    {
        const size_t size = strlen(kernel_facts[i]);

        if ( length > size && fact[size] == '=' &&
             !memcmp(fact, kernel_facts[i], size) )
            return !memchr(fact, '/', length);
    }
    return false;
}

static char *kernel_text(const char *value)
{
    struct buffer text = {0};

    if ( !strncmp(value, "none", strlen("none")) )
        return must(strdup("none: the reason is left out"));
    while ( *value )
    {
        const size_t length = strcspn(value, " ");

        if ( is_kernel_fact(value, length) )
        {
            if ( text.used )
                must_do(buffer_append(&text, " ", 1));
            must_do(buffer_append(&text, value, length));
        }
        value += length + (value[length] == ' ');
    }
    must_do(buffer_append(&text, "", 1));
    return (char *)text.bytes;
}

static bool hide_attribute(struct anonymous *anonymous)
{
    struct xenoprof_item *item = &anonymous->item;
    const char **value = &item->u.attribute.value;

    switch ( find_attribute(item->u.attribute.key) )
    {
    case DROP: return false;
    case KEEP: break;
    case ALIAS: *value = word_of(anonymous, 0, *value); break;
    case SILENT:
        if ( **value )
            *value = "what it was is left out of this copy";
        break;
    case KERNEL: *value = anonymous->texts[0] = kernel_text(*value); break;
    }
    return true;
}

static void hide_domain(struct anonymous *anonymous)
{
    struct xenoprof_item *item = &anonymous->item;
    const char **name = &item->u.domain.name;

    alias_uuid(item->u.domain.uuid);
    for ( size_t i = 0; i < sizeof(public_domains) / sizeof(*public_domains);
          i++ )
        if ( !strcmp(*name, public_domains[i]) )
            return;
    if ( **name )
        *name = word_of(anonymous, 0, *name);
}

/* Xen's and kernels' code has the same names anywhere; other livepatches and
 * files that a user gave have not. */
static void hide_place(struct anonymous *anonymous)
{
    struct xenoprof_place *place = &anonymous->item.u.place.place;

    alias_uuid(anonymous->item.u.place.uuid);
    if ( place->mode == XENOPROF_MODE_USER )
    {
        if ( place->symbol && strcmp(place->symbol, SESSION_SYMBOL_BORROWED) &&
             !(place->image && image_is_public(place->image)) )
            place->symbol = word_of(anonymous, 0, place->symbol);
        if ( place->image )
            place->image = anonymous->texts[1] = alias_image(place->image);
    }
    else if ( place->image && strchr(place->image, '/') )
        place->image = anonymous->texts[1] = alias_path(place->image);
    else if ( place->image && place->mode == XENOPROF_MODE_XEN &&
              strcmp(place->image, "xen") && strcmp(place->image, "xenoprof") )
        place->image = word_of(anonymous, 1, place->image);
}

static void hide_thread(struct xenoprof_thread *thread)
{
    char *alias SCOPE_FREE = NULL;

    for ( size_t i = 0; i < sizeof(public_threads) / sizeof(*public_threads);
          i++ )
        if ( !strncmp(thread->comm, public_threads[i],
                      strlen(public_threads[i])) )
            return;
    if ( !*thread->comm )
        return;
    alias = alias_word(thread->comm,
                       strnlen(thread->comm, sizeof(thread->comm)));
    memset(thread->comm, 0, sizeof(thread->comm));
    memcpy(thread->comm, alias, strlen(alias));
}

static void hide_origin(struct anonymous *anonymous)
{
    struct xenoprof_origin *origin = &anonymous->item.u.origin;

    alias_uuid(origin->uuid);
    hide_thread(&origin->thread);
    if ( *origin->exe )
        origin->exe = anonymous->texts[0] = alias_path(origin->exe);
    if ( *origin->cgroup )
        origin->cgroup = anonymous->texts[1] = alias_cgroup(origin->cgroup);
}

/* The code that is the same anywhere: Xen's, Linux's own, public libraries'.  A
 * module may be anybody's. */
static bool is_public_code(const struct xenoprof_function *function)
{
    switch ( function->mode )
    {
    case XENOPROF_MODE_XEN: return !strcmp(function->image, "xen");
    case XENOPROF_MODE_KERNEL: return !strcmp(function->image, "kernel");
    default: return image_is_public(function->image);
    }
}

/* Returns false if nothing is to be said of the function. */
static bool hide_function(struct anonymous *anonymous,
                          struct xenoprof_function *function)
{
    if ( !is_public_code(function) )
        return false;
    alias_uuid(function->uuid);
    if ( function->mode == XENOPROF_MODE_USER )
        function->image = anonymous->texts[0] = alias_image(function->image);
    return true;
}

static bool hide_code(struct anonymous *anonymous)
{
    struct xenoprof_code *code = &anonymous->item.u.code;

    if ( *code->file )
        code->file = anonymous->texts[1] = alias_code_path(code->file);
    return hide_function(anonymous, &code->function);
}

static bool hide_instruction(struct anonymous *anonymous)
{
    struct xenoprof_instruction *at = &anonymous->item.u.instruction;

    if ( *at->path )
        at->path = anonymous->texts[1] = alias_code_path(at->path);
    return hide_function(anonymous, &at->function);
}

static bool hide_source(struct anonymous *anonymous)
{
    struct xenoprof_source_line *source = &anonymous->item.u.source;

    source->path = anonymous->texts[1] = alias_code_path(source->path);
    return hide_function(anonymous, &source->function);
}

const struct xenoprof_item *anonymous_item(struct anonymous *anonymous,
                                           const struct xenoprof_item *item)
{
    struct xenoprof_item *ret = &anonymous->item;

    anonymous_free(anonymous);
    *ret = *item;
    /* A kind that is new says here what it has. */
    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE: return hide_attribute(anonymous) ? ret : NULL;
    case XENOPROF_ITEM_DOMAIN: hide_domain(anonymous); return ret;
    case XENOPROF_ITEM_PLACE: hide_place(anonymous); return ret;
    case XENOPROF_ITEM_SAMPLE: hide_thread(&ret->u.sample.thread); return ret;
    case XENOPROF_ITEM_RING: alias_uuid(ret->u.ring.info.uuid); return ret;
    case XENOPROF_ITEM_RING_SUM:
        alias_uuid(ret->u.ring_sum.sum.owner.uuid);
        return ret;
    case XENOPROF_ITEM_WAIT: alias_uuid(ret->u.wait.uuid); return ret;
    case XENOPROF_ITEM_LATENCY:
        alias_uuid(ret->u.latency.uuid);
        alias_uuid(ret->u.latency.by_uuid);
        return ret;
    case XENOPROF_ITEM_EXITS: alias_uuid(ret->u.exits.uuid); return ret;
    case XENOPROF_ITEM_SPOOLED: alias_uuid(ret->u.spooled.uuid); return ret;
    case XENOPROF_ITEM_ORIGIN: hide_origin(anonymous); return ret;
    case XENOPROF_ITEM_LINE:
        ret->u.line.path = anonymous->texts[0] = alias_path(item->u.line.path);
        return ret;
    case XENOPROF_ITEM_CODE: return hide_code(anonymous) ? ret : NULL;
    case XENOPROF_ITEM_INSTRUCTION:
        return hide_instruction(anonymous) ? ret : NULL;
    case XENOPROF_ITEM_SOURCE: return hide_source(anonymous) ? ret : NULL;
    /* Numbers, and names of events. */
    case XENOPROF_ITEM_STACK:
    case XENOPROF_ITEM_COUNTERS:
    case XENOPROF_ITEM_IDLE:
    case XENOPROF_ITEM_CLOSED:
    case XENOPROF_ITEM_COST:
    case XENOPROF_ITEM_TYPE:
    case XENOPROF_ITEM_MEASURED: return ret;
    case XENOPROF_ITEM_SAMPLES: break;
    }
    return NULL;
}
