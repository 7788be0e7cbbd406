/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the same samples in the form of one of several profilers, which
 * bench/goals.sh compares.
 *
 *   peers session|perf|pprof FILE SAMPLES
 *   peers kallsyms FILE            the names that perf finds by address
 *
 * Three domains on two pCPUs, all at work, with the stacks of
 * bench/growing-model.h.
 */
#include "bench/peer-forms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session/session-attributes.h"

#define BEGIN     100000000000ull /* ns */
#define PER_BLOCK 2000u /* samples; as xenoprofd, one block a second */

const char *const peers_domains[PEERS_DOMAINS] = {"Domain-0", "web", "db"};

static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static uint64_t now = BEGIN;

void peers_die(const char *path, const char *what)
{
    fprintf(stderr, "peers: %s: %s\n", path, what ? what : strerror(errno));
    exit(1);
}

static void done(enum xenoprof_status code)
{
    if ( code )
        peers_die("session", xenoprof_message(handle));
}

static void begin_session(const char *path)
{
    handle = xenoprof_open();
    done(xenoprof_writer_create(handle, path, &writer));
    xenoprof_writer_time_unit(writer, 1000); /* ns; as xenoprofd does */
    for ( uint16_t i = 0; i < PEERS_DOMAINS; i++ )
        done(xenoprof_writer_domain(
            writer, BEGIN, i, (uint8_t[16]){(uint8_t)(i + 1)}, peers_domains[i],
            i ? SESSION_KIND_PASSIVE : SESSION_KIND_DOM0));
}

static void store(const struct xenoprof_stored *sample,
                  const struct growing_stack *stack)
{
    static unsigned int in_block;
    uint32_t places[2 * GROWING_DEPTH];

    for ( size_t i = 0; i < stack->count; i++ )
        places[stack->count - 1 - i] = growing_place(
            handle, writer, sample->domain, &stack->frames[i]);
    done(xenoprof_writer_sample(writer, sample, places, stack->count));
    if ( ++in_block % PER_BLOCK == 0 )
        done(xenoprof_writer_flush(writer));
}

static void end_session(void)
{
    done(xenoprof_writer_close(writer, now));
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
}

static const struct peers_form session = {"session", begin_session, store,
                                          end_session};

static void make_samples(const struct peers_form *form, const char *path,
                         uint64_t count)
{
    form->begin(path);
    for ( uint64_t i = 0; i < count; i++ )
    {
        struct growing_stack stack;
        struct xenoprof_stored sample = {
            .time = now,
            .period = PEERS_PERIOD,
            .domain = (uint16_t)growing_draw(PEERS_DOMAINS),
            .pcpu = (uint16_t)(i % PEERS_PCPUS),
            .mode = growing_draw_mode(),
            .weight = 1,
        };

        growing_draw_stack(sample.mode, &stack);
        form->sample(&sample, &stack);
        now += PEERS_PERIOD / PEERS_PCPUS;
    }
    form->end();
}

/* As /proc/kallsyms has them, with Xen's beside the kernel's. */
static void make_kallsyms(const char *path)
{
    static const uint8_t modes[] = {XENOPROF_MODE_XEN, XENOPROF_MODE_KERNEL};
    FILE *file = fopen(path, "w");
    char name[GROWING_NAME];

    if ( !file )
        peers_die(path, NULL);
    fprintf(file, "%016llx T %s\n", PEERS_KERNEL_BEGIN, PEERS_KERNEL_SYMBOL);
    for ( size_t mode = 0; mode < sizeof(modes); mode++ )
        for ( uint16_t i = 0; i < GROWING_FUNCTIONS; i++ )
        {
            struct growing_frame frame = growing_function(modes[mode], i);

            growing_name(&frame, name);
            fprintf(file, "%016llx T %s\n", (unsigned long long)frame.start,
                    name);
        }
    if ( fclose(file) )
        peers_die(path, NULL);
}

int main(int argc, char **argv)
{
    const struct peers_form *const forms[] = {&session, &peers_perf,
                                              &peers_pprof};
    char *end = "";
    uint64_t count = argc == 4 ? strtoull(argv[3], &end, 10) : 0;

    if ( argc == 3 && !strcmp(argv[1], "kallsyms") )
    {
        make_kallsyms(argv[2]);
        return 0;
    }
    for ( size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++ )
        if ( count && !*end && !strcmp(argv[1], forms[i]->name) )
        {
            make_samples(forms[i], argv[2], count);
            return 0;
        }
    fprintf(stderr, "usage: peers session|perf|pprof FILE SAMPLES\n"
                    "       peers kallsyms FILE\n");
    return 2;
}
