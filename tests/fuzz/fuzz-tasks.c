/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile guest's tasks: a good kernel, of which the types, or the table of
 * processors and all that it leads to, are changed.  Each list that comes of it
 * is one that Xen takes; a thread's paths, and what it has mapped, are fit to
 * be shown, and end; so do pages of its file.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "guest/linux/tasks/mapping-read.h"
#include "guest/linux/tasks/origin-read.h"
#include "guest/linux/tasks/page-cache.h"
#include "guest/linux/tasks/task-cpus.h"
#include "restless.h"
#include "tests/unit/guest/linux/kernel-kit.h"

static struct fake_kernel originals[2];

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    return restless_seed(number, 6, bytes);
}

static const struct origin_thread wanted = {77, 1200, 1234};

/* Some areas of its program, in a tree of two levels, or in a list. */
static void add_areas(struct fake_kernel *fake, uint64_t task,
                      const struct fake_thread *thread)
{
    struct fake_mapping areas[8];

    for ( uint64_t i = 0; i < 8; i++ )
        areas[i] = (struct fake_mapping){
            .start = 0x400000 + 0x3000 * i,
            .end = 0x402000 + 0x3000 * i,
            .page = i,
            .flags = 4 * (i & 1),
            .mount = thread->mount,
            .dentry = thread->program,
        };
    fake_map(fake, task, areas, 8, 6);
}

/* /usr/sleep in /nap.service, of which /usr is mounted. */
static void add_thread(struct fake_kernel *fake)
{
    uint64_t root = fake_dentry(fake, "/", 0),
             slash = fake_dentry(fake, "/", 0);
    uint64_t mount = fake_mount(fake, root, 0, 0);
    struct fake_thread init = {.start = 1, .pid = 1, .tid = 1, .root = root};
    const struct fake_thread thread = {
        .start = wanted.start,
        .pid = wanted.pid,
        .tid = wanted.tid,
        .mount = fake_mount(fake, slash, mount, fake_dentry(fake, "usr", root)),
        .program = fake_dentry(fake, "sleep", slash),
        .cgroup = fake_kernfs(fake, "nap.service", fake_kernfs(fake, "", 0)),
    };

    add_areas(fake, fake_thread(fake, &thread), &thread);
    init.mount = thread.mount;
    init.program = thread.program;
    fake_thread(fake, &init);
}

/* Of some pages. */
static void add_file(struct fake_kernel *fake)
{
    static const uint8_t bytes[5 * 4096] = "\177ELF";

    fake_cache(fake, bytes, sizeof(bytes));
}

static struct fake_kernel *original(unsigned int number)
{
    const struct fake_form form = {.functions = 300,
                                   .cpus = 3,
                                   .hot = number,
                                   .origins = true,
                                   .cached = true,
                                   .lists = number};

    if ( !originals[number].kernel.bytes )
    {
        fake_kernel_open(&originals[number], &form);
        add_file(&originals[number]);
        add_thread(&originals[number]);
    }
    return &originals[number];
}

static bool read_layout(struct fake_kernel *fake, struct kernel_layout *ret)
{
    struct btf_wanted types[KERNEL_TYPES];
    static struct btf btf;

    fake->memory.left = 1 << 20;
    if ( !btf_open(&btf, &fake->memory, fake_address(fake, "__start_BTF"),
                   fake_address(fake, "__stop_BTF")) )
        return false;
    kernel_layout_want(types, FOR_ALL & ~(fake->form.hot ? 0 : FOR_HOT) &
                                  ~(fake->form.lists ? FOR_TREE : 0));
    btf_find_structs(&btf, types, KERNEL_TYPES);
    kernel_layout_read(&btf, types, ret);
    FUZZ_CHECK(kernel_layout_is_sound(ret));
    return true;
}

static struct task_symbol symbol(const struct fake_kernel *fake,
                                 const char *name, bool per_cpu)
{
    return (struct task_symbol){true, per_cpu,
                                fake_address(fake, name) -
                                    (per_cpu ? 0 : fake->kernel.address)};
}

/* layout NULL: there are no types. */
static void read_list(struct fake_kernel *fake,
                      const struct kernel_layout *layout)
{
    struct task_symbol current = symbol(
        fake, fake->form.hot ? "pcpu_hot" : "current_task", true);
    struct task_symbols symbols = {
        .offsets = symbol(fake, "__per_cpu_offset", false),
        .vcpu_id = symbol(fake, "xen_vcpu_id", true),
        .processor = symbol(fake, "boot_cpu_data", false),
    };
    const struct task_place place = {.base = fake->kernel.address};
    static const struct kernel_layout none;
    struct task_facts facts;
    struct task_list list;

    *(fake->form.hot ? &symbols.hot : &symbols.current) = current;
    fake->memory.left = 1 << 20;
    task_facts_make(&symbols, layout, NULL, place.base, &facts);
    FUZZ_CHECK(task_facts_are_sound(&facts));
    task_cpus_read(&facts, layout ? layout : &none, &fake->memory, &place,
                   &list);
    FUZZ_CHECK(task_list_is_sound(&list));
    FUZZ_CHECK(list.status || list.vcpus);
}

static void read_origin(struct fake_kernel *fake,
                        const struct kernel_layout *layout)
{
    struct thread_origin origin;

    fake->memory.left = 1 << 20;
    origin_read(layout, fake_address(fake, "init_pid_ns"), &fake->memory,
                &wanted, &origin);
    FUZZ_CHECK(origin_path_is_sound(origin.exe));
    FUZZ_CHECK(origin_path_is_sound(origin.cgroup));
    FUZZ_CHECK(fake->memory.left > 1 << 19);
}

/* Each costs so much, whatever leads to it. */
static void read_pages(struct fake_kernel *fake,
                       const struct cache_facts *facts,
                       const struct guest_file *file)
{
    static struct page_cache cache;
    uint64_t left;
    uint8_t bytes[64];

    fake->memory.left = 1 << 20;
    if ( !page_cache_open(&cache, facts, &fake->memory, file) )
        return;
    for ( uint64_t i = 0; i < 6; i++ )
    {
        left = fake->memory.left;
        page_cache_get(&cache, i * CACHE_PAGE, bytes, sizeof(bytes));
        FUZZ_CHECK(left - fake->memory.left < CACHE_PAGE + 512);
    }
}

static void read_mapped(struct fake_kernel *fake,
                        const struct kernel_layout *layout)
{
    const struct mapped_process process = {wanted, ""};
    struct cache_facts cache = {layout, 0, FAKE_DIRECT};
    const struct mapping_facts facts = {
        layout, layout->known & FOR_PAGES ? &cache : NULL,
        fake_address(fake, "init_pid_ns")};
    static struct mapped_space space, again;
    static uint8_t flat[MAPPED_FLAT_MAX];

    memcpy(&cache.pages, fake_bytes(fake, fake_address(fake, "vmemmap_base")),
           sizeof(cache.pages));
    fake->memory.left = 4 << 20;
    if ( !(layout->known & FOR_AREAS) ||
         !mapping_read(&facts, &fake->memory, &process, &space) )
        return;
    FUZZ_CHECK(mapped_space_get(flat, mapped_space_put(&space, flat), &again));
    FUZZ_CHECK(fake->memory.left > 1 << 20);
    for ( uint32_t i = 0; facts.cache && i < space.files; i++ )
        read_pages(fake, facts.cache, &space.file[i]);
}

/* The first byte: the kernel, and what is changed; one behind the edits: how
 * often it changes by itself. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake_kernel *fake = original(size ? data[0] & 1 : 0);
    uint64_t at = fake_address(fake, "__start_BTF");
    uint8_t *bytes = fake_bytes(fake, at), *copy;
    size_t count = fake_address(fake, "__stop_BTF") - at;
    struct kernel_layout layout;
    struct restless restless;

    if ( size && data[0] & 2 )
    {
        bytes = fake_bytes(fake, fake_address(fake, "__per_cpu_offset"));
        count = 64;
    }
    else if ( size && data[0] & 4 )
    {
        bytes = fake->areas.bytes;
        count = fake->areas.size;
    }
    copy = malloc(count);
    FUZZ_CHECK(copy);
    memcpy(copy, bytes, count);
    edits_apply(data, size, bytes, count);
    restless_begin(&restless, &fake->memory, data, size);
    if ( read_layout(fake, &layout) )
    {
        read_list(fake, &layout);
        read_origin(fake, &layout);
        read_mapped(fake, &layout);
    }
    else
        read_list(fake, NULL);
    restless_end(&restless, &fake->memory);
    memcpy(bytes, copy, count);
    free(copy);
    return 0;
}
