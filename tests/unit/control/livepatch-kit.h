/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxc's livepatch functions, answered from a list of payloads in place of a
 * Xen.  A program that links this kit does not get libxc's own.
 */
#ifndef XENOPROF_TESTS_UNIT_CONTROL_LIVEPATCH_KIT_H
#define XENOPROF_TESTS_UNIT_CONTROL_LIVEPATCH_KIT_H

#include <stdbool.h>
#include <stdint.h>

#include <xenctrl.h>

#define LIVEPATCH_KIT_MAX 4u

struct livepatch_kit {
    struct {
        char name[2 * XEN_LIVEPATCH_NAME_SIZE];
        uint32_t state;
    } payloads[LIVEPATCH_KIT_MAX]; /* in the order of their upload */
    unsigned int count;

    /* How the lists are answered, and when the number of payloads is asked. */
    int sizes_result, list_result, list_errno;
    unsigned int gone; /* how many are unloaded between the two */
    int absent_errno;  /* for a payload that is not there */
    int tools_errno;   /* for what each version asks in its own way */
    int upload_result;
    int refusals, refusal; /* how often apply and revert are refused, and how */
    int pending;           /* how often the work is under way when asked for */
    int outcome;           /* of that work */

    /* What was asked for. */
    unsigned int actions, unloads;
    uint32_t flags, size;
};

extern struct livepatch_kit livepatch_kit;

/* Xen has these payloads, with a '+' before the names of those that are applied
 * and a '-' before the others, and NULL at the end. */
void livepatch_kit_begin(const char *const *names);

#define LIVEPATCH_KIT_BEGIN(...)                                               \
    livepatch_kit_begin((const char *const[]){__VA_ARGS__, NULL})

/* Returns whether Xen has it. */
bool livepatch_kit_has(const char *name);

#endif
