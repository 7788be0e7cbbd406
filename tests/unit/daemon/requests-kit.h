/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon without its loop, on the host of recording-kit.h: clients ask, and
 * rounds are made by hand.
 */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_REQUESTS_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_REQUESTS_KIT_H

#include "daemon/waiting.h"
#include "recording-kit.h"

struct requests_kit {
    struct recording_kit host; /* its recording is the daemon's */
    struct daemon daemon;
    int ends[CLIENTS_MAX]; /* the clients' */
    char answer[16384];    /* the last */
};

void requests_begin(struct requests_kit *kit);
void requests_end(struct requests_kit *kit);

/* Returns the line of a start with these fields (" frequency=100"), good until
 * the next. */
const char *requests_start_line(const struct requests_kit *kit,
                                const char *fields);

/* The client with this number connects and sends a request. */
struct client *requests_send(struct requests_kit *kit, int number,
                             const char *request);
/* A round of the daemon's loop; or rounds, while time passes. */
void requests_round(struct requests_kit *kit);
void requests_pass(struct requests_kit *kit, uint64_t ns);
/* Returns what the client got, whose connection has ended. */
const char *requests_answer(struct requests_kit *kit, int number);
/* Returns what it got up to now; its connection has not ended. */
const char *requests_heard(struct requests_kit *kit, int number);

/* Returns the answer to a request that is answered at once or after a round;
 * and to a start. */
const char *requests_ask(struct requests_kit *kit, const char *request);
const char *requests_start(struct requests_kit *kit, const char *fields);

/* The last line is ok; or an error with this status, and part in its text. */
void requests_check_ok(const char *answer);
void requests_check_error(const char *answer, int status, const char *part);

#endif
