/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A vchan without Xen: both sides of it, in memory that children share. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_CHANNEL_VCHAN_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_CHANNEL_VCHAN_KIT_H

#include <stdbool.h>

#include "agent/channel/vchan-rings.h"

/* What the kits of libxengnttab call the memory. */
#define KIT_PAGE_REF  8u
#define KIT_LEFT_REF  100u /* and those behind it, a page each */
#define KIT_RIGHT_REF 200u

/* What both processes see. */
struct vchan_kit {
    bool absent;   /* xenstore does not take, or have, where it is */
    char path[64]; /* in xenstore, where a server said so, and what */
    char word[16];
    char reader[8];      /* the rights of others, and who may read */
    bool joined;         /* a relay may write to the page */
    unsigned int shared; /* pages that are granted */
    uint8_t left[65536], right[65536];
    union {
        struct vchan_interface ring;
        uint8_t page[VCHAN_PAGE];
    };
};

extern struct vchan_kit *kit_vchan;

/* Makes one anew, which nobody serves. */
void kit_vchan_make(void);
/* Offers it; returns the server's side. */
struct vchan_rings *kit_vchan_serve(void);
/* A client comes: returns its side. */
struct vchan_rings *kit_vchan_connect(void);
/* It goes, by closing or by ending. */
void kit_vchan_leave(void);
/* Bytes that a side has not read yet. */
uint32_t kit_vchan_ready(const struct vchan_rings *rings);

#endif
