/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of Xen's heap a session takes, by the number of pCPUs and profiled
 * vCPUs: the core on the process port, with xenoprofd's own settings.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hypervisor/core.h"
#include "control/start-options.h"
#include "tests/host/host.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define VCPUS_OF_A_DOMAIN 8u
#define MIB               (1024.0 * 1024.0)

static void command(const char *format, ...)
{
    char line[XENOPROF_COMMAND_MAX];
    va_list arguments;
    int error;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    do
        error = core_command(line);
    while ( error == -ERROR_AGAIN );
    if ( error )
    {
        fprintf(stderr, "xen-heap: refused: %s\n", line);
        exit(1);
    }
}

static void add_domains(unsigned int vcpus)
{
    for ( unsigned int id = 1; vcpus; id++ )
    {
        unsigned int more = vcpus < VCPUS_OF_A_DOMAIN ? vcpus
                                                      : VCPUS_OF_A_DOMAIN;

        command("domain id=%u vcpus=%u uuid=%032x kind=passive", id, more, id);
        vcpus -= more;
    }
}

static double session_mib(unsigned int pcpus, unsigned int vcpus,
                          unsigned int pages)
{
    struct start_options options;
    struct kit_table table = kit_table_make(1);
    const struct process_host *host = process_host();
    double mib;

    start_options_init(&options);
    process_reset(pcpus);
    process_host()->unwind_table = table.head;
    process_host()->unwind_size = table.head->size;
    command("reserve sampler=nmi frequency=%u mask=%u pages=%u queue=0 lease=0 "
            "budget=0 window=%u user-window=0",
            options.frequency, start_options_parts(&options), pages,
            start_options_window(&options, pages));
    add_domains(vcpus);
    mib = (host->bytes + host->shared * XENOPROF_PAGE_SIZE) / MIB;
    command("reset");
    start_options_free(&options);
    return mib;
}

int main(void)
{
    static const unsigned int pcpus[] = {4, 16, 64, 256};
    static const unsigned int vcpus[] = {16, 100, 1000, 4000};
    struct start_options options;
    double most[2] = {0, 0}; /* of usual hosts, and of large ones */

    start_options_init(&options);
    printf("%8s %8s %12s %14s\n", "pCPUs", "vCPUs", "ring, KiB",
           "Xen heap, MiB");
    for ( unsigned int i = 0; i < sizeof(pcpus) / sizeof(*pcpus); i++ )
        for ( unsigned int j = 0; j < sizeof(vcpus) / sizeof(*vcpus); j++ )
        {
            unsigned int pages = start_options_ring_pages(
                &options, pcpus[i] + vcpus[j], pcpus[i]);
            double mib = session_mib(pcpus[i], vcpus[j], pages);
            bool large;

            printf("%8u %8u %12u %14.1f\n", pcpus[i], vcpus[j], pages * 4, mib);
            large = pcpus[i] >= XENOPROF_LARGE_HOST;
            most[large] = mib > most[large] ? mib : most[large];
        }
    start_options_free(&options);
    printf("\nmost: %.1f MiB, from %u pCPUs on %.1f; rings alone are at most "
           "%u and %u\n",
           most[0], XENOPROF_LARGE_HOST, most[1], XENOPROF_RING_CEILING >> 20,
           XENOPROF_RING_CEILING_LARGE >> 20);
    return most[0] > 96 || most[1] > 300;
}
