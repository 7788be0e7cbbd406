/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What frames are called.  A static of Xen goes without the file that Xen
 * spells before it, unless another has the same name then.
 */
#ifndef XENOPROF_REPORT_MODEL_FRAME_TEXT_H
#define XENOPROF_REPORT_MODEL_FRAME_TEXT_H

#include "stacks.h"

struct frame_texts {
    const struct loaded *loaded;
    const struct stacks *stacks;
    struct names shorts; /* names of statics without their files */
    struct table homes;  /* which symbols have such a name */
};

/* frame_texts_free() in any case. */
void frame_texts_init(struct frame_texts *texts, const struct loaded *loaded,
                      const struct stacks *stacks);
void frame_texts_free(struct frame_texts *texts);

/* For data: "get_page", or "arch/x86/mm.c#get_page" if there are several,
 * "0xffff82d040200000", "[stub]", "[truncated]".  malloc'ed; not fit for a
 * terminal before text_clean(). */
char *frame_symbol(const struct frame_texts *texts, const struct frame *frame);

/* Returns the text, which is taken over, and behind it the frame's line of
 * source, if it has one: "main main.c:31". */
char *frame_with_line(const struct frame_texts *texts,
                      const struct frame *frame, char *text);

/* For people: "get_page [mm.c]", "vp_notify [virtio_pci]". */
char *frame_text(const struct frame_texts *texts, const struct frame *frame);

/* "xen", "kernel", "user"; "-" for what stands in place of frames. */
const char *frame_mode(const struct frame *frame);

#endif
