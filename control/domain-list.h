/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that exist, as Xen and xenstore say.
 */
#ifndef XENOPROF_CONTROL_DOMAIN_LIST_H
#define XENOPROF_CONTROL_DOMAIN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOMAIN_NAME_MAX  128
#define UUID_TEXT_SIZE   37
#define DOMAIN_ID_LIMIT  0x7ff0u /* real domains are below */
#define DOMAIN_ID_IDLE   0x7fffu
#define DOMAIN_NAME_IDLE "idle"

struct domain {
    uint16_t id;
    uint8_t uuid[16];
    uint32_t vcpus; /* highest vCPU number + 1 */
    bool hardware;  /* HVM or PVH, not PV */
    bool dying;
    uint32_t cpupool;
    char name[DOMAIN_NAME_MAX]; /* "" if xenstore has none */
};

struct domain_list {
    struct domain *domains; /* malloc'ed; by ascending id */
    size_t count;
};

void domain_list_free(struct domain_list *list);
/* NULL if there is none. */
const struct domain *domain_list_find(const struct domain_list *list,
                                      uint16_t id);
/* "0 (Domain-0), 3 (web)", cut with "..." where it does not fit. */
void domain_list_text(const struct domain_list *list, char *text, size_t size);

/* text has UUID_TEXT_SIZE bytes. */
void uuid_format(const uint8_t uuid[16], char *text);
/* 8-4-4-4-12 hexadecimal digits. */
bool uuid_parse(const char *text, uint8_t uuid[16]);

#endif
