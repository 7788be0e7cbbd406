/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that exist, according to Xen and xenstore.
 */
#ifndef XENOPROF_CONTROL_DOMAIN_LIST_H
#define XENOPROF_CONTROL_DOMAIN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

#define DOMAIN_NAME_MAX  128
#define UUID_TEXT_SIZE   37
#define DOMAIN_ID_LIMIT  0x7ff0u /* real domains are below */
#define DOMAIN_ID_IDLE   0x7fffu
#define ENDED_OTHERS     "others" /* domains whose rings are one sum */
#define DOMAIN_NAME_IDLE "idle"

struct listed_domain {
    uint16_t id;
    uint8_t uuid[16];
    uint32_t vcpus; /* highest vCPU number + 1 */
    bool hardware;  /* HVM or PVH, not PV */
    bool dying;
    bool stopped; /* a tool paused it, or it has shut down */
    uint32_t cpupool;
    char name[DOMAIN_NAME_MAX]; /* "": xenstore has none */
};

struct domain_list {
    VECTOR(struct listed_domain); /* by ascending id */
};

void domain_list_free(struct domain_list *list);
/* Returns the domain with this id, or NULL if there is none. */
const struct listed_domain *domain_list_find(const struct domain_list *list,
                                             uint16_t id);
/* Writes "0 (Domain-0), 3 (web)", cut with "..." where it does not fit. */
void domain_list_text(const struct domain_list *list, char *text, size_t size);

/* Writes UUID_TEXT_SIZE bytes to text. */
void uuid_format(const uint8_t uuid[16], char *text);
/* Returns false if text is not 8-4-4-4-12 hexadecimal digits. */
bool uuid_parse(const char *text, uint8_t uuid[16]);

#endif
