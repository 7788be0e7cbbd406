/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What compilers inline, and lines: in a program of which both are known,
 * written in each version of DWARF; and all over programs of some size, where
 * addr2line(1) says what there is.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/dwarf/inline-names.h"
#include "base/clock.h"
#include "tests/harness.h"

#define BYTES (16u << 20)

/* Each of its functions has a label in it, and a line that is the label's. */
static const char program[] =
    "#define INLINE static inline __attribute__((always_inline))\n"
    "#define HERE(name) __asm__ volatile(#name \": .globl \" #name)\n"
    "static volatile int number;\n"
    "INLINE void inner(int x) { number += x; HERE(in_inner); number *= x; }\n"
    "INLINE void outer(int x)\n"
    "{ number = 7; HERE(in_outer); number = 8; inner(x + 1); number = 9; }\n"
    "__attribute__((noinline)) void function(int x)\n"
    "{ number = 1; HERE(in_function); number = 2; outer(x); number = 3; }\n"
    "int main(int count, char **words)\n"
    "{ (void)words; function(count); return number; }\n";

/* Much is inlined into each other; with names of C++. */
static const char large_program[] =
    "#include <algorithm>\n#include <functional>\n#include <map>\n"
    "#include <string>\n#include <vector>\n"
    "struct A { int x; bool operator<(const A &o) const { return x < o.x; } };\n"
    "static int work(std::vector<A> &v) {\n"
    "    int sum = 0; std::sort(v.begin(), v.end());\n"
    "    std::for_each(v.begin(), v.end(), [&](const A &a) { sum += a.x; });\n"
    "    struct L { static int f(int q) { return q * 3; } };\n"
    "    return sum + L::f(sum); }\n"
    "int main(int count, char **words) {\n"
    "    std::map<std::string, int> m; std::vector<A> v;\n"
    "    for (int i = 0; i < count; i++) m[words[i]]++;\n"
    "    for (auto &k : m) v.push_back({k.second});\n"
    "    std::function<int(int)> g = [&](int z) { return z + work(v); };\n"
    "    return g(count); }\n";

static char folder[] = "/tmp/xenoprof-inlines-XXXXXX", file[64];

static void clean(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    CHECK(!system(command));
}

/* Compiles it.  Returns false if the compiler does not know the options. */
static bool compile(const char *compiler, const char *options, const char *text)
{
    static bool made;
    char command[512];
    FILE *source;

    if ( !made )
    {
        CHECK(mkdtemp(folder));
        atexit(clean);
    }
    made = true;
    snprintf(file, sizeof(file), "%s/program", folder);
    snprintf(command, sizeof(command),
             "rm -f %s; exec 2>/dev/null; %s -o %s %s -", file, compiler, file,
             options);
    source = popen(command, "w");
    CHECK(source);
    fputs(text, source);
    return !pclose(source) && !access(file, R_OK);
}

static struct inline_names *read_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t steps = UINT64_MAX;
    struct inline_names *names;

    CHECK(fd >= 0);
    names = inline_names_read(fd, BYTES, &steps);
    CHECK(!names || steps < UINT64_MAX);
    return names;
}

static uint64_t find_label(const char *name)
{
    char command[256], line[128];
    FILE *nm;

    snprintf(command, sizeof(command), "nm %s | grep -w %s", file, name);
    nm = popen(command, "r");
    CHECK(nm && fgets(line, sizeof(line), nm));
    pclose(nm);
    return strtoull(line, NULL, 16);
}

static void check_line(const struct source_line *found, unsigned int line)
{
    const char *name = strrchr(found->path, '/');

    CHECK_EQ(found->line, line);
    CHECK_TEXT(name ? name + 1 : found->path, "<stdin>");
}

static void check_label(struct inline_names *names, const char *label,
                        unsigned int count, const char *const *wanted,
                        const unsigned int *lines)
{
    uint64_t steps = UINT64_MAX;
    struct inline_chain chain;

    inline_names_find(names, find_label(label), &steps, &chain);
    CHECK_EQ(chain.count, count);
    for ( unsigned int i = 0; i < count; i++ )
        CHECK_TEXT(chain.names[i], wanted[i]);
    for ( unsigned int i = 0; i <= count; i++ )
        check_line(&chain.lines[i], lines[i]);
}

static void check_program(const char *options)
{
    static const char *const wanted[] = {"inner", "outer"};
    static const unsigned int lines[] = {4, 6, 8};
    struct inline_names *names;

    if ( !compile("cc -x c", options, program) )
        return;
    names = read_file(file);
    CHECK(names);
    check_label(names, "in_inner", 2, wanted, lines);
    check_label(names, "in_outer", 1, wanted + 1, lines + 1);
    check_label(names, "in_function", 0, NULL, lines + 2);
    CHECK(inline_names_bytes(names) > 100);
    CHECK_EQ(inline_names_refused(names), 0);
    inline_names_free(names);
}

TEST(a_known_program)
{
    if ( !compile("cc -x c", "-O2 -g", program) )
        test_skip("there is no C compiler");
    check_program("-O2 -g");
    check_program("-O2 -gdwarf-2");
    check_program("-O2 -gdwarf-3");
    check_program("-O2 -gdwarf-4");
    check_program("-O2 -gdwarf-5");
    check_program("-O2 -gdwarf-5 -gdwarf64");
    check_program("-O2 -gdwarf-5 -gz");
    check_program("-O2 -gdwarf-4 -gz");
    check_program("-O2 -g -flto");
    check_program("-O2 -g -ffunction-sections -Wl,--gc-sections");
    check_program("-Og -g -static");
}

/* What reading took is given back, and read again when it is needed. */
TEST(rest)
{
    uint64_t label, steps = UINT64_MAX;
    struct inline_names *names;
    struct inline_chain chain;
    int fd;

    if ( !compile("cc -x c", "-O2 -g", program) )
        test_skip("there is no C compiler");
    names = read_file(file);
    label = find_label("in_inner");
    CHECK(names && !inline_names_rests(names));
    inline_names_rest(names);
    CHECK(inline_names_rests(names) && !inline_names_know(names, label));
    inline_names_find(names, label, &steps, &chain);
    CHECK_EQ(chain.count, 0);
    fd = open(file, O_RDONLY | O_CLOEXEC);
    inline_names_wake(names, fd);
    inline_names_find(names, label, &steps, &chain);
    CHECK_EQ(chain.count, 2);
    inline_names_rest(names);
    CHECK(inline_names_know(names, label));
    inline_names_find(names, label, &steps, &chain);
    CHECK_EQ(chain.count, 2);
    CHECK(inline_names_know(names, 1)); /* that there is nothing */
    inline_names_free(names);
}

TEST(what_has_no_debug_information)
{
    if ( !compile("cc -x c", "-O2 -g0", program) )
        test_skip("there is no C compiler");
    CHECK(!read_file("/dev/null"));
    CHECK(compile("cc -x c", "-O2 -g -c", program) && !read_file(file));
}

/* Calls of 20,000 functions; where each of these is said to be begins an entry
 * that is longer than the file, in a zone that is longer than a window. */
static const char hostile_program[] =
    ".text; .globl main; main: ret; .fill 64, 1, 0x90; end_of_code:\n"
    ".section .debug_abbrev; .macro code name, tag, children\n"
    ".byte \\name, \\tag, \\children; .endm\n"
    "code 1, 0x11, 1; .byte 0x11, 1, 0x12, 7, 0, 0\n"
    "code 2, 0x2e, 1; .byte 0x11, 1, 0x12, 7, 0, 0\n"
    "code 3, 0x2e, 0; .byte 0x1c, 4, 0, 0\n"
    "code 4, 0x1d, 0; .byte 0x31, 0x13, 0x11, 1, 0x12, 7, 0, 0, 0\n"
    ".section .debug_info; .macro piece; .quad main, end_of_code - main; .endm\n"
    "unit: .long end_of_unit - 0f; 0: .short 4; .long 0; .byte 8\n"
    ".byte 1; piece; .byte 2; piece; .set number, 0; .rept 20000\n"
    ".byte 4; .long zone - unit + number; piece; .set number, number + 1; .endr\n"
    ".byte 0, 0; zone: .fill 8 << 20, 1, 3; end_of_unit:\n";

/* What is read is paid for, too. */
TEST(a_file_that_is_much_to_read)
{
    struct inline_names *names;
    struct inline_chain chain;
    uint64_t steps = UINT64_MAX, began;

    if ( !compile("cc -x assembler", "-no-pie", hostile_program) )
        test_skip("there is no assembler");
    names = read_file(file);
    CHECK(names);
    began = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    inline_names_find(names, find_label("main"), &steps, &chain);
    CHECK(clock_read(CLOCK_PROCESS_CPUTIME_ID) - began < 2000000000ull);
    CHECK_EQ(UINT64_MAX - steps, INLINE_UNIT_STEPS);
    inline_names_free(names);
}

/* Addresses all over the functions of a file. */
struct inline_addresses {
    VECTOR(uint64_t);
};

static void list_addresses(const char *path, uint64_t step,
                           struct inline_addresses *to)
{
    char command[256], line[4096];
    uint64_t start, size;
    char kind;
    FILE *nm;

    snprintf(command, sizeof(command), "nm -S --defined-only %s", path);
    nm = popen(command, "r");
    CHECK(nm);
    while ( fgets(line, sizeof(line), nm) )
        if ( sscanf(line, "%lx %lx %c", &start, &size, &kind) == 3 &&
             strchr("TtWwi", kind) )
            for ( uint64_t at = 0; at < size; at += step )
            {
                uint64_t *added = vector_add(to);

                CHECK(added);
                *added = start + at;
            }
    pclose(nm);
}

struct inline_comparison {
    struct inline_names *names;
    struct inline_chain ours;
    unsigned int said; /* names that addr2line said of this address */
    bool differs, by_symbol, line_differs;
    unsigned long inlined, different, symbols, lines, other_lines, other_paths;
};

/* The last name that it says is the function's.  It calls the first one by its
 * symbol where the debug information has no name for linkers. */
static void end_address(struct inline_comparison *of)
{
    unsigned int said = of->said ? of->said - 1 : 0;

    of->inlined += said;
    if ( said > INLINED_MAX && of->ours.count == INLINED_MAX )
        said = INLINED_MAX;
    if ( of->said && (of->differs || said != of->ours.count) )
        of->different++;
    else
    {
        of->symbols += of->by_symbol;
        of->other_lines += of->line_differs;
    }
}

static void take_name(struct inline_comparison *of, const char *name)
{
    unsigned int index = of->said++;

    if ( index >= of->ours.count || !strcmp(name, of->ours.names[index]) )
        return;
    if ( !index && strncmp(of->ours.names[index], "_Z", 2) )
        of->by_symbol = true;
    else
        of->differs = true;
}

/* A path that is relative to that of the unit is said with that twice. */
static bool is_path(const char *path, const char *said, size_t size)
{
    size_t length = strlen(path);

    return size >= length && !strncmp(said + size - length, path, length) &&
           (size == length || (*path == '.' && said[size - length - 1] == '/'));
}

/* Of PATH:LINE, where a line that is not known is "?" or 0. */
static void take_line(struct inline_comparison *of, const char *said)
{
    const struct source_line *ours;
    const char *colon = strrchr(said, ':');
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;

    if ( of->said - 1 > of->ours.count )
        return;
    ours = &of->ours.lines[of->said - 1];
    of->lines += line > 0;
    if ( line == ours->line &&
         (!line || is_path(ours->path, said, (size_t)(colon - said))) )
        return;
    /* Binutils 2.40 takes some files of DWARF 5 for others. */
    if ( line == ours->line )
    {
        of->other_paths++;
        return;
    }
    of->line_differs = true;
    if ( of->other_lines < 8 )
        printf("# %s, but we say %s:%u\n", said, ours->path, ours->line);
}

static void begin_address(struct inline_comparison *of, uint64_t address)
{
    uint64_t steps = UINT64_MAX;

    inline_names_find(of->names, address, &steps, &of->ours);
    of->said = 0;
    of->differs = of->by_symbol = of->line_differs = false;
}

/* LLVM's is right wherever that of binutils is not. */
static const char *addr2line(void)
{
    return system("llvm-addr2line --version >/dev/null 2>&1")
               ? "addr2line"
               : "llvm-addr2line";
}

static FILE *ask_addr2line(const char *path,
                           const struct inline_addresses *addresses)
{
    char command[256], list[64];
    FILE *to;

    snprintf(list, sizeof(list), "%s/addresses", folder);
    to = fopen(list, "w");
    CHECK(to);
    for ( size_t i = 0; i < addresses->count; i++ )
        fprintf(to, "%lx\n", addresses->items[i]);
    fclose(to);
    snprintf(command, sizeof(command), "%s -a -i -f -e %s <%s", addr2line(),
             path, list);
    return popen(command, "r");
}

/* It says an address, then a name and a line of code each. */
/* four: it is of version 4. */
static void compare(const char *path, uint64_t step, unsigned long least,
                    bool four)
{
    struct inline_comparison of = {.names = read_file(path)};
    struct inline_addresses addresses = {0};
    static char line[65536];
    unsigned long count = 0;
    bool name = false;
    FILE *from;

    CHECK(of.names);
    list_addresses(path, step, &addresses);
    from = ask_addr2line(path, &addresses);
    CHECK(from);
    while ( fgets(line, sizeof(line), from) )
    {
        line[strcspn(line, "\n")] = 0;
        name = !name;
        if ( !strncmp(line, "0x", 2) )
        {
            if ( count )
                end_address(&of);
            CHECK(count < addresses.count);
            begin_address(&of, addresses.items[count++]);
            name = false;
        }
        else if ( name )
            take_name(&of, line);
        else
            take_line(&of, line);
    }
    end_address(&of);
    pclose(from);
    printf("# %s: %lu addresses, %lu inlined, %lu differ, %lu by symbol; "
           "%lu lines, %lu differ, %lu by path\n",
           path, count, of.inlined, of.different, of.symbols, of.lines,
           of.other_lines, of.other_paths);
    CHECK_EQ(count, addresses.count);
    CHECK(count >= least && of.inlined >= least / 4);
    CHECK(of.different * 1000 <= count && of.symbols * 50 <= count);
    CHECK(of.lines >= count / 2);
    CHECK_EQ(of.other_lines, 0);
    CHECK(of.other_paths * 10 <= (four ? 0 : of.lines));
    vector_free(&addresses);
    inline_names_free(of.names);
}

/* Of what clang writes as DWARF 5 addr2line reads less than we do. */
TEST(a_large_program)
{
    if ( !compile("g++ -x c++", "-O2 -g", large_program) ||
         system("addr2line --version >/dev/null 2>&1") )
        test_skip("there is no g++(1) or addr2line(1)");
    compare(file, 3, 1000, false);
    if ( compile("g++ -x c++", "-O2 -gdwarf-4", large_program) )
        compare(file, 3, 1000, true);
    if ( compile("g++ -x c++", "-O2 -g -flto", large_program) )
        compare(file, 3, 1000, false);
    if ( compile("clang++ -x c++", "-O2 -gdwarf-4", large_program) )
        compare(file, 3, 1000, true);
}

/* Of the debug files that Debian has of its libraries the largest one. */
TEST(a_file_of_a_package)
{
    glob_t found;
    size_t largest = 0;
    struct stat status;
    off_t size = 0;

    if ( !compile("cc -x c", "-O2 -g", program) ||
         system("addr2line --version >/dev/null 2>&1") ||
         glob("/usr/lib/debug/.build-id/*/*.debug", 0, NULL, &found) )
        test_skip("there is no addr2line(1), or no debug file");
    for ( size_t i = 0; i < found.gl_pathc; i++ )
        if ( !stat(found.gl_pathv[i], &status) && status.st_size > size )
        {
            size = status.st_size;
            largest = i;
        }
    if ( size > 1 << 20 )
        compare(found.gl_pathv[largest], 97, 1000, false);
    globfree(&found);
}
