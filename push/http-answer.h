/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a receiver's answer means for the window that was sent. */
#ifndef XENOPROF_PUSH_HTTP_ANSWER_H
#define XENOPROF_PUSH_HTTP_ANSWER_H

enum answer {
    ANSWER_TAKEN,
    ANSWER_LATER,   /* the same may be taken in a while */
    ANSWER_REFUSED, /* this window will never be taken, others may */
    ANSWER_WRONG    /* none will, until the URL or its rights are others */
};

/* By the status of HTTP. */
enum answer answer_of_status(long status);
/* What a user is told about a status that is not ANSWER_TAKEN. */
const char *answer_text(long status);

#endif
