/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of processes: the one that is mapped, and no other. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/file-names.h"
#include "tests/harness.h"

static char folder[] = "/tmp/xenoprof-files-XXXXXX";
static char path[PATH_MAX];
static struct file_names *files;

static void setup(size_t bytes)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    files = file_names_open(bytes);
    CHECK(files);
}

static void clean(void)
{
    unlink(path);
    rmdir(folder);
    file_names_close(files);
}

static uint64_t inode_of(const char *name)
{
    struct stat status;

    CHECK(!stat(name, &status));
    return status.st_ino;
}

static const struct elf_names *get(const char *name, uint64_t inode)
{
    return file_names_get(files, getpid(), name, inode);
}

static void copy_self(void)
{
    char command[PATH_MAX + 64];

    snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(),
             path);
    CHECK(!system(command));
}

TEST(the_file_that_is_mapped)
{
    const struct elf_names *names;

    setup(32 << 20);
    copy_self();
    names = get(path, inode_of(path));
    CHECK(names && file_names_bytes(files) > 1000);
    CHECK(get(path, inode_of(path)) == names); /* it is read once */
    CHECK(!get(path, inode_of(path) + 1));
    /* Who has ended has no root directory: ours is tried. */
    CHECK(file_names_get(files, INT32_MAX, path, inode_of(path)) == names);
    clean();
}

/* Where it is put into the code of who calls it. */
__attribute__((always_inline)) static inline uint64_t inlined_here(void)
{
    uint64_t here;

    __asm__ volatile("lea 0(%%rip), %0; nop" : "=r"(here));
    return here;
}

/* Where in this program's file that is. */
static uint64_t offset_of(uint64_t address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start, end, offset, found = 0;
    char line[PATH_MAX + 128];

    CHECK(maps);
    while ( fgets(line, sizeof(line), maps) )
        if ( sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
             start <= address && address < end )
            found = offset + (address - start);
    fclose(maps);
    CHECK(found);
    return found;
}

/* Only as much is read as there are steps for; and it is given back. */
TEST(what_was_inlined)
{
    struct mapped_file mapped = {.tgid = getpid(), .path = path};
    struct inline_chain chain;
    uint64_t steps = 0, left;
    size_t before;

    setup(32 << 20);
    copy_self();
    mapped.inode = inode_of(path);
    mapped.offset = offset_of(inlined_here());
    CHECK(!file_names_inlined(files, &mapped, &steps, &chain));
    before = file_names_bytes(files);
    steps = UINT64_MAX;
    CHECK(file_names_inlined(files, &mapped, &steps, &chain));
    if ( !chain.count )
        test_skip("this program has no debug information");
    CHECK_EQ(chain.count, 1);
    CHECK_TEXT(chain.names[0], "inlined_here");
    CHECK(file_names_bytes(files) > before);
    /* What is known takes none. */
    left = steps;
    file_names_rest(files);
    CHECK(file_names_inlined(files, &mapped, &steps, &chain));
    CHECK(steps == left && chain.count == 1);
    steps = 0;
    CHECK(file_names_inlined(files, &mapped, &steps, &chain));
    CHECK_EQ(chain.count, 1);
    mapped.inode++;
    CHECK(file_names_inlined(files, &mapped, &steps, &chain));
    CHECK_EQ(chain.count, 0);
    clean();
}

/* Another file of that name, which may well have the same size. */
TEST(a_file_that_was_replaced)
{
    char other[sizeof(folder) + 8];
    uint64_t before;

    setup(32 << 20);
    copy_self();
    before = inode_of(path);
    snprintf(other, sizeof(other), "%s/other", folder);
    CHECK(!rename(path, other)); /* it keeps its inode */
    copy_self();
    CHECK(!get(path, before));
    CHECK(get(path, inode_of(path)));
    CHECK(get(other, before));
    unlink(other);
    clean();
}

/* Nothing waits for who opens the other end. */
TEST(what_is_no_regular_file)
{
    setup(1 << 20);
    CHECK(!mkfifo(path, 0600));
    CHECK(!get(path, inode_of(path)));
    CHECK(!get("/dev/zero", inode_of("/dev/zero")));
    CHECK(!get("/", inode_of("/")));
    CHECK(!get("", 0));
    CHECK(!get("no/absolute/path", 1));
    CHECK_EQ(file_names_bytes(files), 0);
    clean();
}

/* It is no file, but has functions. */
TEST(what_the_kernel_maps)
{
    uint64_t head = getauxval(AT_SYSINFO_EHDR);
    const struct elf_names *names;
    struct elf_function function;
    unsigned int found = 0;

    setup(32 << 20);
    names = get("[vdso]", 0);
    CHECK(!names == !head);
    for ( uint64_t at = 0; names && at < 0x10000; at++ )
        found += elf_names_find(names, at, &function) &&
                 !strcmp(function.name, "__vdso_clock_gettime");
    CHECK(!head || found);
    clean();
}

TEST(what_was_not_asked_for_longest_makes_room)
{
    size_t one;

    setup(32 << 20);
    copy_self();
    CHECK(get(path, inode_of(path)));
    one = file_names_bytes(files);
    file_names_close(files);
    files = file_names_open(one * 2);
    CHECK(files);
    for ( unsigned int i = 0; i < 8; i++ )
    {
        unlink(path);
        copy_self();
        CHECK(get(path, inode_of(path)));
        CHECK(file_names_bytes(files) <= one * 2);
    }
    clean();
}

TEST(what_there_is_no_room_for)
{
    FILE *file;

    setup(1 << 20);
    file = fopen(path, "w");
    CHECK(file && fputs("text", file) >= 0 && !fclose(file));
    CHECK(!get(path, inode_of(path)));
    CHECK(!get(path, inode_of(path)));
    CHECK_EQ(file_names_refused(files), 1); /* it was not read twice */
    clean();
    file_names_close(NULL);
}

static uint64_t number(const char *name, uint64_t inode)
{
    return file_names_number(files, getpid(), name, inode);
}

/* A number is one file's, by whatever path. */
TEST(numbers)
{
    char other[sizeof(folder) + 8];
    const struct buffer *rows = NULL;
    uint64_t first;

    setup(32 << 20);
    copy_self();
    first = number(path, inode_of(path));
    CHECK(first);
    CHECK_EQ(number(path, inode_of(path)), first);
    CHECK(!number(path, inode_of(path) + 1));
    CHECK(!number("", 0));
    CHECK(number("[vdso]", 0) && number("[vdso]", 0) != first);
    snprintf(other, sizeof(other), "%s/other", folder);
    CHECK(!link(path, other));
    CHECK_EQ(number(other, inode_of(other)), first);
    unlink(other);
    CHECK_EQ(file_names_rows(files, getpid(), path, inode_of(path), &rows),
             first);
    CHECK(rows && rows->used > 100);
    CHECK(get(path, inode_of(path)));
    clean();
}

/* Neither is an ELF file, nor has room. */
TEST(files_without_rows)
{
    const struct buffer *rows = NULL;
    FILE *file;

    setup(4096);
    copy_self();
    CHECK(file_names_rows(files, getpid(), path, inode_of(path), &rows));
    CHECK(rows && !rows->used);
    CHECK_EQ(file_names_refused(files), 1);
    unlink(path);
    file = fopen(path, "we");
    CHECK(file);
    fprintf(file, "text");
    fclose(file);
    CHECK(file_names_rows(files, getpid(), path, inode_of(path), &rows));
    CHECK(!rows->used);
    clean();
}
