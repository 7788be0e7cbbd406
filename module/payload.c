/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wraps Xen's livepatch calls: waits for the end, and tries again. */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "control/xen-access.h"

#define TRIES        20
#define POLL_NS      2000000
#define POLLS        2500       /* 5 s: far more than Xen's own timeout */
#define PAYLOAD_SIZE (2u << 20) /* LIVEPATCH_MAX_SIZE in Xen */

int payload_read(const char *path, unsigned char **ret, size_t *size)
{
    int file SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    int result = 0;

    *ret = NULL;
    if ( file < 0 )
        return -errno;
    if ( fstat(file, &info) )
        result = -errno;
    else if ( info.st_size <= 0 || info.st_size > PAYLOAD_SIZE )
        result = -EFBIG;
    else if ( !(*ret = malloc(info.st_size)) )
        result = -ENOMEM;
    else if ( read(file, *ret, info.st_size) != info.st_size )
        result = -EIO;
    *size = result ? 0 : info.st_size;
    return result;
}

int payload_upload(xc_interface *xc, const char *name, const char *path)
{
    unsigned char *bytes SCOPE_FREE = NULL;
    size_t size;
    int result = payload_read(path, &bytes, &size);

    if ( !result )
    {
        errno = 0;
        result = libxc_result(xc_livepatch_upload(
            xc, (char *)name, bytes, size XC_LIVEPATCH_UPLOAD_MORE));
    }
    return result;
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

/* Xen works in the background, without an event at the end. */
static int wait_done(xc_interface *xc, const char *name,
                     xen_livepatch_status_t *ret)
{
    for ( unsigned int i = 0; i < POLLS; i++ )
    {
        int result;

        errno = 0;
        result = libxc_result(xc_livepatch_get(xc, (char *)name, ret));
        if ( result )
            return result;
        if ( ret->rc != -EAGAIN )
            return ret->rc;
        pause_a_little();
    }
    return -ETIMEDOUT;
}

typedef int action(xc_interface *xc, char *name, uint32_t timeout,
                   uint32_t flags);

static int act(xc_interface *xc, const char *name, action *action,
               uint32_t flags, uint32_t wanted)
{
    xen_livepatch_status_t status = {0};
    int result = -EBUSY;

    for ( unsigned int i = 0; i < TRIES; i++ )
    {
        errno = 0;
        result = libxc_result(action(xc, (char *)name, 0, flags));
        if ( !result )
            result = wait_done(xc, name, &status);
        if ( result != -EBUSY && result != -EAGAIN )
            break;
        pause_a_little();
    }
    if ( !result && status.state != wanted )
        result = -EIO;
    return result;
}

int payload_withdraw(xc_interface *xc, const char *name)
{
    errno = 0;
    return libxc_result(xc_livepatch_unload(xc, (char *)name, 0, 0));
}

int payload_load(xc_interface *xc, const char *name, const char *path,
                 bool any_order)
{
    uint32_t flags = any_order ? LIVEPATCH_ACTION_APPLY_NODEPS : 0;
    int result = payload_upload(xc, name, path);

    if ( result )
        return result;
    result = act(xc, name, xc_livepatch_apply, flags, LIVEPATCH_STATE_APPLIED);
    if ( result )
        payload_withdraw(xc, name);
    return result;
}

int payload_unload(xc_interface *xc, const char *name)
{
    int state = payload_state(xc, name), result = 0;

    if ( state < 0 )
        return state;
    if ( state == LIVEPATCH_STATE_APPLIED )
        result = act(xc, name, xc_livepatch_revert, 0, LIVEPATCH_STATE_CHECKED);
    return result ? result : payload_withdraw(xc, name);
}

bool payload_is_no_livepatch(int result)
{
    return result == -ENOSYS || result == -EOPNOTSUPP;
}

int payload_state(xc_interface *xc, const char *name)
{
    xen_livepatch_status_t status = {0};
    int result;

    errno = 0;
    result = libxc_result(xc_livepatch_get(xc, (char *)name, &status));
    return result ? result : (int)status.state;
}

bool payload_others_applied(xc_interface *xc, const char *name)
{
    struct payload_entry *list SCOPE_FREE = NULL;
    size_t count;
    bool found = false;

    if ( payload_list(xc, &list, &count) )
        return false;
    for ( size_t i = 0; i < count; i++ )
        found |= list[i].applied && strcmp(list[i].name, name);
    return found;
}
