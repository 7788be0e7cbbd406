/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the code that runs, whatever lies in /boot by now: a small payload, the
 * probe, shows it in hypfs. */
#include "read-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenhypfs.h>

#include "base/scope.h"
#include "folder.h"
#include "payload.h"

#define PROBE_NAME "xenoprof-probe"
#define READ_TRIES 16

struct shown {
    uint8_t *bytes;
    size_t size;
};

/* What the probe shows. */
enum leaf { TEXT, RODATA, MAX_PAGE, MAX_PDX, NMI, LEAVES };

static const char *const paths[LEAVES] = {
    [TEXT] = "/xenoprof-probe/text",
    [RODATA] = "/xenoprof-probe/rodata",
    [MAX_PAGE] = "/xenoprof-probe/max_page",
    [MAX_PDX] = "/xenoprof-probe/max_pdx",
    [NMI] = "/xenoprof-probe/nmi",
};

int read_symbols(struct module_context *context, struct xen_image *image)
{
    const struct xen_range no_code = {0};
    size_t size;
    char *symbols SCOPE_FREE = running_xen_symbols(&size);
    int result = symbols ? xen_image_open_text(image, &no_code, symbols, size)
                         : -ENOENT;

    if ( !result )
        return 0;
    return fail(context->failure, STATUS_FAILED,
                "cannot read Xen's symbols from /proc/xen/xensyms (%s); "
                "dom0's kernel needs CONFIG_XEN_SYMS, and xenfs "
                "mounted on /proc/xen",
                strerror(-result));
}

static int read_leaf_once(xenhypfs_handle *hypfs, const char *path,
                          struct shown *ret)
{
    struct xenhypfs_dirent *entry SCOPE_FREE = NULL;

    ret->bytes = xenhypfs_read_raw(hypfs, path, &entry);
    if ( !ret->bytes )
        return -errno;
    ret->size = entry->size;
    return 0;
}

/*
 * Reads until two readings agree. hypfs may answer for another node: since Xen
 * commit 5b5ccafb0c ("xen: add basic hypervisor filesystem support") (4.14) the
 * path is in a static buffer, under a lock that readers share.  Returns 0 or
 * -errno.
 */
static int read_twice(xenhypfs_handle *hypfs, const char *path,
                      struct shown *ret)
{
    struct shown before = {0};
    int result = -EIO;

    for ( unsigned int i = 0; i < READ_TRIES; i++ )
    {
        bool same;

        result = read_leaf_once(hypfs, path, ret);
        if ( result )
            continue;
        same = before.bytes && before.size == ret->size &&
               !memcmp(before.bytes, ret->bytes, ret->size);
        free(before.bytes);
        if ( same )
            return 0;
        before = *ret;
        result = -EIO;
    }
    free(before.bytes);
    ret->bytes = NULL;
    return result;
}

static int read_probe(struct shown shown[LEAVES])
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    int result = 0;

    if ( !hypfs )
        return -errno;
    for ( int i = 0; !result && i < LEAVES; i++ )
        result = read_twice(hypfs, paths[i], &shown[i]);
    xenhypfs_close(hypfs);
    return result;
}

static int probe_refused(struct module_context *context, int result)
{
    if ( payload_is_no_livepatch(result) )
        return fail(context->failure, STATUS_NO_LIVEPATCH,
                    "this hypervisor does not take livepatches; build it "
                    "with CONFIG_LIVEPATCH");
    if ( result == -EPERM || result == -EACCES )
        return fail(context->failure, STATUS_NO_LIVEPATCH,
                    "Xen does not permit uploading a livepatch (%s)",
                    strerror(-result));
    return fail(context->failure, STATUS_REFUSED,
                "Xen refused %s (%s); the reason is in `xl dmesg`",
                "the probe that reads its code", strerror(-result));
}

static int load_and_read(struct module_context *context, const char *probe,
                         struct shown shown[LEAVES])
{
    int result = payload_load(context->xc, PROBE_NAME, probe, true), unloaded;

    if ( result )
        return probe_refused(context, result);
    result = read_probe(shown);
    unloaded = payload_unload(context->xc, PROBE_NAME);
    if ( result )
        return fail(context->failure, STATUS_FAILED,
                    "cannot read the hypervisor's code (%s)",
                    strerror(-result));
    /* The module would lie on top of the probe, and Xen would refuse it. */
    if ( unloaded )
        return fail(context->failure, STATUS_FAILED,
                    "Xen did not unload the probe that read its code "
                    "(%s); unload livepatch %s, then try again",
                    strerror(-unloaded), PROBE_NAME);
    context_say(context, "%zu bytes of code read from the running Xen\n",
                shown[TEXT].size);
    return 0;
}

static int take_leaves(struct module_context *context,
                       const struct xen_symbol *start,
                       struct shown shown[LEAVES], struct xen_image *image)
{
    const struct shown *pages = &shown[MAX_PAGE], *entries = &shown[MAX_PDX];

    context->has_holes = pages->size != entries->size ||
                         memcmp(pages->bytes, entries->bytes, pages->size);
    context->nmi = shown[NMI].size ? shown[NMI].bytes[0] : 0;
    if ( xen_image_take_contents(image, start->address, &shown[TEXT].bytes,
                                 shown[TEXT].size, shown[RODATA].bytes,
                                 shown[RODATA].size) )
        return fail_memory(context->failure);
    return 0;
}

/* Loads the completed probe, and adds the code that it shows. */
static int add_code(struct module_context *context, const char *probe,
                    struct xen_image *image)
{
    const struct xen_symbol *start = xen_image_find(image, "_stext");
    struct shown shown[LEAVES] = {{0}};
    int status;

    if ( !start )
        return fail(context->failure, STATUS_NO_FACTS,
                    "this hypervisor has no symbol _stext, so its code "
                    "cannot be read; xenoprof does not know this build yet");
    status = load_and_read(context, probe, shown);
    if ( !status )
        status = take_leaves(context, start, shown, image);
    for ( int i = 0; i < LEAVES; i++ )
        free(shown[i].bytes);
    return status;
}

int read_code(struct module_context *context, struct xen_image *image)
{
    char object[512];
    char probe[64] = MODULE_FOLDER "/" FOLDER_PASSING "XXXXXX";
    struct assemble_order order = {
        .object = object, .output = probe, .image = image};
    int file = mkstemp(probe), status;

    /* --check makes no folder, and needs none. */
    if ( file < 0 && errno == ENOENT )
    {
        strcpy(probe, "/tmp/xenoprof" FOLDER_PASSING "XXXXXX");
        file = mkstemp(probe);
    }
    if ( file < 0 )
        return fail(context->failure, STATUS_FAILED, "cannot write %s: %s",
                    probe, strerror(errno));
    close(file);
    context_object(context, "probe", object, sizeof(object));
    status = context_assemble(context, &order, true);
    if ( !status )
        status = add_code(context, probe, image);
    unlink(probe);
    return status;
}

int read_code_clear(struct module_context *context)
{
    int result = payload_unload(context->xc, PROBE_NAME);

    /* A payload of the probe's identity would be refused beside this one. */
    payload_withdraw(context->xc, EMPTY_NAME);
    return result == -ENOENT || payload_is_no_livepatch(result) ? 0 : result;
}
