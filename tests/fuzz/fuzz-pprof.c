/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a profile of pprof. */
#include "import-fuzz.h"
#include "tests/unit/report/import/pprof-kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_fuzz(data, size);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    struct buffer profile = {0};
    size_t size;

    if ( number > 1 )
        return 0;
    if ( number )
        pprof_kit_other(&profile);
    else
        pprof_kit_ours(&profile);
    size = profile.used;
    memcpy(bytes, profile.bytes, size);
    buffer_free(&profile);
    return size;
}
