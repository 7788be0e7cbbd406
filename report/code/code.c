/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the code of a function in files or in the running kernel. */
#include "code.h"

#include "code-fit.h"
#include "code-search.h"
#include "base/must.h"
#include "base/scope.h"
#include "report/model/labels.h"
#include "running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void code_shelf_free(struct code_shelf *shelf)
{
    for ( size_t i = 0; i < shelf->count; i++ )
        code_file_close(shelf->items[i]);
    vector_free(shelf);
    running_close(shelf->running);
}

void code_free(struct code *code)
{
    free(code->owned);
}

static enum exit_status shelf_file(struct code_shelf *shelf, const char *path,
                                   struct code_file **ret,
                                   struct failure *failure)
{
    for ( size_t i = 0; i < shelf->count; i++ )
    {
        *ret = shelf->items[i];
        if ( !strcmp(code_file_path(*ret), path) )
            return STATUS_DONE;
    }
    if ( code_file_open(path, ret, failure) )
        return failure->status;
    *must(vector_add(shelf)) = *ret;
    return STATUS_DONE;
}

/* Check that the file is the build that ran, if both build-ids are known. */
static enum exit_status check_build(const struct code_file *file,
                                    const struct code_info *info,
                                    struct code *ret, struct failure *failure)
{
    const char *own = code_file_build_id(file);

    if ( !*own || !*info->build_id )
        return STATUS_DONE;
    ret->checked = !strcmp(own, info->build_id);
    return ret->checked
               ? STATUS_DONE
               : fail(failure, STATUS_NO_CODE,
                      "%s has build-id %s, what ran has %s: give the file "
                      "of that build",
                      code_file_path(file), own, info->build_id);
}

/* Xen's image in /boot may have no symbols that can be read; take them from Xen
 * if it runs here. */
static void lend_names(const struct code_shelf *shelf,
                       const struct function *function, const struct code *code)
{
    struct code_symbols names;

    if ( function->key.mode != XENOPROF_MODE_XEN || !code->checked ||
         code_file_has_symbols(code->file) )
        return;
    xen_own_symbols(shelf->root, code_file_build_id(code->file), &names);
    code_file_lend_symbols(code->file, &names);
}

static enum exit_status find_symbol(const struct loaded *loaded,
                                    const struct function *function,
                                    struct code *code,
                                    const struct code_symbol **ret,
                                    struct failure *failure)
{
    const char *path = code_file_path(code->file);
    const char *name = function_symbol(loaded, function);

    switch ( code_fit(loaded, function, code->symbols, ret) )
    {
    case FIT_FOUND: return STATUS_DONE;
    case FIT_NO_SYMBOL:
        code->absent = true;
        return fail(failure, STATUS_NO_CODE,
                    "%s has no function %s: give the file that ran", path,
                    name);
    case FIT_ELSEWHERE: break;
    }
    return fail(failure, STATUS_NO_CODE,
                "%s is another build than the one that ran: its functions "
                "lie elsewhere, %s among them; give the file that ran",
                path, name);
}

/* Returns the size that has all of its samples. */
static uint64_t least_size(const struct function *function)
{
    const uint64_t last = function->hits[function->count - 1]->key.address;

    return last >= function->key.start ? last - function->key.start + 1 : 0;
}

static void take_bytes(const struct function *function,
                       const struct code_symbol *symbol, struct code *ret)
{
    uint64_t size = symbol->size;
    size_t left = code_file_bytes(ret->file, symbol->address, &ret->bytes);

    /* Labels have no size; for them, and if samples fell behind the size, the
     * function reaches to the next symbol. */
    if ( !size || size < least_size(function) )
        size = code_symbols_next(ret->symbols, symbol->address) -
               symbol->address;
    ret->size = size < left ? size : left;
    if ( ret->size > CODE_MAX )
        ret->size = CODE_MAX;
    ret->length = symbol->size < ret->size ? symbol->size : 0;
    ret->shift = function->key.start - symbol->address;
}

static enum exit_status read_code_file(struct code_shelf *shelf,
                                       const char *path,
                                       const struct function *function,
                                       struct code *ret,
                                       struct failure *failure)
{
    const struct code_symbol *symbol = NULL;
    struct code_info info;

    code_info(shelf->loaded, function, &info);
    if ( shelf_file(shelf, path, &ret->file, failure) ||
         check_build(ret->file, &info, ret, failure) )
        return failure->status;
    lend_names(shelf, function, ret);
    if ( code_file_symbols(ret->file, &ret->symbols, failure) ||
         find_symbol(shelf->loaded, function, ret, &symbol, failure) )
        return failure->status;
    take_bytes(function, symbol, ret);
    return ret->size ? STATUS_DONE
                     : fail(failure, STATUS_NO_CODE,
                            "%s has no code at %s: give the file that ran, "
                            "not one with debug information only",
                            path, function_symbol(shelf->loaded, function));
}

/* A file that was not given may fail without a message. */
static void try_files(struct code_shelf *shelf, const struct function *function,
                      const struct code_info *info, struct code *ret)
{
    glob_t usual;

    search_usual(shelf->root, shelf->loaded, function, info, &usual);
    for ( size_t i = 0; i < usual.gl_pathc; i++ )
    {
        struct failure silent = {.status = STATUS_DONE};

        if ( !read_code_file(shelf, usual.gl_pathv[i], function, ret, &silent) )
            break;
        *ret = (struct code){.start = ret->start};
    }
    globfree(&usual);
}

static const struct running_kernel *shelf_running(struct code_shelf *shelf,
                                                  const char *boot)
{
    if ( !shelf->running_tried && running_is(shelf->root, boot) )
        shelf->running = running_open(shelf->root);
    shelf->running_tried = true;
    return shelf->running;
}

static bool try_running(struct code_shelf *shelf,
                        const struct function *function,
                        const struct code_info *info, struct code *ret)
{
    const char *name = function_symbol(shelf->loaded, function);
    struct xenoprof_symbol symbol;
    uint8_t *bytes SCOPE_FREE = NULL;
    size_t size;

    if ( function->key.mode != XENOPROF_MODE_KERNEL || !*info->boot ||
         !shelf_running(shelf, info->boot) ||
         !running_symbol(shelf->running, function->key.start, &symbol) ||
         symbol.start != function->key.start || strcmp(symbol.name, name) )
        return false;
    size = symbol.size < CODE_MAX ? symbol.size : CODE_MAX;
    bytes = must(malloc(size + 1));
    ret->size = running_read(shelf->running, symbol.start, bytes, size);
    if ( !ret->size )
        return false;
    ret->owned = bytes;
    bytes = NULL;
    ret->running = shelf->running;
    ret->bytes = ret->owned;
    ret->checked = true;
    return true;
}

/* Whether that is the function, or the same one of a kernel that several
 * domains run. */
static bool is_kept_as(const struct code_shelf *shelf,
                       const struct kept_function *kept,
                       const struct function *function)
{
    struct hit_home home = {kept->key.domain, 0};

    if ( kept->key.mode != function->key.mode ||
         kept->key.image != function->key.image ||
         kept->key.symbol != function->key.symbol )
        return false;
    if ( kept->key.mode == XENOPROF_MODE_XEN )
        return kept->key.start == function->key.start;
    if ( kept->key.mode == XENOPROF_MODE_KERNEL && shelf->hits->homes &&
         !strcmp(function_image(shelf->loaded, function), "kernel") )
        home = shelf->hits->homes[kept->key.domain];
    return home.domain == function->key.domain &&
           kept->key.start + home.shift == function->key.start;
}

static bool try_kept(const struct code_shelf *shelf,
                     const struct function *function, struct code *ret)
{
    const struct table *functions = &shelf->loaded->code.functions;
    const struct kept_function *kept = NULL;

    for ( size_t i = 0; !kept && i < functions->count; i++ )
        if ( is_kept_as(shelf, table_at(functions, i), function) )
            kept = table_at(functions, i);
    if ( !kept )
        return false;
    ret->kept = kept;
    ret->bytes = kept->bytes;
    ret->size = kept->length && kept->length >= least_size(function)
                    ? kept->length
                    : kept->size;
    ret->length = kept->length < ret->size ? kept->length : 0;
    ret->loaded = shelf->loaded;
    ret->checked = kept->from != XENOPROF_CODE_FILE;
    return true;
}

enum exit_status code_find(struct code_shelf *shelf,
                           const struct function *function, struct code *ret,
                           struct failure *failure)
{
    const char *given = search_given(shelf->loaded, shelf->hits, shelf->given,
                                     function);
    struct code_info info;

    *ret = (struct code){.start = function->key.start};
    if ( given )
        return read_code_file(shelf, given, function, ret, failure);
    code_info(shelf->loaded, function, &info);
    if ( !try_kept(shelf, function, ret) &&
         !try_running(shelf, function, &info, ret) )
        try_files(shelf, function, &info, ret);
    return STATUS_DONE;
}

/* Returns what the user can give to have it found, malloc'ed. */
static char *code_advice(const struct loaded *loaded,
                         const struct function *function)
{
    const char *image = function_image(loaded, function);
    struct code_info info;

    code_info(loaded, function, &info);
    if ( function->key.mode == XENOPROF_MODE_XEN )
        return must_text("not found: give --code=xen:FILE, the xen-syms or "
                         "the /boot/xen-*.gz%s%s",
                         *info.build_id ? " of build-id " : "", info.build_id);
    if ( !strcmp(image, "kernel") )
        return must_text(
            "not found: give --code=%u:FILE, the vmlinux or "
            "vmlinuz%s%s that runs there",
            loaded_domain(loaded, function->key.domain)->key.number,
            *info.release ? " of " : "", info.release);
    return must_text("not found: give --code=%s:FILE, its file", image);
}

const char *code_name(const struct code *code, uint64_t address,
                      uint64_t *offset)
{
    const struct code_symbol *symbol;
    struct xenoprof_symbol running;

    if ( code->running )
    {
        if ( !running_symbol(code->running, address, &running) )
            return NULL;
        *offset = address - running.start;
        return running.name;
    }
    if ( !code->symbols )
        return NULL;
    address -= code->shift;
    symbol = code_symbols_at(code->symbols, address);
    if ( !symbol )
        return NULL;
    *offset = address - symbol->address;
    /* A label reaches to the next symbol, if that is near. */
    return *offset < (symbol->size ? symbol->size : CODE_MAX) ? symbol->name
                                                              : NULL;
}

const char *code_origin(const struct code *code, uint8_t *from)
{
    *from = code->running   ? XENOPROF_CODE_MEMORY
            : code->kept    ? code->kept->from
            : code->checked ? XENOPROF_CODE_CHECKED
                            : XENOPROF_CODE_FILE;
    if ( code->kept && code->kept->file )
        return names_text(&code->loaded->names, code->kept->file);
    if ( code->kept || code->running )
        return "";
    return code->file ? code_file_path(code->file) : NULL;
}

char *code_words(const struct code *code, const struct loaded *loaded,
                 const struct function *function, const char *refusal)
{
    uint8_t from;
    const char *origin = code_origin(code, &from);

    if ( *refusal )
        return must(strdup(refusal));
    if ( code->running )
        return must(strdup("this host's memory, as it runs now"));
    if ( !code->size )
        return code_advice(loaded, function);
    if ( from == XENOPROF_CODE_MEMORY )
        return must(strdup("its host's memory, as it ran"));
    return must_text("%s%s", *origin ? origin : "a file of its host",
                     code->checked ? ", of the build-id that ran" : "");
}

static void kept_target(const struct code *code, uint64_t address,
                        struct code_target *ret)
{
    const uint64_t offset = address - code->start;
    const struct kept_instruction *known = kept_instruction_at(code->kept,
                                                               offset);

    if ( !known || known->offset != offset || !known->name )
        return;
    ret->name = names_text(&code->loaded->names, known->name);
    ret->offset = known->plus;
}

/* What an object file leaves to its loader. */
static void move_target(const struct code *code, uint64_t address, size_t size,
                        struct code_target *ret)
{
    uint64_t field = address + size - sizeof(uint32_t) - code->shift;
    struct relocated relocated;

    if ( !code->file || size <= sizeof(uint32_t) ||
         !code_file_relocated(code->file, field, &relocated) )
        return;
    ret->address = relocated.address + code->shift;
    ret->name = relocated.name;
    ret->moved = true;
}

void code_target(const struct code *code, uint64_t address, size_t size,
                 bool jumps, struct code_target *ret)
{
    *ret = (struct code_target){.address = ret->address};
    if ( code->kept )
    {
        kept_target(code, address, ret);
        return;
    }
    if ( jumps )
        move_target(code, address, size, ret);
    if ( !ret->name && ret->address - code->start >= code->size )
        ret->name = code_name(code, ret->address, &ret->offset);
}

bool code_find_line(const struct code *code, uint64_t address,
                    struct code_line *ret)
{
    const struct kept_instruction *known;

    if ( code->file )
        return code_file_line(code->file, address - code->shift, ret);
    known = code->kept ? kept_instruction_at(code->kept, address - code->start)
                       : NULL;
    if ( !known || !known->line || !known->path )
        return false;
    ret->path = must(strdup(names_text(&code->loaded->names, known->path)));
    ret->number = (int)known->line;
    return true;
}

bool code_has_lines(const struct code *code)
{
    struct code_line line;

    if ( !code_find_line(code, code->start, &line) )
        return false;
    free(line.path);
    return true;
}

const char *code_source(const struct code *code, struct source_text *files,
                        const struct code_line *line)
{
    if ( code->file )
        return source_line(files, line->path, line->number);
    return code->kept
               ? kept_source_line(&code->loaded->code, &code->loaded->names,
                                  line->path, (uint32_t)line->number)
               : NULL;
}
