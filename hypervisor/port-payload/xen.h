/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen as this port sees it: symbols that its livepatch loader resolves by
 * name.
 *
 * What differs between builds is not here: structure offsets come as facts
 * (facts.h).  Static symbols have their bare name here, and xenopctl gives them
 * the spelling of the running hypervisor (arch/x86/traps.c#nmi_callback).
 * Symbols in module-symbols.def may be missing.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_XEN_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_XEN_H

#include <xenoprof/facts.h>
#include <xenoprof/types.h>

#include "hypervisor/port.h"
#include "xen-numbers.h"

#pragma GCC visibility push(hidden)

/* Opaque. */
struct xen_vcpu;
struct xen_domain;
struct xen_page;

/* Since 4.17, and before, the interface that guests know, too. */
struct xen_runstate {
    int32_t state;
    uint32_t reserved;
    uint64_t since;
    uint64_t times[XENOPROF_RUNSTATES];
};
/* Releases up to 4.17.5 take the scheduler's lock in it: not in an NMI. */
void vcpu_runstate_get(const struct xen_vcpu *vcpu, struct xen_runstate *ret);
extern struct xen_domain *domain_list; /* by number; freed by RCU */

void printk(const char *format, ...);
int vscnprintf(char *text, __SIZE_TYPE__ size, const char *format,
               __builtin_va_list arguments);
const char *symbols_lookup(unsigned long address, unsigned long *size,
                           unsigned long *offset, char *name);

extern struct xen_vcpu *idle_vcpu[];
extern struct xen_domain *hardware_domain;
extern struct xen_domain *dom_xen;
extern unsigned long cpu_online_map[];
extern unsigned int nr_cpu_ids;
extern unsigned long max_page; /* frames, and */
extern unsigned long max_pdx;  /* entries of the frame table */
/* Returns whether the frame table has an entry for the frame. */
_Bool __mfn_valid(unsigned long frame);
extern unsigned long __per_cpu_offset[];
extern char per_cpu__curr_vcpu[];
extern void *stack_base[];

int64_t get_s_time(void);
int64_t get_s_time_fixed(uint64_t ticks);

/* Const to Xen, and yet what the NMI returns to. */
typedef int xen_nmi_callback(struct port_frame *frame, int pcpu);
extern xen_nmi_callback *nmi_callback;       /* static */
extern xen_nmi_callback *saved_nmi_callback; /* static */
void send_IPI_mask(const unsigned long *mask, int vector);
void self_nmi(void);
extern unsigned int nmi_watchdog;
extern unsigned int nmi_perfctr_msr;    /* static */
extern unsigned int nmi_p6_event_width; /* static */

typedef void xen_softirq_handler(void);
extern xen_softirq_handler *softirq_handlers[]; /* static */
void open_softirq(int number, xen_softirq_handler *handler);
void raise_softirq(unsigned int number);
void on_selected_cpus(const unsigned long *mask, void (*function)(void *),
                      void *data, int wait);
void *ioremap(uint64_t address, __SIZE_TYPE__ bytes);
void vunmap(const void *mapped);
void cpu_raise_softirq(unsigned int pcpu, unsigned int number);
void smp_send_event_check_mask(const unsigned long *mask);

/* 48 bytes in every release; room to spare. */
struct xen_timer {
    uint64_t opaque[16];
};
void init_timer(struct xen_timer *timer, void (*expired)(void *), void *data,
                unsigned int pcpu);
void set_timer(struct xen_timer *timer, int64_t time);
void stop_timer(struct xen_timer *timer);
void kill_timer(struct xen_timer *timer);
void migrate_timer(struct xen_timer *timer, unsigned int pcpu);

struct xen_cpupool;
struct xen_cpupool *cpupool_get_by_id(unsigned int id);
unsigned int cpupool_get_granularity(const struct xen_cpupool *pool);
void cpupool_put(struct xen_cpupool *pool);

void *alloc_xenheap_pages(unsigned int order, unsigned int flags);
unsigned long avail_domheap_pages_region(unsigned int node,
                                         unsigned int min_width,
                                         unsigned int max_width);
void free_xenheap_pages(void *pages, unsigned int order);
void *_xzalloc(unsigned long size, unsigned long align);
void xfree(void *memory);
void share_xen_page_with_guest(struct xen_page *page, struct xen_domain *owner,
                               int flags);
void free_domheap_pages(struct xen_page *page, unsigned int order);

void send_guest_vcpu_virq(struct xen_vcpu *vcpu, uint32_t virq);

/* hypfs: these structures are the same since Xen commit 641723f78d ("xen/hypfs:
 * add new enter() and exit() per node callbacks") (4.15), up to 4.23-dev. */
struct xen_list {
    struct xen_list *next, *prev;
};

struct xen_hypfs_entry;
struct xen_hypfs_leaf;
struct xen_hypfs_dir;

struct xen_hypfs_funcs {
    const struct xen_hypfs_entry *(*enter)(const struct xen_hypfs_entry *entry);
    void (*exit)(const struct xen_hypfs_entry *entry);
    int (*read)(const struct xen_hypfs_entry *entry, uint64_t guest_address);
    int (*write)(struct xen_hypfs_leaf *leaf, uint64_t guest_address,
                 unsigned int size);
    unsigned int (*size)(const struct xen_hypfs_entry *entry);
    struct xen_hypfs_entry *(*find)(const struct xen_hypfs_dir *dir,
                                    const char *name, unsigned int length);
};

enum { XEN_HYPFS_DIR = 0, XEN_HYPFS_BLOB = 1, XEN_HYPFS_STRING = 2 };

struct xen_hypfs_entry {
    unsigned short type;
    unsigned short encoding;
    unsigned int size;
    unsigned int max_size;
    const char *name;
    struct xen_hypfs_entry *parent;
    struct xen_list list;
    const struct xen_hypfs_funcs *funcs;
};

struct xen_hypfs_leaf {
    struct xen_hypfs_entry entry;
    void *content;
};

struct xen_hypfs_dir {
    struct xen_hypfs_entry entry;
    struct xen_list entries;
};

extern struct xen_hypfs_dir hypfs_root;
extern const struct xen_hypfs_funcs hypfs_dir_funcs;
extern const struct xen_hypfs_funcs hypfs_leaf_ro_funcs;
int hypfs_add_dir(struct xen_hypfs_dir *parent, struct xen_hypfs_dir *dir,
                  _Bool fatal);
int hypfs_add_leaf(struct xen_hypfs_dir *parent, struct xen_hypfs_leaf *leaf,
                   _Bool fatal);
const struct xen_hypfs_entry *hypfs_node_enter(
    const struct xen_hypfs_entry *entry);
void hypfs_node_exit(const struct xen_hypfs_entry *entry);
int hypfs_read_leaf(const struct xen_hypfs_entry *entry, uint64_t address);
int hypfs_write_leaf(struct xen_hypfs_leaf *leaf, uint64_t address,
                     unsigned int size);
int hypfs_write_deny(struct xen_hypfs_leaf *leaf, uint64_t address,
                     unsigned int size);
unsigned int hypfs_getsize(const struct xen_hypfs_entry *entry);
struct xen_hypfs_entry *hypfs_leaf_findentry(const struct xen_hypfs_dir *dir,
                                             const char *name,
                                             unsigned int length);

/* Symbols that some builds lack; they are NULL then. */
#define XEN_OPTIONAL(name) extern char name[];
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL

struct xen_optional {
#define XEN_OPTIONAL(name) const char *name;
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};
extern const struct xen_optional optional;

/* Filled in by xenopctl for one build.  Defined in a file of its own, so that
 * the compiler does not use its zeroes. */
extern const struct xenoprof_facts facts;

#pragma GCC visibility pop

static inline uint64_t xen_u64(const void *base, uint32_t offset)
{
    return *(const uint64_t *)((const char *)base + offset);
}

static inline uint32_t xen_u32(const void *base, uint32_t offset)
{
    return *(const uint32_t *)((const char *)base + offset);
}

static inline uint16_t xen_u16(const void *base, uint32_t offset)
{
    return *(const uint16_t *)((const char *)base + offset);
}

static inline uint8_t xen_u8(const void *base, uint32_t offset)
{
    return *(const uint8_t *)((const char *)base + offset);
}

static inline const void *xen_pointer(const void *base, uint32_t offset)
{
    return *(const void *const *)((const char *)base + offset);
}

/*
 * Where a frame of registers has what the processor pushed.  Below that lie
 * eight bytes, of which entry_vector is the upper half, and fifteen registers.
 */
enum {
    FRAME_VECTOR = 124,
    FRAME_IP = 128,
    FRAME_CS = 136,
    FRAME_FLAGS = 144,
    FRAME_SP = 152,
    FRAME_SS = 160,
    FRAME_END = 168
};

/* Returns the end of this pCPU's stacks.  Right on every stack of Xen: those of
 * exceptions are part of the same area. */
static inline const char *xen_stack_end(void)
{
    uintptr_t sp;

    asm("mov %%rsp, %0" : "=r"(sp));
    return (const char *)((sp | (XEN_STACK_SIZE - 1)) + 1);
}

static inline const struct xen_vcpu *xen_current(void)
{
    return xen_pointer(xen_stack_end() - facts.cpu_info_current_vcpu, 0);
}

static inline const struct xen_domain *xen_domain_of(const struct xen_vcpu *v)
{
    return xen_pointer(v, facts.vcpu_domain);
}

/* Returns the registers of the guest that Xen works for on this pCPU. */
static inline const struct port_frame *xen_guest_frame(void)
{
    return (const void *)(xen_stack_end() - facts.cpu_info_regs);
}

static inline bool xen_is_hvm(const struct xen_domain *domain)
{
    return xen_u32(domain, facts.domain_options) & XEN_DOMAIN_HVM;
}

static inline uint8_t io_read(uint16_t port)
{
    uint8_t value;

    asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

/* Returns whether an address is in the direct map and below the end of memory,
 * so that it is safe to read. */
static inline bool xen_mapped(const void *address)
{
    uintptr_t at = (uintptr_t)address;

    return at >= XEN_DIRECTMAP_START && at < XEN_DIRECTMAP_END &&
           (at - XEN_DIRECTMAP_START) >> 12 < max_page;
}

#endif
