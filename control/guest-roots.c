/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "guest-roots.h"

int guest_roots_add(struct domain_pairs *roots, const char *option,
                    const char *text, struct failure *failure)
{
    const char *colon = strchr(text, ':');

    if ( !colon || colon == text || colon[1] != '/' )
        return fail(failure, STATUS_USAGE,
                    "--%s=%s is not DOM:PATH: give a domain's number or name, "
                    "a colon, and the folder where its file system is mounted, "
                    "whose path begins with '/'",
                    option, text);
    if ( colon - text >= DOMAIN_NAME_MAX || strlen(colon + 1) >= PATH_MAX )
        return fail(failure, STATUS_RANGE, "--%s=%s is too long", option, text);
    return domain_pairs_add(roots, option, text, failure);
}

static int check_folder(const char *text, struct failure *failure)
{
    const char *path = strchr(text, ':') + 1;
    struct stat status, own;

    if ( stat(path, &status) )
        return fail(failure, STATUS_USAGE,
                    "--guest-root=%s: %s cannot be entered: %s", text, path,
                    strerror(errno));
    if ( !S_ISDIR(status.st_mode) )
        return fail(failure, STATUS_USAGE,
                    "--guest-root=%s: %s is not a folder: mount the guest's "
                    "file system, and give where it is",
                    text, path);
    if ( !stat("/", &own) && status.st_dev == own.st_dev &&
         status.st_ino == own.st_ino )
        return fail(failure, STATUS_USAGE,
                    "--guest-root=%s: %s is dom0's own root, not a guest's",
                    text, path);
    return 0;
}

int guest_roots_check_folders(const struct domain_pairs *roots,
                              struct failure *failure)
{
    int status = 0;

    for ( unsigned int i = 0; !status && i < roots->count; i++ )
        status = check_folder(roots->texts[i], failure);
    return status;
}

static int check_domain(const char *text, const struct asked_domains *asked,
                        const struct domain_list *list, struct failure *failure)
{
    char existing[FAILURE_MAX - 400];
    const struct listed_domain *found = NULL;

    for ( size_t i = 0; i < list->count; i++ )
    {
        enum domain_role role = asked_domains_match(asked, &list->items[i]);

        if ( !domain_pair_value(text, &list->items[i]) )
            continue;
        if ( role == ROLE_PASSIVE || role == ROLE_ACTIVE )
            return 0;
        found = &list->items[i];
    }
    if ( found )
        return fail(failure, STATUS_USAGE,
                    "--guest-root=%.200s is for domain %u, which is %s", text,
                    found->id,
                    found->id ? "not profiled: name it in --passive-domains"
                              : "dom0: its files are opagent's to read");
    domain_list_text(list, existing, sizeof(existing));
    return fail(failure, STATUS_NO_DOMAIN,
                "--guest-root=%.200s matches no domain; these exist: %s", text,
                existing);
}

int guest_roots_check_domains(const struct domain_pairs *roots,
                              const struct asked_domains *asked,
                              const struct domain_list *list,
                              struct failure *failure)
{
    int status = 0;

    for ( unsigned int i = 0; !status && i < roots->count; i++ )
        status = check_domain(roots->texts[i], asked, list, failure);
    return status;
}
