/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pprof-labels.h"

#include "message-fields.h"
#include "report/export/pprof-fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a label sets, by what it is called by us and by others. */
enum pprof_label_kind {
    PPROF_DOMAIN,
    PPROF_DOMID,
    PPROF_UUID,
    PPROF_MODE,
    PPROF_VCPU,
    PPROF_PCPU,
    PPROF_COMM,
    PPROF_PID,
    PPROF_TID
};

static const struct pprof_label_name {
    const char *name;
    enum pprof_label_kind kind;
} label_names[] = {
    {"domain", PPROF_DOMAIN}, {"domid", PPROF_DOMID},    {"uuid", PPROF_UUID},
    {"mode", PPROF_MODE},     {"vcpu", PPROF_VCPU},      {"pcpu", PPROF_PCPU},
    {"cpu", PPROF_PCPU},      {"process", PPROF_COMM},   {"comm", PPROF_COMM},
    {"pid", PPROF_PID},       {"process_id", PPROF_PID}, {"thread", PPROF_TID},
    {"tid", PPROF_TID},       {"thread_id", PPROF_TID},
};

void pprof_labels_begin(struct pprof_labels *labels)
{
    *labels = (struct pprof_labels){.mode = XENOPROF_MODE_USER};
}

/* A number may come as a text.  Returns false if it is none. */
static bool number_of(const char *text, uint64_t *number)
{
    char *end;

    if ( !*text )
        return true;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return !errno && !*end && *text != '-';
}

static void set_mode(struct pprof_labels *labels, const char *text)
{
    for ( uint8_t mode = 0; mode < XENOPROF_MODE_IDLE; mode++ )
        if ( !strcmp(text, xenoprof_mode_name(mode)) )
        {
            labels->mode = mode;
            labels->has_mode = true;
        }
}

/* A thread may be called by its name instead of its number. */
static void set_thread(struct pprof_labels *labels, const char *text,
                       uint64_t number)
{
    labels->has_process = true;
    if ( number_of(text, &number) )
        labels->tid = number;
    else if ( !labels->comm )
        labels->comm = text;
}

static void set_number(struct pprof_labels *labels, enum pprof_label_kind kind,
                       const char *text, uint64_t number)
{
    if ( !number_of(text, &number) )
        return;
    switch ( kind )
    {
    case PPROF_DOMID:
        labels->number = number;
        labels->numbered = true;
        return;
    case PPROF_VCPU: labels->vcpu = number; return;
    case PPROF_PCPU: labels->pcpu = number; return;
    default:
        labels->pid = number;
        labels->has_process = true;
        return;
    }
}

static void set_label(struct pprof_labels *labels, enum pprof_label_kind kind,
                      const char *text, uint64_t number)
{
    switch ( kind )
    {
    case PPROF_DOMAIN: labels->domain = text; return;
    case PPROF_UUID: labels->uuid = text; return;
    case PPROF_COMM: labels->comm = text; return;
    case PPROF_MODE: set_mode(labels, text); return;
    case PPROF_TID: set_thread(labels, text, number); return;
    default: set_number(labels, kind, text, number); return;
    }
}

bool pprof_labels_take(struct pprof_labels *labels,
                       const struct pprof_model *model, struct cursor message)
{
    uint64_t key = 0, text = 0, number = 0;
    struct message_field field;
    const char *name, *value;

    while ( message_next(&message, &field) )
    {
        key = field.number == PPROF_LABEL_KEY ? field.value : key;
        text = field.number == PPROF_LABEL_TEXT ? field.value : text;
        number = field.number == PPROF_LABEL_NUMBER ? field.value : number;
    }
    name = pprof_model_text(model, key);
    value = pprof_model_text(model, text);
    if ( message.bad || !name || !value )
        return false;
    for ( size_t i = 0; i < sizeof(label_names) / sizeof(label_names[0]); i++ )
        if ( !strcmp(name, label_names[i].name) )
            set_label(labels, label_names[i].kind, value, number);
    return true;
}

/* "01234567-89ab-...": anything else is not known. */
static void take_uuid(const char *text, uint8_t ret[16])
{
    char digits[33];
    size_t count = 0;

    for ( ; text && *text && count < 32; text++ )
        if ( *text != '-' )
            digits[count++] = *text;
    digits[count] = '\0';
    for ( size_t i = 0; count == 32 && i < 16; i++ )
    {
        unsigned int byte;

        if ( sscanf(digits + 2 * i, "%2x", &byte) != 1 )
            byte = 0;
        ret[i] = (uint8_t)byte;
    }
}

static void set_thread_of(const struct pprof_labels *labels,
                          struct xenoprof_thread *ret)
{
    if ( !labels->comm && !labels->has_process )
        return;
    ret->pid = (uint32_t)labels->pid;
    ret->tid = (uint32_t)labels->tid;
    snprintf(ret->comm, sizeof(ret->comm), "%s",
             labels->comm && *labels->comm ? labels->comm : "?");
}

void pprof_labels_end(const struct pprof_labels *labels, struct sink *sink,
                      const char *file, struct xenoprof_stored *sample)
{
    struct sink_domain domain = {
        .name = labels->domain && *labels->domain ? labels->domain : file,
        .numbered = labels->numbered,
        .number = (uint16_t)labels->number,
    };

    take_uuid(labels->uuid, domain.uuid);
    sample->domain = sink_domain(sink, &domain);
    sample->vcpu = (uint16_t)labels->vcpu;
    sample->pcpu = (uint16_t)labels->pcpu;
    sample->mode = labels->mode;
    set_thread_of(labels, &sample->thread);
}
