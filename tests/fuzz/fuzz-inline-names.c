/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged debug information: whatever it says, looking takes so many steps and
 * bytes, chains have so many names, and lines a path. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/dwarf/inline-names.h"
#include "fuzz.h"

#define BYTES (1u << 20)

static void look(struct inline_names *names, uint64_t address)
{
    uint64_t steps = UINT64_MAX;
    struct inline_chain chain;

    inline_names_find(names, address, &steps, &chain);
    FUZZ_CHECK(UINT64_MAX - steps <= INLINE_UNIT_STEPS);
    FUZZ_CHECK(chain.count <= INLINED_MAX);
    for ( unsigned int i = 0; i < chain.count; i++ )
        FUZZ_CHECK(*chain.names[i] &&
                   strlen(chain.names[i]) < INLINED_NAME_MAX);
    for ( unsigned int i = 0; i <= chain.count; i++ )
        FUZZ_CHECK(strlen(chain.lines[i].path) < LINE_PATH_MAX &&
                   !*chain.lines[i].path == !chain.lines[i].line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    uint64_t steps = UINT64_MAX;
    struct inline_names *names;

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    names = inline_names_read(fd, BYTES, &steps);
    FUZZ_CHECK(UINT64_MAX - steps <= INLINE_UNIT_STEPS);
    for ( uint64_t address = 0x200; names && address < 0x400; address += 3 )
        look(names, address);
    if ( names )
        FUZZ_CHECK(inline_names_bytes(names) < 4 * BYTES);
    inline_names_free(names);
    return 0;
}

static const char program[] =
    "#define INLINE static inline __attribute__((always_inline))\n"
    "int number;\n"
    "INLINE void inner(int x) { number += x; if (x > 3) number *= x; }\n"
    "INLINE void outer(int x)\n"
    "{ number = x; for (int i = 0; i < x; i++) inner(i); }\n"
    "void function(int x)\n"
    "{ number = 1; outer(x); if (x > 9) inner(number); }\n"
    "void other(int x) { inner(x); }\n";

/* As small as may be, so that what is damaged is what is looked at. */
static bool compile(const char *options, const char *to)
{
    char command[512];
    FILE *source;

    snprintf(
        command, sizeof(command),
        "exec 2>/dev/null; cc -nostdlib -shared -O2 -fPIC %s -x c -o %s - "
        "-Wl,--build-id=none -Wl,-z,noseparate-code "
        "-fno-asynchronous-unwind-tables && objcopy "
        "-R .debug_aranges -R .debug_loclists -R .debug_loc -R .comment %s",
        options, to, to);
    source = popen(command, "w");
    FUZZ_CHECK(source);
    fputs(program, source);
    return !pclose(source);
}

/* A program in each version of DWARF; none where there is no compiler. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const char *const options[] = {
        "-gdwarf-5",           "-gdwarf-4",     "-gdwarf-3",
        "-gdwarf-5 -gdwarf64", "-gdwarf-5 -gz", "-g -flto"};
    char path[] = "/tmp/xenoprof-fuzz-XXXXXX";
    ssize_t size = 0;
    int fd;

    if ( number >= sizeof(options) / sizeof(options[0]) )
        return 0;
    fd = mkstemp(path);
    FUZZ_CHECK(fd >= 0);
    close(fd);
    if ( compile(options[number], path) )
    {
        fd = open(path, O_RDONLY | O_CLOEXEC);
        size = read(fd, bytes, FUZZ_MAX);
        close(fd);
    }
    unlink(path);
    return size > 0 ? (size_t)size : 0;
}
