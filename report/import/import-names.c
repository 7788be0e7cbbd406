/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import-names.h"

#include "base/must.h"

#include <libxenoprof.h>
#include <string.h>

char *import_image(const char *file, uint8_t *mode)
{
    static const char *const of_processes[] = {
        "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon]", "[uprobes]"};
    const size_t length = strlen(file);

    for ( size_t i = 0; i < sizeof(of_processes) / sizeof(of_processes[0]);
          i++ )
        if ( !strcmp(file, of_processes[i]) )
            *mode = XENOPROF_MODE_USER;
    if ( *mode == XENOPROF_MODE_USER || length < 3 || file[0] != '[' ||
         file[length - 1] != ']' )
    {
        *mode = XENOPROF_MODE_USER;
        return must(strdup(file));
    }
    *mode = strcmp(file, "[xen]") ? XENOPROF_MODE_KERNEL : XENOPROF_MODE_XEN;
    if ( !strncmp(file, "[kernel.", strlen("[kernel.")) )
        return must(strdup("kernel"));
    return must(strndup(file + 1, length - 2));
}

bool import_is_mark(const char *name)
{
    return !strcmp(name, "[truncated]") || !strncmp(name, "[guest ", 7);
}
