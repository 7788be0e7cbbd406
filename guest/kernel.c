/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/linux/kernel-inside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* No system call: the process that this belongs into may not make any.  The
 * kernel gives every program 16 random bytes when it starts. */
static void make_key(uint8_t key[16])
{
    const void *random = (const void *)getauxval(AT_RANDOM);

    if ( random )
        memcpy(key, random, 16);
}

struct kernel_images *kernel_images_open(void)
{
    struct kernel_images *images = calloc(1, sizeof(*images));

    if ( images )
        make_key(images->key);
    return images;
}

void kernel_images_close(struct kernel_images *images)
{
    struct image *next;

    if ( !images )
        return;
    for ( ; images->list; images->list = next )
    {
        next = images->list->next;
        image_free(images->list);
    }
    free(images);
}

/* A guest can say any build-id: what it names must be equal, to the byte. */
static struct image *find_equal(const struct kernel_images *images,
                                const struct image *wanted)
{
    struct image *image;

    for ( image = images->list; image; image = image->next )
        if ( image->fingerprint && image->fingerprint == wanted->fingerprint &&
             image->build_id_length == wanted->build_id_length &&
             !memcmp(image->build_id, wanted->build_id,
                     wanted->build_id_length) )
            return image;
    return NULL;
}

static struct image *share(struct kernel_images *images, struct image *image)
{
    struct image *equal = find_equal(images, image);

    if ( equal )
    {
        image_free(image);
        equal->references++;
        return equal;
    }
    image->next = images->list;
    images->list = image;
    return image;
}

static void unshare(struct kernel_images *images, struct image *image)
{
    struct image **at;

    if ( --image->references )
        return;
    for ( at = &images->list; *at; at = &(*at)->next )
        if ( *at == image )
        {
            *at = image->next;
            break;
        }
    image_free(image);
}

struct kernel *kernel_of_image(struct kernel_images *images,
                               struct image *image, uint64_t base)
{
    struct kernel *kernel = calloc(1, sizeof(*kernel));

    if ( !kernel )
    {
        image_free(image);
        return NULL;
    }
    kernel->images = images;
    kernel->base = base;
    kernel->image = share(images, image);
    return kernel;
}

enum kernel_code kernel_find(struct kernel_images *images,
                             struct guest_memory *memory, uint64_t address,
                             struct kernel **ret)
{
    uint64_t before = memory->left;
    struct image *image;
    struct kernel *kernel;
    enum kernel_code code;

    code = image_read(memory, address, images->key, &image);
    if ( code )
        return code;
    kernel = kernel_of_image(images, image, image->base);
    if ( !kernel )
        return KERNEL_NO_MEMORY;
    kernel->bytes_read = before - memory->left;
    kernel->checked = true;
    /* Without its modules it is good too. */
    kernel_look_at_modules(kernel, memory);
    *ret = kernel;
    return KERNEL_OK;
}

void kernel_close(struct kernel *kernel)
{
    if ( !kernel )
        return;
    modules_free(&kernel->modules);
    unshare(kernel->images, kernel->image);
    free(kernel);
}

enum kernel_code kernel_look_at_modules(struct kernel *kernel,
                                        struct guest_memory *memory)
{
    const struct image *image = kernel->image;
    uint64_t before = memory->left;
    enum kernel_code code;

    if ( image_is_replaced(image, memory, kernel->base) )
        return KERNEL_MISMATCH;
    if ( !image->modules_at || !image->modules.known )
        return KERNEL_UNKNOWN;
    code = modules_read(&kernel->modules, memory, &image->modules,
                        image->orc ? orc_layout(image->orc)
                                   : ORC_LAYOUT_UNKNOWN,
                        kernel->base + image->modules_at);
    kernel->bytes_read += before - memory->left;
    return code;
}
