/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SipHash-2-4 (Aumasson, Bernstein): without the key nobody can try words.
 */
#ifndef XENOPROF_REPORT_ARCHIVE_SIPHASH_H
#define XENOPROF_REPORT_ARCHIVE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const void *bytes, size_t size);

#endif
