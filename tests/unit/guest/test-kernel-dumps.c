/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels of distributions.  XENOPROF_KERNEL_DUMPS names folders, separated by
 * ':'.  A folder has files of one boot: `core`, the machine's memory as QEMU
 * dumps it; `kallsyms`, that kernel's own /proc/kallsyms; `vmlinuz`, its boot
 * image.  Without XENOPROF_KERNEL_DUMPS the tests are skipped.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "guest/kernel.h"
#include "guest/linux/orc.h"
#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/dump-memory.h"

#define LINE_SIZE   1024
#define BUDGET      (16u << 20)
#define READS_MAX   500u /* each is a message to the daemon, and its answer */
#define KERNEL_HALF 0xffff800000000000ull

struct machine {
    char folder[512];
    struct dump_memory dump;
    struct kernel_images *images;
    struct kernel *kernel;
};

static void path_of(const struct machine *machine, const char *name,
                    char path[600])
{
    snprintf(path, 600, "%s/%s", machine->folder, name);
}

static void open_machine(struct machine *machine)
{
    char path[600];

    path_of(machine, "core", path);
    if ( !dump_memory_open(&machine->dump, path) )
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    machine->images = kernel_images_open();
    CHECK(machine->images);
}

static void close_machine(struct machine *machine)
{
    kernel_close(machine->kernel);
    kernel_images_close(machine->images);
    dump_memory_close(&machine->dump);
}

static void each_machine(void (*check)(struct machine *machine))
{
    const char *list = getenv("XENOPROF_KERNEL_DUMPS");

    if ( !list || !*list )
        test_skip("XENOPROF_KERNEL_DUMPS names no dumps");
    while ( *list )
    {
        size_t length = strcspn(list, ":");
        struct machine machine = {0};

        snprintf(machine.folder, sizeof(machine.folder), "%.*s", (int)length,
                 list);
        list += length + (list[length] == ':');
        open_machine(&machine);
        check(&machine);
        close_machine(&machine);
    }
}

/* One line of /proc/kallsyms. */
struct kallsyms_line {
    unsigned long long address;
    char type;
    char name[512];
    char module[64];
};

struct lines {
    struct kallsyms_line *list;
    size_t count, room;
};

/* Whether a symbol is code that can run: not data, not freed after boot, not an
 * end marker, not generated while the kernel runs. */
static bool can_be_met(const struct kernel *kernel,
                       const struct kallsyms_line *line)
{
    return strchr("tTwW", line->type) && line->address >= KERNEL_HALF &&
           strcmp(line->module, "bpf") && strncmp(line->module, "__", 2) &&
           kernel_is_code(kernel, line->address);
}

static void add_line(struct lines *lines, const struct kallsyms_line *line)
{
    if ( lines->count == lines->room )
    {
        lines->room = lines->room ? 2 * lines->room : 65536;
        lines->list = realloc(lines->list, lines->room * sizeof(*lines->list));
        CHECK(lines->list);
    }
    lines->list[lines->count++] = *line;
}

static int by_address(const void *left, const void *right)
{
    const struct kallsyms_line *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static void read_lines(const struct machine *machine, struct lines *lines)
{
    char path[600], text[LINE_SIZE];
    struct kallsyms_line line;
    FILE *file;

    path_of(machine, "kallsyms", path);
    file = fopen(path, "r");
    if ( !file )
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    memset(lines, 0, sizeof(*lines));
    while ( fgets(text, sizeof(text), file) )
    {
        line.module[0] = '\0';
        if ( sscanf(text, "%llx %c %511s [%63[^]]]", &line.address, &line.type,
                    line.name, line.module) >= 3 &&
             can_be_met(machine->kernel, &line) )
            add_line(lines, &line);
    }
    fclose(file);
    qsort(lines->list, lines->count, sizeof(*lines->list), by_address);
}

struct tally {
    unsigned long addresses, named, in_modules, rows;
};

static bool is_named(const struct kernel_symbol *symbol,
                     const struct kallsyms_line *line)
{
    return symbol->start == line->address &&
           !strcmp(symbol->name, line->name) &&
           !strcmp(symbol->module ? symbol->module : "", line->module);
}

/* Every address of code has a name that the kernel itself gives it. */
static void compare(const struct machine *machine, struct tally *tally)
{
    struct lines lines;
    size_t i, next;

    memset(tally, 0, sizeof(*tally));
    read_lines(machine, &lines);
    for ( i = 0; i < lines.count; i = next )
    {
        const struct kallsyms_line *line = &lines.list[i];
        struct kernel_symbol symbol = {0};
        struct unwind_row row;
        bool right = false;

        tally->addresses++;
        tally->in_modules += line->module[0] != '\0';
        tally->rows += kernel_row(machine->kernel, line->address, &row);
        kernel_name(machine->kernel, line->address, &symbol);
        for ( next = i;
              next < lines.count && lines.list[next].address == line->address;
              next++ )
            right = right ||
                    (symbol.name && is_named(&symbol, &lines.list[next]));
        tally->named += right;
        if ( !right && tally->addresses - tally->named < 5 )
            fprintf(stderr, "%llx is %s [%s], not %s\n", line->address,
                    line->name, line->module,
                    symbol.name ? symbol.name : "without a name");
    }
    free(lines.list);
}

/* Bytes that this program has allocated; 0 under a sanitizer. */
static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static double milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void find_kernel(struct machine *machine)
{
    machine->dump.memory.left = BUDGET;
    CHECK_EQ(kernel_find(machine->images, &machine->dump.memory,
                         machine->dump.ip, &machine->kernel),
             KERNEL_OK);
}

static void check_names(struct machine *machine)
{
    struct kernel_info facts;
    struct tally tally;
    size_t before = allocated();
    double start = milliseconds(), end;

    find_kernel(machine);
    end = milliseconds();
    before = allocated() - before;
    kernel_get_info(machine->kernel, &facts);
    compare(machine, &tally);
    fprintf(stderr,
            "%s: base %llx, %lu addresses of code, %lu in %u modules, "
            "%u ORC rows; read %lu KiB in %lu reads; takes %zu KiB; %.0f ms\n",
            facts.release, (unsigned long long)facts.base, tally.addresses,
            tally.in_modules, facts.modules, facts.rows,
            (unsigned long)(facts.bytes_read >> 10), machine->dump.reads,
            before >> 10, end - start);
    CHECK_EQ(tally.named, tally.addresses);
    CHECK(tally.addresses > 40000 && tally.in_modules > 500);
    CHECK(facts.modules > 5 && facts.build_id_length == 20);
    /* Padding and entry stubs need no rows; all else has them. */
    CHECK(tally.rows * 1000 >= tally.addresses * 995);
    CHECK(facts.bytes_read <= BUDGET);
    CHECK(machine->dump.reads < READS_MAX);
    CHECK(before < 12 << 20);
}

TEST(names_equal_the_guests_own)
{
    each_machine(check_names);
}

/* What a search costs depends neither on where the machine was when it was
 * first seen, nor on where this boot put its kernel. */
static void check_reads(struct machine *machine)
{
    const uint64_t places[] = {0xffffffffc0000010ull, 0x401000};

    for ( size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++ )
    {
        machine->dump.ip = places[i];
        machine->dump.reads = 0;
        near_forget(&machine->dump.near);
        find_kernel(machine);
        fprintf(stderr, "seen at %llx: %lu reads\n",
                (unsigned long long)places[i], machine->dump.reads);
        CHECK(machine->dump.reads < READS_MAX);
        kernel_close(machine->kernel);
        machine->kernel = NULL;
        kernel_images_close(machine->images);
        machine->images = kernel_images_open();
        CHECK(machine->images);
    }
}

TEST(reads_are_few_wherever_it_was_seen)
{
    each_machine(check_reads);
}

static uint8_t *map_file(const struct machine *machine, const char *name,
                         size_t *size)
{
    char path[600];
    struct stat stat;
    uint8_t *bytes;
    int file;

    path_of(machine, name, path);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if ( file < 0 || fstat(file, &stat) )
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    *size = (size_t)stat.st_size;
    bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    CHECK(bytes != MAP_FAILED);
    return bytes;
}

static void check_file(struct machine *machine, const char *name, bool checked)
{
    struct kernel_info facts;
    struct tally tally;
    size_t size;
    uint8_t *bytes = map_file(machine, name, &size);

    machine->dump.memory.left = BUDGET;
    CHECK_EQ(kernel_from_file(machine->images, bytes, size,
                              &machine->dump.memory, machine->dump.ip,
                              &machine->kernel),
             KERNEL_OK);
    munmap(bytes, size);
    kernel_get_info(machine->kernel, &facts);
    compare(machine, &tally);
    CHECK_EQ(tally.named, tally.addresses);
    CHECK(tally.addresses > 40000 &&
          tally.rows * 1000 >= tally.addresses * 995);
    CHECK_EQ(facts.checked, checked);
}

static void check_boot_image(struct machine *machine)
{
    check_file(machine, "vmlinuz", true);
}

TEST(names_from_the_boot_image)
{
    each_machine(check_boot_image);
}

static void check_text(struct machine *machine)
{
    check_file(machine, "kallsyms", false);
}

TEST(names_from_its_own_text)
{
    each_machine(check_text);
}

static void check_sharing(struct machine *machine)
{
    struct kernel *again;
    struct kernel_symbol one, other;
    struct kernel_info facts;

    find_kernel(machine);
    machine->dump.memory.left = BUDGET;
    CHECK_EQ(kernel_find(machine->images, &machine->dump.memory,
                         machine->dump.ip, &again),
             KERNEL_OK);
    kernel_get_info(again, &facts);
    CHECK(kernel_name(machine->kernel, facts.base + 0x1000, &one));
    CHECK(kernel_name(again, facts.base + 0x1000, &other));
    CHECK(one.name == other.name);
    kernel_close(again);
}

TEST(two_guests_with_one_kernel)
{
    each_machine(check_sharing);
}

/* Offsets of the first steps that store: pids, start, name. */
static const struct {
    const char *release;
    uint32_t offsets[3];
} known_tasks[] = {
    {"6.1.0-", {2416, 2776, 2976}},
    {"6.12.", {2432, 2776, 2976}},
};

static void check_offsets(const struct xenoprof_fetch *fetch,
                          const char *release)
{
    for ( unsigned int i = 0; i < 2; i++ )
        for ( unsigned int step = 0; !strncmp(release, known_tasks[i].release,
                                              strlen(known_tasks[i].release)) &&
                                     step < 3;
              step++ )
            CHECK_EQ(fetch->step[step + 1].offset,
                     known_tasks[i].offsets[step]);
}

/* What Xen would read for a sample, when memory was dumped. */
static void read_task(struct machine *machine,
                      const struct xenoprof_fetch *fetch,
                      struct guest_task *ret)
{
    struct xenoprof_task part = {.stored = 32};
    struct guest_memory *memory = &machine->dump.memory;
    uint64_t task;

    CHECK(guest_memory_get(memory, fetch->base[0], &task, sizeof(task)));
    CHECK(guest_memory_get(memory, task + fetch->step[1].offset, &part.word[0],
                           8));
    CHECK(guest_memory_get(memory, task + fetch->step[2].offset, &part.word[1],
                           8));
    CHECK(guest_memory_get(memory, task + fetch->step[3].offset, &part.word[2],
                           16));
    CHECK(task_decode(&part, ret));
}

/* A program of its init, or its idle task. */
static void check_task(struct machine *machine)
{
    struct kernel_info facts;
    struct task_list list;
    struct guest_task task;

    find_kernel(machine);
    kernel_get_info(machine->kernel, &facts);
    machine->dump.memory.left = 65536;
    kernel_get_tasks(machine->kernel, &machine->dump.memory, false, &list);
    CHECK_TEXT(task_list_why(list.status), "");
    CHECK_EQ(list.vcpus, 1);
    CHECK(xenoprof_fetch_is_right(&list.fetch));
    check_offsets(&list.fetch, facts.release);
    machine->dump.memory.left = 65536;
    read_task(machine, &list.fetch, &task);
    fprintf(stderr, "%s: runs %s, process %u, thread %u, since %.3f s; %s\n",
            facts.release, task.comm, task.pid, task.tid,
            (double)task.start / 1e9,
            list.fetch.isolated ? "isolated" : "not isolated");
    CHECK(task.pid == task.tid);
}

TEST(what_runs)
{
    each_machine(check_task);
}

static void say_mapped(const struct mapped_space *space)
{
    for ( uint32_t i = 0; i < space->count; i++ )
        fprintf(stderr, "%llx to %llx: '%s', from %llx on\n",
                (unsigned long long)space->code[i].start,
                (unsigned long long)space->code[i].end,
                mapped_path(space, &space->code[i]),
                (unsigned long long)space->code[i].offset);
}

/* Its program is busybox, and is all that it has mapped of a file; it has no
 * code while it is becoming that.  The idle task has no memory. */
static void check_mapped(struct machine *machine)
{
    static struct mapped_space space;
    struct guest_memory *memory = &machine->dump.memory;
    struct mapped_process process;
    struct task_list list;
    struct guest_task task;
    const char *path = "";

    find_kernel(machine);
    memory->left = BUDGET;
    kernel_get_tasks(machine->kernel, memory, false, &list);
    CHECK_EQ(list.mapped, 1);
    read_task(machine, &list.fetch, &task);
    process.thread = (struct origin_thread){task.start, task.pid, task.tid};
    memcpy(process.comm, task.comm, sizeof(process.comm));
    memory->left = BUDGET;
    CHECK_EQ(kernel_get_mapped(machine->kernel, memory, &process, &space),
             task.pid != 0);
    say_mapped(&space);
    for ( uint32_t i = 0; i < space.count && !*path; i++ )
        path = mapped_path(&space, &space.code[i]);
    CHECK_TEXT(path, space.count ? "/bin/busybox" : "");
}

TEST(what_the_process_that_runs_has_mapped)
{
    each_machine(check_mapped);
}
