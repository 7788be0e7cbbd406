/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/import/import-formats.h"

#include <stdlib.h>
#include <string.h>

#include "perf-kit.h"
#include "tests/harness.h"
#include "tests/unit/report/import/import-kit.h"

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL
#define BEGIN  10000000000ull

/* What the file that make() makes of the records becomes. */
static const char *import_with(struct perf_kit *kit,
                               void (*make)(const struct perf_kit *kit,
                                            struct buffer *ret))
{
    struct buffer file = {0};
    const char *text;

    make(kit, &file);
    text = import_kit(file.bytes, file.used);
    buffer_free(&file);
    perf_kit_free(kit);
    return text;
}

static const char *import_records(struct perf_kit *kit)
{
    return import_with(kit, perf_kit_file);
}

static void sample_at(struct perf_kit *kit, uint64_t time, uint32_t pid,
                      uint64_t ip)
{
    perf_kit_put_sample(kit,
                        &(struct perf_kit_sample){
                            .misc = USER, .pid = pid, .time = time, .ip = ip});
}

#define CLOCK "cpu-clock 10 box.1@1 "

/* A session's samples have no order: a guest's come behind its host's. */
#define EXAMPLE(event)                                                         \
    event " 10 box.1@1 kernel 8:8:web kernel!0xffffffff81000010+k "            \
          "kernel!0xffffffff8100010f+k /nowhere/web!0x10+u "                   \
          "/nowhere/web!0x10f+u\n" event                                       \
          " 10 box.1@1 user 7:7:web /nowhere/web!0x20+u\n" event               \
          " 10 guest.1@1 kernel 7:7:web kernel!0xffffffff82000010+k\n"

TEST(modes_are_whose_code_it_is)
{
    struct perf_kit kit = {.stacks = false};

    perf_kit_example(&kit);
    CHECK_TEXT(import_records(&kit), EXAMPLE("cpu-clock"));
}

TEST(a_pipe_has_its_header_in_records)
{
    struct perf_kit kit = {.stacks = false};

    perf_kit_example(&kit);
    CHECK_TEXT(import_with(&kit, perf_kit_pipe), EXAMPLE("cpu-clock:u"));
}

TEST(packed_records_are_unpacked)
{
    struct perf_kit kit = {.stacks = false};

    perf_kit_example(&kit);
    CHECK_TEXT(import_with(&kit, perf_kit_packed), EXAMPLE("cpu-clock"));
}

/* CPU 0 wrote its sample after CPU 1 had written what comes later. */
TEST(order_is_that_of_times)
{
    struct perf_kit kit = {.stacks = false};

    perf_kit_map(&kit, BEGIN, 7, "/nowhere/old", 0x1000, 0x1000);
    perf_kit_map(&kit, BEGIN + 20, 7, "/nowhere/new", 0x1000, 0x1000);
    sample_at(&kit, BEGIN + 30, 7, 0x1010);
    sample_at(&kit, BEGIN + 10, 7, 0x1010);
    perf_kit_round(&kit);
    sample_at(&kit, BEGIN + 5, 7, 0x1020);
    CHECK_TEXT(import_records(&kit),
               CLOCK "user 7:7::7 /nowhere/old!0x20+u\n" CLOCK
                     "user 7:7::7 /nowhere/old!0x10+u\n" CLOCK
                     "user 7:7::7 /nowhere/new!0x10+u\n");
}

TEST(a_program_begins_with_nothing_mapped)
{
    struct perf_kit kit = {.stacks = false};

    perf_kit_comm(&kit, BEGIN, 7, "shell", false);
    perf_kit_map(&kit, BEGIN, 7, "/nowhere/sh", 0x1000, 0x1000);
    perf_kit_fork(&kit, BEGIN + 1, PERF_RECORD_FORK, 8, 7);
    sample_at(&kit, BEGIN + 2, 8, 0x1010);
    perf_kit_comm(&kit, BEGIN + 3, 8, "ls", true);
    sample_at(&kit, BEGIN + 4, 8, 0x1010);
    sample_at(&kit, BEGIN + 5, 7, 0x1010);
    perf_kit_fork(&kit, BEGIN + 6, PERF_RECORD_EXIT, 8, 7);
    sample_at(&kit, BEGIN + 7, 8, 0x1010);
    CHECK_TEXT(import_records(&kit),
               CLOCK "user 8:8:shell /nowhere/sh!0x10+u\n" CLOCK
                     "user 8:8:ls !0x1010+u\n" CLOCK
                     "user 7:7:shell /nowhere/sh!0x10+u\n" CLOCK
                     "user 8:8:ls !0x1010+u\n");
}

TEST(a_stack_is_walked_by_frame_pointers_without_rows)
{
    static const uint64_t registers[] = {0x7000, 0x6ff0, 0x1010};
    static const uint64_t stack[] = {0, 0, 0x7010, 0x1110, 0, 0x1210, 0, 0};
    struct perf_kit kit = {.stacks = true};

    perf_kit_map(&kit, BEGIN, 7, "/nowhere/web", 0x1000, 0x1000);
    perf_kit_put_sample(&kit, &(struct perf_kit_sample){.misc = USER,
                                                        .pid = 7,
                                                        .time = BEGIN + 1,
                                                        .ip = 0x1010,
                                                        .registers = registers,
                                                        .stack = stack,
                                                        .words = 8});
    CHECK_TEXT(import_records(&kit),
               CLOCK "user 7:7::7 /nowhere/web!0x10+u /nowhere/web!0x10f+u "
                     "/nowhere/web!0x20f+u\n");
}

TEST(noted_calls_are_a_chain)
{
    static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL,
                                     0xffffffff81000010,
                                     (uint64_t)PERF_CONTEXT_USER, 0x1010};
    static const uint64_t branches[] = {0x1110, 0x1000, 0, 0x1210, 0x1100, 0};
    struct perf_kit kit = {.branches = true};

    perf_kit_map(&kit, BEGIN, 7, "/nowhere/web", 0x1000, 0x1000);
    perf_kit_put_sample(&kit,
                        &(struct perf_kit_sample){.misc = KERNEL,
                                                  .pid = 7,
                                                  .time = BEGIN + 1,
                                                  .ip = 0xffffffff81000010,
                                                  .chain = chain,
                                                  .count = 4,
                                                  .branches = branches,
                                                  .branch_count = 2});
    CHECK_TEXT(import_records(&kit),
               CLOCK "kernel 7:7::7 kernel!0xffffffff81000010+k "
                     "/nowhere/web!0x10+u /nowhere/web!0x110+u "
                     "/nowhere/web!0x210+u\n");
}

/* Cut anywhere, it is what was before, or a sentence; never a crash. */
TEST(a_cut_file_is_read_up_to_there)
{
    struct perf_kit kit = {.stacks = true};
    struct buffer file = {0};

    perf_kit_example(&kit);
    perf_kit_file(&kit, &file);
    for ( size_t size = PERF_MAGIC_SIZE; size < file.used; size++ )
        import_kit(file.bytes, size);
    CHECK(strstr(import_kit(file.bytes, file.used - 100),
                 "guest.1@1 kernel 7:7:web"));
    CHECK_TEXT(import_kit(file.bytes, 50),
               "file cannot be read as perf.data: its header is damaged");
    CHECK_TEXT(import_kit(file.bytes, 12),
               "file cannot be read as perf.data: it ends within its header");
    buffer_free(&file);
    perf_kit_free(&kit);
}

TEST(what_cannot_be_read_is_said)
{
    static const struct perf_event_header shorter = {PERF_RECORD_COMM, 0, 4};
    struct perf_kit kit = {.stacks = false};

    CHECK_TEXT(import_kit("2ELIFREP0123456789", 18),
               "file cannot be read as perf.data: it is of a machine with the "
               "other byte order: give perf script's output, folded");
    perf_kit_round(&kit);
    CHECK_TEXT(import_records(&kit),
               "file cannot be read as perf.data: it has no samples");
    perf_kit_round(&kit);
    buffer_append(&kit.records, &shorter, sizeof(shorter));
    CHECK(strstr(import_records(&kit), "a record is shorter than its header"));
}
