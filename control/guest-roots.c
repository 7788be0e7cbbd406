/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static int fail_open(const char *text, int error, struct failure *failure)
{
    const char *path = strchr(text, ':') + 1;

    if ( error == ENOTDIR )
        return fail(failure, STATUS_USAGE,
                    "--guest-root=%s: %s is not a folder: mount the guest's "
                    "file system, and give where it is",
                    text, path);
    if ( error == ELOOP )
        return fail(failure, STATUS_USAGE,
                    "--guest-root=%s: %s has a symbolic link in it: give the "
                    "path that it stands for, if it is in the guest's file "
                    "system",
                    text, path);
    return fail(failure, STATUS_USAGE,
                "--guest-root=%s: %s cannot be entered: %s", text, path,
                strerror(error));
}

static int open_folder(const char *text, int *ret, struct failure *failure)
{
    const char *path = strchr(text, ':') + 1;
    /* The folder may have a guest's file system in its path. */
    const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                 .resolve = RESOLVE_NO_SYMLINKS};
    struct stat status, own;

    *ret = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
    if ( *ret < 0 )
        return fail_open(text, errno, failure);
    if ( !fstat(*ret, &status) && !stat("/", &own) &&
         (status.st_dev != own.st_dev || status.st_ino != own.st_ino) )
        return 0;
    close(*ret);
    return fail(failure, STATUS_USAGE,
                "--guest-root=%s: %s is dom0's own root, not a guest's", text,
                path);
}

int guest_roots_open(const struct domain_pairs *roots, struct root_folders *ret,
                     struct failure *failure)
{
    for ( *ret = (struct root_folders){0}; ret->count < roots->count;
          ret->count++ )
        if ( open_folder(roots->texts[ret->count], &ret->fds[ret->count],
                         failure) )
        {
            root_folders_close(ret);
            return failure->status;
        }
    return 0;
}

int root_folders_find(const struct root_folders *folders,
                      const struct domain_pairs *roots,
                      const struct listed_domain *domain)
{
    for ( unsigned int i = 0; i < roots->count && i < folders->count; i++ )
        if ( domain_pair_value(roots->texts[i], domain) )
            return folders->fds[i];
    return -1;
}

void root_folders_close(struct root_folders *folders)
{
    while ( folders->count )
        close(folders->fds[--folders->count]);
}

static int check_root_domain(const char *text,
                             const struct asked_domains *asked,
                             const struct domain_list *list,
                             struct failure *failure)
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
        status = check_root_domain(roots->texts[i], asked, list, failure);
    return status;
}
