/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu-time ID...: prints in one line how many nanoseconds each domain ran, as
 * Xen accounts them; xl shows only tenths of a second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <xenctrl.h>

int main(int argc, char **argv)
{
    xc_interface *xc = xc_interface_open(NULL, NULL, 0);

    for ( int i = 1; i < argc; i++ )
    {
        uint32_t id = atoi(argv[i]);
        xc_domaininfo_t info;

        if ( !xc || xc_domain_getinfolist(xc, id, 1, &info) != 1 ||
             info.domain != id )
        {
            fprintf(stderr, "cpu-time: there is no domain %s\n", argv[i]);
            return 1;
        }
        printf("%" PRIu64 "%c", info.cpu_time, i + 1 < argc ? ' ' : '\n');
    }
    return 0;
}
