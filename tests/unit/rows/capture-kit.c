/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes stacks and mappings of a program that ptrace(2) has stopped. */
#include "capture-kit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "rows/cfi/elf-rows.h"

static int wait_for(pid_t pid)
{
    int status;

    if ( waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status) )
        return 0;
    return WSTOPSIG(status);
}

pid_t capture_program(char **arguments)
{
    pid_t pid = fork();

    if ( pid )
        return pid > 0 && wait_for(pid) == SIGTRAP ? pid : -1;
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execvp(arguments[0], arguments);
    _exit(127);
}

int capture_step(pid_t pid, int signal)
{
    if ( ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)signal) )
        return 0;
    return wait_for(pid);
}

int capture_run(pid_t pid)
{
    return ptrace(PTRACE_CONT, pid, NULL, NULL) ? 0 : wait_for(pid);
}

/* Hands signals on to the program until it has the one that stops it. */
static bool wait_for_stop(pid_t pid)
{
    int signal;

    while ( (signal = wait_for(pid)) && signal != SIGSTOP )
        if ( ptrace(PTRACE_CONT, pid, NULL,
                    (void *)(signal == SIGTRAP ? 0l : signal)) )
            return false;
    return signal;
}

bool capture_attach(pid_t pid)
{
    return !ptrace(PTRACE_ATTACH, pid, NULL, NULL) && wait_for_stop(pid);
}

bool capture_run_for(pid_t pid, unsigned int microseconds)
{
    const struct timespec time = {.tv_nsec = microseconds * 1000l};

    if ( ptrace(PTRACE_CONT, pid, NULL, NULL) )
        return false;
    nanosleep(&time, NULL);
    /* To this thread, which alone is traced. */
    return !syscall(SYS_tgkill, pid, pid, SIGSTOP) && wait_for_stop(pid);
}

static FILE *open_of(pid_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    return fopen(path, "re");
}

/* Returns the table of an image that is only in memory. */
static struct row_table *read_vdso(pid_t pid, const struct user_mapping *at)
{
    size_t size = at->end - at->start;
    uint8_t *bytes SCOPE_FREE = malloc(size);
    struct iovec local = {bytes, size}, remote = {(void *)at->start, size};
    struct row_table *table = NULL;

    if ( !bytes ||
         process_vm_readv(pid, &local, 1, &remote, 1, 0) != (ssize_t)size ||
         elf_rows_of(bytes, size, &table, NULL) != ELF_ROWS_MADE )
        return NULL;
    return table;
}

static struct row_table *read_table(pid_t pid,
                                    const struct captured_mapping *mapping)
{
    struct row_table *table = NULL;
    int fd SCOPE_CLOSE = -1;

    if ( !strcmp(mapping->path, "[vdso]") )
        return read_vdso(pid, &mapping->mapping);
    if ( mapping->path[0] != '/' )
        return NULL;
    fd = open(mapping->path, O_RDONLY | O_CLOEXEC);
    if ( fd < 0 || elf_rows(fd, &table, NULL) != ELF_ROWS_MADE )
        return NULL;
    return table;
}

/* Returns whether the line is about code. */
static bool parse(const char *line, struct captured_mapping *ret)
{
    char rights[8];

    *ret = (struct captured_mapping){.offset = 0};
    return sscanf(line, "%lx-%lx %7s %lx %*s %*s %255[^\n]",
                  &ret->mapping.start, &ret->mapping.end, rights, &ret->offset,
                  ret->path) >= 4 &&
           rights[2] == 'x' && !(ret->mapping.start >> 56);
}

static bool open_space(struct captured_space *space)
{
    struct user_mapping *copy SCOPE_FREE = calloc(space->count + 1,
                                                  sizeof(*copy));

    for ( size_t i = 0; copy && i < space->count; i++ )
        copy[i] = space->mappings[i].mapping;
    space->space = copy ? user_space_open(copy, space->count) : NULL;
    return space->space;
}

#define MAPPINGS_MAX 1024u

bool capture_space(struct captured_space *space, pid_t pid)
{
    FILE *maps SCOPE_FCLOSE = open_of(pid, "maps");
    char line[512];

    *space = (struct captured_space){.pid = pid};
    space->mappings = calloc(MAPPINGS_MAX, sizeof(*space->mappings));
    space->tables = calloc(MAPPINGS_MAX, sizeof(*space->tables));
    if ( !maps || !space->mappings || !space->tables )
        return false;
    while ( fgets(line, sizeof(line), maps) && space->count < MAPPINGS_MAX )
    {
        struct captured_mapping *mapping = &space->mappings[space->count];
        struct row_table *table;

        if ( !parse(line, mapping) )
            continue;
        table = read_table(pid, mapping);
        if ( table )
            user_mapping_bind(&mapping->mapping, table, mapping->offset);
        space->tables[space->count++] = table;
    }
    return open_space(space);
}

bool capture_space_bind(struct captured_space *space, size_t number,
                        struct row_table *rows)
{
    row_table_close(space->tables[number]);
    space->tables[number] = rows;
    user_space_close(space->space);
    return user_mapping_bind(&space->mappings[number].mapping, rows, 0) &&
           open_space(space);
}

void capture_space_free(struct captured_space *space)
{
    user_space_close(space->space);
    for ( size_t i = 0; i < space->count; i++ )
        row_table_close(space->tables[i]);
    free(space->tables);
    free(space->mappings);
}

static void take_registers(struct captured_stack *stack,
                           const struct user_regs_struct *from)
{
    stack->in_kernel = (int64_t)from->orig_rax >= 0;
    stack->ip = from->rip;
    stack->registers = (struct xenoprof_registers){
        .rax = from->rax,
        .rdx = from->rdx,
        .rcx = from->rcx,
        .rbx = from->rbx,
        .rsi = from->rsi,
        .rdi = from->rdi,
        .rbp = from->rbp,
        .rsp = from->rsp,
        .r8 = from->r8,
        .r9 = from->r9,
        .r10 = from->r10,
        .r11 = from->r11,
        .r12 = from->r12,
        .r13 = from->r13,
        .r14 = from->r14,
        .r15 = from->r15,
    };
}

bool capture_stack(struct captured_stack *stack, pid_t pid, size_t size)
{
    struct user_regs_struct registers;
    struct iovec local, remote;
    ssize_t got;

    if ( ptrace(PTRACE_GETREGS, pid, NULL, &registers) )
        return false;
    take_registers(stack, &registers);
    stack->address = registers.rsp - USER_RED_ZONE;
    stack->bytes = malloc(size);
    local = (struct iovec){stack->bytes, size};
    remote = (struct iovec){(void *)stack->address, size};
    /* The end of the stack may be nearer: then up to its last page. */
    for ( got = -1; stack->bytes && remote.iov_len && got < 0; )
    {
        got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if ( got < 0 )
            remote.iov_len = remote.iov_len > 4096
                                 ? ((stack->address + remote.iov_len - 1) &
                                    ~4095ul) -
                                       stack->address
                                 : 0;
    }
    stack->length = got > 0 ? (size_t)got : 0;
    return stack->bytes;
}

void capture_walk(const struct captured_stack *stack,
                  const struct captured_space *space, struct row_cache *cache,
                  struct user_chain *ret)
{
    const struct user_start start = {
        .ip = stack->ip,
        .registers = &stack->registers,
        .window = {stack->address, stack->bytes, stack->length}};

    user_walk(cache, space->space, &start, ret);
}
