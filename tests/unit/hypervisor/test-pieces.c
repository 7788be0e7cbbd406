/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Long commands are done in pieces: how many pages each shares, and what there
 * is in between.
 */
#include <string.h>

#include "core-kit.h"
#include "hypervisor/core.h"

#define PIECE_PAGES 256u
#define RESERVE                                                                \
    "reserve sampler=nmi frequency=97 mask=3 queue=0 lease=0 budget=0 "

/* Tables and the status page come with the first piece. */
#define OTHER_PAGES 4u

static uint32_t calls;

/* One piece.  Returns whether more is to be done. */
static bool piece(const char *line)
{
    uint64_t before = process_host()->shared;
    int error = core_command(line);

    calls++;
    if ( error != -ERROR_AGAIN )
        CHECK_TEXT(kit_state().message, "");
    CHECK(process_host()->shared - before <= PIECE_PAGES + OTHER_PAGES);
    return error == -ERROR_AGAIN;
}

static void all_pieces(const char *line)
{
    calls = 0;
    while ( piece(line) )
        ;
}

TEST(pieces_of_a_session)
{
    process_reset(200);
    all_pieces(RESERVE "pages=16");
    CHECK(calls >= 200 * 17 / PIECE_PAGES);
    CHECK(calls <= 40);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RESERVED);
    CHECK_EQ(kit_status()->rings, 200);
    CHECK_EQ(kit_status()->pcpus, 200);
    kit_done("start");
    kit_done("stop");
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(pieces_of_a_session_that_is_not_finished)
{
    process_reset(200);
    CHECK(piece(RESERVE "pages=16"));
    CHECK(strstr(kit_state().message, "repeat the command"));
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(kit_state().status_mfn, 0);
    kit_refused(ERROR_BUSY, "another session is being made; reset it",
                RESERVE "pages=32");
    kit_refused(ERROR_NOT_THERE, "there is no session to start", "start");
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
    all_pieces(RESERVE "pages=32");
    CHECK_EQ(kit_status()->rings, 200);
}

TEST(pieces_that_are_unloaded)
{
    process_reset(200);
    CHECK(piece(RESERVE "pages=16"));
    core_unload();
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

/* Memory runs out in a later piece: nothing is left of the first. */
TEST(pieces_that_there_is_no_room_for)
{
    process_reset(200);
    CHECK(piece(RESERVE "pages=16"));
    process_host()->memory_left = 30;
    kit_refused(ERROR_NO_MEMORY,
                "Xen does not have enough free memory for the rings",
                RESERVE "pages=16");
    CHECK_EQ(process_host()->allocated, 0);
    CHECK_EQ(process_host()->shared, 0);
}

TEST(pieces_of_one_large_ring_each)
{
    process_reset(3);
    all_pieces(RESERVE "pages=256");
    CHECK_EQ(calls, 3);
}

static const struct xenoprof_ring_page *ring_of(uint16_t vcpu)
{
    return kit_ring_of(XENOPROF_RING_VCPU, 5, vcpu);
}

static uint64_t sample_of(uint16_t vcpu)
{
    struct kit_read read = {0};

    process_set_current(0, 5, vcpu);
    process_run_until(process_now() + KIT_SECOND / 10);
    if ( ring_of(vcpu) )
        kit_drain(ring_of(vcpu), true, &read);
    return read.samples;
}

/* It is profiled from the first piece on; a vCPU whose ring is still to come
 * uses its pCPU's. */
TEST(pieces_of_a_domain)
{
    static const char domain[] = "domain id=5 vcpus=8 uuid=" KIT_UUID_5
                                 " kind=passive";

    process_reset(2);
    kit_done(RESERVE "pages=64");
    kit_done("start");
    CHECK(piece(domain));
    CHECK(sample_of(0) > 0);
    CHECK_EQ(sample_of(7), 0);
    all_pieces(domain);
    CHECK_EQ(calls, 2);
    CHECK(sample_of(7) > 0);
    kit_refused(ERROR_EXISTS, "domain 5 is already profiled", domain);
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(kit_ring_of(XENOPROF_RING_PCPU, 0, 0)->lost[XENOPROF_LOST_RING],
             0);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(pieces_of_a_domain_that_is_forgotten)
{
    process_reset(2);
    kit_done(RESERVE "pages=64");
    CHECK(piece("domain id=5 vcpus=8 uuid=" KIT_UUID_5 " kind=passive"));
    kit_done("forget id=5");
    all_pieces("domain id=5 vcpus=8 uuid=" KIT_UUID_6 " kind=passive");
    CHECK_EQ(calls, 3);
    kit_done("reset");
    CHECK_EQ(process_host()->shared, 0);
}
