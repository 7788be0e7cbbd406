/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "daemon/parser/process-run.h"
#include "tests/harness.h"
#include "guests-kit.h"

static void start_keeper(struct guests_kit *kit, process_act act)
{
    struct failure failure;

    if ( keeper_start(&kit->keeper, NULL, act, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
}

void guests_kit_restart(struct guests_kit *kit, process_act act)
{
    keeper_stop(&kit->keeper);
    start_keeper(kit, act);
}

void guests_kit_begin(struct guests_kit *kit, char letter)
{
    char folder[80];

    signal(SIGPIPE, SIG_IGN);
    guest_kit_begin(&kit->host);
    kit->host.frames[FRAME][0] = (uint8_t)letter;
    start_keeper(kit, process_run);
    kit->maker = keeper_maker(&kit->keeper);
    kit->host.xen.maker = &kit->maker;
    kit->guests = guests_open(&kit->host.xen);
    kit->handle = xenoprof_open();
    strcpy(kit->dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(kit->guests && kit->handle && mkdtemp(kit->dir));
    snprintf(folder, sizeof(folder), "%s/s", kit->dir);
    CHECK_EQ(xenoprof_writer_create(kit->handle, folder, &kit->writer),
             XENOPROF_OK);
    kit->now = SECOND;
}

void guests_kit_end(struct guests_kit *kit)
{
    struct failure failure;

    guests_close(kit->guests);
    xenoprof_writer_destroy(kit->writer);
    xenoprof_close(kit->handle);
    keeper_stop(&kit->keeper);
    CHECK_EQ(session_delete(kit->dir, "s", &failure), 0);
    CHECK_EQ(rmdir(kit->dir), 0);
}

struct guest_sample guests_kit_sample(struct guests_kit *kit, uint64_t ip,
                                      uint64_t caller)
{
    static uint8_t uuid[16];

    memset(uuid, 2, sizeof(uuid));
    kit->registers = (struct xenoprof_registers){
        .rsp = 0x1000, .cr3 = guest_kit_map(&kit->host, KERNEL, FRAME)};
    kit->window.head = (struct xenoprof_window){0x1000, 16, 0};
    memset(kit->window.words, 0, sizeof(kit->window.words));
    kit->window.words[0] = caller;
    kit->now += SECOND;
    return (struct guest_sample){
        .time = kit->now,
        .domain = 2,
        .uuid = uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .ip = ip,
        .registers = &kit->registers,
        .windows = {caller ? &kit->window.head : NULL},
    };
}

struct user_names *guests_kit_dom0(struct guests_kit *kit)
{
    static const uint8_t uuid[16] = {0};
    const struct guest_sample sample = {.uuid = uuid};

    return guests_find(kit->guests, &sample)->user;
}

void guests_kit_search(struct guests_kit *kit)
{
    for ( int i = 0; kit->guests->searches; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(kit->guests, kit->writer, SECOND / 10),
                 XENOPROF_OK);
    }
}

static void exchange(struct guests_kit *kit)
{
    CHECK_EQ(guests_exchange(kit->guests, kit->writer, true, SECOND),
             XENOPROF_OK);
}

enum guest_state guests_kit_take(struct guests_kit *kit,
                                 struct guest_sample *sample,
                                 struct guest_chain *chain)
{
    static uint64_t tag;

    sample->tag = ++tag;
    CHECK_EQ(guests_look(kit->guests, kit->writer, sample), XENOPROF_OK);
    for ( int i = 0;
          guests_is_searched(kit->guests, sample->domain, sample->uuid); i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(kit->guests, kit->writer, SECOND / 10),
                 XENOPROF_OK);
    }
    CHECK(guests_ask(kit->guests, sample));
    do
        exchange(kit);
    while ( guests_wait_for(kit->guests, sample) == GUEST_ASKED );
    CHECK_EQ(guests_chain(kit->guests, kit->writer, sample, chain),
             XENOPROF_OK);
    CHECK(chain->count > 0);
    /* Names that were not asked for with a stack. */
    exchange(kit);
    return guests_find(kit->guests, sample)->state;
}

const char *guests_kit_fact(const struct guests_kit *kit)
{
    const char *text = xenoprof_writer_past_attribute(kit->writer,
                                                      "guest_kernel_2");

    return text ? text : "";
}

#define KIT_PCPU 4711u /* of samples that only ask for a name */

/* Image and symbol of the last such sample's place, each of 64 bytes; "-" if
 * there is none. */
static void find_symbol(struct guests_kit *kit, char *image, char *symbol)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t last = 0;
    char folder[80];

    snprintf(folder, sizeof(folder), "%s/s", kit->dir);
    /* Its number is known before what it says: read it twice. */
    for ( unsigned int turn = 0; turn < 2; turn++ )
    {
        CHECK_EQ(xenoprof_session_open(kit->handle, folder, &session),
                 XENOPROF_OK);
        strcpy(image, "-");
        strcpy(symbol, "-");
        while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
            if ( !turn && item.kind == XENOPROF_ITEM_SAMPLE &&
                 item.u.sample.pcpu == KIT_PCPU )
                last = item.u.sample.place;
            else if ( item.kind == XENOPROF_ITEM_PLACE &&
                      item.u.place.number == last )
            {
                const struct xenoprof_place *place = &item.u.place.place;

                snprintf(image, 64, "%s", place->image);
                snprintf(symbol, 64, "%s", place->symbol ? place->symbol : "");
            }
        xenoprof_session_close(session);
    }
}

/* Of the place that such a sample had last, as that is: "" if there is none. */
static void find_line(struct guests_kit *kit, char *line)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint32_t last = 0;
    char folder[80];

    snprintf(folder, sizeof(folder), "%s/s", kit->dir);
    for ( unsigned int turn = 0; turn < 2; turn++ )
    {
        CHECK_EQ(xenoprof_session_open(kit->handle, folder, &session),
                 XENOPROF_OK);
        *line = 0;
        while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
            if ( !turn && item.kind == XENOPROF_ITEM_SAMPLE &&
                 item.u.sample.pcpu == KIT_PCPU )
                last = item.u.sample.place;
            else if ( item.kind == XENOPROF_ITEM_LINE &&
                      item.u.line.place == last )
                snprintf(line, 64, "%s:%u", item.u.line.path, item.u.line.line);
        xenoprof_session_close(session);
    }
}

void guests_kit_check_line(struct guests_kit *kit, const char *line)
{
    char its[64];

    find_line(kit, its);
    CHECK_TEXT(its, line);
}

void guests_kit_check_symbol(struct guests_kit *kit, uint32_t number,
                             const char *image, const char *symbol)
{
    struct xenoprof_stored stored = {
        .place = number, .pcpu = KIT_PCPU, .weight = 1};
    char its_image[64], its_symbol[64];

    CHECK_EQ(xenoprof_writer_sample(kit->writer, &stored, NULL, 0),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_writer_flush(kit->writer), XENOPROF_OK);
    find_symbol(kit, its_image, its_symbol);
    CHECK_TEXT(its_image, image);
    CHECK_TEXT(its_symbol, symbol);
}
