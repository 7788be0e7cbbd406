/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser-memory [FILE]: memory (PSS, each shared page counted once) of
 * xenoprofd's side and 200 walkers, of which all have one kernel, or four each
 * of 50.  The kernel is FILE's (vmlinuz), or one that the tests make.  Exit
 * status 1 if that is more than 250 and 600 MB.  Run it as root: the processes
 * show themselves to nobody else.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/scope.h"
#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/parser/walker-link.h"
#include "guest/kernel.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define WALKERS 200u
#define SAMPLES 24u /* of a guest in a second */
#define WINDOW  6144u

static struct keeper keeper;
static struct process_maker maker;
static struct table_store *store;
static struct walker *walkers[WALKERS];

/* What every kernel's table is made of. */
static struct buffer image, modules;
static uint64_t base;
static char release[96];

static void must(bool condition, const char *what)
{
    if ( condition )
        return;
    fprintf(stderr, "parser-memory: %s\n", what);
    exit(2);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file SCOPE_FCLOSE = fopen(path, "re");
    uint8_t *bytes;

    must(file && fseek(file, 0, SEEK_END) == 0, "the file cannot be read");
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size);
    must(bytes && fread(bytes, 1, *size, file) == *size,
         "the file cannot be read");
    return bytes;
}

static struct kernel *find_fake(struct kernel_images *images)
{
    static const struct fake_form form = {.functions = 120000, .modules = 100};
    struct fake_kernel fake;
    struct kernel *kernel = NULL;

    fake_kernel_open(&fake, &form);
    kernel_find(images, &fake.memory, fake_function(&fake, 100), &kernel);
    fake_kernel_close(&fake);
    return kernel;
}

static struct kernel *find_in_file(struct kernel_images *images,
                                   const char *path)
{
    struct kernel *kernel = NULL;
    size_t size;
    uint8_t *bytes SCOPE_FREE = read_file(path, &size);

    kernel_from_file(images, bytes, size, NULL, 0, &kernel);
    return kernel;
}

static void make_tables(const char *path)
{
    struct kernel_images *images = kernel_images_open();
    struct kernel *kernel = path ? find_in_file(images, path)
                                 : find_fake(images);
    struct kernel_info info;

    must(kernel, "there is no kernel");
    kernel_get_info(kernel, &info);
    memcpy(release, info.release, sizeof(release));
    must(kernel_put_image(kernel, &image, &base) &&
             kernel_put_modules(kernel, &modules),
         "there is no memory");
    printf("%s: %u symbols, %u rows, a table of %.1f MB, and %.1f of modules\n",
           release, info.symbols, info.rows, (double)image.used / 1e6,
           (double)modules.used / 1e6);
    kernel_close(kernel);
    kernel_images_close(images);
}

static const struct sealed_table *store_table(const struct buffer *bytes)
{
    struct table_draft *draft = table_draft_begin(store, bytes->used);
    const struct sealed_table *table = NULL;

    if ( draft && table_draft_add(draft, bytes->bytes, bytes->used) )
        table = table_draft_end(draft);
    must(table, "a table cannot be stored");
    return table;
}

/* The tables of kernel number: another name of the release makes another. */
static struct walker_tables tables_of(unsigned int number)
{
    char *at = memmem(image.bytes, image.used, release, strlen(release));

    must(at && strlen(release) > 2, "the table has no release");
    at[strlen(release) - 1] = (char)('A' + number % 26);
    at[strlen(release) - 2] = (char)('A' + number / 26);
    memcpy(release, at, strlen(release));
    return (struct walker_tables){store_table(&image), store_table(&modules),
                                  base, false, false};
}

/* A batch of a second, so that what is ever touched is there. */
static void use(struct walker *walker)
{
    static const uint8_t window[WINDOW];
    static const struct xenoprof_registers registers = {.rsp = 0x1000};
    struct unwind_start start = {
        .registers = &registers,
        .windows = {{0x1000, window, sizeof(window)}},
        .kernel = true,
    };
    struct pollfd ready = {.fd = walker_fd(walker), .events = POLLIN};

    for ( unsigned int i = 0; i < SAMPLES; i++ )
    {
        start.ip = base + 0x1000 + 0x999 * i;
        must(walker_add(walker, i, &start), "a batch is full");
    }
    must(walker_send(walker) == LINK_MORE, "a batch cannot be sent");
    while ( walker_is_away(walker) )
    {
        poll(&ready, 1, -1);
        must(walker_receive(walker) <= LINK_MORE, "a walker died");
    }
}

static unsigned long pss_of(const char *pid)
{
    char path[64], line[128];
    unsigned long kib, sum = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%s/smaps_rollup", pid);
    file = fopen(path, "re");
    must(file, "run it as root");
    while ( fgets(line, sizeof(line), file) )
        if ( sscanf(line, "Pss: %lu", &kib) == 1 )
            sum += kib;
    fclose(file);
    return sum;
}

static bool is_of_keeper(const char *pid)
{
    char path[64], line[128];
    bool found = false;
    FILE *file;
    int parent;

    snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
    file = fopen(path, "re");
    while ( file && fgets(line, sizeof(line), file) )
        if ( sscanf(line, "PPid: %d", &parent) == 1 )
            found = parent == keeper.pid;
    if ( file )
        fclose(file);
    return found;
}

/* KiB of all walkers. */
static unsigned long pss_of_walkers(unsigned int *count)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    unsigned long sum = 0;

    *count = 0;
    while ( folder && (entry = readdir(folder)) )
        if ( entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
             is_of_keeper(entry->d_name) )
        {
            sum += pss_of(entry->d_name);
            ++*count;
        }
    if ( folder )
        closedir(folder);
    return sum;
}

static bool measure(unsigned int kernels, double bound)
{
    struct walker_tables tables[64];
    unsigned long daemon, others;
    unsigned int count;
    char pid[16];
    double all;

    store = table_store_open();
    for ( unsigned int i = 0; i < kernels; i++ )
        tables[i] = tables_of(i);
    for ( unsigned int i = 0; i < WALKERS; i++ )
    {
        walkers[i] = walker_begin(&maker, &tables[i % kernels], NULL);
        must(walkers[i], "a walker cannot be made");
        use(walkers[i]);
    }
    snprintf(pid, sizeof(pid), "%d", keeper.pid);
    daemon = pss_of("self") + pss_of(pid);
    others = pss_of_walkers(&count);
    must(count == WALKERS, "walkers are missing");
    all = (double)(daemon + others) / 1024;
    printf("%7u %8u %10.1f %10.1f %8.1f   at most %.0f\n", WALKERS, kernels,
           (double)daemon / 1024, (double)others / 1024, all, bound);
    for ( unsigned int i = 0; i < WALKERS; i++ )
        walker_end(walkers[i]);
    for ( unsigned int i = 0; i < kernels; i++ )
    {
        table_release(tables[i].image);
        table_release(tables[i].modules);
    }
    table_store_close(store);
    return all <= bound;
}

int main(int argc, char **argv)
{
    struct failure failure;
    bool good;

    signal(SIGPIPE, SIG_IGN);
    must(keeper_start(&keeper, NULL, process_run, &failure) == 0,
         "there is no keeper");
    maker = keeper_maker(&keeper);
    make_tables(argc > 1 ? argv[1] : NULL);
    printf("%7s %8s %10s %10s %8s\n", "walkers", "kernels", "xenoprofd",
           "walkers", "MiB");
    good = measure(1, 250);
    good = measure(50, 600) && good;
    keeper_stop(&keeper);
    return good ? 0 : 1;
}
