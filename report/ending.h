/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a report ends where there is no memory: in one place, whoever asked for
 * it (base/must.h).
 */
#ifndef XENOPROF_REPORT_ENDING_H
#define XENOPROF_REPORT_ENDING_H

/* From now on, before the sentence, the screen is as before, what was written
 * to a terminal or a pipe is seen, and no file is left that is not whole. */
void ending_begin(void);

#endif
