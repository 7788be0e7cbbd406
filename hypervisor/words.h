/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door's command lines, WORD KEY=VALUE ..., checked against tables of the
 * keys that each word takes and the values that each key may have.
 */
#ifndef XENOPROF_HYPERVISOR_WORDS_H
#define XENOPROF_HYPERVISOR_WORDS_H

#include "port.h"

enum word {
    WORD_RESERVE,
    WORD_PCPUS,
    WORD_DOMAIN,
    WORD_LINK,
    WORD_FETCH,
    WORD_FORGET,
    WORD_RELEASE,
    WORD_EVENT,
    WORD_START,
    WORD_STOP,
    WORD_RESET,
    WORDS
};

enum key {
    KEY_SAMPLER, /* value: enum xenoprof_sampler */
    KEY_FREQUENCY,
    KEY_MASK,
    KEY_PAGES,
    KEY_QUEUE,
    KEY_LEASE,
    KEY_BUDGET,
    KEY_INSIST,
    KEY_WINDOW,
    KEY_USER_WINDOW,
    KEY_WAITING,
    KEY_FATAL,
    KEY_SET, /* text: see words_next_range() */
    KEY_ID,  /* of a domain, or an event */
    KEY_VCPUS,
    KEY_UUID, /* text: 32 hexadecimal digits, checked */
    KEY_KIND, /* value: enum domain_kind */
    KEY_AT,   /* text: see words_next_range() */
    KEY_USER,
    KEY_RING,
    KEY_LIST,
    KEY_STEPS, /* text: see fetch-list.c */
    KEY_BASES, /* text: the same */
    KEY_ISOLATED,
    KEY_SELECT, /* value: hexadecimal */
    KEY_COUNT,
    KEY_FIXED,
    KEY_IBS, /* value: enum xenoprof_ibs */
    KEYS
};

struct words {
    enum word word;
    uint64_t value[KEYS];   /* 0 for those not given */
    const char *text[KEYS]; /* into the line, up to a blank or its end */
    uint32_t given;         /* bit for each key */
};

/* Parses a line.  Returns 0, or what refuse() returned. [command] */
int words_parse(const char *line, struct words *ret);

/*
 * Reads the next FIRST or FIRST-LAST of a comma-separated list and moves *text
 * behind it.  Returns 1, or 0 at the end of the list, or -1 if the text is not
 * such a list.
 */
int words_next_range(const char **text, uint64_t *first, uint64_t *last);

/* Reads a number and moves *text behind it; radix is 10 or 16.  Returns false
 * if none is there, or one that is too large. */
bool words_number(const char **text, unsigned int radix, uint64_t *ret);
/* Returns whether a value ends here. */
bool words_end(const char *text);

/* Converts a uuid that words_parse() has checked to its 16 bytes. */
void words_uuid(const char *text, uint8_t uuid[16]);

#endif
