/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When Xen gets a list that reads who runs in a guest, and when it loses it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "control/label-choices.h"
#include "guests-kit.h"
#include "tests/harness.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define STEPS "steps=0:0:8:f,1:16:8:s,1:24:8:s,1:32:16:s"

static struct guests_kit kit;

/* A sample in the guest's kernel, to its end, and what came of it. */
static struct guest *take(void)
{
    struct guest_sample sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    struct guest_chain chain;

    guests_kit_take(&kit, &sample, &chain);
    guests_kit_search(&kit);
    return guests_find(kit.guests, &sample);
}

static void begin(uint8_t processors)
{
    guests_kit_begin(&kit, 'T');
    kit.host.frames[FRAME][1] = processors;
    CHECK_EQ(take()->state, GUEST_KNOWN);
}

static void check_list(unsigned int number, const char *bases)
{
    char wanted[256];

    snprintf(wanted, sizeof(wanted),
             "fetch id=2 list=%u isolated=1 " STEPS " bases=%s", number, bases);
    CHECK_TEXT(kit.host.fetch, wanted);
}

TEST(a_known_kernel_has_its_tasks_read)
{
    begin(1);
    check_list(1, "ffff888000001000");
    CHECK(strstr(guests_kit_fact(&kit), " tasks=known"));
    /* All is there: nothing is looked for again. */
    strcpy(kit.host.command, "none");
    kit.now += 1000 * SECOND;
    CHECK(!take()->search.link);
    CHECK_TEXT(kit.host.command, "none");
    guests_kit_end(&kit);
}

static struct guest *look_at(char letter)
{
    struct guest_sample sample;

    guests_kit_begin(&kit, letter);
    kit.host.frames[FRAME][1] = 1;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_look(kit.guests, kit.writer, &sample), XENOPROF_OK);
    return guests_find(kit.guests, &sample);
}

/* Samples have names long before their stacks can be walked. */
TEST(tasks_are_read_before_the_search_ends)
{
    struct guest *guest = look_at('E');

    for ( int i = 0; !guest->tasks.sent; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10), XENOPROF_OK);
    }
    CHECK_EQ(guest->state, GUEST_SEARCHED);
    check_list(1, "ffff888000001000");
    guests_kit_end(&kit);
}

TEST(tasks_of_what_is_no_kernel_are_dropped)
{
    struct guest *guest = look_at('G');

    guests_kit_search(&kit);
    CHECK_EQ(guest->state, GUEST_STRANGE);
    CHECK_EQ(guest->tasks.number, 1);
    CHECK(!guest->tasks.sent);
    CHECK_TEXT(kit.host.fetch, "fetch id=2");
    guests_kit_end(&kit);
}

/* What Xen is asked for with that --labels. */
static void begin_with(const char *labels)
{
    struct domain_pairs choices = {0};
    struct failure failure = {0};

    CHECK_EQ(label_choices_add(&choices, "labels", labels, &failure), 0);
    guests_kit_begin(&kit, 'T');
    kit.guests->labels = &choices;
    kit.host.frames[FRAME][1] = 1;
    CHECK_EQ(take()->state, GUEST_KNOWN);
    kit.guests->labels = NULL;
    domain_pairs_free(&choices);
}

TEST(no_name_of_a_thread_is_read_with_labels_pid)
{
    begin_with("2:pid");
    CHECK(strstr(kit.host.fetch, "steps=0:0:8:f,1:16:8:s,1:24:8:s bases="));
    CHECK(strstr(guests_kit_fact(&kit), " tasks=known"));
    guests_kit_end(&kit);
}

TEST(nothing_of_a_thread_is_read_with_labels_none)
{
    begin_with("none");
    CHECK_TEXT(kit.host.fetch, "");
    CHECK(strstr(guests_kit_fact(&kit), " tasks=unwanted"));
    CHECK(!guest_tasks_may_come(take()));
    guests_kit_end(&kit);
}

/* Xen refuses a list of more vCPUs than the domain has. */
TEST(processors_that_the_domain_does_not_have)
{
    begin(200);
    check_list(1, "ffff888000001000");
    guests_kit_end(&kit);
}

TEST(processors_that_come_up_later)
{
    struct guest *guest;

    begin(0);
    CHECK(strstr(guests_kit_fact(&kit), " tasks=early"));
    CHECK_TEXT(kit.host.fetch, "");
    kit.host.frames[FRAME][1] = 1;
    kit.now += 10 * SECOND;
    guest = take();
    check_list(1, "ffff888000001000");
    CHECK(guest->tasks.sent);
    CHECK(strstr(guests_kit_fact(&kit), " tasks=known"));
    guests_kit_end(&kit);
}

/* A full host has no memory for a list, for a while. */
TEST(a_list_that_xen_refuses_is_sent_again)
{
    guests_kit_begin(&kit, 'T');
    kit.host.frames[FRAME][1] = 1;
    kit.host.refusal = -ENOMEM;
    CHECK(!take()->tasks.sent);
    CHECK(strstr(guests_kit_fact(&kit), " tasks=refused"));
    kit.host.refusal = 0;
    kit.now += 10 * SECOND;
    CHECK(take()->tasks.sent);
    check_list(2, "ffff888000001000");
    CHECK(strstr(guests_kit_fact(&kit), " tasks=known"));
    guests_kit_end(&kit);
}

/* The domain has two vCPUs, of which one is up. */
TEST(a_list_stays_until_there_is_another)
{
    struct guest *guest;

    begin(1);
    guest = take();
    guest->vcpus = 2;
    kit.host.frames[FRAME][1] = 0;
    kit.now += 10 * SECOND;
    take();
    check_list(1, "ffff888000001000");
    CHECK_EQ(guest->tasks.status, TASK_LIST_KNOWN);
    kit.host.frames[FRAME][1] = 2;
    kit.now += 10 * SECOND;
    take();
    check_list(2, "ffff888000001000,ffff888000002000");
    guests_kit_end(&kit);
}

TEST(another_kernel_has_no_list_until_it_is_known)
{
    struct guest *guest;

    begin(1);
    guest = take();
    kit.host.frames[FRAME][0] = 'N';
    guests_look_at_modules(kit.guests, guest);
    guests_kit_search(&kit);
    CHECK_EQ(guest->state, GUEST_NEW);
    CHECK_TEXT(kit.host.fetch, "fetch id=2");
    CHECK(!guest->tasks.sent);
    kit.host.frames[FRAME][0] = 'T';
    kit.now += 10 * SECOND;
    take();
    check_list(2, "ffff888000001000");
    guests_kit_end(&kit);
}

TEST(kernels_without_tasks)
{
    guests_kit_begin(&kit, 'K');
    CHECK_EQ(take()->state, GUEST_KNOWN);
    CHECK_TEXT(kit.host.fetch, "");
    CHECK(strstr(guests_kit_fact(&kit), " tasks=other-kernel"));
    guests_kit_end(&kit);
}
