/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests' kernels in a session: searched, named, lost, banned. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/guests/guests.h"
#include "daemon/parser/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/privileges.h"
#include "daemon/sample-stack.h"
#include "control/session-folders.h"
#include "tests/harness.h"
#include "guest-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define KERNEL 0xffffffff81000000ul
#define SECOND 1000000000ull
#define FRAME  40u /* of the kernel's first page */

static struct guest_kit kit;
static struct keeper keeper;
static struct process_maker maker;
static struct guests *guests;
static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static char dir[64];
static uint64_t now;

static void begin(char letter)
{
    struct failure failure;
    char folder[80];

    signal(SIGPIPE, SIG_IGN);
    guest_kit_begin(&kit);
    kit.frames[FRAME][0] = (uint8_t)letter;
    if ( keeper_start(&keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
    kit.xen.maker = &maker;
    guests = guests_open(&kit.xen);
    handle = xenoprof_open();
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(guests && handle && mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_writer_create(handle, folder, &writer), XENOPROF_OK);
    now = SECOND;
}

static void end(void)
{
    struct failure failure;

    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    keeper_stop(&keeper);
    CHECK_EQ(session_delete(dir, "s", &failure), 0);
    CHECK_EQ(rmdir(dir), 0);
}

struct small_window {
    struct xenoprof_window head;
    uint64_t words[4];
};

static struct xenoprof_registers registers;
static struct small_window window;

/* A sample at ip with a stack of one caller; caller 0: none. */
static struct guest_sample sample_at(uint64_t ip, uint64_t caller)
{
    static uint8_t uuid[16];

    memset(uuid, 2, sizeof(uuid));
    registers = (struct xenoprof_registers){.rsp = 0x1000, .cr3 = 0x1000};
    registers.cr3 = guest_kit_map(&kit, KERNEL, FRAME);
    window = (struct small_window){{0x1000, 16, 0}, {caller}};
    now += SECOND;
    return (struct guest_sample){
        .time = now,
        .domain = 2,
        .uuid = uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .ip = ip,
        .registers = &registers,
        .windows = {caller ? &window.head : NULL},
    };
}

/* Asks for a stack, and waits for what comes. */
static void ask(const struct guest_sample *sample)
{
    CHECK(guests_ask(guests, sample, true));
    do
        CHECK_EQ(guests_exchange(guests, writer, true, SECOND), XENOPROF_OK);
    while ( guests_wait_for(guests, sample) == GUEST_ASKED );
}

static enum guest_state take(struct guest_sample *sample,
                             struct guest_chain *chain)
{
    static uint64_t tag;

    sample->tag = ++tag;
    CHECK_EQ(guests_look(guests, writer, sample), XENOPROF_OK);
    for ( int i = 0; guests_is_searched(guests, sample->domain, sample->uuid);
          i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(guests, writer, SECOND / 10), XENOPROF_OK);
    }
    ask(sample);
    CHECK_EQ(guests_chain(guests, writer, sample, chain), XENOPROF_OK);
    CHECK(chain->count > 0);
    /* Names that were not asked for with a stack. */
    CHECK_EQ(guests_exchange(guests, writer, true, SECOND), XENOPROF_OK);
    return guests_find(guests, sample)->state;
}

static const char *fact(void)
{
    const char *text = xenoprof_writer_past_attribute(writer, "guest_kernel_2");

    return text ? text : "";
}

/* The symbol of a place, as the session has it in the end; "" if it has none.
 */
static void check_symbol(uint32_t number, const char *image, const char *symbol)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    struct xenoprof_stored stored = {.place = number, .weight = 1};
    char folder[80], last_image[64] = "-", last_symbol[64] = "-";

    CHECK_EQ(xenoprof_writer_sample(writer, &stored), XENOPROF_OK);
    CHECK_EQ(xenoprof_writer_flush(writer), XENOPROF_OK);
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_session_open(handle, folder, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        if ( item.kind == XENOPROF_ITEM_PLACE && item.u.place.number == number )
        {
            const struct xenoprof_place *place = &item.u.place.place;

            snprintf(last_image, sizeof(last_image), "%s", place->image);
            snprintf(last_symbol, sizeof(last_symbol), "%s",
                     place->symbol ? place->symbol : "");
        }
    xenoprof_session_close(session);
    CHECK_TEXT(last_image, image);
    CHECK_TEXT(last_symbol, symbol);
}

TEST(guests_names_a_chain)
{
    struct guest_sample sample;
    struct guest_chain chain, again;

    begin('K');
    sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    check_symbol(chain.places[0], "kernel", "function_2");
    /* Behind its call the next function begins. */
    check_symbol(chain.places[1], "kernel", "function_4");
    CHECK(strstr(fact(), "release=6.1.0-stub"));
    CHECK(strstr(fact(), "base=0xffffffff81000000"));
    CHECK(strstr(fact(), "found=memory orc-layout=- frame-pointers=no"));
    /* Of 6.1, as the stub says. */
    CHECK(strncmp(kit.command, "link id=2 at=", 13) == 0);
    take(&sample, &again);
    CHECK_EQ(again.places[0], chain.places[0]);
    CHECK_EQ(again.places[1], chain.places[1]);
    end();
}

static void wait_for_modules(void)
{
    for ( int i = 0; guests->searches; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(guests, writer, SECOND / 10), XENOPROF_OK);
    }
}

TEST(guests_looks_for_new_modules)
{
    const uint64_t ip = KERNEL + 0x100020;
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    sample = sample_at(KERNEL + 5, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    /* The module's code is mapped too, or it could not run. */
    kit.frames[FRAME + 1][0] = 1;
    sample = sample_at(ip, 0);
    guest_kit_map(&kit, ip, FRAME + 1);
    take(&sample, &chain);
    check_symbol(chain.places[0], "kernel", "");
    wait_for_modules();
    take(&sample, &chain);
    check_symbol(chain.places[0], "driver", "function_4096");
    CHECK(strstr(fact(), "modules=1"));
    end();
}

/* Another kernel in the same domain: it is looked for, and has its own
 * names. */
TEST(guests_that_start_another_kernel)
{
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    kit.frames[FRAME][0] = 'N';
    sample = sample_at(KERNEL + 0x100020, 0);
    guest_kit_map(&kit, sample.ip, FRAME + 1);
    take(&sample, &chain);
    wait_for_modules();
    CHECK_EQ(guests_find(guests, &sample)->state, GUEST_NEW);
    CHECK(strstr(fact(), "another kernel"));
    now += 10 * SECOND;
    sample = sample_at(KERNEL + 0x310, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    check_symbol(chain.places[0], "kernel", "function_3");
    CHECK(strstr(fact(), "release="));
    end();
}

TEST(guests_looks_again_for_modules)
{
    const uint64_t ip = KERNEL + 0x100020;
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    sample = sample_at(KERNEL + 5, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    sample = sample_at(ip, 0);
    guest_kit_map(&kit, ip, FRAME + 1);
    kit.missing[FRAME] = true;
    take(&sample, &chain);
    wait_for_modules();
    check_symbol(chain.places[0], "kernel", "");
    kit.missing[FRAME] = false;
    sample = sample_at(ip, 0);
    sample.time = now += 10 * SECOND;
    guest_kit_map(&kit, ip, FRAME + 1);
    take(&sample, &chain);
    wait_for_modules();
    take(&sample, &chain);
    check_symbol(chain.places[0], "driver", "function_4096");
    end();
}

/* From 2 s on, each time twice as long, up to the same as for dom0. */
TEST(guests_are_looked_at_ever_more_seldom)
{
    struct guest_sample sample;
    struct guest_chain chain;
    uint64_t pause = 0;

    begin('K');
    sample = sample_at(KERNEL + 5, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    for ( int i = 0; i < 12; i++ )
    {
        struct guest *guest = guests_find(guests, &sample);

        now += 1000 * SECOND;
        sample = sample_at(KERNEL + 0x200020, 0);
        guest_kit_map(&kit, sample.ip, FRAME + 1);
        address_table_clear(&guest->places[1]);
        take(&sample, &chain);
        CHECK(guest->search.link && guest->search.modules);
        wait_for_modules();
        pause = guest->next_look - now;
        CHECK_EQ(pause, i < 9 ? SECOND << (i + 1) : 640 * SECOND);
    }
    end();
}

TEST(guests_without_a_kernel_keep_addresses)
{
    struct guest_sample sample;
    struct guest_chain chain;

    begin('x');
    sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&sample, &chain), GUEST_STRANGE);
    /* Links were set at once, so that its first stacks are whole. */
    CHECK_TEXT(kit.command, "link id=2 at=8,16");
    check_symbol(chain.places[0], "kernel", "");
    CHECK(strstr(fact(), "none: "));
    /* Nothing shows that the code has frame pointers, so none are followed. */
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_KERNEL);
    /* Not again at once, but later. */
    kit.reads = 0;
    sample.time++;
    take(&sample, &chain);
    CHECK_EQ(kit.reads, 0);
    kit.frames[FRAME][0] = 'K';
    now += 10 * SECOND;
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    check_symbol(chain.places[0], "kernel", "function_2");
    end();
}

TEST(guests_without_a_kernel_but_with_frame_pointers)
{
    struct guest_sample sample;
    struct guest_chain chain;

    begin('f');
    /* A call ends at its caller. */
    kit.frames[FRAME][0x500 - 5] = 0xe8;
    sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&sample, &chain), GUEST_STRANGE);
    CHECK_EQ(chain.count, 2);
    CHECK(strstr(fact(), "frame pointers"));
    end();
}

/* Each end has its cause; a window that was not filled ends with a page. */
TEST(guests_chains_say_why_they_end)
{
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    sample = sample_at(KERNEL + 0x210, 0x1234);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_WINDOW);
    window.head.length = 0;
    take(&sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    window.head.length = 16;
    window.head.address = 0x1ff0;
    take(&sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_PAGE);
    sample.windows[0] = NULL;
    take(&sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_PAGE);
    sample.registers = NULL;
    take(&sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_GUEST);
    sample.mode = XENOPROF_MODE_USER;
    take(&sample, &chain);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    end();
}

TEST(guests_whose_memory_cannot_be_read)
{
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    kit.missing[1] = true;
    for ( int i = 0; i < 20; i++ )
    {
        sample = sample_at(KERNEL + 0x210, 0);
        now += 1000 * SECOND;
        CHECK_EQ(take(&sample, &chain), GUEST_STRANGE);
    }
    CHECK(strstr(fact(), "cannot be read"));
    kit.missing[1] = false;
    /* It was tried often enough. */
    CHECK_EQ(take(&sample, &chain), GUEST_STRANGE);
    end();
}

static void die_at_once(const struct process_order *order, int socket)
{
    (void)order;
    (void)socket;
    raise(SIGSYS);
}

static void restart_keeper(process_act act)
{
    struct failure failure;

    keeper_stop(&keeper);
    if ( keeper_start(&keeper, NULL, act, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
}

/* As a libc does whose system calls the filter does not know. */
TEST(guests_whose_searches_cannot_begin)
{
    struct guest_sample sample;
    struct guest_chain chain;

    begin('K');
    restart_keeper(die_at_once);
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_NEW);
    CHECK(!guests_cannot_begin(guests));
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_NEW);
    CHECK(guests_cannot_begin(guests));
    restart_keeper(process_run);
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK(!guests_cannot_begin(guests));
    end();
}

TEST(guests_that_kill_twice_are_banned)
{
    const struct domain_list nobody = {0};
    struct guest_sample sample;
    struct guest_chain chain;

    begin('C');
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_NEW);
    now += 100 * SECOND;
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_BANNED);
    CHECK(strstr(fact(), "none: "));
    CHECK_EQ(chain.count, 1);
    kit.frames[FRAME][0] = 'K';
    now += 1000 * SECOND;
    sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&sample, &chain), GUEST_BANNED);
    CHECK_EQ(chain.count, 1);
    check_symbol(chain.places[0], "kernel", "");
    /* A reboot clears nothing. */
    guests_keep(guests, &nobody);
    guests_keep(guests, &nobody);
    sample.domain = 3;
    CHECK_EQ(guests_find(guests, &sample)->state, GUEST_BANNED);
    end();
}

/* Asks for what store is to find. */
static void ask_for(struct stack_sources *sources,
                    const struct xenoprof_view *view, const uint8_t *uuid)
{
    static uint64_t tag = 1ul << 60;

    sources->tag = ++tag;
    CHECK(sample_stack_ask(sources, view, uuid, true));
    CHECK_EQ(guests_exchange(guests, writer, true, SECOND), XENOPROF_OK);
}

/* Stack of a sample there, with or without its window. */
static uint32_t stack_of(struct stack_last *last, uint64_t ip, uint8_t mode,
                         uint32_t marks)
{
    struct stack_sources sources = {.guests = guests, .below_xen = true};
    struct guest_sample at = sample_at(ip, KERNEL + 0x500);
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
        sample_stack_store(&sources, writer, &view, at.uuid, last, &stored),
        XENOPROF_OK);
    return stored.stack;
}

TEST(guests_whose_stack_is_the_last_one)
{
    struct stack_last last = {0};
    struct guest_sample sample;
    struct guest_chain chain;
    uint32_t stack;

    begin('K');
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
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
    end();
}

/* Xen at work for a guest, with these marks; its place does not matter. */
static enum xenoprof_ended ended_in_xen(uint32_t marks, bool guest_there)
{
    struct places places = {.xen = &kit.xen, .handle = handle};
    struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};
    struct guest_sample at = sample_at(KERNEL + 0x210, KERNEL + 0x500);
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

    window.head.length = 8;
    places_reset(&places);
    ask_for(&sources, &view, at.uuid);
    CHECK_EQ(
        sample_stack_store(&sources, writer, &view, at.uuid, &last, &stored),
        XENOPROF_OK);
    table_free(&places.xen_made);
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

    begin('K');
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(ended_in_xen(0, true), XENOPROF_ENDED_ROOT);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_TRUNCATED, true), XENOPROF_ENDED_XEN);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_SWITCHED, false), XENOPROF_ENDED_GUEST);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_UNKNOWN, false), XENOPROF_ENDED_GUEST);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_MOVED, false), XENOPROF_ENDED_MOVED);
    CHECK_EQ(ended_in_xen(XENOPROF_MARK_FOREIGN, false), XENOPROF_ENDED_ROOT);
    end();
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

    begin('K');
    guests->name_dom0 = name_once;
    guests->namer = name;
    sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    sample.domain = 0;
    sample.uuid = dom0;
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    check_symbol(chain.places[0], "kernel", "dom0_210");
    check_symbol(chain.places[1], "kernel", "dom0_4ff");
    end();
}

TEST(guests_with_a_file)
{
    struct kernel_files files = {0};
    struct guest_sample sample;
    struct guest_chain chain;
    struct failure failure;
    char path[80], text[100];
    FILE *file;

    begin('x');
    snprintf(path, sizeof(path), "%s/kernel", dir);
    snprintf(text, sizeof(text), "2:%s", path);
    CHECK_EQ(kernel_files_add(&files, text, &failure), 0);
    guests->files = &files;
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_STRANGE);
    CHECK(strstr(fact(), "cannot be read: No such file"));
    file = fopen(path, "w");
    CHECK(file && fclose(file) == 0);
    now += 10 * SECOND;
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_STRANGE);
    CHECK(strstr(fact(), "cannot be read: it is empty"));
    file = fopen(path, "w");
    CHECK(file && fputs("Kernel", file) > 0 && fclose(file) == 0);
    now += 10 * SECOND;
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK(strstr(fact(), "bytes-read=6"));
    CHECK_EQ(unlink(path), 0);
    kernel_files_free(&files);
    end();
}

/* Each is looked for beside the others, a few at a time. */
TEST(guests_that_are_new_together)
{
    uint8_t uuids[SEARCHES_MAX + 1][16] = {{0}};
    struct guest_sample samples[SEARCHES_MAX + 1];

    begin('P');
    for ( uint16_t i = 0; i <= SEARCHES_MAX; i++ )
    {
        memset(uuids[i], 40 + i, 16);
        samples[i] = sample_at(KERNEL + 0x210, 0);
        samples[i].domain = 40 + i;
        samples[i].uuid = uuids[i];
        CHECK_EQ(guests_look(guests, writer, &samples[i]), XENOPROF_OK);
        CHECK(guests_is_searched(guests, 40 + i, uuids[i]));
    }
    CHECK_EQ(guests->searches, SEARCHES_MAX);
    for ( int i = 0; guests->searches; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(guests, writer, SECOND / 10), XENOPROF_OK);
        CHECK_EQ(guests_look(guests, writer, &samples[SEARCHES_MAX]),
                 XENOPROF_OK);
    }
    for ( uint16_t i = 0; i <= SEARCHES_MAX; i++ )
        CHECK_EQ(guests_find(guests, &samples[i])->state, GUEST_KNOWN);
    end();
}

/* A kernel that takes its process with it is between the two of them: nobody
 * else loses a stack, or is blamed. */
TEST(guests_are_not_blamed_for_others)
{
    static const uint8_t other[16] = {3};
    struct guest_sample good, bad;
    struct guest_chain chain;

    begin('K');
    good = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&good, &chain), GUEST_KNOWN);
    kit.frames[FRAME][0] = 'C';
    bad = good;
    bad.domain = 3;
    bad.uuid = other;
    for ( int i = 0; i < 20 && guests_find(guests, &bad)->state != GUEST_BANNED;
          i++ )
    {
        bad.time = now += 100 * SECOND;
        CHECK_EQ(guests_look(guests, writer, &bad), XENOPROF_OK);
        /* While the bad one's search crashes. */
        good = sample_at(KERNEL + 0x210, KERNEL + 0x500);
        CHECK_EQ(take(&good, &chain), GUEST_KNOWN);
        CHECK_EQ(chain.count, 2);
        for ( int j = 0; guests->searches; j++ )
        {
            CHECK(j < 300);
            CHECK_EQ(guests_work(guests, writer, SECOND / 10), XENOPROF_OK);
        }
    }
    CHECK_EQ(guests_find(guests, &bad)->state, GUEST_BANNED);
    CHECK_EQ(guests_find(guests, &good)->state, GUEST_KNOWN);
    CHECK_EQ(guests_account(guests, guests_find(guests, &good))->strikes, 0);
    end();
}

/* A search that never ends takes nothing from the others. */
TEST(guests_beside_one_that_never_ends)
{
    static const uint8_t other[16] = {3};
    struct guest_sample good, bad;
    struct guest_chain chain;

    begin('L');
    bad = sample_at(KERNEL + 0x210, 0);
    bad.domain = 3;
    bad.uuid = other;
    CHECK_EQ(guests_look(guests, writer, &bad), XENOPROF_OK);
    for ( unsigned int reads = kit.reads; reads == kit.reads; )
        CHECK_EQ(guests_work(guests, writer, SECOND / 10), XENOPROF_OK);
    kit.frames[FRAME][0] = 'K';
    good = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&good, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    check_symbol(chain.places[0], "kernel", "function_2");
    CHECK(guests_is_searched(guests, 3, other));
    end();
}

/* Who used up his time has addresses, until he may work again. */
TEST(guests_that_used_their_time)
{
    struct guest_sample sample;
    struct guest_account *account;
    struct guest_chain chain;

    begin('K');
    sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    account = guests_account(guests, guests_find(guests, &sample));
    account->cpu = GUEST_CPU_FREE + SECOND;
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 1);
    account->since -= 30 * SECOND;
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    end();
}

/* All that the daemon does for searches and walkers is allowed to it. */
TEST(guests_behind_the_daemons_filter)
{
    struct guest_sample sample;
    struct guest_chain chain;
    struct failure failure;
    int status;
    pid_t pid;

    begin('K');
    pid = fork();
    if ( pid == 0 )
    {
        sample = sample_at(KERNEL + 0x210, KERNEL + 0x500);
        if ( privileges_filter(&failure) )
            _exit(2);
        take(&sample, &chain);
        /* Not _exit(): before that, sanitizers make a call of their own. */
        syscall(SYS_exit_group,
                take(&sample, &chain) != GUEST_KNOWN || chain.count != 2);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    end();
}

TEST(guests_that_are_gone_are_forgotten)
{
    struct guest_sample sample;
    struct guest_chain chain;
    struct domain_list nobody = {0};

    begin('K');
    sample = sample_at(KERNEL + 0x210, 0);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    guests_keep(guests, &nobody);
    CHECK_EQ(guests_find(guests, &sample)->state, GUEST_KNOWN);
    guests_keep(guests, &nobody);
    CHECK_EQ(guests_find(guests, &sample)->state, GUEST_NEW);
    CHECK_EQ(take(&sample, &chain), GUEST_KNOWN);
    end();
}

TEST(guests_more_than_there_is_room_for)
{
    struct guest_sample sample;
    struct guest_chain chain;
    uint8_t uuid[16] = {0};

    begin('K');
    for ( unsigned int i = 0; i < GUESTS_MAX + 10; i++ )
    {
        sample = sample_at(KERNEL + 0x210, 0);
        sample.registers = NULL;
        sample.uuid = uuid;
        memcpy(uuid, &i, sizeof(i));
        CHECK_EQ(guests_look(guests, writer, &sample), XENOPROF_OK);
        CHECK_EQ(guests_chain(guests, writer, &sample, &chain), XENOPROF_OK);
        CHECK_EQ(chain.count, 1);
    }
    end();
}
