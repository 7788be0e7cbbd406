/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints on stderr how many TSC ticks a program keeps a domain paused, without
 * the time that the two calls themselves take.  bench/sample-gaps.sh loads it
 * before libxenctrl (LD_PRELOAD).
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

int xc_domain_pause(void *xch, uint32_t domain);
int xc_domain_unpause(void *xch, uint32_t domain);

static uint64_t paused;

static int pass_on(const char *name, void *xch, uint32_t domain)
{
    int (*call)(void *, uint32_t);

    *(void **)&call = dlsym(RTLD_NEXT, name);
    if ( !call )
        abort();
    return call(xch, domain);
}

int xc_domain_pause(void *xch, uint32_t domain)
{
    int ret = pass_on("xc_domain_pause", xch, domain);

    paused = __rdtsc();
    return ret;
}

int xc_domain_unpause(void *xch, uint32_t domain)
{
    uint64_t now = __rdtsc();
    int ret = pass_on("xc_domain_unpause", xch, domain);

    fprintf(stderr, "paused %lu\n", (unsigned long)(now - paused));
    return ret;
}
