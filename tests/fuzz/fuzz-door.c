/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile lines to the door.  Each line of the input is a command, except lines
 * that begin with a sign:
 *
 *   @N   so many times 10 ms pass     !N   ring N's consumer index is torn
 *   *N   pCPU N is busy               .N   pCPU N is idle
 *   %N   the processors get counters of family N; first of all
 *   +N   what event N of the seeds counts happens on a pCPU
 *   ~NS  vCPU N of domain N % 4 is in runstate S from now on, and polls if N is
 *        odd; S = -: there is none
 *
 * After any lines the session can be ended, and leaves nothing behind.
 */
#include <string.h>

#include "tests/host/process-pmu.h"
#include "fuzz.h"

#define LINE_SIZE 512u
#define PCPUS     3u

static void tear_index(uint32_t number)
{
    const struct xenoprof_status_page *status;
    struct xenoprof_door_state state;
    struct xenoprof_index_page *index;

    core_door_state(&state);
    if ( !state.status_mfn )
        return;
    status = process_page(state.status_mfn);
    index = process_page(status->index_mfn[0]);
    index->slot[1 + number] = 0x123456789abcdef1ul * (number + 1);
}

static const uint8_t *waiter_memory(uint16_t domain, uint16_t vcpu,
                                    uint64_t address)
{
    static const uint8_t page[XENOPROF_PAGE_SIZE];

    (void)domain;
    return address >> 12 & 1 || vcpu % 3 == 2 ? NULL : page;
}

static void wait_as(unsigned int number, char state)
{
    const struct xenoprof_wait wait = {
        .domain = number % 4,
        .vcpu = number,
        .state = (unsigned char)state % 4,
        .since = process_now() + 1,
    };
    const struct process_waiter waiter = {
        .polls = number % 2,
        .whole = number != 7,
        .at = {.ip = 1ul << 63,
               .sp = 1ul << 63 | (number % 2 ? 8 : 0xff8),
               .flags = 2,
               .mode = number ? XENOPROF_MODE_KERNEL : XENOPROF_MODE_USER},
    };

    process_host()->waiter_memory = waiter_memory;
    process_set_wait(&wait);
    process_set_waiter(wait.domain, wait.vcpu, &waiter);
    if ( state == '-' )
        process_end_wait(wait.domain, wait.vcpu);
}

/* Of samples of those that wait, no more are lost than were made. */
static void check_waiting(const struct xenoprof_door_state *state)
{
    const struct xenoprof_status_page *status;

    if ( !state->status_mfn )
        return;
    status = process_page(state->status_mfn);
    FUZZ_CHECK(status->waiting_lost <= status->waiting_made);
}

static void act(const char *line)
{
    unsigned int number = line[1] >= '0' && line[1] <= '9' ? line[1] - '0' : 0;

    switch ( line[0] )
    {
    case '@': process_run_until(process_now() + number * 10000000ul); break;
    case '!': tear_index(number); break;
    case '*': process_set_current(number % PCPUS, number % 4, 0); break;
    case '.': process_set_idle(number % PCPUS); break;
    case '%':
        if ( core_at_rest() )
            process_pmu_reset(number % PROCESS_PMU_FAMILIES);
        break;
    case '+':
        process_count(number % PCPUS,
                      number % 8 > 3 ? PROCESS_FETCHES + number % 2
                      : number % 2   ? 0x2e
                                     : 0xc0,
                      120000);
        process_settle();
        break;
    case '~': wait_as(number, line[1] ? line[2] : 0); break;
    }
}

static void check_state(int error)
{
    struct xenoprof_door_state state;
    char text[128];

    core_door_state(&state);
    FUZZ_CHECK(state.state >= XENOPROF_STATE_LOADED &&
               state.state <= XENOPROF_STATE_STOPPED);
    FUZZ_CHECK(error <= 0);
    FUZZ_CHECK(memchr(state.message, 0, sizeof(state.message)));
    FUZZ_CHECK((error == 0) == (state.message[0] == 0));
    check_waiting(&state);
    FUZZ_CHECK(core_status_text(text, sizeof(text)) == strlen(text));
}

/* In memory of just its size, so that a read past its end is noticed. */
static void one_line(const uint8_t *start, size_t length)
{
    char *line = malloc(length + 1);

    FUZZ_CHECK(line);
    memcpy(line, start, length);
    line[length] = 0;
    if ( line[0] && strchr("@!*.%+~", line[0]) )
        act(line);
    else
        check_state(core_command(line));
    free(line);
}

/* A command, again while the core does it in pieces. */
static int do_it(const char *line)
{
    int error = -11;

    for ( int i = 0; error == -11 && i < 1000; i++ )
        error = core_command(line);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    process_reset(PCPUS);
    while ( size )
    {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) : size;

        one_line(data, length < LINE_SIZE ? length : LINE_SIZE);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    do_it("stop");
    FUZZ_CHECK(!do_it("reset"));
    FUZZ_CHECK(!process_host()->allocated && !process_host()->shared);
    return 0;
}
