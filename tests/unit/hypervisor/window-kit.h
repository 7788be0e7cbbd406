/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest with some pages of stack, anywhere, and a sample of it whenever a
 * test wants one.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_WINDOW_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_WINDOW_KIT_H

#include "core-kit.h"
#include "hypervisor/windows.h"

#define PAGE      XENOPROF_PAGE_SIZE
#define VCPU_RING kit_ring_of(XENOPROF_RING_VCPU, 5, 1)
#define TASK      0xffffc90000100000ul /* a stack of four pages */
#define TASK_END  (TASK + 4 * PAGE)
#define IRQ       0xfffffe0000200000ul /* another one */
#define IRQ_END   (IRQ + 4 * PAGE)
#define USER      0x7ffd00000000ul
#define LAST_PAGE 0xfffffffffffff000ul
#define KERNEL_SP (TASK_END - 1000)

extern struct kit_read window_kit_read;    /* what was read of its ring */
extern unsigned int window_kit_page_reads; /* of the guest's memory */
extern bool window_kit_restless;           /* each reading finds other bytes */

/* Maps so many pages, filled with a pattern that window_kit_check() knows. */
void window_kit_map(uint64_t address, unsigned int count);
void window_kit_put_word(uint64_t address, uint64_t word);

/* A session with these words added, domain 5 on pCPU 1, sampling. */
void window_kit_begin_with(const char *words, const char *kind);
void window_kit_begin(void);
void window_kit_end(void);

struct process_pcpu *window_kit_one(void);
void window_kit_set_sp(uint64_t sp);
void window_kit_set_mode(enum xenoprof_mode mode);
void window_kit_in_xen(void);

/* Sends one more NMI to pCPU 1, as a tick does; _sample() returns its
 * sample. */
void window_kit_take_nmi(void);
const struct kit_sample *window_kit_sample(void);

/* Checks that a window has these bytes of the pattern. */
void window_kit_check(const struct kit_window *window, uint64_t address,
                      uint32_t length);
bool window_kit_has(const struct kit_sample *got, enum xenoprof_part part);
/* Returns how many windows the sample has. */
int window_kit_count(const struct kit_sample *got);

#endif
