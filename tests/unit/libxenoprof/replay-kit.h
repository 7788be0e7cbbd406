/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of saved rings, made by a test.
 */
#ifndef XENOPROF_TESTS_UNIT_LIBXENOPROF_REPLAY_KIT_H
#define XENOPROF_TESTS_UNIT_LIBXENOPROF_REPLAY_KIT_H

#include <stddef.h>

#include "libxenoprof.h"
#include "tests/harness.h"

#define REPLAY_KIT_UUID "000102030405060708090a0b0c0d0e0f"
/* The first lines of two rings' texts. */
#define REPLAY_KIT_VCPU                                                        \
    "ring kind=vcpu domain=3 vcpu=1 generation=2 uuid=" REPLAY_KIT_UUID "\n"
#define REPLAY_KIT_PCPU                                                        \
    "ring kind=pcpu domain=0 vcpu=1 generation=1 uuid=" REPLAY_KIT_UUID "\n"

struct replay_kit {
    struct xenoprof_handle *handle;
    char folder[64];
};

/* An empty folder, and away with it. */
void replay_kit_begin(struct replay_kit *kit);
void replay_kit_end(struct replay_kit *kit);

/* The path of a file in it; good until the next call. */
const char *replay_kit_path(const struct replay_kit *kit, const char *name);
void replay_kit_put(const struct replay_kit *kit, const char *name,
                    const void *bytes, size_t size);
void replay_kit_text(const struct replay_kit *kit, const char *name,
                     const char *text);

/* Any status but OK fails the test with the handle's sentence. */
struct xenoprof_source *replay_kit_open(const struct replay_kit *kit);
/* The folder cannot be replayed, and the sentence says why. */
void replay_kit_refused(const struct replay_kit *kit, const char *why);

#endif
