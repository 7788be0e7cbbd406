/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code-search.h"

#include "code-live.h"
#include "report/model/domains.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_ROOM 4096u

static const char *const xen_files[] = {
    "/usr/lib/debug/boot/xen-syms-*",
    "/usr/lib/debug/xen-syms-*",
    "/boot/xen-syms-*",
    "/boot/xen-*.gz",
    NULL,
};

/* Before and behind the kernel's release. */
static const char *const kernel_files[][2] = {
    {"/usr/lib/debug/boot/vmlinux-", ""},
    {"/usr/lib/debug/lib/modules/", "/vmlinux"},
    {"/lib/modules/", "/build/vmlinux"},
    {"/boot/vmlinux-", ""},
    {"/boot/vmlinuz-", ""},
    {NULL, NULL},
};

static bool image_is(const struct loaded *loaded,
                     const struct function *function, const char *what)
{
    const char *image = function_image(loaded, function);
    const char *slash = strrchr(image, '/');

    return !fnmatch(what, image, 0) ||
           !fnmatch(what, slash ? slash + 1 : image, 0);
}

static bool is_meant(const struct loaded *loaded,
                     const struct function *function, const char *what)
{
    return image_is(loaded, function, what) ||
           (function->key.mode == XENOPROF_MODE_KERNEL &&
            image_is(loaded, function, "kernel") &&
            domain_is(loaded, function->key.domain, what));
}

const char *search_given(const struct loaded *loaded, const char *const *texts,
                         const struct function *function)
{
    const char *file = NULL;

    for ( size_t i = 0; texts && texts[i]; i++ )
    {
        const char *colon = strchr(texts[i], ':');
        char *what = strndup(texts[i], (size_t)(colon - texts[i]));

        if ( what && is_meant(loaded, function, what) )
            file = colon + 1;
        free(what);
    }
    return file;
}

static void add(const char *root, const char *pattern, const char *release,
                const char *rest, glob_t *ret)
{
    char path[PATH_ROOM];
    int length = snprintf(path, sizeof(path), "%s%s%s%s", root, pattern,
                          release, rest);

    if ( length < (int)sizeof(path) )
        glob(path, ret->gl_pathv ? GLOB_APPEND : 0, NULL, ret);
}

static void add_kernels(const char *root, const char *release, glob_t *ret)
{
    /* A guest's word is no pattern. */
    if ( !*release || strpbrk(release, "*?[\\") )
        return;
    for ( size_t i = 0; kernel_files[i][0]; i++ )
        add(root, kernel_files[i][0], release, kernel_files[i][1], ret);
}

void search_usual(const char *root, const struct loaded *loaded,
                  const struct function *function,
                  const struct code_info *facts, glob_t *ret)
{
    const char *image = function_image(loaded, function);

    memset(ret, 0, sizeof(*ret));
    if ( function->key.mode == XENOPROF_MODE_XEN && *facts->build_id )
        for ( size_t i = 0; xen_files[i]; i++ )
            add(root, xen_files[i], "", "", ret);
    /* Releases of two guests may be alike, and their builds not. */
    if ( function->key.mode == XENOPROF_MODE_KERNEL &&
         (*facts->boot || *facts->build_id) )
        add_kernels(root, facts->release, ret);
    if ( function->key.mode == XENOPROF_MODE_USER && *image == '/' &&
         !strpbrk(image, "*?[\\") && live_is(root, facts->boot) )
        add(root, image, "", "", ret);
}
