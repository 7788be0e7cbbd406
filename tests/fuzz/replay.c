/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzzer without libFuzzer: its seeds, files named on the command
 * line, and a bounded number of mutations of each, always the same ones.
 *
 *   fuzz-NAME [--runs=N] [--seeds=FOLDER] [FILE...]
 *
 * --seeds only writes the seeds into a folder, for libFuzzer.  An input that
 * crashes is left in the file "crash-input".  Output is TAP.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define RUNS 20000u /* mutations of each seed */

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

/* There if a sanitizer is. */
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

static int write_seeds(const char *folder)
{
    char path[4096];
    size_t size;

    for ( unsigned int i = 0; (size = fuzz_seed(i, seed)); i++ )
    {
        FILE *file;

        snprintf(path, sizeof(path), "%s/seed-%u", folder, i);
        file = fopen(path, "w");
        if ( !file || fwrite(seed, 1, size, file) != size || fclose(file) )
        {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned int runs = RUNS, number = 0;
    size_t size;

    catch_crashes();
    for ( ; argc > 1 && argv[1][0] == '-'; argc--, argv++ )
    {
        if ( !strncmp(argv[1], "--seeds=", 8) )
            return write_seeds(argv[1] + 8);
        if ( sscanf(argv[1], "--runs=%u", &runs) != 1 )
            return 2;
    }
    for ( unsigned int i = 0; argc < 2 && (size = fuzz_seed(i, seed)); i++ )
    {
        run_seed(size, runs);
        printf("ok %u - seed %u and %u mutations\n", ++number, i, runs);
    }
    for ( int i = 1; i < argc; i++ )
    {
        run_file(argv[i], runs);
        printf("ok %u - %s and %u mutations\n", ++number, argv[i], runs);
    }
    printf("1..%u\n", number);
    return !number;
}
