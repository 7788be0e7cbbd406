/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of fields, and names of modes, causes and marks. */
#include <string.h>

#include "record-fields.h"

#define FIELD(structure, member, form)                                         \
    {                                                                          \
#member, offsetof(struct structure, member),                           \
            sizeof(((struct structure *)0)->member), form                      \
    }

#define SAMPLE(member, form) FIELD(xenoprof_sample, member, form)
const struct field sample_fields[] = {
    SAMPLE(time, FIELD_DECIMAL),   SAMPLE(domain, FIELD_DECIMAL),
    SAMPLE(vcpu, FIELD_DECIMAL),   SAMPLE(pcpu, FIELD_DECIMAL),
    SAMPLE(mode, FIELD_MODE),      SAMPLE(weight, FIELD_DECIMAL),
    SAMPLE(period, FIELD_DECIMAL), SAMPLE(ip, FIELD_HEX),
    SAMPLE(sp, FIELD_HEX),         SAMPLE(flags, FIELD_HEX),
    SAMPLE(marks, FIELD_MARKS),    {NULL, 0, 0, 0},
};

#define LOST(member, form) FIELD(xenoprof_lost, member, form)
const struct field lost_fields[] = {
    LOST(time, FIELD_DECIMAL),
    LOST(count, FIELD_DECIMAL),
    LOST(cause, FIELD_CAUSE),
    {NULL, 0, 0, 0},
};

#define WAIT(member, form) FIELD(xenoprof_wait, member, form)
#define WAIT_WORD(name, at, form)                                              \
    {                                                                          \
        name, offsetof(struct xenoprof_wait, at), sizeof(uint64_t), form       \
    }
#define WAIT_TIME(name, STATE)                                                 \
    WAIT_WORD(name, times[XENOPROF_##STATE], FIELD_DECIMAL)
const struct field wait_fields[] = {
    WAIT(time, FIELD_DECIMAL),
    WAIT(domain, FIELD_DECIMAL),
    WAIT(vcpu, FIELD_DECIMAL),
    WAIT_WORD("uuid", uuid[0], FIELD_HEX),
    WAIT_WORD("uuid-2", uuid[8], FIELD_HEX),
    WAIT(state, FIELD_STATE),
    WAIT(reasons, FIELD_HEX),
    WAIT(since, FIELD_DECIMAL),
    WAIT_TIME("running", RUNNING),
    WAIT_TIME("runnable", RUNNABLE),
    WAIT_TIME("blocked", BLOCKED),
    WAIT_TIME("offline", OFFLINE),
    {NULL, 0, 0, 0},
};

#define COUNTED(member) FIELD(xenoprof_counted, member, FIELD_DECIMAL)
const struct field counted_fields[] = {
    COUNTED(time),    COUNTED(pcpu),    COUNTED(event),
    COUNTED(enabled), COUNTED(running), {NULL, 0, 0, 0},
};

#define GUEST(member, form) FIELD(xenoprof_guest, member, form)
static const struct field guest_fields[] = {
    GUEST(ip, FIELD_HEX), GUEST(sp, FIELD_HEX), GUEST(flags, FIELD_HEX),
    GUEST(cs, FIELD_HEX), GUEST(ss, FIELD_HEX), GUEST(mode, FIELD_MODE),
    {NULL, 0, 0, 0},
};

#define REGISTER(member) FIELD(xenoprof_registers, member, FIELD_HEX)
static const struct field registers_fields[] = {
    REGISTER(rax), REGISTER(rdx), REGISTER(rcx),   REGISTER(rbx), REGISTER(rsi),
    REGISTER(rdi), REGISTER(rbp), REGISTER(rsp),   REGISTER(r8),  REGISTER(r9),
    REGISTER(r10), REGISTER(r11), REGISTER(r12),   REGISTER(r13), REGISTER(r14),
    REGISTER(r15), REGISTER(cr3), {NULL, 0, 0, 0},
};

#define ENTRY(member, form) FIELD(xenoprof_entry, member, form)
static const struct field entry_fields[] = {
    ENTRY(kind, FIELD_ENTRY), ENTRY(code, FIELD_HEX), ENTRY(detail, FIELD_HEX),
    ENTRY(flags, FIELD_HEX),  {NULL, 0, 0, 0},
};

#define TASK(member, form) FIELD(xenoprof_task, member, form)
#define TASK_WORD(name, number)                                                \
    {                                                                          \
        name, offsetof(struct xenoprof_task, word[number]), sizeof(uint64_t),  \
            FIELD_HEX                                                          \
    }
static const struct field task_fields[] = {
    TASK(list, FIELD_DECIMAL),   TASK(failed, FIELD_HEX),
    TASK(stored, FIELD_DECIMAL), TASK_WORD("word0", 0),
    TASK_WORD("word1", 1),       TASK_WORD("word2", 2),
    TASK_WORD("word3", 3),       TASK_WORD("word4", 4),
    TASK_WORD("word5", 5),       {NULL, 0, 0, 0},
};

#define EVENT(member, form) FIELD(xenoprof_event, member, form)
static const struct field event_fields[] = {
    EVENT(event, FIELD_DECIMAL),
    EVENT(count, FIELD_DECIMAL),
    EVENT(flags, FIELD_HEX),
    {NULL, 0, 0, 0},
};

static const struct field precise_fields[] = {
    FIELD(xenoprof_precise, ip, FIELD_HEX),
    {NULL, 0, 0, 0},
};

/* All of it is its tail. */
static const struct field chain_fields[] = {{NULL, 0, 0, 0}};

static const struct field window_fields[] = {
    FIELD(xenoprof_window, address, FIELD_HEX),
    {NULL, 0, 0, 0},
};

const struct part_text part_texts[RECORD_PARTS] = {
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    {#name, structure##_fields},
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

const char *const field_states[] = {"running", "runnable", "blocked", "offline",
                                    NULL};

const char *const field_entries[] = {[XENOPROF_ENTRY_NONE] = "",
#define XENOPROF_ENTRY_KIND(number, NAME, name, text) [number] = name,
#include <xenoprof/entry-kinds.def>
#undef XENOPROF_ENTRY_KIND
                                     [XENOPROF_ENTRY_KINDS] = NULL};

/* The fields inside the marks have empty names; record text has their bits as a
 * number. */
const char *const field_marks[] = {
#define XENOPROF_MARK(bit, NAME, name, text)       [bit] = name,
#define XENOPROF_MARK_FIELD(bit, bits, NAME, text) [bit... bit + bits - 1] = "",
#include <xenoprof/marks.def>
#undef XENOPROF_MARK
#undef XENOPROF_MARK_FIELD
    NULL};

uint64_t field_get(const struct field *field, const void *structure)
{
    uint64_t value = 0;

    memcpy(&value, (const uint8_t *)structure + field->offset, field->size);
    return value;
}

void field_put(const struct field *field, void *structure, uint64_t value)
{
    memcpy((uint8_t *)structure + field->offset, &value, field->size);
}
