/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what a session says of its code, and lists files that may have it. */
#include "code-search.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "running.h"
#include "libxenoprof/session/session-attributes.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_ROOM    4096u
#define IMAGE_KERNEL "kernel"
#define LINUX        "Linux "

static const char *const xen_files[] = {
    "/usr/lib/debug/boot/xen-syms-*",
    "/usr/lib/debug/xen-syms-*",
    "/boot/xen-syms-*",
    "/boot/xen-*.gz",
    NULL,
};

/* What stands before and after the kernel's release. */
static const char *const kernel_files[][2] = {
    {"/usr/lib/debug/boot/vmlinux-", ""},
    {"/usr/lib/debug/lib/modules/", "/vmlinux"},
    {"/lib/modules/", "/build/vmlinux"},
    {"/boot/vmlinux-", ""},
    {"/boot/vmlinuz-", ""},
    {NULL, NULL},
};

/* Copy text up to the first blank; "" if that is too long. */
static void copy_word(char ret[CODE_INFO_MAX], const char *text)
{
    size_t length = text ? strcspn(text, " ") : 0;

    *ret = '\0';
    if ( length && length < CODE_INFO_MAX && strncmp(text, "-", length) )
    {
        memcpy(ret, text, length);
        ret[length] = '\0';
    }
}

/* Returns what follows "KEY=" in "KEY=VALUE KEY=VALUE", or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    while ( text )
    {
        if ( !strncmp(text, key, length) && text[length] == '=' )
            return text + length + 1;
        text = strchr(text, ' ');
        if ( text )
            text += strspn(text, " ");
    }
    return NULL;
}

static void kernel_info(const struct loaded *loaded,
                        const struct loaded_domain *domain,
                        struct code_info *ret)
{
    const char *dom0 = loaded_attribute(loaded, SESSION_ATTRIBUTE_KERNEL),
               *attribute;
    char key[sizeof(SESSION_ATTRIBUTE_GUEST_KERNEL) + 16];

    snprintf(key, sizeof(key), SESSION_ATTRIBUTE_GUEST_KERNEL "%u",
             domain->key.number);
    attribute = loaded_attribute(loaded, key);
    copy_word(ret->build_id, value_of(attribute, "build-id"));
    copy_word(ret->release, value_of(attribute, "release"));
    if ( !domain->key.number && !*ret->release && dom0 &&
         !strncmp(dom0, LINUX, strlen(LINUX)) )
        copy_word(ret->release, dom0 + strlen(LINUX));
    /* A guest chose it, and it becomes part of a path. */
    if ( strchr(ret->release, '/') )
        *ret->release = '\0';
}

void code_info(const struct loaded *loaded, const struct function *function,
               struct code_info *ret)
{
    const struct loaded_domain *domain = loaded_domain(loaded,
                                                       function->key.domain);
    const char *boot = loaded_attribute(loaded, SESSION_ATTRIBUTE_BOOT);

    *ret = (struct code_info){.boot = ""};
    if ( function->key.mode == XENOPROF_MODE_XEN )
    {
        copy_word(ret->build_id,
                  loaded_attribute(loaded, SESSION_ATTRIBUTE_BUILD_ID));
        return;
    }
    if ( !domain->key.number && !domain->key.other && boot )
        ret->boot = boot;
    if ( function->key.mode == XENOPROF_MODE_KERNEL &&
         !strcmp(function_image(loaded, function), IMAGE_KERNEL) )
        kernel_info(loaded, domain, ret);
}

static bool image_is(const struct loaded *loaded,
                     const struct function *function, const char *what)
{
    const char *image = function_image(loaded, function);
    const char *slash = strrchr(image, '/');

    return !fnmatch(what, image, 0) ||
           !fnmatch(what, slash ? slash + 1 : image, 0);
}

/* Whether any of the domains is meant whose samples count as that one's. */
static bool runs_in(const struct loaded *loaded, const struct hits *hits,
                    uint32_t domain, const char *what)
{
    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
        if ( hits->homes[i].domain == domain && domain_is(loaded, i, what) )
            return true;
    return false;
}

static bool is_meant_image(const struct loaded *loaded, const struct hits *hits,
                           const struct function *function, const char *what)
{
    return image_is(loaded, function, what) ||
           (function->key.mode == XENOPROF_MODE_KERNEL &&
            image_is(loaded, function, IMAGE_KERNEL) &&
            runs_in(loaded, hits, function->key.domain, what));
}

const char *search_given(const struct loaded *loaded, const struct hits *hits,
                         const char *const *texts,
                         const struct function *function)
{
    const char *file = NULL;

    for ( size_t i = 0; texts && texts[i]; i++ )
    {
        const char *colon = strchr(texts[i], ':');
        char *what SCOPE_FREE = must(
            strndup(texts[i], (size_t)(colon - texts[i])));

        if ( is_meant_image(loaded, hits, function, what) )
            file = colon + 1;
    }
    return file;
}

static void add_paths(const char *root, const char *pattern,
                      const char *release, const char *rest, glob_t *ret)
{
    char path[PATH_ROOM];
    int length = snprintf(path, sizeof(path), "%s%s%s%s", root, pattern,
                          release, rest);

    if ( length < (int)sizeof(path) )
        glob(path, ret->gl_pathv ? GLOB_APPEND : 0, NULL, ret);
}

void search_usual(const char *root, const struct loaded *loaded,
                  const struct function *function, const struct code_info *info,
                  glob_t *ret)
{
    const char *image = function_image(loaded, function);

    memset(ret, 0, sizeof(*ret));
    if ( function->key.mode == XENOPROF_MODE_XEN && *info->build_id )
        for ( size_t i = 0; xen_files[i]; i++ )
            add_paths(root, xen_files[i], "", "", ret);
    /* Two guests may have equal releases and different builds; and a guest's
     * release must not act as a pattern. */
    if ( function->key.mode == XENOPROF_MODE_KERNEL &&
         (*info->boot || *info->build_id) && *info->release &&
         !strpbrk(info->release, "*?[\\") )
        for ( size_t i = 0; kernel_files[i][0]; i++ )
            add_paths(root, kernel_files[i][0], info->release,
                      kernel_files[i][1], ret);
    if ( function->key.mode == XENOPROF_MODE_USER && *image == '/' &&
         !strpbrk(image, "*?[\\") && running_is(root, info->boot) )
        add_paths(root, image, "", "", ret);
}
