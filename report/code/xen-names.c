/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xen-names.h"

#include <libxenoprof.h>

#include <stdio.h>
#include <string.h>

#define PATH_ROOM  4096u
#define LINE_ROOM  256u
#define CODE_BEGIN (XEN_BOOT_SHIFT + 0x200000)

static bool runs_here(const char *root, const char *build_id)
{
    char path[PATH_ROOM], line[LINE_ROOM] = "";
    FILE *file;

    snprintf(path, sizeof(path), "%s/sys/hypervisor/properties/buildid", root);
    file = fopen(path, "re");
    if ( !file )
        return false;
    if ( fgets(line, sizeof(line), file) )
        line[strcspn(line, "\n")] = '\0';
    fclose(file);
    return *line && !strcmp(line, build_id);
}

/* Each ends where the next one begins. */
static bool add_all(const struct xenoprof_symbols *names,
                    struct code_symbols *ret)
{
    uint64_t address = CODE_BEGIN;
    struct xenoprof_symbol name;

    while ( xenoprof_symbols_find(names, address, &name) && name.size &&
            name.start + name.size > address )
    {
        const struct code_symbol symbol = {
            .address = name.start - XEN_BOOT_SHIFT,
            .size = name.size,
            .name = name.name,
        };

        if ( !code_symbols_add(ret, &symbol) )
            return false;
        address = name.start + name.size;
    }
    return true;
}

bool xen_names(const char *root, const char *build_id, struct code_symbols *ret)
{
    struct xenoprof_symbols *names = NULL;
    struct xenoprof_handle *handle;
    char path[PATH_ROOM];
    bool done = true;

    memset(ret, 0, sizeof(*ret));
    if ( !runs_here(root, build_id) )
        return true;
    snprintf(path, sizeof(path), "%s/proc/xen/xensyms", root);
    handle = xenoprof_open();
    if ( handle && !xenoprof_symbols_file(handle, path, &names) )
        done = add_all(names, ret);
    xenoprof_symbols_close(names);
    xenoprof_close(handle);
    return handle && done;
}
