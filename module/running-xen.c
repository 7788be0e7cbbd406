/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "running-xen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenhypfs.h>

#define SYMBOLS_FILE "/proc/xen/xensyms"
#define PROBE_TEXT   "/xenoprof-probe/text"
#define PROBE_RODATA "/xenoprof-probe/rodata"
#define READ_TRIES   16
#define CONSOLE_SIZE 65536

static bool file_has(const char *path, const char *words)
{
    char text[256] = "";
    FILE *file = fopen(path, "re");

    if ( !file )
        return false;
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    return strstr(text, words);
}

enum xen_lack running_xen_look(void)
{
    if ( !file_has("/sys/hypervisor/type", "xen") )
        return XEN_NONE;
    if ( geteuid() )
        return XEN_NOT_ROOT;
    if ( access("/proc/xen/capabilities", F_OK) )
        return XEN_NO_PRIVCMD;
    if ( !file_has("/proc/xen/capabilities", "control_d") )
        return XEN_NOT_DOM0;
    if ( access("/dev/xen/privcmd", F_OK) && access("/proc/xen/privcmd", F_OK) )
        return XEN_NO_PRIVCMD;
    return XEN_FINE;
}

const char *xen_lack_text(enum xen_lack lack)
{
    switch ( lack )
    {
    case XEN_NONE:
        return "this machine does not run under Xen; run xenopctl in dom0 of "
               "a Xen host";
    case XEN_NOT_DOM0:
        return "this is a guest; only dom0 can profile the host: run xenopctl "
               "there";
    case XEN_NOT_ROOT: return "only root can profile the host; try sudo";
    case XEN_NO_PRIVCMD:
        return "Xen's devices are not here; modprobe xen-privcmd xen-evtchn "
               "xenfs, and mount -t xenfs xenfs /proc/xen";
    case XEN_NO_BUILD_ID:
        return "the hypervisor has no build-id, so nothing can be put "
               "together for it; rebuild it with one";
    default: return "";
    }
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
    FILE *file = fopen(SYMBOLS_FILE, "re");
    size_t room = 1 << 20, used = 0, got;
    char *text = file ? malloc(room) : NULL, *more;

    while ( text && (got = fread(text + used, 1, room - used - 1, file)) )
    {
        used += got;
        if ( room - used > 4096 )
            continue;
        room *= 2;
        more = realloc(text, room);
        if ( !more )
            free(text);
        text = more;
    }
    if ( file )
        fclose(file);
    if ( text )
        text[used] = 0;
    *size = text ? used : 0;
    return text;
}

static int read_once(xenhypfs_handle *hypfs, const char *path, uint8_t **ret,
                     size_t *size)
{
    struct xenhypfs_dirent *entry = NULL;
    void *bytes = xenhypfs_read_raw(hypfs, path, &entry);

    *ret = bytes;
    if ( !bytes )
        return -errno;
    *size = entry->size;
    free(entry);
    return 0;
}

static int read_twice(xenhypfs_handle *hypfs, const char *path, uint8_t **ret,
                      size_t *size)
{
    uint8_t *before = NULL;
    size_t before_size = 0;
    int result = -EIO;

    for ( unsigned int i = 0; i < READ_TRIES; i++ )
    {
        bool same;

        result = read_once(hypfs, path, ret, size);
        if ( result )
            continue;
        same = before && before_size == *size && !memcmp(before, *ret, *size);
        free(before);
        if ( same )
            return 0;
        before = *ret;
        before_size = *size;
        result = -EIO;
    }
    free(before);
    *ret = NULL;
    return result;
}

int running_xen_read_code(uint8_t **text, size_t *text_size, uint8_t **rodata,
                          size_t *rodata_size)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    int result;

    *text = *rodata = NULL;
    if ( !hypfs )
        return -errno;
    result = read_twice(hypfs, PROBE_TEXT, text, text_size);
    if ( !result )
        result = read_twice(hypfs, PROBE_RODATA, rodata, rodata_size);
    xenhypfs_close(hypfs);
    return result;
}

/* A directory's entries; racing readers make it fail now and then. */
static struct xenhypfs_dirent *read_root(xenhypfs_handle *hypfs,
                                         unsigned int *count)
{
    struct xenhypfs_dirent *entries = NULL;

    for ( unsigned int i = 0; !entries && i < READ_TRIES; i++ )
        entries = xenhypfs_readdir(hypfs, "/", count);
    return entries;
}

bool running_xen_has_hypfs(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    unsigned int count;
    struct xenhypfs_dirent *entries = hypfs ? read_root(hypfs, &count) : NULL;
    bool found = entries;

    if ( hypfs )
        xenhypfs_close(hypfs);
    free(entries);
    return found;
}

static bool root_has(xenhypfs_handle *hypfs, const char *name)
{
    unsigned int count = 0;
    struct xenhypfs_dirent *entries = read_root(hypfs, &count);
    bool found = false;

    for ( unsigned int i = 0; entries && i < count; i++ )
        found |= !strcmp(entries[i].name, name);
    free(entries);
    return found;
}

/* A racing read may be another directory's: one that has it is enough. */
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

static void last_line_with(char *text, const char *words, char *ret,
                           size_t size)
{
    char *rest;

    for ( char *line = strtok_r(text, "\n", &rest); line;
          line = strtok_r(NULL, "\n", &rest) )
    {
        char *at = strstr(line, words);

        if ( at )
            snprintf(ret, size, "%s", at);
    }
}

void running_xen_console_line(xc_interface *xc, const char *words, char *line,
                              size_t size)
{
    unsigned int length = CONSOLE_SIZE - 1;
    char *text = calloc(1, CONSOLE_SIZE);

    line[0] = 0;
    if ( text && !xc_readconsolering(xc, text, &length, 0, 0, NULL) )
    {
        text[length < CONSOLE_SIZE ? length : CONSOLE_SIZE - 1] = 0;
        last_line_with(text, words, line, size);
    }
    free(text);
}
