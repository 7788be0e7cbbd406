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

static const struct file_answer *ask(enum file_asks asks, int32_t tgid,
                                     const char *name, uint64_t inode,
                                     uint64_t *number)
{
    const struct mapped_file mapped = {
        .tgid = tgid, .path = name, .inode = inode};

    return file_names_ask(files, &mapped, asks, NULL, number);
}

/* Returns the number of the file that this path is for a process and that has
 * functions, or 0. */
static uint64_t get_of(int32_t tgid, const char *name, uint64_t inode)
{
    uint64_t number;
    const struct file_answer *said = ask(FILE_FUNCTION, tgid, name, inode,
                                         &number);

    CHECK(!said == !number);
    return said && said->found == FILE_FOUND ? number : 0;
}

static uint64_t get(const char *name, uint64_t inode)
{
    return get_of(getpid(), name, inode);
}

/* Returns the size of the table of rows. */
static uint64_t get_rows(const char *name)
{
    uint64_t number;
    const struct file_answer *said = ask(FILE_ROWS, getpid(), name,
                                         inode_of(name), &number);

    CHECK(said && number && said->found == FILE_FOUND);
    CHECK_EQ(said->piece, file_piece(said->table, 0));
    return said->table;
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
    uint64_t number;
    size_t bytes;

    setup(32 << 20);
    copy_self();
    number = get(path, inode_of(path));
    bytes = file_names_bytes(files);
    CHECK(number && bytes > 1000);
    CHECK_EQ(get(path, inode_of(path)), number);
    CHECK(!get(path, inode_of(path) + 1));
    /* Who has ended has no root directory: ours is tried. */
    CHECK_EQ(get_of(INT32_MAX, path, inode_of(path)), number);
    CHECK_EQ(file_names_bytes(files), bytes); /* it is read once */
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

static unsigned int line_of_call;

/* Returns how many functions were inlined, or -1: it is to be asked again. */
static int count_inlined(const struct mapped_file *mapped, uint64_t *steps)
{
    uint64_t number;
    const struct file_answer *said = file_names_ask(files, mapped, FILE_INLINED,
                                                    steps, &number);

    CHECK(!said || said->found == FILE_FOUND || said->found == FILE_LATER);
    if ( said && said->frames > 1 )
    {
        CHECK_TEXT(said->frame[0].name, "inlined_here");
        CHECK_EQ(said->frame[1].line, line_of_call);
        CHECK_TEXT(basename(said->frame[1].path), "test-file-names.c");
    }
    return !said                       ? 0
           : said->found == FILE_LATER ? -1
           : said->frames              ? (int)said->frames - 1
                                       : 0;
}

/* Only as much is read as there are steps for; and it is given back. */
TEST(what_was_inlined)
{
    struct mapped_file mapped = {.tgid = getpid(), .path = path};
    uint64_t steps = 0, left;
    size_t before;
    int count;

    setup(32 << 20);
    copy_self();
    mapped.inode = inode_of(path);
    line_of_call = __LINE__ + 1;
    mapped.offset = offset_of(inlined_here());
    CHECK_EQ(count_inlined(&mapped, &steps), -1);
    before = file_names_bytes(files);
    steps = UINT64_MAX;
    count = count_inlined(&mapped, &steps);
    if ( !count )
        test_skip("this program has no debug information");
    CHECK_EQ(count, 1);
    CHECK(file_names_bytes(files) > before);
    /* What is known takes none. */
    left = steps;
    file_names_rest(files);
    CHECK(count_inlined(&mapped, &steps) == 1 && steps == left);
    steps = 0;
    CHECK_EQ(count_inlined(&mapped, &steps), 1);
    mapped.inode++;
    CHECK_EQ(count_inlined(&mapped, &steps), 0);
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
    struct mapped_file mapped = {.tgid = getpid(), .path = "[vdso]"};
    const struct file_answer *said = NULL;
    unsigned int found = 0;
    uint64_t number;

    setup(32 << 20);
    for ( ; mapped.offset < 0x2000; mapped.offset++ )
    {
        said = file_names_ask(files, &mapped, FILE_FUNCTION, NULL, &number);
        found += said && !strcmp(said->function.name, "__vdso_clock_gettime");
    }
    CHECK(said);
    CHECK(found || !getauxval(AT_SYSINFO_EHDR));
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
    CHECK_EQ(get(path, inode_of(path)), first);
    CHECK(get_rows(path) > 100);
    clean();
}

/* Neither is an ELF file, nor has room. */
TEST(files_without_rows)
{
    FILE *file;

    setup(4096);
    copy_self();
    CHECK(!get_rows(path));
    CHECK_EQ(file_names_refused(files), 1);
    unlink(path);
    file = fopen(path, "we");
    CHECK(file);
    fprintf(file, "text");
    fclose(file);
    CHECK(!get_rows(path));
    clean();
}
