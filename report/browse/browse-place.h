/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --browse shows: a form of report, of a selection of samples.  Each has a
 * command line that prints the same.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_PLACE_H
#define XENOPROF_REPORT_BROWSE_BROWSE_PLACE_H

#include "base/vector.h"
#include "report/model/gather.h"
#include "report/model/report.h"
#include "scroll.h"

enum browse_form {
#define BROWSE_FORM(name, kind, title) BROWSE_##name,
#include "browse-forms.def"
#undef BROWSE_FORM
    BROWSE_FORMS
};

enum browse_kind {
    KIND_CALLEES,
    KIND_CALLERS,
    KIND_CALLERS_OF,
    KIND_TEXT_OF,
    KIND_TEXT,
};

struct browse_form_row {
    enum browse_kind kind;
    const char *title;
};

extern const struct browse_form_row browse_forms[BROWSE_FORMS];

static inline bool browse_form_is_text(enum browse_form form)
{
    return browse_forms[form].kind >= KIND_TEXT_OF;
}

/* What --browse is given. */
struct browse_wanted {
    const struct report *report;           /* as view_browse needs it */
    struct gathered_session *session;      /* the report's; what is read of it
                                              later takes its place */
    const struct view *view[BROWSE_FORMS]; /* of each form */
    const char *const *words; /* of the command line, behind the program */
};

struct browse_place {
    enum browse_form form;
    char *symbol; /* a pattern, of forms of one function; else NULL */
    struct selection selection;
    /* How it was left: which nodes were open, NULL if it was not seen yet. */
    bool *open;
    uint32_t nodes;
    struct scroll scroll;
};

/* Another one with the same selection; browse_place_free(). */
struct browse_place browse_place_copy(const struct browse_place *place);
void browse_place_free(struct browse_place *place);

/* Places that were left, the last one at the end; the first ones are
 * forgotten. */
#define BROWSE_BACK_MOST 64u
struct browse_back {
    VECTOR(struct browse_place);
};

/* Takes the place over. */
void browse_back_push(struct browse_back *back, struct browse_place place);
/* Returns false if there is none; else *ret is the caller's. */
bool browse_back_pop(struct browse_back *back, struct browse_place *ret);
void browse_back_free(struct browse_back *back);

/* Returns a command line for a shell, malloc'ed, that prints the place: words
 * are those of this one, of which those that say a form or a selection are left
 * out; view is the form's.  Not clean. */
char *browse_command(const struct browse_place *place, const struct view *view,
                     const char *const *words);

#endif
