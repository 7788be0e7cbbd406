/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as folded stacks. */
#include "import-fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_fuzz(data, size);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const char *const seeds[] = {
        "main;work;read_[k] 12\nmain 3\n# comment\n\n",
        "Domain-0;a;b_[k];c_[x] 123456789012\nidle;d_[x] 1\nother 5\n",
        "web;[truncated];a b c 99999999999999999\r\n;;x 1\na\t2\n",
    };

    if ( number >= sizeof(seeds) / sizeof(seeds[0]) )
        return 0;
    memcpy(bytes, seeds[number], strlen(seeds[number]));
    return strlen(seeds[number]);
}
