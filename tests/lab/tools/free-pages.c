/* SPDX-License-Identifier: GPL-2.0-or-later */
/* free-pages: prints how many pages Xen has free; xl shows only megabytes. */
#include <inttypes.h>
#include <stdio.h>

#include <xenctrl.h>

int main(void)
{
    xc_interface *xc = xc_interface_open(NULL, NULL, 0);
    xc_physinfo_t info = {0};

    if ( !xc || xc_physinfo(xc, &info) )
    {
        perror("free-pages: Xen does not say");
        return 1;
    }
    /* Pages that are still to be scrubbed are counted among the free ones. */
    printf("%" PRIu64 "\n", info.free_pages);
    return 0;
}
