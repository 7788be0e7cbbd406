/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzzer without libFuzzer: its own seeds, those in
 * tests/fuzz/seeds/NAME, and a bounded number of mutations of each, the same in
 * every run.
 *
 *   fuzz-NAME [--runs=N] [FILE...]
 *   fuzz-NAME --seeds=FOLDER
 *
 * N is the number of mutations of each seed; FUZZ_RUNS in the environment sets
 * it too.  FILEs replace the seeds.  --seeds writes the fuzzer's own seeds to a
 * folder, for libFuzzer.  An input that crashes is left in the file
 * "crash-input".  Output is TAP.
 */
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define RUNS 2000u

static uint8_t seed[FUZZ_MAX], input[FUZZ_MAX];
static size_t input_size;
static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return limit ? (random_state >> 16) % limit : 0;
}

static void save_input(void)
{
    FILE *file = fopen("crash-input", "w");

    if ( !file )
        return;
    fwrite(input, 1, input_size, file);
    fclose(file);
    fprintf(stderr, "the input is in crash-input\n");
}

static void crashed(int signal)
{
    save_input();
    _exit(128 + signal);
}

/* Defined if there is a sanitizer. */
void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));

static void catch_crashes(void)
{
    if ( __sanitizer_set_death_callback )
        __sanitizer_set_death_callback(save_input);
    else
        signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
}

static const uint8_t special[] = {0,   1,   7,    8,    9,    '\n', ' ',
                                  '=', '0', 0x7f, 0x80, 0xfe, 0xff};

static void insert(size_t at, size_t size)
{
    if ( input_size + size > sizeof(input) )
        return;
    memmove(input + at + size, input + at, input_size - at);
    for ( size_t i = 0; i < size; i++ )
        input[at + i] = random_below(256);
    input_size += size;
}

static void delete (size_t at, size_t size)
{
    if ( size > input_size - at )
        size = input_size - at;
    memmove(input + at, input + at + size, input_size - at - size);
    input_size -= size;
}

static void mutate_once(void)
{
    size_t at = random_below(input_size);

    if ( !input_size )
    {
        insert(0, 1 + random_below(16));
        return;
    }
    switch ( random_below(6) )
    {
    case 0: input[at] ^= 1u << random_below(8); break;
    case 1: input[at] = random_below(256); break;
    case 2: input[at] = special[random_below(sizeof(special))]; break;
    case 3: insert(at, 1 + random_below(8)); break;
    case 4: delete (at, 1 + random_below(8)); break;
    default: input[random_below(input_size)] = input[at];
    }
}

static void run(void)
{
    /* A block of its own, so that a read behind it is noticed. */
    uint8_t *copy = malloc(input_size + 1);

    if ( !copy )
        abort();
    memcpy(copy, input, input_size);
    LLVMFuzzerTestOneInput(copy, input_size);
    free(copy);
}

static void run_seed(size_t size, unsigned int runs)
{
    memcpy(input, seed, size);
    input_size = size;
    run();
    for ( unsigned int i = 0; i < runs; i++ )
    {
        memcpy(input, seed, size);
        input_size = size;
        for ( uint32_t left = 1 + random_below(4); left--; )
            mutate_once();
        run();
    }
}

static void run_file(const char *path, unsigned int runs)
{
    FILE *file = fopen(path, "r");

    if ( !file )
    {
        perror(path);
        exit(1);
    }
    run_seed(fread(seed, 1, sizeof(seed), file), runs);
    fclose(file);
}

static unsigned int cases;

static void tell(const char *what, unsigned int runs)
{
    printf("ok %u - %s and %u mutations\n", ++cases, what, runs);
    fflush(stdout);
}

/* The seeds that the fuzzer makes itself. */
static void run_own(unsigned int runs)
{
    char name[32];
    size_t size;

    for ( unsigned int i = 0; fuzz_seed && (size = fuzz_seed(i, seed)); i++ )
    {
        run_seed(size, runs);
        snprintf(name, sizeof(name), "own seed %u", i);
        tell(name, runs);
    }
}

static void write_own(const char *folder)
{
    char path[4096];
    size_t size;

    for ( unsigned int i = 0; fuzz_seed && (size = fuzz_seed(i, seed)); i++ )
    {
        FILE *file;

        snprintf(path, sizeof(path), "%s/own-%u", folder, i);
        file = fopen(path, "w");
        if ( !file || fwrite(seed, 1, size, file) != size || fclose(file) )
        {
            perror(path);
            exit(1);
        }
    }
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files of tests/fuzz/seeds/NAME, for a program fuzz-NAME. */
static void run_folder(const char *program, unsigned int runs)
{
    const char *name = strrchr(program, '-'), *top = getenv("top_srcdir");
    char folder[2048], path[4096];
    struct dirent **entries;
    int count;

    snprintf(folder, sizeof(folder), "%s/tests/fuzz/seeds/%s", top ? top : ".",
             name ? name + 1 : program);
    count = scandir(folder, &entries, NULL, by_name);
    for ( int i = 0; i < count; i++ )
    {
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if ( entries[i]->d_name[0] != '.' )
        {
            run_file(path, runs);
            tell(entries[i]->d_name, runs);
        }
        free(entries[i]);
    }
    if ( count >= 0 )
        free(entries);
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("FUZZ_RUNS");
    unsigned int runs = wanted ? strtoul(wanted, NULL, 10) : RUNS;
    int at = 1;

    if ( argc == 2 && !strncmp(argv[1], "--seeds=", 8) )
    {
        write_own(argv[1] + 8);
        return 0;
    }
    catch_crashes();
    if ( at < argc && sscanf(argv[at], "--runs=%u", &runs) == 1 )
        at++;
    if ( at == argc )
    {
        run_own(runs);
        run_folder(argv[0], runs);
    }
    for ( ; at < argc; at++ )
    {
        run_file(argv[at], runs);
        tell(argv[at], runs);
    }
    if ( !cases )
        printf("not ok %u - no seeds; set top_srcdir, or name files\n",
               ++cases);
    printf("1..%u\n", cases);
    return 0;
}
