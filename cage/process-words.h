/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process in the sandbox says first (process-link.h). */
#ifndef XENOPROF_CAGE_PROCESS_WORDS_H
#define XENOPROF_CAGE_PROCESS_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "parser-sandbox.h"

#define WORD_READY 0x79646165525058ull

/* Returns whether the daemon was told that this process is in its sandbox. */
static inline bool process_say_ready(void)
{
    const uint64_t word = WORD_READY;

    return write(SANDBOX_OUT, &word, sizeof(word)) == sizeof(word);
}

#endif
