/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hypercall-loop SECONDS: asks Xen for its version, and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <xenctrl.h>
#include <xen/version.h>

#define BATCH 1000

int main(int argc, char **argv)
{
    xc_interface *xen = xc_interface_open(NULL, NULL, 0);
    time_t end = time(NULL) + (argc == 2 ? atoi(argv[1]) : 0);
    unsigned long calls = 0;

    if ( argc != 2 || !xen )
    {
        fputs(xen ? "hypercall-loop SECONDS\n" : "cannot reach Xen\n", stderr);
        return 1;
    }
    while ( time(NULL) < end )
        for ( int i = 0; i < BATCH; i++, calls++ )
            if ( xc_version(xen, XENVER_version, NULL) < 0 )
            {
                fputs("Xen does not tell its version\n", stderr);
                return 1;
            }
    printf("%lu\n", calls);
    return 0;
}
