/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code-info.h"

#include <session-attributes.h>
#include <stdio.h>
#include <string.h>

#define IMAGE_KERNEL "kernel"
#define LINUX        "Linux "

/* As much of text as ends before a blank; nothing of it if it is too long. */
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

/* What stands behind "KEY=" in "KEY=VALUE KEY=VALUE"; NULL: it is not there. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    while ( text )
    {
        if ( !strncmp(text, key, length) && text[length] == '=' )
            return text + length + 1;
        text = strchr(text, ' ');
        text += text ? strspn(text, " ") : 0;
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
    /* It becomes part of a path, and is a guest's word. */
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
