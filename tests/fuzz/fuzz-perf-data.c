/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a file of perf: plain, of a pipe, packed, with stacks. */
#include "import-fuzz.h"
#include "tests/unit/report/import/perf/perf-kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_fuzz(data, size);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static void (*const makers[])(const struct perf_kit *kit,
                                  struct buffer *ret) = {
        perf_kit_file, perf_kit_pipe, perf_kit_packed};
    struct perf_kit kit = {.stacks = number % 2};
    struct buffer file = {0};
    size_t size;

    if ( number / 2 >= sizeof(makers) / sizeof(makers[0]) )
        return 0;
    perf_kit_example(&kit);
    makers[number / 2](&kit, &file);
    size = file.used;
    memcpy(bytes, file.bytes, size);
    buffer_free(&file);
    perf_kit_free(&kit);
    return size;
}
