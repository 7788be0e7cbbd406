/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a name stands for may be longer than all memory: each part of it may
 * repeat all that was before.  So the demangler hands on what it has piece by
 * piece, and is left as soon as there is no room for more.
 */
#include "plain-name.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* bfd.h refuses to be included without config.h or this.  Its library has the
 * demangler of libiberty, which a static program takes from there. */
#define PACKAGE "xenoprof"
#include <bfd.h>

/* As libiberty has them, whose header lies elsewhere on each system.  Each
 * returns 0 if the name is no such one. */
typedef void (*demangled)(const char *piece, size_t length, void *opaque);
int cplus_demangle_v3_callback(const char *mangled, int options,
                               demangled callback, void *opaque);
int rust_demangle_callback(const char *mangled, int options, demangled callback,
                           void *opaque);

/* A longer name is shown as it is spelled in the file: reading it costs as
 * much. */
#define MANGLED_MAX 1024u

struct plain {
    char *to;
    size_t room, used;
    jmp_buf full;
};

static void add_name_piece(const char *piece, size_t length, void *opaque)
{
    struct plain *plain = opaque;
    size_t left = plain->room - plain->used;

    memcpy(plain->to + plain->used, piece, length < left ? length : left);
    plain->used += length < left ? length : left;
    if ( length > left )
        longjmp(plain->full, 1);
}

/* Returns whether it is a name of Rust or C++. */
static bool demangle(const char *name, struct plain *plain)
{
    if ( setjmp(plain->full) )
        return true;
    if ( rust_demangle_callback(name, 0, add_name_piece, plain) )
        return true;
    plain->used = 0;
    return cplus_demangle_v3_callback(name, 0, add_name_piece, plain);
}

/* What follows '@' is the version of a library. */
void plain_name(const char *name, char *ret, size_t size)
{
    struct plain plain = {.to = ret, .room = size - 1};
    const char *rest = name + strcspn(name, "@");
    const size_t length = (size_t)(rest - name);
    char own[MANGLED_MAX + 1];
    bool known = length < sizeof(own);

    if ( known )
    {
        memcpy(own, name, length);
        own[length] = 0;
        known = demangle(own, &plain);
    }
    snprintf(ret + (known ? plain.used : 0), size - (known ? plain.used : 0),
             "%s", known ? rest : name);
}
