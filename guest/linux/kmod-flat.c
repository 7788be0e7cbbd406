/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules as flat bytes, which are checked before they are used. */
#include <stdlib.h>
#include <string.h>

#include "kmod-list.h"

struct flat_kmod {
    uint64_t address, kallsyms;
    struct kmod_code code[2];
    char name[KMOD_NAME_MAX];
    uint8_t complete, has_orc, reserved[6];
};

static bool put_kmod(const struct kmod *kmod, struct buffer *to)
{
    struct flat_kmod flat = {
        .address = kmod->address,
        .kallsyms = kmod->kallsyms,
        .code = {kmod->code[0], kmod->code[1]},
        .complete = kmod->complete,
        .has_orc = kmod->orc != NULL,
    };

    memcpy(flat.name, kmod->name, sizeof(flat.name));
    return flat_put(to, &flat, 1, sizeof(flat)) &&
           symbol_list_put(&kmod->symbols, to) &&
           (!kmod->orc || orc_put(kmod->orc, to));
}

bool kmods_put(const struct kmods *kmods, struct buffer *to)
{
    uint64_t count = kmods->count;
    bool done = flat_put(to, &count, 1, sizeof(count));

    for ( const struct kmod *kmod = kmods->list; done && kmod;
          kmod = kmod->next )
        done = put_kmod(kmod, to);
    return done;
}

static bool is_code_of_kmod(const struct kmod_code *code)
{
    return code->start <= code->end && code->end - code->start <= KMOD_CODE_MAX;
}

/* Returns true with *kmod filled.  What it has is freed by kmods_free(). */
static bool get_kmod(struct cursor *from, struct kmod *kmod)
{
    const struct flat_kmod *flat = flat_get(from, 1, sizeof(*flat));

    if ( !flat || flat->name[KMOD_NAME_MAX - 1] ||
         !is_code_of_kmod(&flat->code[0]) || !is_code_of_kmod(&flat->code[1]) )
        return false;
    kmod->address = flat->address;
    kmod->kallsyms = flat->kallsyms;
    memcpy(kmod->code, flat->code, sizeof(kmod->code));
    memcpy(kmod->name, flat->name, sizeof(kmod->name));
    kmod->complete = flat->complete != 0;
    if ( !symbol_list_get(from, &kmod->symbols) )
        return false;
    if ( flat->has_orc )
        kmod->orc = orc_get(from);
    return !flat->has_orc || kmod->orc;
}

enum kernel_status kmods_get(struct cursor *from, struct kmods *ret)
{
    const uint64_t *count = flat_get(from, 1, sizeof(*count));
    struct kmod **at = &ret->list;

    if ( !count || *count > KMODS_MAX )
        return KERNEL_DAMAGED;
    for ( uint64_t i = 0; i < *count; i++ )
    {
        struct kmod *kmod = calloc(1, sizeof(*kmod));

        if ( !kmod )
            return KERNEL_NO_MEMORY;
        *at = kmod;
        at = &kmod->next;
        ret->count++;
        if ( !get_kmod(from, kmod) )
            return KERNEL_DAMAGED;
        kmods_take_room(ret, kmod, 1);
    }
    return kmods_sort(ret) ? KERNEL_OK : KERNEL_NO_MEMORY;
}
