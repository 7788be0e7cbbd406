/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples have what a fetch list read, and what a guest can do with the
 * words that it leads to.
 */
#include <string.h>

#include "hypervisor/fetch/fetch.h"
#include "tests/unit/hypervisor/window-kit.h"

#define BASE 0xffff888000001000ul /* of vCPU 1; vCPU 0 has none */
#define OF                                                                     \
    0xffff888000005f00ul /* the task: its pid in one page, its name
                                      in the next one */
#define PID   32
#define START 240
#define COMM  1008
#define STEPS "steps=0:8:8:f,1:32:8:s,1:240:8:s,1:1008:16:s "
#define LIST  "fetch id=5 list=9 " STEPS "bases=0,ffff888000001000"

static const char name[16] = "a-thread";

static void put_task(uint64_t task)
{
    uint64_t words[2];

    memcpy(words, name, sizeof(words));
    window_kit_put_word(task + PID, 7 | 6ul << 32);
    window_kit_put_word(task + START, 123456789);
    window_kit_put_word(task + COMM, words[0]);
    window_kit_put_word(task + COMM + 8, words[1]);
}

static void begin_with(const char *list, const char *kind)
{
    window_kit_begin_with("window=0", kind);
    window_kit_map(BASE, 1);
    window_kit_map(OF & ~0xffful, 2);
    window_kit_put_word(BASE + 8, OF);
    put_task(OF);
    kit_done(list);
}

static void begin(void)
{
    begin_with(LIST, "passive");
}

static bool has_task(const struct kit_sample *got)
{
    return window_kit_has(got, XENOPROF_PART_TASK);
}

static void check_task(const struct kit_sample *got)
{
    CHECK(has_task(got));
    CHECK_EQ(got->task.list, 9);
    CHECK_EQ(got->task.failed, 0);
    CHECK_EQ(got->task.stored, 32);
    CHECK_EQ(got->task.word[0], 7 | 6ul << 32);
    CHECK_EQ(got->task.word[1], 123456789);
    CHECK(!memcmp(&got->task.word[2], name, sizeof(name)));
    CHECK_EQ(got->task.word[4] | got->task.word[5], 0);
    CHECK_EQ(process_host()->rights, PORT_RIGHTS_KERNEL);
}

/* Which samples have it --------------------------------------------------- */

TEST(fetch_of_a_kernel_and_of_a_process)
{
    begin();
    check_task(window_kit_sample());
    window_kit_set_mode(XENOPROF_MODE_USER);
    window_kit_set_sp(USER);
    check_task(window_kit_sample());
    window_kit_in_xen();
    check_task(window_kit_sample());
    window_kit_end();
}

TEST(fetch_is_part_of_no_sample_without_a_list)
{
    begin();
    check_task(window_kit_sample());
    kit_done("fetch id=5");
    window_kit_page_reads = 0;
    CHECK(!has_task(window_kit_sample()));
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

TEST(fetch_was_not_asked_for)
{
    begin();
    window_kit_end();
    process_reset(2);
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    kit_done("domain id=5 vcpus=2 uuid=" KIT_UUID_5 " kind=passive");
    kit_done(LIST);
    process_set_current(1, 5, 1);
    kit_done("start");
    process_run_until(process_now() + 50 * KIT_MILLISECOND);
    kit_done("stop");
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK(window_kit_read.samples > 2);
    CHECK(!has_task(&window_kit_read.last));
    kit_done("reset");
}

/* One without a base, and one that the list does not reach. */
TEST(fetch_of_a_vcpu_without_a_base)
{
    begin_with("fetch id=5 list=9 " STEPS "bases=ffff888000001000,0",
               "passive");
    CHECK(!has_task(window_kit_sample()));
    kit_done("fetch id=5 list=9 " STEPS "bases=ffff888000001000");
    CHECK(!has_task(window_kit_sample()));
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

/* Xen changes a PV guest's state; the guest itself has not run. */
TEST(fetch_of_a_guest_that_moved)
{
    begin();
    for ( int hvm = 0; hvm < 2; hvm++ )
    {
        window_kit_one()->frame.at.hvm = hvm;
        window_kit_one()->frame.guest.hvm = hvm;
        window_kit_take_nmi();
        window_kit_one()->frame.guest.sp -= 8;
        process_commit(1);
        kit_drain(VCPU_RING, true, &window_kit_read);
        CHECK_EQ(window_kit_read.last.sample.marks, XENOPROF_MARK_MOVED);
        if ( hvm )
            CHECK(!has_task(&window_kit_read.last));
        else
            check_task(&window_kit_read.last);
        window_kit_one()->frame.at.sp = window_kit_one()->frame.guest.sp;
    }
    window_kit_end();
}

/* In Xen's entry code: where the guest is was not known in the NMI. */
TEST(fetch_of_a_guest_whose_state_is_not_known)
{
    begin();
    for ( int hvm = 0; hvm < 2; hvm++ )
    {
        window_kit_one()->frame.guest.hvm = hvm;
        window_kit_in_xen();
        window_kit_one()->frame.complete = false;
        window_kit_take_nmi();
        window_kit_one()->frame.complete = true;
        process_commit(1);
        kit_drain(VCPU_RING, true, &window_kit_read);
        CHECK_EQ(window_kit_read.last.sample.marks, XENOPROF_MARK_UNKNOWN);
        if ( hvm )
            CHECK(!has_task(&window_kit_read.last));
        else
            check_task(&window_kit_read.last);
    }
    window_kit_end();
}

TEST(fetch_reads_nothing_where_nothing_may_be_read)
{
    static const uint32_t marks[] = {
        XENOPROF_MARK_NESTED,
        XENOPROF_MARK_DYING,
        XENOPROF_MARK_EVENT,
        XENOPROF_MARK_UNKNOWN,
    };

    begin();
    for ( unsigned int i = 0; i < sizeof(marks) / sizeof(*marks); i++ )
    {
        window_kit_one()->marks = marks[i];
        CHECK(!has_task(window_kit_sample()));
    }
    window_kit_one()->marks = 0;
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

/* The vCPU that is current now is another one, or another domain's. */
TEST(fetch_is_never_anothers)
{
    begin_with("fetch id=5 list=9 " STEPS
               "bases=ffff888000001000,ffff888000001000",
               "passive");
    window_kit_take_nmi();
    process_set_current(1, 5, 0);
    process_commit(1);
    kit_drain_all(&window_kit_read);
    CHECK_EQ(window_kit_read.last.sample.marks, XENOPROF_MARK_SWITCHED);
    CHECK(!has_task(&window_kit_read.last));
    process_set_current(1, 6, 1);
    window_kit_take_nmi();
    process_commit(1);
    kit_drain_all(&window_kit_read);
    CHECK_EQ(window_kit_read.last.sample.marks, XENOPROF_MARK_FOREIGN);
    CHECK(!has_task(&window_kit_read.last));
    CHECK_EQ(window_kit_page_reads, 0);
    process_set_current(1, 5, 1);
    window_kit_end();
}

/* A domain may have more vCPUs than a list has bases; what is behind its last
 * one is not one. */
TEST(fetch_ends_with_its_last_base)
{
    static struct fetch_list fetch = {
        .list = {.list = 9, .vcpus = 1, .base = {BASE, BASE}}};
    struct xenoprof_task task;
    struct port_state guest;

    begin();
    /* Its memory is read on pCPU 1 only, so the list has no steps. */
    process_pcpu(0)->frame = process_pcpu(1)->frame;
    process_set_current(0, 5, 1);
    CHECK(port_guest_state(NULL, &guest));
    CHECK(fetch_run(&fetch, 0, &guest, &task));
    CHECK_EQ(task.list, 9);
    CHECK(!fetch_run(&fetch, 1, &guest, &task));
    CHECK(!fetch_run(&fetch, XENOPROF_FETCH_VCPUS, &guest, &task));
    CHECK(!fetch_run(&fetch, 0xffff, &guest, &task));
    window_kit_end();
}

/* The number has another uuid: that guest has another kernel. */
TEST(fetch_ends_with_the_domain)
{
    static const uint8_t other[16] = {1};

    begin();
    check_task(window_kit_sample());
    process_set_uuid(5, other);
    window_kit_page_reads = 0;
    window_kit_take_nmi();
    process_commit(1);
    kit_drain_all(&window_kit_read);
    CHECK(!has_task(&window_kit_read.last));
    CHECK_EQ(window_kit_page_reads, 0);
    window_kit_end();
}

static void look_at_stay(const struct kit_sample *got)
{
    check_task(got);
}

TEST(fetch_is_read_once_for_a_stay)
{
    begin();
    window_kit_read.each = look_at_stay;
    window_kit_in_xen();
    for ( int i = 0; i < 6; i++ )
        window_kit_take_nmi();
    process_commit(1);
    CHECK_EQ(window_kit_page_reads, 4);
    kit_drain(VCPU_RING, true, &window_kit_read);
    CHECK_EQ(window_kit_read.samples, 6);
    window_kit_end();
}

TEST(fetch_of_a_kernel_with_isolated_page_tables)
{
    begin_with("fetch id=5 list=9 isolated=1 " STEPS "bases=0,ffff888000001000",
               "active");
    CHECK(has_task(window_kit_sample()));
    CHECK_EQ(process_host()->rights, PORT_RIGHTS_ISOLATED_KERNEL);
    window_kit_end();
}

/* What a guest can do ------------------------------------------------------ */

static void check_failed(const struct kit_sample *got, unsigned int failed)
{
    CHECK(has_task(got));
    CHECK_EQ(got->task.failed, failed);
    CHECK_EQ(got->task.stored, 32);
    for ( unsigned int i = 0; failed == 0xf && i < 6; i++ )
        CHECK_EQ(got->task.word[i], 0);
}

TEST(fetch_follows_no_word_out_of_the_kernel)
{
    static const uint64_t lies[] = {
        0, 8, USER, 0x7fffffffffffffff, 0xfeffffffffffffff, ~0ul - 8, ~0ul};

    begin();
    window_kit_map(USER, 1);
    put_task(USER);
    window_kit_map(0, 1);
    put_task(0);
    for ( unsigned int i = 0; i < sizeof(lies) / sizeof(*lies); i++ )
    {
        window_kit_put_word(BASE + 8, lies[i]);
        check_failed(window_kit_sample(), 0xe);
        CHECK_EQ(window_kit_read.last.task.word[0], 0);
        CHECK_EQ(window_kit_read.last.task.word[3], 0);
    }
    window_kit_end();
}

TEST(fetch_where_nothing_is_mapped)
{
    begin();
    window_kit_put_word(BASE + 8, 0xffff888000009000ul);
    check_failed(window_kit_sample(), 0xe);
    process_host()->memory = NULL;
    check_failed(window_kit_sample(), 0xf);
    window_kit_end();
}

/* The name begins in a page that is there, and ends in one that is not: none of
 * it is stored, and none of an earlier sample. */
TEST(fetch_of_half_a_name)
{
    uint64_t edge = (OF & ~0xffful) + 2 * PAGE;

    begin();
    check_task(window_kit_sample());
    window_kit_put_word(BASE + 8, edge - 8 - COMM);
    put_task(edge - 8 - COMM);
    check_failed(window_kit_sample(), 0x8);
    CHECK_EQ(window_kit_read.last.task.word[0], 7 | 6ul << 32);
    CHECK_EQ(window_kit_read.last.task.word[2], 0);
    CHECK_EQ(window_kit_read.last.task.word[3], 0);
    window_kit_end();
}

/* Words that lead to themselves: eight steps, and no more. */
TEST(fetch_of_words_in_a_circle)
{
    begin_with("fetch id=5 list=9 steps=0:8:8:f,1:8:8:f,2:8:8:f,3:8:8:f,"
               "4:8:8:f,5:8:8:f,6:8:8:f,7:8:8:s bases=0,ffff888000001000",
               "passive");
    window_kit_put_word(BASE + 8, BASE);
    window_kit_page_reads = 0;
    CHECK_EQ(window_kit_sample()->task.word[0], BASE);
    CHECK_EQ(window_kit_page_reads, 8);
    window_kit_end();
}

/* A base at the end of the address space: the sum does not come around. */
TEST(fetch_beyond_the_address_space)
{
    begin_with("fetch id=5 list=9 steps=0:4096:8:s,0:2000:16:s "
               "bases=0,fffffffffffff800",
               "passive");
    window_kit_map(0, 1);
    window_kit_map(LAST_PAGE, 1);
    CHECK_EQ(window_kit_sample()->task.failed, 1);
    kit_done("fetch id=5 list=9 steps=0:2040:16:s bases=0,fffffffffffff800");
    CHECK_EQ(window_kit_sample()->task.failed, 1);
    CHECK_EQ(window_kit_read.last.task.word[0], 0);
    window_kit_end();
}
