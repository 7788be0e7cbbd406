/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's side of the parser: asks, checks the answers, and kills a parser
 * that lies or takes too long.
 *
 * What a parser knew is gone when it dies: every slot is unknown again, and
 * parser_link_lives() changes.  The next request makes a new parser, after a
 * pause if parsers die often.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_LINK_H
#define XENOPROF_DAEMON_PARSER_PARSER_LINK_H

#include "link-status.h"
#include "parser-maker.h"
#include "parser-wire.h"

/* ns */
struct link_limits {
    uint64_t work;   /* of the parser's clock, for one small request */
    uint64_t wait;   /* of our clock, for the same */
    uint64_t search; /* of the parser itself, for a whole search; on the clock
                        it may take eight times that */
    uint64_t pause;  /* after the first parser that died; doubled each time */
};

struct parser_link;

/* Returns a link, without a parser yet, or NULL if there is no memory.  maker
 * outlives the link.  limits NULL: the usual ones. */
struct parser_link *parser_link_open(const struct parser_maker *maker,
                                     const struct link_limits *limits);
void parser_link_close(struct parser_link *link);

/* Returns how many parsers there were so far. */
unsigned int parser_link_lives(const struct parser_link *link);

/* Reads memory of slot's guest.  Returns how many of size bytes were read. */
typedef size_t (*link_read)(void *self, uint32_t slot, uint64_t address,
                            void *to, size_t size);

struct link_search {
    uint64_t address; /* an instruction of the kernel */
    uint64_t budget;  /* bytes of the guest's memory that may be read to find
                         it; WIRE_READ_MAX more, and it is given no others */
    bool pv;
};

/*
 * Begin to look for slot's kernel, or for the modules of a known kernel.
 * Return LINK_MORE; LINK_BUSY if a search goes on, since there is one at a
 * time.
 */
enum link_status parser_link_find(struct parser_link *link, uint32_t slot,
                                  const struct link_search *search);
enum link_status parser_link_modules(struct parser_link *link, uint32_t slot,
                                     const struct link_search *search);

/* The same with a file of that size (not 0), which parser_link_work() sends to
 * the parser.  It is closed in the end, whatever this returns. */
enum link_status parser_link_file(struct parser_link *link, uint32_t slot,
                                  const struct link_search *search, int file,
                                  size_t size);

/*
 * Works on the search for at most ns (0: only what is due).  Returns LINK_OK
 * when it ended, with *code and *info; LINK_MORE; or LINK_DIED.
 */
enum link_status parser_link_work(struct parser_link *link, uint64_t ns,
                                  link_read read, void *self,
                                  enum kernel_status *code,
                                  struct kernel_info *info);

/* Returns true if the requests below would return LINK_BUSY now. */
bool parser_link_is_busy(const struct parser_link *link);

/* Frames of one stack; the leaf is start->ip. */
enum link_status parser_link_stack(struct parser_link *link, uint32_t slot,
                                   const struct unwind_start *start,
                                   struct unwind_result *ret);
/* count (at most GUEST_FRAMES_MAX) names; texts are good until the next
 * call. */
enum link_status parser_link_names(struct parser_link *link, uint32_t slot,
                                   const uint64_t *addresses, size_t count,
                                   struct wire_name *ret);
/* Frees slot for another guest.  Returns false if the parser had to be killed
 * for it, so that every slot is unknown again. */
bool parser_link_forget(struct parser_link *link, uint32_t slot);

#endif
