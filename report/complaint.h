/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a failure travels: the layer that knows what went wrong and what to do
 * writes one sentence into the complaint and returns its status; everybody
 * else only hands the status up.
 */
#ifndef XENOPROF_REPORT_COMPLAINT_H
#define XENOPROF_REPORT_COMPLAINT_H

enum report_status {
#define REPORT_STATUS(number, NAME, text) REPORT_##NAME = number,
#include "exit-status.def"
#undef REPORT_STATUS
};

struct complaint {
    enum report_status status;
    char text[1024]; /* no newline */
};

/* Fill in the complaint; returns status. */
enum report_status complain(struct complaint *complaint,
                            enum report_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The one complaint that needs no words of its own. */
enum report_status complain_memory(struct complaint *complaint);

#endif
