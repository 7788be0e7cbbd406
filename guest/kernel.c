/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the finders in order, and shares the images of equal kernels. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "finder.h"
#include "unpack.h"

static const struct kernel_finder *const finders[] = {&linux_finder};

#define FINDERS (sizeof(finders) / sizeof(finders[0]))

struct kernel_images *kernel_images_open(void)
{
    struct kernel_images *images = calloc(1, sizeof(*images));
    /* Without a system call, since a search may make none: Linux gives every
     * program 16 random bytes when it starts. */
    const void *random = (const void *)getauxval(AT_RANDOM);

    if ( images && random )
        memcpy(images->key, random, sizeof(images->key));
    return images;
}

void kernel_images_tell_tasks(struct kernel_images *images,
                              void (*take)(void *self,
                                           const struct task_list *list),
                              void *self, bool image_only)
{
    images->tasks = (struct task_taker){take, self, image_only};
}

void kernel_images_close(struct kernel_images *images)
{
    free(images);
}

/* A guest can claim any build-id, so all that the images were made of must be
 * equal. */
static bool is_equal(const struct kernel_image *a, const struct kernel_image *b)
{
    return a->fingerprint && a->fingerprint == b->fingerprint &&
           a->build_id_length == b->build_id_length &&
           !memcmp(a->build_id, b->build_id, a->build_id_length);
}

/* Gives the kernel an equal image that is there already, or lists its own. */
static void share_image(struct kernel *kernel)
{
    struct kernel_image *image = kernel->images->list;

    while ( image && !is_equal(image, kernel->image) )
        image = image->next;
    if ( image )
    {
        kernel->finder->free_image(kernel->image);
        kernel->image = image;
        image->references++;
        return;
    }
    kernel->image->next = kernel->images->list;
    kernel->images->list = kernel->image;
}

static enum kernel_status find_with_finders(struct kernel_images *images,
                                            struct kernel_search *search,
                                            struct kernel **ret)
{
    uint64_t before = search->memory ? search->memory->left : 0;
    enum kernel_status status = KERNEL_UNKNOWN;
    size_t i;

    search->key = images->key;
    search->tasks = images->tasks.take ? &images->tasks : NULL;
    for ( i = 0; i < FINDERS && status == KERNEL_UNKNOWN; i++ )
        status = finders[i]->find(search, ret);
    if ( status )
        return status;
    (*ret)->finder = finders[i - 1];
    (*ret)->images = images;
    share_image(*ret);
    if ( search->memory )
    {
        (*ret)->info.bytes_read = before - search->memory->left;
        /* A kernel is useful without its modules too. */
        kernel_look_at_modules(*ret, search->memory);
    }
    return KERNEL_OK;
}

enum kernel_status kernel_find(struct kernel_images *images,
                               struct guest_memory *memory, uint64_t address,
                               struct kernel **ret)
{
    struct kernel_search search = {.memory = memory, .address = address};

    return find_with_finders(images, &search, ret);
}

enum kernel_status kernel_from_file(struct kernel_images *images,
                                    const void *bytes, size_t size,
                                    struct guest_memory *memory,
                                    uint64_t address, struct kernel **ret)
{
    struct kernel_search search = {.memory = memory, .address = address};
    struct unpacked unpacked;
    enum kernel_status status = unpack_kernel(bytes, size, &unpacked);

    if ( status )
        return status;
    search.file = unpacked.bytes;
    search.size = unpacked.size;
    status = find_with_finders(images, &search, ret);
    unpack_free(&unpacked);
    return status;
}

void kernel_close(struct kernel *kernel)
{
    struct kernel_image *image, **at;

    if ( !kernel )
        return;
    image = kernel->image;
    if ( --image->references == 0 )
    {
        at = kernel->images ? &kernel->images->list : NULL;
        while ( at && *at != image )
            at = &(*at)->next;
        if ( at )
            *at = image->next;
        kernel->finder->free_image(image);
    }
    kernel->finder->close(kernel);
}

enum kernel_status kernel_look_at_modules(struct kernel *kernel,
                                          struct guest_memory *memory)
{
    return kernel->finder->look_again(kernel, memory);
}

bool kernel_is_here(const struct kernel *kernel, struct guest_memory *memory)
{
    return kernel->finder->is_here(kernel, memory);
}

bool kernel_name(const struct kernel *kernel, uint64_t address,
                 struct kernel_symbol *ret)
{
    return kernel->finder->symbol(kernel, address, ret);
}

void kernel_get_code(const struct kernel *kernel, struct unwind_code *ret)
{
    kernel->finder->code(kernel, ret);
}

void kernel_get_info(const struct kernel *kernel, struct kernel_info *ret)
{
    *ret = kernel->info;
}

void kernel_get_tasks(const struct kernel *kernel, struct guest_memory *memory,
                      bool image_only, struct task_list *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->status = TASK_LIST_OTHER_KERNEL;
    if ( kernel->finder->tasks )
        kernel->finder->tasks(kernel, memory, image_only, ret);
}

bool kernel_get_origin(const struct kernel *kernel, struct guest_memory *memory,
                       const struct origin_thread *thread,
                       struct thread_origin *ret)
{
    memset(ret, 0, sizeof(*ret));
    return kernel->finder->origin &&
           kernel->finder->origin(kernel, memory, thread, ret);
}

bool kernel_get_mapped(const struct kernel *kernel, struct guest_memory *memory,
                       const struct mapped_process *process,
                       struct mapped_space *ret)
{
    mapped_space_init(ret);
    return kernel->finder->mapped &&
           kernel->finder->mapped(kernel, memory, process, ret);
}

bool kernel_get_leaves(const struct kernel *kernel, struct guest_memory *memory,
                       const struct guest_file *file, const uint64_t *offsets,
                       size_t count, struct leaf_name *ret)
{
    for ( size_t i = 0; i < count; i++ )
        ret[i] = (struct leaf_name){.address = offsets[i]};
    return kernel->finder->leaves &&
           kernel->finder->leaves(kernel, memory, file, offsets, count, ret);
}

/* Before each table.  A table is read by the program that wrote it. */
struct table_head {
    uint32_t magic;
    uint32_t finder; /* its place in finders[] */
};

#define IMAGE_MAGIC   0x494b5058u /* "XPKI" */
#define MODULES_MAGIC 0x4d4b5058u /* "XPKM" */

static bool put_table_head(const struct kernel *kernel, uint32_t magic,
                           struct buffer *to)
{
    struct table_head head = {.magic = magic};

    while ( finders[head.finder] != kernel->finder )
        head.finder++;
    return flat_put(to, &head, 1, sizeof(head));
}

bool kernel_put_image(const struct kernel *kernel, struct buffer *to,
                      uint64_t *base)
{
    return put_table_head(kernel, IMAGE_MAGIC, to) &&
           kernel->finder->put_image(kernel, to, base);
}

bool kernel_put_modules(const struct kernel *kernel, struct buffer *to)
{
    return put_table_head(kernel, MODULES_MAGIC, to) &&
           kernel->finder->put_modules(kernel, to);
}

static bool take_table_head(struct cursor *from, uint32_t magic,
                            uint32_t *finder)
{
    const struct table_head *head = flat_get(from, 1, sizeof(*head));

    if ( !head || head->magic != magic || head->finder >= FINDERS )
        return false;
    *finder = head->finder;
    return true;
}

static struct cursor cursor_over(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    return (struct cursor){at, size ? at + size : at, false};
}

enum kernel_status kernel_from_tables(const struct kernel_tables *tables,
                                      struct kernel **ret)
{
    struct kernel_flat flat = {
        .image = cursor_over(tables->image, tables->image_size),
        .modules = cursor_over(tables->modules, tables->modules_size),
        .base = tables->base,
    };
    enum kernel_status status;
    uint32_t image, modules;

    if ( !take_table_head(&flat.image, IMAGE_MAGIC, &image) )
        return KERNEL_DAMAGED;
    if ( tables->modules &&
         (!take_table_head(&flat.modules, MODULES_MAGIC, &modules) ||
          modules != image) )
        return KERNEL_DAMAGED;
    status = finders[image]->get(&flat, ret);
    if ( !status )
        (*ret)->finder = finders[image];
    return status;
}
