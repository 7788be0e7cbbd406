/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's tasks: one on each processor, what leads to it, and the code that
 * loads it. */
#include <stdio.h>
#include <string.h>

#include "kernel-kit.h"
#include "tests/unit/guest/btf/btf-kit.h"

static void add_origin_members(const struct fake_kernel *fake,
                               struct btf_kit *btf,
                               const struct fake_origin_types *types)
{
    btf_kit_member(btf, "mm", types->memory, FAKE_AT_MM);
    btf_kit_member(btf, "cgroups", types->cgroups, FAKE_AT_CGROUPS);
    btf_kit_member(btf, "nsproxy", types->proxy, FAKE_AT_PROXY);
    btf_kit_member(btf, "thread_pid", types->pid, FAKE_AT_THREAD_PID);
    btf_kit_member(btf, "pid_links", types->links, FAKE_AT_LINKS);
    btf_kit_member(btf, "fs", types->fs, FAKE_AT_FS);
    if ( fake->form.cached )
        btf_kit_member(btf, "task_frag", types->fragment, FAKE_AT_FRAGMENT);
}

void fake_add_task_types(const struct fake_kernel *fake, struct btf_kit *btf)
{
    uint32_t number = btf_kit_int(btf, "int", 4);
    uint32_t word = btf_kit_int(btf, "long", 8);
    uint32_t comm = btf_kit_array(btf, btf_kit_int(btf, "char", 1), 16);
    uint32_t features = btf_kit_array(btf, number, 24);
    uint32_t pointer = btf_kit_pointer(btf, 0), inner;
    struct fake_origin_types origin = {0};

    if ( fake->form.origins )
        fake_add_origin_types(fake, btf, &origin);
    btf_kit_type(btf, "task_struct", BTF_STRUCT,
                 (fake->form.origins ? 70 : 64) + fake->form.cached,
                 FAKE_TASK_SIZE);
    for ( uint32_t i = 0; i < 60; i++ )
        btf_kit_member(btf, "filler", number, 4 * i);
    btf_kit_member(btf, "pid", number, FAKE_AT_PID);
    btf_kit_member(btf, "tgid", number, FAKE_AT_PID + 4);
    btf_kit_member(btf, "start_time", word, FAKE_AT_START);
    btf_kit_member(btf, "comm", comm, FAKE_AT_COMM);
    if ( fake->form.origins )
        add_origin_members(fake, btf, &origin);
    inner = btf_kit_type(btf, NULL, BTF_UNION, 2, 96);
    btf_kit_member(btf, "x86_capability", features, 0);
    btf_kit_member(btf, "alignment", word, 0);
    btf_kit_type(btf, "cpuinfo_x86", BTF_STRUCT, 9, 256);
    for ( uint32_t i = 0; i < 8; i++ )
        btf_kit_member(btf, "filler", number, 4 * i);
    btf_kit_member(btf, NULL, inner, FAKE_AT_FEATURES);
    if ( !fake->form.hot )
        return;
    inner = btf_kit_type(btf, NULL, BTF_STRUCT, 2, 16);
    btf_kit_member(btf, "number", number, 0);
    btf_kit_member(btf, "current_task", pointer, FAKE_AT_HOT);
    btf_kit_type(btf, "pcpu_hot", BTF_STRUCT, 1, 64);
    btf_kit_member(btf, NULL, inner, 0);
}

uint64_t fake_area(const struct fake_kernel *fake, uint32_t cpu)
{
    return fake->areas.address + (uint64_t)cpu * FAKE_AREA_SIZE;
}

uint64_t fake_task(const struct fake_kernel *fake, uint32_t cpu)
{
    return fake_area(fake, cpu) + FAKE_AT_TASK;
}

static void put(struct fake_kernel *fake, uint64_t address, uint64_t value,
                size_t size)
{
    memcpy(fake_bytes(fake, address), &value, size);
}

static void add_area(struct fake_kernel *fake, uint32_t cpu)
{
    uint64_t word = fake_area(fake, cpu) + FAKE_AT_CURRENT;
    uint64_t task = fake_task(fake, cpu);
    char comm[16] = "";

    fake_add(&fake->areas, NULL, FAKE_AREA_SIZE);
    put(fake, word + (fake->form.hot ? FAKE_AT_HOT : 0), task, 8);
    put(fake, fake_area(fake, cpu) + FAKE_AT_VCPU_ID, cpu, 4);
    put(fake, task + FAKE_AT_PID, cpu ? 100 + cpu : 0, 4);
    put(fake, task + FAKE_AT_PID + 4, cpu ? 100 : 0, 4);
    put(fake, task + FAKE_AT_START, 1000 + cpu, 8);
    snprintf(comm, sizeof(comm), cpu ? "worker/%u" : "swapper/%u", cpu);
    memcpy(fake_bytes(fake, task + FAKE_AT_COMM), comm, sizeof(comm));
}

/* Some functions load a processor's word, others look into the table. */
static void add_loads(struct fake_kernel *fake, uint64_t current,
                      uint64_t table)
{
    for ( uint32_t i = 0; i < fake->form.functions; i++ )
    {
        uint8_t gs[9] = {0x65, 0x48, 0x8b, 0x04, 0x25};
        uint8_t add[8] = {0x48, 0x03, 0x04, 0xc5};
        uint8_t *code = fake_bytes(fake, fake_function(fake, i));

        memcpy(gs + 5, &(uint32_t){(uint32_t)current}, 4);
        memcpy(add + 4, &(uint32_t){(uint32_t)table}, 4);
        if ( i % 8 == 1 )
            memcpy(code, gs, sizeof(gs));
        if ( i % 16 == 3 )
            memcpy(code, add, sizeof(add));
    }
}

/* Since 6.15 per-CPU symbols are where their first contents are. */
static uint64_t add_section(struct fake_kernel *fake)
{
    uint64_t section = fake_end(&fake->kernel);

    if ( fake->form.encoding == OFFSET_PER_CPU )
        return 0;
    fake_symbol(fake, section + FAKE_AT_CURRENT, 'D',
                fake->form.hot ? "pcpu_hot" : "current_task");
    fake_symbol(fake, section + FAKE_AT_VCPU_ID, 'D', "xen_vcpu_id");
    fake_add(&fake->kernel, NULL, 4096);
    return section;
}

void fake_add_tasks(struct fake_kernel *fake)
{
    uint64_t section, table, processor;
    uint32_t features = fake->form.isolated ? 1u << 11 : ~(1u << 11);

    fake_align(&fake->kernel, 4096);
    section = add_section(fake);
    table = fake_end(&fake->kernel);
    fake_symbol(fake, table, 'D', "__per_cpu_offset");
    for ( uint32_t i = 0; i < fake->form.cpus; i++ )
        fake_add(&fake->kernel, &(uint64_t){fake_area(fake, i) - section}, 8);
    /* Processors that there may not be, and there is more behind. */
    fake_add(&fake->kernel, NULL, 8192);
    fake_symbol(fake, fake_end(&fake->kernel), 'D', "init_pid_ns");
    fake_add(&fake->kernel, NULL, 64);
    if ( fake->form.cached )
    {
        fake_symbol(fake, fake_end(&fake->kernel), 'D', "vmemmap_base");
        fake_add(&fake->kernel, &(uint64_t){0xffffea0000000000ull}, 8);
        fake_symbol(fake, fake_end(&fake->kernel), 'D', "page_offset_base");
        fake_add(&fake->kernel, &(uint64_t){FAKE_DIRECT}, 8);
    }
    processor = fake_end(&fake->kernel);
    fake_symbol(fake, processor, 'D', "boot_cpu_data");
    fake_add(&fake->kernel, NULL, 256);
    put(fake, processor + FAKE_AT_FEATURES + 28, features, 4);
    for ( uint32_t i = 0; i < fake->form.cpus; i++ )
        add_area(fake, i);
    if ( !fake->form.no_loads )
        add_loads(fake,
                  section + FAKE_AT_CURRENT +
                      (fake->form.hot ? FAKE_AT_HOT : 0),
                  table);
}
