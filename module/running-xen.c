/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the running hypervisor what it is and what it has. */
#include "running-xen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenhypfs.h>

#include "base/buffer.h"
#include "base/scope.h"

#define SYMBOLS_FILE "/proc/xen/xensyms"
#define READ_SIZE    (1 << 20)
#define READ_TRIES   16
#define CONSOLE_SIZE 65536

static bool file_has_words(const char *path, const char *words)
{
    char text[256] = "";
    FILE *file SCOPE_FCLOSE = fopen(path, "re");

    if ( !file )
        return false;
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    return strstr(text, words);
}

static int no_devices(struct failure *failure)
{
    return fail(failure, STATUS_FAILED,
                "Xen's devices are missing; run modprobe -a xen-privcmd "
                "xen-evtchn xenfs, and mount -t xenfs xenfs /proc/xen");
}

int running_xen_check(struct failure *failure)
{
    if ( !file_has_words("/sys/hypervisor/type", "xen") )
        return fail(failure, STATUS_NO_XEN,
                    "this machine does not run under Xen; run xenopctl in "
                    "dom0 of a Xen host");
    if ( geteuid() )
        return fail(failure, STATUS_NOT_ROOT,
                    "only root can profile the host; try sudo");
    if ( access("/proc/xen/capabilities", F_OK) )
        return no_devices(failure);
    if ( !file_has_words("/proc/xen/capabilities", "control_d") )
        return fail(failure, STATUS_NO_DOM0,
                    "this is a guest; run xenopctl in dom0, which alone can "
                    "profile the host");
    if ( access("/dev/xen/privcmd", F_OK) && access("/proc/xen/privcmd", F_OK) )
        return no_devices(failure);
    return 0;
}

bool running_xen_build_id(xc_interface *xc, struct build_id *ret)
{
    uint8_t room[sizeof(xen_build_id_t) + XEN_IMAGE_BUILD_ID_MAX] = {0};
    xen_build_id_t *id = (void *)room;
    int size;

    id->len = XEN_IMAGE_BUILD_ID_MAX;
    size = xc_version(xc, XENVER_build_id, id);
    if ( size <= 0 || size > XEN_IMAGE_BUILD_ID_MAX )
        return false;
    memcpy(ret->bytes, id->buf, size);
    ret->size = size;
    return true;
}

void build_id_text(const struct build_id *id,
                   char text[2 * XEN_IMAGE_BUILD_ID_MAX + 1])
{
    text[0] = 0;
    for ( size_t i = 0; i < id->size; i++ )
        sprintf(text + 2 * i, "%02x", id->bytes[i]);
}

char *running_xen_symbols(size_t *size)
{
    FILE *file SCOPE_FCLOSE = fopen(SYMBOLS_FILE, "re");
    struct buffer text = {0};
    size_t got = 0;

    *size = 0;
    if ( !file )
        return NULL;
    do
    {
        text.used += got;
        if ( !buffer_reserve(&text, READ_SIZE + 1) )
        {
            buffer_free(&text);
            return NULL;
        }
        got = fread(text.bytes + text.used, 1, READ_SIZE, file);
    } while ( got );
    text.bytes[text.used] = 0;
    *size = text.used;
    return (char *)text.bytes;
}

int running_xen_has_us(void)
{
    size_t size;
    char *text SCOPE_FREE = running_xen_symbols(&size);

    return text && size ? strstr(text, " core_command\n") != NULL : -1;
}

/* Reads a directory; readers that race make that fail now and then. */
static struct xenhypfs_dirent *read_dir(xenhypfs_handle *hypfs,
                                        const char *path, unsigned int *count)
{
    struct xenhypfs_dirent *entries = NULL;

    for ( unsigned int i = 0; !entries && i < READ_TRIES; i++ )
        entries = xenhypfs_readdir(hypfs, path, count);
    return entries;
}

bool running_xen_has_hypfs(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    struct xenhypfs_dirent *entries SCOPE_FREE = NULL;
    unsigned int count;

    if ( !hypfs )
        return false;
    entries = read_dir(hypfs, "/", &count);
    xenhypfs_close(hypfs);
    return entries;
}

static bool root_has(xenhypfs_handle *hypfs, const char *name)
{
    unsigned int count = 0;
    struct xenhypfs_dirent *entries SCOPE_FREE = read_dir(hypfs, "/", &count);
    bool found = false;

    for ( unsigned int i = 0; entries && i < count; i++ )
        found |= !strcmp(entries[i].name, name);
    return found;
}

/* A read that races may return another directory: any that has name will do. */
bool running_xen_has_door(const char *name)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    bool found = false;

    if ( !hypfs )
        return false;
    for ( unsigned int i = 0; !found && i < READ_TRIES; i++ )
        found = root_has(hypfs, name);
    xenhypfs_close(hypfs);
    return found;
}

/* Returns how Xen schedules the pCPUs of a pool, or NULL if it does not say.  A
 * read that races may return another text. */
static const char *pool_gran(xenhypfs_handle *hypfs, const char *pool)
{
    static const char *const names[] = {"cpu", "core", "socket"};
    char path[64];

    snprintf(path, sizeof(path), "/cpupool/%s/sched-gran", pool);
    for ( unsigned int i = 0; i < READ_TRIES; i++ )
    {
        char *text SCOPE_FREE = xenhypfs_read(hypfs, path);

        for ( unsigned int k = 0; text && k < 3; k++ )
            if ( !strcmp(text, names[k]) )
                return names[k];
    }
    return NULL;
}

const char *running_xen_sched_gran(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    struct xenhypfs_dirent *pools SCOPE_FREE = NULL;
    const char *found = NULL;
    unsigned int count = 0;

    if ( !hypfs )
        return NULL;
    pools = read_dir(hypfs, "/cpupool", &count);
    for ( unsigned int i = 0; pools && i < count && !found; i++ )
    {
        found = pool_gran(hypfs, pools[i].name);
        if ( found && !strcmp(found, "cpu") )
            found = NULL;
    }
    xenhypfs_close(hypfs);
    return found;
}

void running_xen_console_line(xc_interface *xc, const char *words, char *line,
                              size_t size)
{
    unsigned int length = CONSOLE_SIZE - 1;
    char *text SCOPE_FREE = calloc(1, CONSOLE_SIZE);
    char *rest;

    line[0] = 0;
    if ( !text || xc_readconsolering(xc, text, &length, 0, 0, NULL) )
        return;
    text[length < CONSOLE_SIZE ? length : CONSOLE_SIZE - 1] = 0;
    for ( char *one = strtok_r(text, "\n", &rest); one;
          one = strtok_r(NULL, "\n", &rest) )
    {
        char *at = strstr(one, words);

        if ( at )
            snprintf(line, size, "%s", at);
    }
}
