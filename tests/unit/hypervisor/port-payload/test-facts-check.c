/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's own checks of its facts, in a hypervisor of a few pages that has
 * its fields where real ones have them.
 */
#include <stddef.h>
#include <string.h>

#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

enum { PCPUS = 2, SERIES = 6, FRAMES = 16, BYTES = 4096, BEYOND = 8 };

/* The direct map; what has no purpose is full of this byte. */
#define NOISE 0xa5
static uint8_t machine[FRAMES][BYTES] __attribute__((aligned(4096)));
static uint8_t frame_table[FRAMES * 32];
static uint8_t stacks[PCPUS][XEN_STACK_SIZE] __attribute__((aligned(32768)));
static uint8_t variables[PCPUS][256]; /* of each pCPU */

struct xen_vcpu *idle_vcpu[PCPUS];
struct xen_domain *hardware_domain, *domain_list;
unsigned int nr_cpu_ids;
unsigned long max_page, max_pdx, __per_cpu_offset[PCPUS];
void *stack_base[PCPUS];

static unsigned int online;
static struct xenoprof_facts now;
static struct xen_optional symbols;

bool port_pcpu_online(unsigned int pcpu)
{
    return pcpu < online;
}

static const char *stack_end(void)
{
    return (const char *)stacks[0] + XEN_STACK_SIZE;
}

static bool is_mapped(const void *address)
{
    return (uintptr_t)address - (uintptr_t)machine < sizeof(machine);
}

/* The code under test, in this machine and with these facts. */
#define facts           now
#define optional        symbols
#define xen_stack_end() stack_end()
#define xen_mapped(at)  is_mapped(at)
#define xen_domain_of(vcpu)                                                    \
    ((const struct xen_domain *)xen_pointer(vcpu, now.vcpu_domain))
#define xen_current()                                                          \
    ((const struct xen_vcpu *)xen_pointer(                                     \
        stack_end() - now.cpu_info_current_vcpu, 0))
#undef XEN_DIRECTMAP_START
#undef XEN_FRAME_TABLE
#define XEN_DIRECTMAP_START ((uintptr_t)machine)
#define XEN_FRAME_TABLE     ((uintptr_t)frame_table)
#include "hypervisor/port-payload/facts-check.c"

/* The facts of release builds, all read from their DWARF; gcc 12, Debian's
 * options.  STACKS facts are not checked as the module is loaded.  The
 * development tree of 4.23 (commit c447b7308b) has those of 4.22.0. */
static const char *const series[SERIES] = {"4.17.7", "4.18.6", "4.19.6",
                                           "4.20.4", "4.21.2", "4.22.0"};
#define AT(name) offsetof(struct xenoprof_facts, name)
#define SAME(n)                                                                \
    {                                                                          \
        n, n, n, n, n, n                                                       \
    }
static const struct {
    size_t fact;
    uint32_t values[SERIES];
} known[] = {
    {AT(cpu_info_regs), {264, 264, 264, 264, 248, 248}},
    {AT(cpu_info_processor_id), SAME(64)},
    {AT(cpu_info_current_vcpu), SAME(56)},
    {AT(cpu_info_per_cpu_offset), SAME(48)},
    {AT(vcpu_vcpu_id), SAME(0)},
    {AT(vcpu_domain), {16, 24, 24, 24, 24, 24}},
    {AT(vcpu_flags), {896, 896, 896, 888, 848, 848}},
    {AT(vcpu_vmcb), {1472, 1472, 1472, 1472, 1408, 1408}},
    {AT(vcpu_vmcb_pa), {1480, 1480, 1480, 1480, 1416, 1424}},
    {AT(vcpu_vmcs_pa), {1472, 1472, 1472, 1472, 1408, 1408}},
    {AT(vcpu_vm_event), {3048, 2872, 2808, 2808, 2744, 2736}},
    {AT(domain_domain_id), SAME(0)},
    {AT(domain_max_vcpus), SAME(4)},
    {AT(domain_vcpu), {8, 8, 8, 16, 16, 16}},
    {AT(domain_options), {316, 292, 292, 300, 300, 300}},
    {AT(domain_handle), SAME(1928)},
    {AT(domain_is_dying), {320, 296, 296, 304, 304, 304}},
    {AT(domain_next), {136, 136, 136, 144, 144, 144}},
    {AT(vcpu_pause_flags), {296, 328, 328, 328, 328, 320}},
    {AT(page_count_info), SAME(8)},
    {AT(page_size), SAME(32)},
};
#define KNOWN (sizeof(known) / sizeof(*known))

static uint32_t *fact(size_t at)
{
    return (uint32_t *)((char *)&now + at);
}

static void set_facts(unsigned int of)
{
    now = (struct xenoprof_facts){.magic = XENOPROF_FACTS_MAGIC,
                                  .version = XENOPROF_FACTS_VERSION,
                                  .size = sizeof(now),
                                  .count = XENOPROF_FACT_COUNT};
    for ( unsigned int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        (&now.count + 1)[i] = XENOPROF_FACT_ABSENT;
    for ( unsigned int i = 0; i < KNOWN; i++ )
        *fact(known[i].fact) = known[i].values[of];
}

static void put(void *base, uint32_t offset, uint64_t value, size_t size)
{
    memcpy((char *)base + offset, &value, size);
}

static void put_pointer(void *base, uint32_t offset, const void *to)
{
    put(base, offset, (uintptr_t)to, sizeof(to));
}

/* Takes pages from the machine; structures are smaller than two. */
static void *take(unsigned int *used, unsigned int pages)
{
    void *taken = machine[*used];

    *used += pages;
    CHECK(*used <= FRAMES);
    return taken;
}

static void *make_vcpu(unsigned int *used, uint32_t id, const void *domain)
{
    void *vcpu = take(used, 1);

    put(vcpu, now.vcpu_vcpu_id, id, 4);
    put_pointer(vcpu, now.vcpu_domain, domain);
    put(vcpu, now.vcpu_flags, 1, 8);
    put(vcpu, now.vcpu_vm_event, 0, 8);
    put(vcpu, now.vcpu_pause_flags, 2, 8);
    return vcpu;
}

static void make_pcpu(unsigned int *used, unsigned int pcpu, const void *domain)
{
    char *end = (char *)stacks[pcpu] + XEN_STACK_SIZE;
    size_t offset = (size_t)pcpu * sizeof(*variables);

    idle_vcpu[pcpu] = make_vcpu(used, pcpu, domain);
    stack_base[pcpu] = stacks[pcpu];
    __per_cpu_offset[pcpu] = offset;
    put(end - now.cpu_info_processor_id, 0, pcpu, 4);
    put_pointer(end - now.cpu_info_current_vcpu, 0, idle_vcpu[pcpu]);
    put(end - now.cpu_info_per_cpu_offset, 0, offset, 8);
    put_pointer(variables[pcpu], TSS_ENTRY_STACK,
                end - now.cpu_info_regs + FRAME_END);
}

static void make_dom0(unsigned int *used)
{
    void *domain = take(used, 1), *vcpus = take(used, 1);

    hardware_domain = domain_list = domain;
    put_pointer(domain, now.domain_next, NULL);
    put(domain, now.domain_domain_id, 0, 2);
    put(domain, now.domain_max_vcpus, 2, 4);
    put_pointer(domain, now.domain_vcpu, vcpus);
    put(domain, now.domain_options, 0, 4);
    put(domain, now.domain_is_dying, 0, 4);
    put(domain, now.domain_handle, 0, 8);
    put(domain, now.domain_handle + 8, 0, 8);
    put_pointer(vcpus, 0, make_vcpu(used, 0, domain));
    put_pointer(vcpus, 8, make_vcpu(used, 1, domain));
    put(frame_table + (((uint8_t *)domain - machine[0]) / BYTES) * 32,
        now.page_count_info, 1ul << XEN_PAGE_XEN_HEAP | 1, 8);
}

/* Makes a hypervisor of that series, and sets its facts. */
static void make(unsigned int of)
{
    unsigned int used = 1;
    void *domain;

    memset(machine, NOISE, sizeof(machine));
    memset(frame_table, NOISE, sizeof(frame_table));
    memset(stacks, NOISE, sizeof(stacks));
    memset(variables, NOISE, sizeof(variables));
    symbols = (struct xen_optional){
        .per_cpu__tss_page = (const char *)variables[0],
        .svm_asm_do_resume = "",
    };
    max_page = max_pdx = FRAMES;
    nr_cpu_ids = online = PCPUS;
    set_facts(of);
    domain = take(&used, 1);
    put(domain, now.domain_domain_id, XEN_DOMID_IDLE, 2);
    for ( unsigned int i = 0; i < PCPUS; i++ )
        make_pcpu(&used, i, domain);
    make_dom0(&used);
}

TEST(facts_of_each_series)
{
    for ( unsigned int i = 0; i < SERIES; i++ )
    {
        const char *wrong;

        make(i);
        wrong = facts_check();
        if ( wrong )
            test_fail(__FILE__, __LINE__, "%s: %s is wrong", series[i], wrong);
    }
}

/* The other half of a uuid is as good as this one; what lies in a control block
 * is checked as it is used. */
static bool is_unseen(size_t at)
{
    return at == AT(domain_handle) || at == AT(vcpu_vmcb) ||
           at == AT(vcpu_vmcb_pa) || at == AT(vcpu_vmcs_pa);
}

TEST(each_wrong_fact_is_refused)
{
    for ( unsigned int i = 0; i < SERIES * KNOWN; i++ )
    {
        unsigned int of = i / KNOWN;
        size_t at = known[i % KNOWN].fact;

        make(of);
        *fact(at) += BEYOND;
        if ( !facts_check() && !is_unseen(at) )
            test_fail(__FILE__, __LINE__, "%s: fact %zu, 8 too large, is taken",
                      series[of], (at - AT(count)) / sizeof(uint32_t) - 1);
    }
}

TEST(facts_of_another_list_are_refused)
{
    make(0);
    now.count--;
    CHECK_TEXT(facts_check(), "count");
    make(0);
    now.version++;
    CHECK_TEXT(facts_check(), "version");
}

/* The core's arrays are for so many. */
TEST(facts_of_too_many_pcpus_are_refused)
{
    make(0);
    online = 1;
    nr_cpu_ids = PORT_PCPUS_MAX + 1;
    CHECK_TEXT(facts_check(), "nr_cpu_ids");
    nr_cpu_ids = PORT_PCPUS_MAX;
    CHECK(!facts_check());
}

TEST(frames_that_are_compressed_are_refused)
{
    make(0);
    max_pdx--;
    CHECK_TEXT(facts_check(), "max_pdx");
    CHECK_TEXT(facts_remedy(facts_check()),
               ": Xen leaves holes of this host's memory out of its tables; "
               "from 4.21 on, pdx-compress=no turns that off");
    make(0);
    now.vcpu_domain += BEYOND;
    CHECK_TEXT(facts_remedy(facts_check()), "");
}

/* Each domain's number is higher than the one before. */
TEST(the_list_of_domains_is_in_order)
{
    void *next = machine[FRAMES - 1];

    make(0);
    put_pointer(hardware_domain, now.domain_next, next);
    put(next, now.domain_domain_id, 7, 2);
    put_pointer(next, now.domain_next, NULL);
    CHECK(!facts_check());
    put_pointer(next, now.domain_next, next);
    CHECK_TEXT(facts_check(), "domain_next");
    put_pointer(next, now.domain_next, NULL);
    put(next, now.domain_domain_id, 0x7ff0, 2);
    CHECK_TEXT(facts_check(), "domain_next");
}

TEST(facts_of_who_waits_may_be_absent)
{
    make(0);
    now.domain_next = now.vcpu_pause_flags = XENOPROF_FACT_ABSENT;
    CHECK(!facts_check());
}

TEST(facts_that_are_needed_are_there)
{
    make(0);
    now.cpu_info_regs = XENOPROF_FACT_ABSENT;
    CHECK_TEXT(facts_check(), "cpu_info_regs");
    make(0);
    now.domain_handle = XENOPROF_FACT_ABSENT;
    CHECK_TEXT(facts_check(), "domain_handle");
}

/* Xen built without HVM guests, or without AMD's virtualization, has none. */
TEST(control_blocks_where_there_are_any)
{
    make(0);
    now.vcpu_vmcb = now.vcpu_vmcb_pa = XENOPROF_FACT_ABSENT;
    CHECK_TEXT(facts_check(), "vcpu_vmcb");
    symbols.svm_asm_do_resume = NULL;
    CHECK(!facts_check());
    now.vcpu_domain = XENOPROF_FACT_ABSENT;
    CHECK_TEXT(facts_check(), "vcpu_domain");
}

/* By the TSS of any pCPU; without that symbol by what there is room for. */
TEST(the_end_of_a_guests_frame)
{
    make(0);
    put(variables[1], TSS_ENTRY_STACK, 0, 8);
    CHECK_TEXT(facts_check(), "cpu_info_regs");

    make(0);
    symbols.per_cpu__tss_page = NULL;
    now.cpu_info_regs = 64 + FRAME_END;
    CHECK(!facts_check());
    now.cpu_info_regs -= 8;
    CHECK_TEXT(facts_check(), "cpu_info_processor_id");
    now.cpu_info_regs = 64 + FRAME_END + 56;
    CHECK(!facts_check());
    now.cpu_info_regs += 8;
    CHECK_TEXT(facts_check(), "cpu_info_regs");
}

TEST(a_control_structures_address_is_a_field)
{
    make(0);
    now.vcpu_vmcs_pa += 4;
    CHECK_TEXT(facts_check(), "vcpu_vmcs_pa");
    now.vcpu_vmcs_pa = 4008;
    CHECK_TEXT(facts_check(), "vcpu_vmcs_pa");
    now.vcpu_vmcs_pa = XENOPROF_FACT_ABSENT;
    CHECK(!facts_check());
}

TEST(a_control_blocks_two_addresses_are_near_each_other)
{
    make(0);
    now.vcpu_vmcb_pa = now.vcpu_vmcb;
    CHECK_TEXT(facts_check(), "vcpu_vmcb_pa");
    now.vcpu_vmcb_pa = now.vcpu_vmcb + 64;
    CHECK_TEXT(facts_check(), "vcpu_vmcb_pa");
    now.vcpu_vmcb_pa = now.vcpu_vmcb + 12;
    CHECK_TEXT(facts_check(), "vcpu_vmcb_pa");
    now.vcpu_vmcb_pa = now.vcpu_vmcb - 8;
    CHECK_TEXT(facts_check(), "vcpu_vmcb_pa");
    now.vcpu_vmcb += 4;
    CHECK_TEXT(facts_check(), "vcpu_vmcb");
}
