/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vchan without Xen, for the linker to take in place of libxenvchan's: both
 * sides of it, in memory that children share.  An event is a datagram; what the
 * server does for one are the system calls that libxenvchan makes.
 */
#ifndef XENOPROF_TESTS_UNIT_AGENT_CHANNEL_VCHAN_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_CHANNEL_VCHAN_KIT_H

#include <stdbool.h>

#include "agent/channel/vchan.h"

/* What both processes see. */
struct vchan_kit {
    size_t most;   /* bytes that a call moves at most */
    bool fails;    /* reads, writes and waiting fail */
    bool absent;   /* no server can be made */
    char path[64]; /* that the server was made with */
    uint8_t left[65536], right[65536];
    union {
        struct vchan_interface ring;
        uint8_t page[4096];
    };
};

extern struct vchan_kit *kit_vchan;

/* Makes one anew; the server has still to be opened, by
 * libxenvchan_server_init(). */
void kit_vchan_make(void);
/* A client comes: returns its side. */
struct libxenvchan *kit_vchan_connect(void);
/* It goes, by closing or by ending. */
void kit_vchan_leave(void);
/* Waits until the server has said that something changed, or ms have passed. */
bool kit_vchan_wait(int ms);

#endif
