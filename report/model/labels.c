/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "labels.h"

#include "base/must.h"
#include "base/scope.h"
#include "domain-text.h"
#include "format.h"
#include "stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t domain_value(const struct cell *cell)
{
    return cell->key.domain;
}

static uint64_t vcpu_value(const struct cell *cell)
{
    const bool known = !cell_placeless(cell) ||
                       (cell->key.mode == MODE_UNKNOWN &&
                        cell->key.domain != DOMAIN_INDEX_OTHER);

    if ( !known || cell->key.domain == DOMAIN_INDEX_IDLE )
        return LABEL_NONE;
    return cell->key.vcpu;
}

static uint64_t pcpu_value(const struct cell *cell)
{
    return cell->key.pcpu;
}

static uint64_t mode_value(const struct cell *cell)
{
    return cell->key.domain == DOMAIN_INDEX_OTHER ||
                   cell->key.mode == MODE_UNKNOWN
               ? LABEL_NONE
               : cell->key.mode;
}

static uint64_t image_value(const struct cell *cell)
{
    return cell_placeless(cell) || !cell_name(cell)->image
               ? LABEL_NONE
               : cell_name(cell)->image;
}

static uint64_t symbol_value(const struct cell *cell)
{
    return cell_placeless(cell) || !cell_name(cell)->symbol
               ? LABEL_NONE
               : cell_name(cell)->symbol;
}

static uint64_t address_value(const struct cell *cell)
{
    return cell_placeless(cell) || !cell_name(cell)->address
               ? LABEL_NONE
               : cell_name(cell)->address;
}

/* Where the path is in loaded.names, and the line's number. */
static uint64_t line_of(uint32_t path, uint32_t line)
{
    return line ? (uint64_t)path << 32 | line : LABEL_NONE;
}

static uint64_t line_value(const struct cell *cell)
{
    return cell_placeless(cell)
               ? LABEL_NONE
               : line_of(cell_name(cell)->path, cell_name(cell)->line);
}

static uint64_t entry_value(const struct cell *cell)
{
    return cell->entry ? cell->entry : LABEL_NONE;
}

static uint64_t pid_value(const struct cell *cell)
{
    return cell->ran && cell->ran->pid != NUMBER_UNKNOWN ? cell->ran->pid
                                                         : LABEL_NONE;
}

static uint64_t tid_value(const struct cell *cell)
{
    return cell->ran && cell->ran->tid != NUMBER_UNKNOWN ? cell->ran->tid
                                                         : LABEL_NONE;
}

static uint64_t comm_value(const struct cell *cell)
{
    return cell_comm(cell) ? cell_comm(cell) : LABEL_NONE;
}

/* A text of where the thread comes from, if it has one. */
static uint64_t origin_value(const struct cell *cell, enum origin_text which)
{
    const struct loaded_origin *origin = cell->ran ? cell->ran->origin : NULL;
    uint32_t text = origin ? origin->texts[which] : 0;

    return text ? text : LABEL_NONE;
}

static uint64_t exe_value(const struct cell *cell)
{
    return origin_value(cell, ORIGIN_EXE);
}

static uint64_t cgroup_value(const struct cell *cell)
{
    return origin_value(cell, ORIGIN_CGROUP);
}

static uint64_t unit_value(const struct cell *cell)
{
    return origin_value(cell, ORIGIN_UNIT);
}

static uint64_t container_value(const struct cell *cell)
{
    return origin_value(cell, ORIGIN_CONTAINER);
}

static uint64_t pod_value(const struct cell *cell)
{
    return origin_value(cell, ORIGIN_POD);
}

static uint64_t frame_mode_value(const struct frame *frame)
{
    return frame->key.kind >= FRAME_TRUNCATED ? LABEL_NONE : frame->key.mode;
}

static uint64_t frame_image_value(const struct frame *frame)
{
    return frame->key.image ? frame->key.image : LABEL_NONE;
}

static uint64_t frame_symbol_value(const struct frame *frame)
{
    return frame->key.symbol ? frame->key.symbol : LABEL_NONE;
}

static uint64_t frame_address_value(const struct frame *frame)
{
    return frame->key.address ? frame->key.address : LABEL_NONE;
}

static uint64_t frame_line_value(const struct frame *frame)
{
    return line_of(frame->key.path, frame->key.line);
}

uint64_t label_unnamed(const struct cell *cell)
{
    return cell_name(cell)->symbol ? LABEL_NONE : address_value(cell);
}

static char *number_text(const struct loaded *loaded, uint64_t value)
{
    (void)loaded;
    return must_text("%" PRIu64, value);
}

static char *address_text(const struct loaded *loaded, uint64_t value)
{
    (void)loaded;
    return must_text("0x%" PRIx64, value);
}

static char *line_text(const struct loaded *loaded, uint64_t value)
{
    return must_text("%s:%u", names_text(&loaded->names, value >> 32),
                     (uint32_t)value);
}

static char *name_text(const struct loaded *loaded, uint64_t value)
{
    return must(strdup(names_text(&loaded->names, (uint32_t)value)));
}

const char *label_short_symbol(const char *name)
{
    const char *hash = strchr(name, '#');

    /* Other languages have names with that character in the middle. */
    if ( !hash || hash - name < 2 || hash[-2] != '.' || !hash[1] )
        return name;
    return hash + 1;
}

static char *symbol_text(const struct loaded *loaded, uint64_t value)
{
    return must(strdup(
        label_short_symbol(names_text(&loaded->names, (uint32_t)value))));
}

static char *mode_text(const struct loaded *loaded, uint64_t value)
{
    (void)loaded;
    return must(strdup(xenoprof_mode_name((unsigned int)value)));
}

static char *domain_label(const struct loaded *loaded, uint64_t value)
{
    return domain_text(loaded, (uint32_t)value);
}

static const struct label_kind label_kinds[LABELS] = {
    [LABEL_DOMAIN] = {.name = "domain",
                      .what = "domain whose vCPU was current",
                      .value = domain_value,
                      .text = domain_label,
                      .groups = true,
                      .json = JSON_ALWAYS,
                      .json_key = "domain_name"},
    [LABEL_VCPU] = {.name = "vcpu",
                    .what = "number of the vCPU in its domain",
                    .value = vcpu_value,
                    .text = number_text,
                    .groups = true,
                    .number = true,
                    .json = JSON_IF_SORTED},
    [LABEL_PCPU] = {.name = "pcpu",
                    .what = "number of the pCPU",
                    .value = pcpu_value,
                    .text = number_text,
                    .groups = true,
                    .number = true,
                    .json = JSON_IF_SORTED},
    [LABEL_MODE] = {.name = "mode",
                    .what = "xen, kernel, user or idle",
                    .value = mode_value,
                    .frame_value = frame_mode_value,
                    .text = mode_text,
                    .groups = true,
                    .narrow = true,
                    .json = JSON_ALWAYS},
    [LABEL_IMAGE] = {.name = "image",
                     .what = "what the address belongs to: xen, kernel, ...",
                     .value = image_value,
                     .frame_value = frame_image_value,
                     .text = name_text,
                     .json = JSON_ALWAYS},
    [LABEL_SYMBOL] = {.name = "symbol",
                      .what = "function, or the address where it has no name",
                      .value = symbol_value,
                      .frame_value = frame_symbol_value,
                      .text = symbol_text,
                      .json = JSON_ALWAYS},
    [LABEL_ADDRESS] = {.name = "address",
                       .what = "address of the instruction",
                       .value = address_value,
                       .frame_value = frame_address_value,
                       .text = address_text},
    [LABEL_LINE] = {.name = "line",
                    .what = "line of source, of a process's code",
                    .value = line_value,
                    .frame_value = frame_line_value,
                    .text = line_text,
                    .json = JSON_IF_SORTED},
    [LABEL_ENTRY] = {.name = "entry",
                     .what = "why the guest had entered Xen",
                     .value = entry_value,
                     .text = name_text,
                     .groups = true,
                     .json = JSON_IF_SORTED},
    [LABEL_PID] = {.name = "pid",
                   .what = "number of the process in its guest",
                   .value = pid_value,
                   .text = number_text,
                   .groups = true,
                   .number = true,
                   .json = JSON_IF_SORTED},
    [LABEL_TID] = {.name = "tid",
                   .what = "number of the thread in its guest",
                   .value = tid_value,
                   .text = number_text,
                   .groups = true,
                   .number = true,
                   .json = JSON_IF_SORTED},
    [LABEL_COMM] = {.name = "comm",
                    .what = "name of the thread that ran in the guest",
                    .value = comm_value,
                    .text = name_text,
                    .groups = true,
                    .json = JSON_IF_SORTED},
    [LABEL_EXE] = {.name = "exe",
                   .what = "path of the program that the thread runs",
                   .value = exe_value,
                   .text = name_text,
                   .groups = true,
                   .json = JSON_IF_SORTED},
    [LABEL_CGROUP] = {.name = "cgroup",
                      .what = "path of the thread's cgroup",
                      .value = cgroup_value,
                      .text = name_text,
                      .groups = true,
                      .json = JSON_IF_SORTED},
    [LABEL_UNIT] = {.name = "unit",
                    .what = "systemd's unit, as the cgroup says",
                    .value = unit_value,
                    .text = name_text,
                    .groups = true,
                    .json = JSON_IF_SORTED},
    [LABEL_CONTAINER] = {.name = "container",
                         .what = "id of the container, as the cgroup says",
                         .value = container_value,
                         .text = name_text,
                         .groups = true,
                         .json = JSON_IF_SORTED},
    [LABEL_POD] = {.name = "pod",
                   .what = "uid of the Kubernetes pod, as the cgroup says",
                   .value = pod_value,
                   .text = name_text,
                   .groups = true,
                   .json = JSON_IF_SORTED},
};

const struct label_kind *label_kind(enum label label)
{
    return &label_kinds[label];
}

uint64_t label_frame_value(const struct frame *frame, enum label label)
{
    return label_kinds[label].frame_value(frame);
}

void label_list_all(FILE *file)
{
    for ( unsigned int label = 0; label < LABELS; label++ )
        fprintf(file, "  %-9s  %s\n", label_kinds[label].name,
                label_kinds[label].what);
}

bool label_list_has(const struct label_list *list, enum label label)
{
    for ( size_t i = 0; i < list->count; i++ )
        if ( list->label[i] == label )
            return true;
    return false;
}

/* LABELS if there is no such label. */
static enum label find_label(const char *name, size_t length)
{
    enum label label = LABEL_DOMAIN;

    while ( label < LABELS && (strlen(label_kinds[label].name) != length ||
                               strncmp(label_kinds[label].name, name, length)) )
        label++;
    return label;
}

/* "domain, vcpu, ..." */
static void list_names(char *text, size_t size)
{
    size_t used = 0;

    for ( unsigned int label = 0; label < LABELS && used < size; label++ )
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 label ? ", " : "", label_kinds[label].name);
}

enum exit_status label_list_parse(const char *text, struct label_list *ret,
                                  struct failure *failure)
{
    char names[256];

    ret->count = 0;
    for ( ;; )
    {
        size_t length = strcspn(text, ",");
        enum label label = find_label(text, length);

        if ( label == LABELS )
        {
            list_names(names, sizeof(names));
            return fail(failure, STATUS_USAGE,
                        "--sort: unknown label \"%.*s\": use %s", (int)length,
                        text, names);
        }
        if ( label_list_has(ret, label) )
            return fail(failure, STATUS_USAGE,
                        "--sort: \"%s\" is named twice: name it once",
                        label_kinds[label].name);
        ret->label[ret->count++] = label;
        if ( !text[length] )
            return STATUS_DONE;
        text += length + 1;
    }
}

uint64_t label_value(const struct cell *cell, enum label label)
{
    return label_kinds[label].value(cell);
}

char *label_text(const struct loaded *loaded, enum label label, uint64_t value,
                 uint64_t unnamed)
{
    if ( value != LABEL_NONE )
        return label_kinds[label].text(loaded, value);
    if ( label == LABEL_SYMBOL && unnamed != LABEL_NONE )
        return address_text(loaded, unnamed);
    return must(strdup("-"));
}

char *label_level_text(const struct loaded *loaded, enum label label,
                       uint64_t value)
{
    char *text SCOPE_FREE = label_text(loaded, label, value, LABEL_NONE);

    return label_kinds[label].number
               ? must_text("%s %s", label_kinds[label].name, text)
               : must(strdup(text));
}
