/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What root says about pushing, secrets among it: a file of lines KEY = VALUE
 * that nobody else may write, and only root and the daemon's group may read.
 */
#ifndef XENOPROF_PUSH_PUSH_CONFIG_H
#define XENOPROF_PUSH_PUSH_CONFIG_H

#include <limits.h>
#include <sys/types.h>

#include "engine.h"

#define PUSH_CONFIG_PATH "/etc/xenoprof/push.conf"

#define PUSH_CA_MAX (4u << 20)

struct push_config {
    char url[PUSH_URL_MAX];
    char token[4096];
    char user[256], password[1024];
    char ca[PATH_MAX];
    char tenant[256], tenant_header[64];
    char queue_size[16], queue_age[16];
    struct push_labels labels;
    struct buffer certificates; /* of the file ca */
};

/*
 * Reads the file, and that of its certificates.  owner: whose it must be;
 * group: who may read it, too.  must_exist false: without the file there is
 * nothing to be said.  Returns 0, or STATUS_USAGE with a sentence that has
 * nothing of what is in the file but keys.
 */
int push_config_read(const char *path, uid_t owner, gid_t group,
                     bool must_exist, struct push_config *ret,
                     struct failure *failure);
/* Parses the text of such a file, which is changed. */
int push_config_parse(char *text, struct push_config *ret,
                      struct failure *failure);
/* Whether its secrets may be sent there.  Returns 0 or STATUS_USAGE. */
int push_config_check(const struct push_config *config,
                      const struct push_target *target,
                      struct failure *failure);
/* Nothing of it stays in memory. */
void push_config_free(struct push_config *config);

#endif
