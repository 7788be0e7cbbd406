/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session says of the code that ran.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_INFO_H
#define XENOPROF_REPORT_CODE_CODE_INFO_H

#include "hits.h"

#define CODE_INFO_MAX 128u

/* "" where something is not known. */
struct code_info {
    char build_id[CODE_INFO_MAX]; /* hexadecimal */
    char release[CODE_INFO_MAX];  /* of the kernel: no slash is in it */
    const char *boot;             /* of dom0, if it is dom0's code */
};

void code_info(const struct loaded *loaded, const struct function *function,
               struct code_info *ret);

#endif
