/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What takes windows, by the URL that a user gives: ENGINE+http://HOST..., or
 * one that ends with an engine's path.
 */
#ifndef XENOPROF_PUSH_ENGINE_H
#define XENOPROF_PUSH_ENGINE_H

#include <stdbool.h>

#include "push-body.h"

#define PUSH_URL_MAX 1024u

struct engine {
    const char *name, *path, *type, *format;
    bool by_domain, gzip;
    body_put *body;
};

/* Where windows are sent. */
struct push_target {
    const struct engine *engine;
    char url[PUSH_URL_MAX]; /* with http or https, and the engine's path */
    bool secure;            /* by https, or without leaving this machine */
};

/* Returns 0, or STATUS_USAGE with a sentence about a URL that is none, has a
 * password in it, or does not say whose it is. */
int push_target_parse(const char *url, struct push_target *ret,
                      struct failure *failure);

#endif
