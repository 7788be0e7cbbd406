/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests' kernels in a session: searched, named, lost. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/sample-stack.h"
#include "tests/harness.h"
#include "control/kernel-files.h"
#include "guests-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

static struct guests_kit kit;

TEST(guests_names_a_chain)
{
    struct guest_sample sample;
    struct guest_chain chain, again;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "function_2");
    /* Behind its call the next function begins. */
    guests_kit_check_symbol(&kit, chain.places[1], "kernel", "function_4");
    CHECK(strstr(guests_kit_fact(&kit), "release=6.1.0-stub"));
    CHECK(strstr(guests_kit_fact(&kit), "base=0xffffffff81000000"));
    CHECK(strstr(guests_kit_fact(&kit),
                 "found=memory orc-layout=- frame-pointers=no"));
    /* Of 6.1, as the stub says. */
    CHECK_TEXT(kit.host.command, "link id=2 at=8,16 user=16");
    guests_kit_take(&kit, &sample, &again);
    CHECK_EQ(again.places[0], chain.places[0]);
    CHECK_EQ(again.places[1], chain.places[1]);
    guests_kit_end(&kit);
}

TEST(guests_looks_for_new_modules)
{
    const uint64_t ip = KERNEL + 0x100020;
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 5, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    /* The module's code is mapped too, or it could not run. */
    kit.host.frames[FRAME + 1][0] = 1;
    sample = guests_kit_sample(&kit, ip, 0);
    guest_kit_map(&kit.host, ip, FRAME + 1);
    guests_kit_take(&kit, &sample, &chain);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "");
    guests_kit_search(&kit);
    guests_kit_take(&kit, &sample, &chain);
    guests_kit_check_symbol(&kit, chain.places[0], "driver", "function_4096");
    CHECK(strstr(guests_kit_fact(&kit), "modules=1"));
    guests_kit_end(&kit);
}

/* Another kernel in the same domain: it is looked for, and has its own
 * names. */
TEST(guests_that_start_another_kernel)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    kit.host.frames[FRAME][0] = 'N';
    sample = guests_kit_sample(&kit, KERNEL + 0x100020, 0);
    guest_kit_map(&kit.host, sample.ip, FRAME + 1);
    guests_kit_take(&kit, &sample, &chain);
    guests_kit_search(&kit);
    CHECK_EQ(guests_find(kit.guests, &sample)->state, GUEST_NEW);
    CHECK(strstr(guests_kit_fact(&kit), "another kernel"));
    kit.now += 10 * SECOND;
    sample = guests_kit_sample(&kit, KERNEL + 0x310, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "function_3");
    CHECK(strstr(guests_kit_fact(&kit), "release="));
    guests_kit_end(&kit);
}

TEST(guests_looks_again_for_modules)
{
    const uint64_t ip = KERNEL + 0x100020;
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 5, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    sample = guests_kit_sample(&kit, ip, 0);
    guest_kit_map(&kit.host, ip, FRAME + 1);
    kit.host.missing[FRAME] = true;
    guests_kit_take(&kit, &sample, &chain);
    guests_kit_search(&kit);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "");
    kit.host.missing[FRAME] = false;
    sample = guests_kit_sample(&kit, ip, 0);
    sample.time = kit.now += 10 * SECOND;
    guest_kit_map(&kit.host, ip, FRAME + 1);
    guests_kit_take(&kit, &sample, &chain);
    guests_kit_search(&kit);
    guests_kit_take(&kit, &sample, &chain);
    guests_kit_check_symbol(&kit, chain.places[0], "driver", "function_4096");
    guests_kit_end(&kit);
}

/* From 2 s on, each time twice as long, up to the same as for dom0. */
TEST(guests_are_looked_at_ever_more_seldom)
{
    struct guest_sample sample;
    struct guest_chain chain;
    uint64_t pause = 0;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 5, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    for ( int i = 0; i < 12; i++ )
    {
        struct guest *guest = guests_find(kit.guests, &sample);

        kit.now += 1000 * SECOND;
        sample = guests_kit_sample(&kit, KERNEL + 0x200020, 0);
        guest_kit_map(&kit.host, sample.ip, FRAME + 1);
        address_table_clear(&guest->places[1]);
        guests_kit_take(&kit, &sample, &chain);
        CHECK(guest->search.link && guest->search.modules);
        guests_kit_search(&kit);
        pause = guest->next_look - kit.now;
        CHECK_EQ(pause, i < 9 ? SECOND << (i + 1) : 640 * SECOND);
    }
    guests_kit_end(&kit);
}

TEST(guests_without_a_kernel_keep_addresses)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'x');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "");
    CHECK(strstr(guests_kit_fact(&kit), "none: "));
    /* Nothing shows that the code has frame pointers, so none are followed. */
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_KERNEL);
    /* Not again at once, but later. */
    kit.host.reads = 0;
    sample.time++;
    guests_kit_take(&kit, &sample, &chain);
    CHECK_EQ(kit.host.reads, 0);
    kit.host.frames[FRAME][0] = 'K';
    kit.now += 10 * SECOND;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "function_2");
    guests_kit_end(&kit);
}

TEST(guests_without_a_kernel_but_with_frame_pointers)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'f');
    /* A call ends at its caller. */
    kit.host.frames[FRAME][0x500 - 5] = 0xe8;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    CHECK_EQ(chain.count, 2);
    CHECK(strstr(guests_kit_fact(&kit), "frame pointers"));
    guests_kit_end(&kit);
}

/* Each end has its cause; a window that was not filled ends with a page. */
TEST(guests_chains_say_why_they_end)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0x1234);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_WINDOW);
    kit.window.head.length = 0;
    guests_kit_take(&kit, &sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    kit.window.head.length = 16;
    kit.window.head.address = 0x1ff0;
    guests_kit_take(&kit, &sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_PAGE);
    sample.windows[0] = NULL;
    guests_kit_take(&kit, &sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_PAGE);
    sample.registers = NULL;
    guests_kit_take(&kit, &sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_GUEST);
    sample.mode = XENOPROF_MODE_USER;
    guests_kit_take(&kit, &sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    guests_kit_end(&kit);
}

/* Asks for what store is to find. */
static void ask_for(struct stack_sources *sources,
                    const struct xenoprof_view *view, const uint8_t *uuid)
{
    static uint64_t tag = 1ul << 60;

    sources->tag = ++tag;
    CHECK(sample_stack_ask(sources, view, uuid));
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND),
             XENOPROF_OK);
}

/* Stack of a sample there, with or without its window. */
static uint32_t stack_of(struct stack_last *last, uint64_t ip, uint8_t mode,
                         uint32_t marks)
{
    struct stack_sources sources = {.guests = kit.guests, .below_xen = true};
    struct guest_sample at = guests_kit_sample(&kit, ip, KERNEL + 0x500);
    const struct xenoprof_sample sample = {
        .time = at.time, .ip = ip, .domain = 2, .mode = mode, .marks = marks};
    const struct xenoprof_view view = {
        .sample = &sample,
        .registers = at.registers,
        .window = marks || mode == XENOPROF_MODE_USER ? NULL : at.windows[0],
    };
    struct xenoprof_stored stored = {.marks = marks};

    ask_for(&sources, &view, at.uuid);
    CHECK_EQ(
        sample_stack_store(&sources, kit.writer, &view, at.uuid, last, &stored),
        XENOPROF_OK);
    return stored.stack;
}

TEST(guests_whose_stack_is_the_last_one)
{
    struct stack_last last = {0};
    struct guest_sample sample;
    struct guest_chain chain;
    uint32_t stack;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    /* There was none yet. */
    CHECK_EQ(stack_of(&last, KERNEL + 0x210, XENOPROF_MODE_KERNEL,
                      XENOPROF_MARK_SAME_STACK),
             0);
    stack = stack_of(&last, KERNEL + 0x210, XENOPROF_MODE_KERNEL, 0);
    CHECK(stack);
    /* A sample without a stack lies between them. */
    CHECK_EQ(stack_of(&last, 0x1234, XENOPROF_MODE_USER, 0), 0);
    CHECK_EQ(stack_of(&last, KERNEL + 0x210, XENOPROF_MODE_KERNEL,
                      XENOPROF_MARK_SAME_STACK),
             stack);
    CHECK_EQ(stack_of(&last, KERNEL + 0x310, XENOPROF_MODE_KERNEL,
                      XENOPROF_MARK_SAME_STACK),
             0);
    guests_kit_end(&kit);
}

/* Xen at work for a guest, with these marks; its place does not matter. */
static enum xenoprof_ended ended_in_xen(uint32_t marks, bool guest_there)
{
    struct places places = {.xen = &kit.host.xen, .handle = kit.handle};
    struct stack_sources sources = {
        .places = &places, .guests = kit.guests, .below_xen = true};
    struct guest_sample at = guests_kit_sample(&kit, KERNEL + 0x210,
                                               KERNEL + 0x500);
    const struct xenoprof_guest there = {.ip = at.ip,
                                         .mode = XENOPROF_MODE_KERNEL};
    const struct xenoprof_sample sample = {.time = at.time,
                                           .ip = 0xffff82d040200000ul,
                                           .domain = 2,
                                           .mode = XENOPROF_MODE_XEN,
                                           .marks = marks};
    const struct xenoprof_view view = {
        .sample = &sample,
        .guest = guest_there ? &there : NULL,
        .registers = guest_there ? at.registers : NULL,
        .window = guest_there ? at.windows[0] : NULL,
    };
    struct xenoprof_stored stored = {.marks = marks, .mode = XENOPROF_MODE_XEN};
    struct stack_last last = {0};

    kit.window.head.length = 8;
    places_reset(&places);
    ask_for(&sources, &view, at.uuid);
    CHECK_EQ(sample_stack_store(&sources, kit.writer, &view, at.uuid, &last,
                                &stored),
             XENOPROF_OK);
    places_close(&places);
    /* Nothing is stored below a gap. */
    CHECK_EQ(stored.stack != 0,
             guest_there && !(marks & XENOPROF_MARK_TRUNCATED));
    CHECK_EQ(stored.marks & XENOPROF_MARK_TRUNCATED,
             marks & XENOPROF_MARK_TRUNCATED);
    return xenoprof_stored_ended(&stored);
}

TEST(guests_below_xen_say_why_they_lack)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(ended_in_xen(0, true), XENOPROF_ENDED_ROOT);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_TRUNCATED, true), XENOPROF_ENDED_XEN);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_SWITCHED, false), XENOPROF_ENDED_LEFT);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_UNKNOWN, false), XENOPROF_ENDED_GUEST);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_MOVED, false), XENOPROF_ENDED_MOVED);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_FOREIGN, false), XENOPROF_ENDED_ROOT);
    guests_kit_end(&kit);
}

/* As after a reload of the symbols: what was found before is gone. */
static bool name_once(void *self, const struct xenoprof_sample *at,
                      struct xenoprof_symbol *ret)
{
    char *name = self;

    snprintf(name, 64, "dom0_%llx", (unsigned long long)at->ip & 0xffff);
    *ret = (struct xenoprof_symbol){.name = name, .start = at->ip};
    return true;
}

TEST(guests_dom0_has_its_own_names)
{
    static const uint8_t dom0[16];
    struct guest_sample sample;
    struct guest_chain chain;
    char name[64];

    guests_kit_begin(&kit, 'K');
    kit.guests->name_dom0 = name_once;
    kit.guests->namer = name;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    sample.domain = 0;
    sample.uuid = dom0;
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "dom0_210");
    guests_kit_check_symbol(&kit, chain.places[1], "kernel", "dom0_4ff");
    guests_kit_end(&kit);
}

TEST(guests_with_a_file)
{
    struct domain_pairs files = {0};
    struct guest_sample sample;
    struct guest_chain chain;
    struct failure failure;
    char path[80], text[100];
    FILE *file;

    guests_kit_begin(&kit, 'x');
    snprintf(path, sizeof(path), "%s/kernel", kit.dir);
    snprintf(text, sizeof(text), "2:%s", path);
    CHECK_EQ(kernel_files_add(&files, "guest-kernel", text, &failure), 0);
    kit.guests->files = &files;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    CHECK(strstr(guests_kit_fact(&kit), "cannot be read: No such file"));
    file = fopen(path, "w");
    CHECK(file && fclose(file) == 0);
    kit.now += 10 * SECOND;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    CHECK(strstr(guests_kit_fact(&kit), "cannot be read: it is empty"));
    file = fopen(path, "w");
    CHECK(file && fputs("Kernel", file) > 0 && fclose(file) == 0);
    kit.now += 10 * SECOND;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK(strstr(guests_kit_fact(&kit), "bytes-read=6"));
    CHECK_EQ(unlink(path), 0);
    domain_pairs_free(&files);
    guests_kit_end(&kit);
}

TEST(guests_that_are_gone_are_forgotten)
{
    struct guest_sample sample;
    struct guest_chain chain;
    struct domain_list nobody = {0};

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    /* However often others come or go: its last samples still have names. */
    for ( int i = 0; i < 20; i++ )
        guests_keep(kit.guests, &nobody);
    CHECK_EQ(guests_find(kit.guests, &sample)->state, GUEST_KNOWN);
    kit.guests->grace = 0;
    guests_keep(kit.guests, &nobody);
    CHECK_EQ(guests_find(kit.guests, &sample)->state, GUEST_NEW);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    guests_kit_end(&kit);
}

/* Its last samples may be read when another has its number. */
TEST(guests_that_are_gone_leave_the_kernel_of_the_next)
{
    struct guest_sample sample;
    struct guest_chain chain;
    uint8_t gone[16] = {77};

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    sample.time += 3 * SECOND;
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK(strstr(guests_kit_fact(&kit), "release="));
    sample.uuid = gone;
    sample.time -= 2 * SECOND;
    CHECK_EQ(guests_look(kit.guests, kit.writer, &sample), XENOPROF_OK);
    CHECK_EQ(guests_find(kit.guests, &sample)->state, GUEST_STRANGE);
    CHECK(strstr(guests_kit_fact(&kit), "release="));
    /* What is said of whoever had samples last. */
    sample.time += 3 * SECOND;
    CHECK_EQ(guests_look(kit.guests, kit.writer, &sample), XENOPROF_OK);
    CHECK(strstr(guests_kit_fact(&kit), "another guest has"));
    guests_kit_end(&kit);
}

/* Returns how many samples of new code fit into one batch; count 0: asks for
 * their stacks, else takes as many. */
static uint64_t many_samples(struct guest_sample *sample, uint64_t count)
{
    static struct {
        struct xenoprof_window head;
        uint64_t words[768];
    } stack;
    struct guest_chain chain;
    uint64_t i;

    stack.head = (struct xenoprof_window){0x1000, sizeof(stack.words), 0};
    sample->windows[0] = &stack.head;
    for ( i = 0; !count || i < count; i++ )
    {
        sample->tag = 1000 + i;
        for ( uint64_t j = 0; j < 40; j++ )
            stack.words[j] = KERNEL + 0x1000 + 0x10 * (40 * i + j);
        if ( !count && !guests_ask(kit.guests, sample) )
            break;
        if ( !count )
            continue;
        CHECK_EQ(guests_chain(kit.guests, kit.writer, sample, &chain),
                 XENOPROF_OK);
        CHECK(chain.count > 40);
    }
    return i;
}

/* So many new addresses at once that there is no room for all their names: none
 * is left without one. */
TEST(guests_names_that_were_missed_come_later)
{
    struct guest_sample sample;
    struct guest_chain chain;
    uint64_t address, count;
    uint32_t at = 0;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    count = many_samples(&sample, 0);
    CHECK(count > 100);
    for ( int round = 0; round < 10; round++ )
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND),
                 XENOPROF_OK);
    many_samples(&sample, count);
    CHECK(!xenoprof_writer_unnamed(kit.writer, 2, XENOPROF_MODE_KERNEL, &at,
                                   &address));
    guests_kit_end(&kit);
}
