/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hypercall-loop SECONDS: does nothing but ask Xen for its version.  Each
 * multicall has many questions, because a PV dom0 enters its kernel through Xen
 * too, which costs more than one question.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <xencall.h>
#include <xen/version.h>
#include <xen/xen.h>

#define BATCH 1000

static int ask(xencall_handle *xen, multicall_entry_t *calls)
{
    for ( int i = 0; i < BATCH; i++ )
        calls[i] = (multicall_entry_t){.op = __HYPERVISOR_xen_version,
                                       .args = {XENVER_version}};
    return xencall2(xen, __HYPERVISOR_multicall, (unsigned long)calls, BATCH);
}

int main(int argc, char **argv)
{
    xencall_handle *xen = xencall_open(NULL, 0);
    multicall_entry_t *calls;
    time_t end;
    unsigned long done = 0;

    calls = xen ? xencall_alloc_buffer(xen, BATCH * sizeof(*calls)) : NULL;
    if ( argc != 2 || !calls )
    {
        fputs("hypercall-loop SECONDS, in dom0\n", stderr);
        return 1;
    }
    end = time(NULL) + atoi(argv[1]);
    for ( ; time(NULL) < end; done += BATCH )
        if ( ask(xen, calls) || (long)calls[BATCH - 1].result < 0 )
        {
            fputs("Xen did not report its version\n", stderr);
            return 1;
        }
    printf("%lu\n", done);
    return 0;
}
