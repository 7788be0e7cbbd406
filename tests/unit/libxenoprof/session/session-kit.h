/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session in a folder of its own, for tests: written by the library's
 * writer, read back as text.
 */
#ifndef XENOPROF_TESTS_UNIT_LIBXENOPROF_SESSION_SESSION_KIT_H
#define XENOPROF_TESTS_UNIT_LIBXENOPROF_SESSION_SESSION_KIT_H

#include "libxenoprof.h"
#include "tests/harness.h"

struct session_kit {
    struct xenoprof_handle *handle;
    struct xenoprof_writer *writer; /* NULL between kit_stop and _go_on */
    char folder[TEST_FOLDER_MAX];
};

/* Any status but OK fails the test with the handle's sentence. */
#define KIT_OK(kit, call) kit_check(kit, call, __FILE__, __LINE__)
void kit_check(const struct session_kit *kit, enum xenoprof_status status,
               const char *file, int line);

struct session_kit *kit_create(void);
/* A session of three files, a sample in each. */
struct session_kit *kit_create_files(void);
/* Removes the folder too. */
void kit_destroy(struct session_kit *kit);

/* As if the writer were killed, and started again. */
void kit_stop(struct session_kit *kit);
void kit_go_on(struct session_kit *kit);

/* A place in image vmlinux; symbol may be NULL. */
uint32_t kit_place(struct session_kit *kit, uint16_t domain, uint8_t mode,
                   uint64_t address, const char *symbol);
/* A plain sample at that time and place. */
void kit_sample(struct session_kit *kit, uint64_t time, uint32_t place);
struct xenoprof_ring_info kit_ring(uint32_t ring, uint64_t position);

/* An attribute that changes, a domain, a ring and counters. */
void kit_know(struct session_kit *kit);
/* How each file begins that comes after these. */
#define KIT_KNOWN                                                              \
    "domain 3 5 09000000000000000000000000000000 web passive\n"                \
    "attribute 2 sampler=timer\n" KIT_KNOWN_RING                               \
    "counters 4 0 0 0 5 0 0 0 0 lost\n"
#define KIT_KNOWN_RING                                                         \
    "ring 1.1 who 5 3 kind 2 state 1 size 4096 uuid "                          \
    "05000000000000000000000000000000 100 120 90 60 55 50 2 lost 1 2 3 4\n"

/* The path of a file of the session; good until the next call. */
const char *kit_file(const struct session_kit *kit, unsigned int number);
/* The whole file's bytes, malloc'ed. */
uint8_t *kit_bytes(const char *path, size_t *size);
void kit_put_bytes(const char *path, const void *bytes, size_t size);

/* All items as lines, and "end torn N"; damage is a line too. malloc'ed. */
char *kit_read(struct session_kit *kit, const char *path);
/* The session is this text. */
void kit_text_is(struct session_kit *kit, const char *wanted);
/* One of its files is this text. */
void kit_file_is(struct session_kit *kit, unsigned int number,
                 const char *wanted);

struct kit_counts {
    unsigned int samples, damages;
    uint64_t torn;
    enum xenoprof_status open; /* what xenoprof_session_open() said */
    uint64_t last_time;        /* of the last sample */
};
void kit_count(struct session_kit *kit, const char *path,
               struct kit_counts *ret);

#endif
