/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a process's own functions that change while they are read: between
 * the look at a file's size and a read, and between two reads. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/jit-names.h"
#include "dump-kit.h"
#include "tests/harness.h"

#define SECOND 1000000000ull
#define FIRST  0x1000u
#define EACH   0x1000u

static struct jit_names *names;
static struct jit_found found;
static char map_path[64], dump_path[64], other_path[80];
static uint64_t now = SECOND;

/* What happens before the next reads; and how many there were. */
static void (*before_read)(void);
static unsigned int reads;

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __real_pread(int fd, void *to, size_t size, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
    void (*act)(void) = before_read;

    reads++;
    before_read = NULL;
    if ( act )
        act();
    return __real_pread(fd, to, size, at);
}

static void begin(void)
{
    snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
    snprintf(dump_path, sizeof(dump_path), "/tmp/jit-%d.dump", (int)getpid());
    snprintf(other_path, sizeof(other_path), "%s.new", dump_path);
    unlink(map_path);
    unlink(dump_path);
    names = jit_names_open(1 << 20);
    CHECK(names);
    before_read = NULL;
}

static void end(void)
{
    jit_names_close(names);
    unlink(map_path);
    unlink(dump_path);
    unlink(other_path);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");

    CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

/* A dump whose functions have names that begin with this letter: from FIRST on,
 * so many. */
static const struct dump_kit *dump_of(char letter, unsigned int count)
{
    static struct dump_kit kit;
    char name[16];

    dump_kit_begin(&kit);
    kit.bytes[24] = (uint8_t)letter; /* when it was begun */
    for ( unsigned int i = 0; i < count; i++ )
    {
        snprintf(name, sizeof(name), "%c%u", letter, i);
        dump_kit_load(&kit, FIRST + i * EACH, 16, i, name, 100);
    }
    return &kit;
}

static void write_dump(const char *path, char letter, unsigned int count)
{
    const struct dump_kit *kit = dump_of(letter, count);

    write_bytes(path, kit->bytes, kit->size);
}

/* The same as text. */
static void write_map(char letter, unsigned int count)
{
    FILE *file = fopen(map_path, "w");

    CHECK(file);
    for ( unsigned int i = 0; i < count; i++ )
        fprintf(file, "%x 10 %c%u\n", FIRST + i * EACH, letter, i);
    CHECK(!fclose(file));
}

/* Looks once, with that happening before the first read of it. */
static void look(void (*act)(void))
{
    now += SECOND;
    reads = 0;
    before_read = act;
    jit_names_find(names, getpid(), dump_path, 0, now, &found);
    before_read = NULL;
    CHECK(reads < 2100); /* it comes to an end */
}

/* What was found at the last look, at that function. */
static const char *name_of(unsigned int function)
{
    return jit_names_find(names, getpid(), dump_path,
                          FIRST + function * EACH + 8, now, &found)
               ? found.name
               : "";
}

/* So many functions have names of that letter, and no other has any. */
static void check_names(char letter, unsigned int count)
{
    char name[16];

    for ( unsigned int i = 0; i < 8; i++ )
    {
        snprintf(name, sizeof(name), "%c%u", letter, i);
        CHECK_TEXT(name_of(i), i < count ? name : "");
    }
}

/* Acts --------------------------------------------------------------------- */

static void grow(void)
{
    const struct dump_kit *kit = dump_of('a', 5);
    int fd = open(dump_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    struct stat status;

    CHECK(!fstat(fd, &status));
    CHECK(write(fd, kit->bytes + status.st_size,
                kit->size - (size_t)status.st_size) > 0);
    close(fd);
}

static void empty(void)
{
    CHECK(!truncate(dump_path, 0));
}

static void cut_record(void)
{
    CHECK(!truncate(dump_path, (off_t)dump_of('a', 1)->size + 30));
}

static void replace(void)
{
    write_dump(other_path, 'b', 4);
    CHECK(!rename(other_path, dump_path));
}

/* Its number, as many file systems have it, is the old one's. */
static void make_anew(void)
{
    CHECK(!unlink(dump_path));
    write_dump(dump_path, 'b', 4);
}

static void write_over(void)
{
    write_dump(dump_path, 'b', 4);
}

static void take_away(void)
{
    CHECK(!unlink(dump_path));
}

/* Where the size of the second record is, or a part of it. */
static void change(size_t at, uint64_t value, size_t size)
{
    int fd = open(dump_path, O_WRONLY | O_CLOEXEC);

    at += dump_of('a', 1)->size;
    CHECK_EQ(pwrite(fd, &value, size, (off_t)at), size);
    close(fd);
}

static void change_size_to_0(void)
{
    change(4, 0, 4);
}

static void change_size_to_all(void)
{
    change(4, UINT32_MAX, 4);
}

static void change_kind(void)
{
    change(0, 1, 4);
}

/* No text ends there. */
static void change_name(void)
{
    char letters[103];
    int fd = open(dump_path, O_WRONLY | O_CLOEXEC);

    memset(letters, 'x', sizeof(letters));
    CHECK_EQ(
        pwrite(fd, letters, sizeof(letters), (off_t)dump_of('a', 1)->size + 56),
        sizeof(letters));
    close(fd);
}

/* Dumps of three functions ------------------------------------------------- */

/* What is found by the look in which that happens, and by the next one. */
static const struct {
    void (*act)(void);
    char letter, next_letter;
    uint8_t count, next_count;
} changes[] = {
    {grow, 'a', 'a', 3, 5},
    {empty, 'a', 'a', 0, 0},
    {cut_record, 'a', 'a', 1, 1},
    {replace, 'a', 'b', 3, 4}, /* what is open is read */
    {make_anew, 'a', 'b', 3, 4},
    {write_over, 'b', 'b', 3, 4},
    {take_away, 'a', 'a', 3, 0},
    {change_size_to_0, 'a', 'a', 1, 1},
    {change_size_to_all, 'a', 'a', 1, 1},
};

TEST(a_dump_that_changes_before_it_is_read)
{
    for ( size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++ )
    {
        begin();
        write_dump(dump_path, 'a', 3);
        look(changes[i].act);
        check_names(changes[i].letter, changes[i].count);
        look(NULL);
        check_names(changes[i].next_letter, changes[i].next_count);
        end();
    }
}

/* All of it was read. */
TEST(a_dump_that_changes_between_two_looks)
{
    for ( size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++ )
    {
        begin();
        write_dump(dump_path, 'a', 3);
        look(NULL);
        check_names('a', 3);
        changes[i].act();
        look(NULL);
        /* What was read stays read. */
        if ( changes[i].act == change_size_to_0 ||
             changes[i].act == change_size_to_all )
            check_names('a', 3);
        else
            check_names(changes[i].next_letter, changes[i].next_count);
        end();
    }
}

/* A record that says something else now has no name that the file did not
 * have. */
TEST(a_record_that_changes)
{
    begin();
    write_dump(dump_path, 'a', 3);
    look(change_kind);
    CHECK_TEXT(name_of(0), "a0");
    CHECK_TEXT(name_of(1), "");
    CHECK_TEXT(name_of(2), "a2");
    end();
    begin();
    write_dump(dump_path, 'a', 3);
    look(change_name);
    CHECK_TEXT(name_of(0), "a0");
    CHECK_TEXT(name_of(1), "");
    CHECK_TEXT(name_of(2), "a2");
    end();
}

TEST(a_map_that_is_another)
{
    begin();
    write_map('a', 3);
    look(NULL);
    check_names('a', 3);
    CHECK(!unlink(map_path));
    write_map('b', 5);
    look(NULL);
    check_names('b', 5);
    write_map('c', 7); /* over it */
    look(NULL);
    check_names('c', 7);
    end();
}

/* Any of them, before any read --------------------------------------------- */

static void shrink_map(void)
{
    write_map('d', 1);
}

static void grow_map(void)
{
    write_map('e', 8);
}

static void act_at_random(void)
{
    static void (*const acts[])(void) = {
        empty,       replace,          make_anew,          write_over,
        change_kind, change_size_to_0, change_size_to_all, change_name,
        take_away,   cut_record,       shrink_map,         grow_map,
    };
    unsigned int which = (unsigned int)rand() % 16;

    if ( access(dump_path, F_OK) )
        write_dump(dump_path, 'a', 3);
    else if ( which < sizeof(acts) / sizeof(acts[0]) )
        acts[which]();
    before_read = act_at_random;
}

/* Names are those that some file had, whole; and when it is left alone, those
 * that the last ones have. */
TEST(files_that_change_all_the_time)
{
    srand(17);
    begin();
    for ( unsigned int i = 0; i < 2000 / test_share(); i++ )
    {
        write_dump(dump_path, 'a', 3);
        look(act_at_random);
        for ( unsigned int k = 0; k < 8; k++ )
        {
            const char *name = name_of(k);

            CHECK(!*name || (name[0] >= 'a' && name[0] <= 'e' &&
                             name[1] == (char)('0' + k) && !name[2]));
        }
    }
    unlink(map_path);
    write_dump(other_path, 'z', 6);
    CHECK(!rename(other_path, dump_path));
    look(NULL);
    check_names('z', 6);
    CHECK(jit_names_bytes(names) < 1 << 20);
    end();
}
