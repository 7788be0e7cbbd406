/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The finder of Linux: an image where a guest has it, with its modules. */
#include <stdlib.h>
#include <string.h>

#include "image-base.h"
#include "image-file.h"
#include "image-flat.h"
#include "image-read.h"
#include "image-rows.h"
#include "image-types.h"
#include "kmod-list.h"
#include "guest/leaf-names.h"
#include "rows/user-walk.h"
#include "special-code.h"
#include "tasks/mapping-read.h"
#include "tasks/origin-read.h"

struct linux_kernel {
    struct kernel kernel;
    uint64_t base;
    struct kmods kmods;
    struct user_space *space; /* of an image that has its compiler's rows */
    struct row_cache *cache;
};

static struct linux_kernel *linux_of(struct kernel *kernel)
{
    return (struct linux_kernel *)kernel;
}

static const struct linux_kernel *const_linux_of(const struct kernel *kernel)
{
    return (const struct linux_kernel *)kernel;
}

static struct linux_image *image_of(const struct linux_kernel *self)
{
    return (struct linux_image *)self->kernel.image;
}

static enum kernel_status find_kernel_image(const struct kernel_search *search,
                                            struct found_image *ret)
{
    enum kernel_status status;

    if ( search->file )
        return image_from_file(search, ret);
    status = image_read(search, &ret->image);
    if ( status )
        return status;
    ret->base = ret->image->base;
    ret->checked = true;
    return KERNEL_OK;
}

static void count_kernel_symbols(struct linux_kernel *self)
{
    const struct linux_image *image = image_of(self);
    struct kernel_info *info = &self->kernel.info;

    info->symbols = image->kallsyms
                        ? image->kallsyms->count - image->kallsyms->first
                        : (uint32_t)image->symbols.count;
    info->symbols += self->kmods.used.symbols;
    info->modules = self->kmods.count;
    info->rows = self->kmods.used.orc_rows;
    if ( image->orc )
        info->rows += (uint32_t)orc_count(image->orc);
    if ( image->rows )
        info->rows += image->rows->rows;
}

static void set_info(struct linux_kernel *self, bool checked)
{
    const struct linux_image *image = image_of(self);
    struct kernel_info *info = &self->kernel.info;

    memcpy(info->release, image->release, sizeof(info->release));
    memcpy(info->build_id, image->shared.build_id, sizeof(info->build_id));
    info->build_id_length = image->shared.build_id_length;
    info->base = self->base + image->code[0].start;
    info->frame_pointers = image->frame_pointers;
    info->fred = image->fred;
    info->checked = checked;
    if ( image->orc )
        strcpy(info->row_layout, orc_layout_name(orc_layout(image->orc)));
    else if ( image->rows )
        strcpy(info->row_layout, "cfi");
    count_kernel_symbols(self);
}

static enum kernel_status linux_find(const struct kernel_search *search,
                                     struct kernel **ret)
{
    struct found_image found;
    struct linux_kernel *self;
    enum kernel_status status = find_kernel_image(search, &found);

    if ( status )
        return status;
    self = calloc(1, sizeof(*self));
    if ( !self )
    {
        linux_image_free(found.image);
        return KERNEL_NO_MEMORY;
    }
    self->base = found.base;
    self->kernel.image = &found.image->shared;
    set_info(self, found.checked);
    *ret = &self->kernel;
    return KERNEL_OK;
}

static enum kernel_status linux_look_again(struct kernel *kernel,
                                           struct guest_memory *memory)
{
    struct linux_kernel *self = linux_of(kernel);
    const struct linux_image *image = image_of(self);
    uint64_t before = memory->left;
    enum kernel_status status;

    if ( image_is_replaced(image, memory, self->base) )
        return KERNEL_MISMATCH;
    if ( !image->kmods_at || !image->kmods.known )
        return KERNEL_UNKNOWN;
    status = kmods_read(&self->kmods, memory, &image->kmods,
                        image->orc ? orc_layout(image->orc)
                                   : ORC_LAYOUT_UNKNOWN,
                        self->base + image->kmods_at);
    kernel->info.bytes_read += before - memory->left;
    count_kernel_symbols(self);
    return status;
}

static bool linux_is_here(const struct kernel *kernel,
                          struct guest_memory *memory)
{
    const struct linux_kernel *self = const_linux_of(kernel);

    return image_has_build_id(image_of(self), memory, self->base);
}

static bool linux_symbol(const struct kernel *kernel, uint64_t address,
                         struct kernel_symbol *ret)
{
    const struct linux_kernel *self = const_linux_of(kernel);
    uint64_t offset = address - self->base;
    const struct kmod *kmod;

    memset(ret, 0, sizeof(*ret));
    if ( !linux_image_is_code(image_of(self), offset) )
    {
        kmod = kmods_at(&self->kmods, address);
        return kmod && kmod_symbol(kmod, address, ret);
    }
    if ( !linux_image_symbol(image_of(self), offset, &ret->name, &ret->start,
                             &ret->end) )
        return false;
    ret->start += self->base;
    ret->end += ret->end ? self->base : 0;
    return true;
}

static bool is_kernel_code(const void *opaque, uint64_t address)
{
    const struct linux_kernel *self = opaque;

    return linux_image_is_code(image_of(self), address - self->base) ||
           kmods_at(&self->kmods, address);
}

static bool find_kernel_row(const void *opaque, uint64_t address,
                            struct unwind_row *ret)
{
    const struct linux_kernel *self = opaque;
    const struct linux_image *image = image_of(self);
    uint64_t offset = address - self->base;
    const struct kmod *kmod;

    if ( linux_image_is_code(image, offset) )
        return image->orc && orc_find(image->orc, offset, ret);
    kmod = kmods_at(&self->kmods, address);
    return kmod && kmod->orc && orc_find(kmod->orc, address, ret);
}

static enum unwind_special special_of(const void *opaque, uint64_t address)
{
    const struct linux_kernel *self = opaque;
    struct kernel_symbol symbol;

    return linux_symbol(&self->kernel, address, &symbol)
               ? special_code_of(symbol.name)
               : UNWIND_ORDINARY;
}

static void linux_code(const struct kernel *kernel, struct unwind_code *ret)
{
    *ret = (struct unwind_code){
        .self = const_linux_of(kernel),
        .row = find_kernel_row,
        .is_code = is_kernel_code,
        .special = special_of,
        .frame_pointers = kernel->info.frame_pointers,
        .space = const_linux_of(kernel)->space,
        .cache = const_linux_of(kernel)->cache,
    };
}

static void linux_tasks(const struct kernel *kernel,
                        struct guest_memory *memory, bool image_only,
                        struct task_list *ret)
{
    const struct linux_kernel *self = const_linux_of(kernel);
    const struct task_place place = {self->base, image_only};

    image_read_tasks(image_of(self), memory, &place, ret);
}

static bool linux_origin(const struct kernel *kernel,
                         struct guest_memory *memory,
                         const struct origin_thread *thread,
                         struct thread_origin *ret)
{
    const struct linux_kernel *self = const_linux_of(kernel);
    const struct linux_image *image = image_of(self);

    return image_knows_origins(image) &&
           origin_read(&image->layout, self->base + image->pid_ns_at, memory,
                       thread, ret);
}

/* Where Linux has them, unless it chose another place as it booted. */
#define USUAL_PAGES  0xffffea0000000000ull
#define USUAL_DIRECT 0xffff888000000000ull

static uint64_t word_of_image(const struct linux_kernel *self,
                              struct guest_memory *memory, uint64_t at,
                              uint64_t usual)
{
    uint64_t word;

    return at && guest_memory_get(memory, self->base + at, &word, sizeof(word))
               ? word
               : usual;
}

static struct cache_facts cache_facts_of(const struct linux_kernel *self)
{
    const struct linux_image *image = image_of(self);

    return (struct cache_facts){.layout = &image->layout};
}

static bool linux_mapped(const struct kernel *kernel,
                         struct guest_memory *memory,
                         const struct mapped_process *process,
                         struct mapped_space *ret)
{
    const struct linux_kernel *self = const_linux_of(kernel);
    const struct linux_image *image = image_of(self);
    const struct cache_facts cache = cache_facts_of(self);
    const struct mapping_facts facts = {
        .layout = &image->layout,
        .cache = image_knows_cached(image) ? &cache : NULL,
        .init_pid_ns = self->base + image->pid_ns_at,
    };

    return image_knows_mapped(image) &&
           mapping_read(&facts, memory, process, ret);
}

static bool linux_leaves(const struct kernel *kernel,
                         struct guest_memory *memory,
                         const struct guest_file *file, const uint64_t *offsets,
                         size_t count, struct leaf_name *ret)
{
    static struct page_cache cache; /* too large for a stack */
    const struct linux_kernel *self = const_linux_of(kernel);
    const struct linux_image *image = image_of(self);
    struct cache_facts facts = cache_facts_of(self);

    if ( !image_knows_cached(image) )
        return false;
    facts.pages = word_of_image(self, memory, image->pages_at, USUAL_PAGES);
    facts.direct = word_of_image(self, memory, image->direct_at, USUAL_DIRECT);
    if ( !page_cache_open(&cache, &facts, memory, file) )
        return false;
    leaf_names_find(page_cache_get, &cache, offsets, count, ret);
    for ( size_t i = 0; i < count; i++ )
        ret[i].absent = cache.absent;
    return true;
}

static bool linux_put_image(const struct kernel *kernel, struct buffer *to,
                            uint64_t *base)
{
    const struct linux_kernel *self = const_linux_of(kernel);
    uint64_t checked = kernel->info.checked;

    *base = self->base;
    return flat_put(to, &checked, 1, sizeof(checked)) &&
           image_put(image_of(self), to);
}

static bool linux_put_modules(const struct kernel *kernel, struct buffer *to)
{
    return kmods_put(&const_linux_of(kernel)->kmods, to);
}

static enum kernel_status get_parts(struct kernel_flat *flat,
                                    struct linux_kernel *self)
{
    struct linux_image *image;
    enum kernel_status status = image_get(&flat->image, &image);

    if ( status )
        return status;
    image->base = flat->base;
    if ( image->kallsyms )
        image->kallsyms->base = flat->base;
    self->kernel.image = &image->shared;
    if ( flat->modules.at )
        status = kmods_get(&flat->modules, &self->kmods);
    if ( status )
        linux_image_free(image);
    return status;
}

/* For walks, which are by kernels from tables alone: one that was found may get
 * an equal one's image.  Without memory, frame pointers are all that there
 * is. */
static void open_space(struct linux_kernel *self)
{
    const struct linux_image *image = image_of(self);

    if ( !image->rows )
        return;
    self->cache = row_cache_open();
    if ( self->cache )
        self->space = image_space(image, self->base);
}

static enum kernel_status linux_get(const struct kernel_flat *flat,
                                    struct kernel **ret)
{
    struct kernel_flat rest = *flat;
    const uint64_t *checked = flat_get(&rest.image, 1, sizeof(*checked));
    struct linux_kernel *self = calloc(1, sizeof(*self));
    enum kernel_status status = KERNEL_NO_MEMORY;

    if ( self )
    {
        self->base = flat->base;
        status = checked ? get_parts(&rest, self) : KERNEL_DAMAGED;
    }
    if ( status )
    {
        if ( self )
            kmods_free(&self->kmods);
        free(self);
        return status;
    }
    set_info(self, *checked);
    open_space(self);
    *ret = &self->kernel;
    return KERNEL_OK;
}

static void linux_close(struct kernel *kernel)
{
    struct linux_kernel *self = linux_of(kernel);

    user_space_close(self->space);
    row_cache_close(self->cache);
    kmods_free(&self->kmods);
    free(kernel);
}

static void free_image(struct kernel_image *image)
{
    linux_image_free((struct linux_image *)image);
}

const struct kernel_finder linux_finder = {
    .name = "Linux",
    .find = linux_find,
    .look_again = linux_look_again,
    .is_here = linux_is_here,
    .symbol = linux_symbol,
    .code = linux_code,
    .tasks = linux_tasks,
    .origin = linux_origin,
    .mapped = linux_mapped,
    .leaves = linux_leaves,
    .put_image = linux_put_image,
    .put_modules = linux_put_modules,
    .get = linux_get,
    .close = linux_close,
    .free_image = free_image,
};
