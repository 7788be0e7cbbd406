/* SPDX-License-Identifier: MIT */
/*
 * libxenoprof: everything in dom0 that has to do with samples.
 *
 *   1. handle and errors     4. symbols
 *   2. records               5. sessions: writing
 *   3. sources of records    6. sessions: reading
 *
 * Common rules: a function that can fail returns enum xenoprof_status,
 * XENOPROF_OK (0) for success; after a failure the handle has a message for a
 * person.  Each object has a function that destroys it, which takes NULL.
 * Results are written through the last parameter.  A handle, and all that was
 * made from it, must be used by one thread at a time.
 */
#ifndef LIBXENOPROF_H
#define LIBXENOPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xenoprof/record.h>
#include <xenoprof/ring.h>
#include <xenoprof/session-items.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1. Handle and errors ---------------------------------------------------- */

enum xenoprof_status {
    XENOPROF_OK = 0,
    XENOPROF_END, /* nothing more; not an error */
    XENOPROF_NO_MEMORY,
    XENOPROF_SYSTEM,  /* a system call failed; xenoprof_errno() */
    XENOPROF_INVALID, /* bytes or arguments are not what they must be */
    XENOPROF_DAMAGED, /* part of a session is lost; the message names it */
    XENOPROF_NEWER,   /* written by a newer version */
    XENOPROF_NOT_FOUND,
    XENOPROF_UNSUPPORTED, /* not built in, or this system lacks it */
};

struct xenoprof_handle;

/* Returns a handle, or NULL if there is no memory. */
struct xenoprof_handle *xenoprof_open(void);
void xenoprof_close(struct xenoprof_handle *handle);

/* Returns one sentence on the last failure, or "" if there was none.  Valid
 * until the next call with this handle. */
const char *xenoprof_message(const struct xenoprof_handle *handle);
/* Returns errno of the last XENOPROF_SYSTEM. */
int xenoprof_errno(const struct xenoprof_handle *handle);

/* 2. Records -------------------------------------------------------------- */

/* A checked record: pointers into the caller's bytes.  Each row of
 * record-parts.def is a member, NULL if the part is absent: guest, registers,
 * entry, task, xen_stack (followed by its addresses), window, window2 and
 * user_window (by their bytes). */
struct xenoprof_view {
    const struct xenoprof_record *head;
    const struct xenoprof_sample *sample;   /* if head->kind says so */
    const struct xenoprof_lost *lost;       /* if head->kind says so */
    const struct xenoprof_wait *wait;       /* if head->kind says so */
    const struct xenoprof_counted *counted; /* if head->kind says so */
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    const struct xenoprof_##structure *member;
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

/*
 * Check the record at bytes (8-byte aligned), of which size can be read.  Each
 * length and count is checked.  Returns XENOPROF_OK, XENOPROF_END if size is 0,
 * or XENOPROF_INVALID.  A record of unknown kind is valid; only head is set.
 */
enum xenoprof_status xenoprof_record_check(const void *bytes, size_t size,
                                           struct xenoprof_view *ret);

/* Returns the name of a mode ("xen", ...) or of a cause of loss ("queue", ...),
 * or "unknown". */
const char *xenoprof_mode_name(unsigned int mode);
const char *xenoprof_cause_name(unsigned int cause);

/* 3. Sources of records --------------------------------------------------- */

/* Where rings come from: the running hypervisor. */
struct xenoprof_source;

/* Open Xen's device while this process still has the privilege.  Later calls of
 * xenoprof_source_xen() use it. */
enum xenoprof_status xenoprof_prepare_xen(struct xenoprof_handle *handle);
/* status_mfn: from the door's state leaf. */
enum xenoprof_status xenoprof_source_xen(struct xenoprof_handle *handle,
                                         uint64_t status_mfn,
                                         struct xenoprof_source **ret);
void xenoprof_source_close(struct xenoprof_source *source);

/* Copy the status page; its magic and version are checked. */
enum xenoprof_status xenoprof_source_status(struct xenoprof_source *source,
                                            struct xenoprof_status_page *ret);

/* Update the list of rings; cheap if nothing changed. */
enum xenoprof_status xenoprof_source_refresh(struct xenoprof_source *source);

/* Give Xen a sign of life: it stops sampling without (the lease). */
void xenoprof_source_heartbeat(struct xenoprof_source *source);

/* What is known of one ring; counters as Xen published them. */
struct xenoprof_ring_info {
    uint32_t ring, generation;
    uint16_t domain;
    uint16_t vcpu;  /* or pCPU */
    uint16_t kind;  /* enum xenoprof_ring_kind */
    uint16_t state; /* enum xenoprof_ring_state */
    uint8_t uuid[16];
    uint32_t size; /* bytes of data */
    uint64_t producer;
    uint64_t position; /* how far the reader is */
    uint64_t released; /* how far Xen knows that it is read */
    uint64_t made, committed;
    uint64_t lost[XENOPROF_LOST_SLOTS];
};

/* Returns the number of rings that are mapped now. */
size_t xenoprof_source_rings(const struct xenoprof_source *source);
/* Returns a number that is another one whenever the list of rings changed. */
uint64_t xenoprof_source_list(const struct xenoprof_source *source);
/* What is known of the index-th ring. */
enum xenoprof_status xenoprof_ring_info(struct xenoprof_source *source,
                                        size_t index,
                                        struct xenoprof_ring_info *ret);

/* For who looks at many rings, at few bytes of each: whether it holds what was
 * not read yet, or is not open; whether xenoprof_ring_info() may differ from
 * what it said last.  xenoprof_ring_expect() asks for their memory ahead. */
bool xenoprof_ring_stirs(const struct xenoprof_source *source, size_t index);
bool xenoprof_ring_changed(const struct xenoprof_source *source, size_t index);
void xenoprof_ring_expect(const struct xenoprof_source *source, size_t index);

/* Read the next record of the index-th ring.  Returns XENOPROF_OK; XENOPROF_END
 * if there is none now; or XENOPROF_INVALID if the ring's bytes make no sense,
 * and it is not read any more: the caller counts what was skipped as lost
 * (cause daemon).  The view points into the ring and is valid until the ring
 * is released. */
enum xenoprof_status xenoprof_ring_next(struct xenoprof_source *source,
                                        size_t index,
                                        struct xenoprof_view *ret);

/* Start reading at position instead, for a restarted daemon.  Returns
 * XENOPROF_INVALID unless released <= position <= producer. */
enum xenoprof_status xenoprof_ring_seek(struct xenoprof_source *source,
                                        size_t index, uint64_t position);

/* Let Xen overwrite all up to position. */
void xenoprof_ring_release(struct xenoprof_source *source, size_t index);

/* 4. Symbols -------------------------------------------------------------- */

struct xenoprof_symbols;

struct xenoprof_symbol {
    const char *name;   /* owned by the table */
    const char *module; /* kernel module, or NULL */
    uint64_t start;
    uint64_t size; /* up to the next symbol where the source has none */
};

/* kallsyms, xensyms or System.map text; size bytes at text. */
enum xenoprof_status xenoprof_symbols_text(struct xenoprof_handle *handle,
                                           const char *text, size_t size,
                                           struct xenoprof_symbols **ret);
/* A file with ELF symbols (through libbfd), or with text as above. */
enum xenoprof_status xenoprof_symbols_file(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_symbols **ret);
void xenoprof_symbols_close(struct xenoprof_symbols *symbols);
/* Returns true, or false if no symbol covers address. */
bool xenoprof_symbols_find(const struct xenoprof_symbols *symbols,
                           uint64_t address, struct xenoprof_symbol *ret);
/* The same by name. */
bool xenoprof_symbols_lookup(const struct xenoprof_symbols *symbols,
                             const char *name, struct xenoprof_symbol *ret);
size_t xenoprof_symbols_count(const struct xenoprof_symbols *symbols);

/* 5. Sessions: writing ---------------------------------------------------- */

/* A session is a folder of files DATA.0000, DATA.0001, ... (rotation by size)
 * of checksummed, compressed blocks; xenoprof-session(5) has the format.  Files
 * are appended to only.  A block contains the ring positions that are reached
 * with it.  Nothing is on disk before xenoprof_writer_flush() returns. */
struct xenoprof_writer;

/* The folder is made (0700); it must not contain a session. */
enum xenoprof_status xenoprof_writer_create(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_writer **ret);
/* Continue an open session after a crash; a torn last block is cut off.
 * Returns XENOPROF_INVALID if the session is closed. */
enum xenoprof_status xenoprof_writer_reopen(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_writer **ret);
void xenoprof_writer_destroy(struct xenoprof_writer *writer);

/*
 * What a reopened session knows of a ring, as of its last block: where a
 * restarted reader continues (info.position), and what it had counted.  Rings
 * that are gone since are in the list too.
 */
struct xenoprof_ring_past {
    struct xenoprof_ring_info info;
    uint64_t read, lost_daemon;
    uint64_t spooled; /* that waited in the reader's memory */
};
size_t xenoprof_writer_past_rings(const struct xenoprof_writer *writer);
void xenoprof_writer_past_ring(const struct xenoprof_writer *writer,
                               size_t index, struct xenoprof_ring_past *ret);

/* Whose rings: what a sum of rings that have ended is by. */
struct xenoprof_ring_owner {
    uint8_t uuid[16];
    uint16_t domain; /* XENOPROF_OTHERS: all further domains */
    uint16_t kind;   /* enum xenoprof_ring_kind, or 0: any */
};
#define XENOPROF_OTHERS 0xffffu

/* Rings of one owner that have ended, added up. */
struct xenoprof_ring_sum {
    struct xenoprof_ring_owner owner;
    uint64_t rings, made, read, lost_daemon;
    uint64_t lost[XENOPROF_LOST_SLOTS];
};
/* The sums of a session: of the owners that came last, 512 at least, and one of
 * all before them. */
size_t xenoprof_writer_past_sums(const struct xenoprof_writer *writer);
void xenoprof_writer_past_sum(const struct xenoprof_writer *writer,
                              size_t index, struct xenoprof_ring_sum *ret);
/* Returns the last value of an attribute, or NULL if there is none. */
const char *xenoprof_writer_past_attribute(const struct xenoprof_writer *writer,
                                           const char *key);

/* Start a new file when the current file is larger; default 256 MiB. */
void xenoprof_writer_rotate_at(struct xenoprof_writer *writer, uint64_t bytes);
/* Keep all files together below a size, 0 for none, in which about eight fit:
 * when a file is full, the oldest are dropped. */
void xenoprof_writer_max_size(struct xenoprof_writer *writer, uint64_t bytes);
/* Drop files whose last sample is older than so many ns, 0 for none, by the
 * time of xenoprof_writer_counters(); files end after an eighth of it, or an
 * hour. */
void xenoprof_writer_max_age(struct xenoprof_writer *writer, uint64_t ns);
/* Returns how many samples were in files that were dropped. */
uint64_t xenoprof_writer_expired(const struct xenoprof_writer *writer);
/* Times of samples are stored in units of so many ns; default 1. */
void xenoprof_writer_time_unit(struct xenoprof_writer *writer, uint64_t ns);
/* Returns how many files this writer has ended: a flush may end one.
 * Numbers of places are valid up to the end of the file that they are given
 * out for. */
uint32_t xenoprof_writer_epoch(const struct xenoprof_writer *writer);
/* End the current file now; it never changes again. */
enum xenoprof_status xenoprof_writer_rotate(struct xenoprof_writer *writer);

/* Attributes are texts by key.  The last value counts; each change is kept with
 * its time.  xenoprof-session(5) lists the keys in use. */
enum xenoprof_status xenoprof_writer_attribute(struct xenoprof_writer *writer,
                                               uint64_t time, const char *key,
                                               const char *value);

/* From now on, domain is the number of the domain with this uuid. */
enum xenoprof_status xenoprof_writer_domain(struct xenoprof_writer *writer,
                                            uint64_t time, uint16_t domain,
                                            const uint8_t uuid[16],
                                            const char *name, const char *kind);

/* No sample of this domain is to come.  Its places and stacks are forgotten by
 * some later xenoprof_writer_flush(), and later files do not repeat it; it is a
 * new one if it comes again.  The numbers of its places and stacks are not
 * valid any more. */
void xenoprof_writer_domain_ended(struct xenoprof_writer *writer,
                                  uint16_t domain, const uint8_t uuid[16]);
/* Later files do not repeat the attribute with this key. */
void xenoprof_writer_attribute_ended(struct xenoprof_writer *writer,
                                     const char *key);

/* A place is an address in a domain and mode, with its image and symbol, which
 * may be NULL (unknown).  The writer numbers places; equal places have one
 * number.  A place without a symbol that gets one keeps its number, so that
 * earlier samples have the symbol too; but for user code, of which an address
 * is many processes'.  If its image is a file, address and symbol_start are as
 * the file counts them. */
struct xenoprof_place {
    uint16_t domain;
    uint8_t mode;
    uint64_t address;
    const char *image, *symbol;
    uint64_t symbol_start;
};

/* The line of source that a place is of: its code, or, if another function was
 * inlined there, that call. */
struct xenoprof_line {
    uint32_t place;
    uint32_t line; /* from 1 to INT32_MAX */
    const char *path;
};

/* Find the number of an address.  Returns false if the writer has none.  Before
 * many are looked for, xenoprof_writer_expect() asks for their memory. */
bool xenoprof_writer_known(const struct xenoprof_writer *writer,
                           uint16_t domain, uint8_t mode, uint64_t address,
                           uint32_t *ret);
void xenoprof_writer_expect(const struct xenoprof_writer *writer,
                            uint16_t domain, uint8_t mode, uint64_t address);
enum xenoprof_status xenoprof_writer_place(struct xenoprof_writer *writer,
                                           const struct xenoprof_place *place,
                                           uint32_t *ret);
/* Find the next place after *number (0 at first) in this domain and mode that
 * has no symbol.  Returns false after the last; *number is then that of the
 * newest place, so that the next call finds what comes after it. */
bool xenoprof_writer_unnamed(const struct xenoprof_writer *writer,
                             uint16_t domain, uint8_t mode, uint32_t *number,
                             uint64_t *address);

/* Types of events are declared before their first sample, once a writer; again
 * with the same values does nothing. */
enum xenoprof_status xenoprof_writer_type(struct xenoprof_writer *writer,
                                          uint16_t number,
                                          const struct xenoprof_type *type);

enum xenoprof_status xenoprof_writer_measured(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_measured *measured);

/* Where a sample's call chain ended: chain-ends.def says what each means. */
enum xenoprof_ended {
#define XENOPROF_CHAIN_END(number, NAME, name, text, remedy)                   \
    XENOPROF_ENDED_##NAME = number,
#include <xenoprof/chain-ends.def>
#undef XENOPROF_CHAIN_END
    XENOPROF_ENDS
};

/* Each returns a name, or NULL for an unknown value: "window" for programs, and
 * "went beyond the window", what such chains did, for people. */
const char *xenoprof_ended_name(enum xenoprof_ended ended);
const char *xenoprof_ended_text(enum xenoprof_ended ended);
/* Returns what a user can do about it if so many of all chains ended so, as in
 * "start with a larger --spool"; or NULL if there is nothing, or if it is not
 * worth it: below 1 %. */
const char *xenoprof_ended_remedy(enum xenoprof_ended ended, uint64_t chains,
                                  uint64_t all);

/* Returns true if the guest's part of a sample in that mode is missing as a
 * whole, and Xen's own is not torn: GUEST and LEFT of a sample in Xen. */
bool xenoprof_ended_below_xen(enum xenoprof_ended ended, uint8_t mode);

/* The end is part of a stored sample's marks; set its mode first.  All but
 * ROOT, MOVED, and what ended below Xen set XENOPROF_MARK_TRUNCATED. */
void xenoprof_stored_set_ended(struct xenoprof_stored *sample,
                               enum xenoprof_ended ended);
enum xenoprof_ended xenoprof_stored_ended(const struct xenoprof_stored *sample);

/* Whether that is the end of the process that entered the kernel, whose own
 * part is whole, and with it Xen's.  Set the end first, which clears it. */
void xenoprof_stored_set_below(struct xenoprof_stored *sample);
bool xenoprof_stored_below(const struct xenoprof_stored *sample);

/* Write a sample with its call chain: count places, leaf first, of which 0 is
 * an unknown one; the sample's own place and stack are not looked at.  With
 * count 0 its place, if any, is its only frame. */
enum xenoprof_status xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample,
    const uint32_t *places, size_t count);
/* Returns how many frames the session would have more by a sample with this
 * chain. */
size_t xenoprof_writer_new_frames(struct xenoprof_writer *writer,
                                  const uint32_t *places, size_t count);

/* Say where a thread comes from, which samples of the file have or will have.
 * A path that is too long, and what is more than a guest may say, is left out.
 * The domain with that number was given to xenoprof_writer_domain() before. */
enum xenoprof_status xenoprof_writer_origin(
    struct xenoprof_writer *writer, const struct xenoprof_origin *origin);

/* Say which line of source a place is of.  A path that is too long is left out.
 */
enum xenoprof_status xenoprof_writer_line(struct xenoprof_writer *writer,
                                          const struct xenoprof_line *line);
#define XENOPROF_LINE_PATH_MAX 1024u /* bytes of a path, without the zero */

/* Say what code a function has, what is known of an instruction of it, and what
 * a line of its source is.  What is longer than XENOPROF_CODE_MAX and
 * XENOPROF_CODE_TEXT_MAX say is left out.  Domains as above. */
enum xenoprof_status xenoprof_writer_code(struct xenoprof_writer *writer,
                                          const struct xenoprof_code *code);
enum xenoprof_status xenoprof_writer_instruction(
    struct xenoprof_writer *writer,
    const struct xenoprof_instruction *instruction);
enum xenoprof_status xenoprof_writer_source(
    struct xenoprof_writer *writer, const struct xenoprof_source_line *source);

/* A ring's counters as of now: absolute, the last ones count.  spooled: samples
 * that were taken out of the ring and are not in the session yet; they are lost
 * if their reader dies. */
enum xenoprof_status xenoprof_writer_ring(struct xenoprof_writer *writer,
                                          const struct xenoprof_ring_info *info,
                                          uint64_t read, uint64_t lost_daemon,
                                          uint64_t spooled);
/* Nothing of this ring is to come: what xenoprof_writer_ring() said of it last
 * is in a sum from the next file on, and takes no memory any more. */
enum xenoprof_status xenoprof_writer_ring_ended(
    struct xenoprof_writer *writer, const struct xenoprof_ring_info *info);
/* Counters of the whole session as of now. */
enum xenoprof_status xenoprof_writer_counters(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_counters *counters);
/* How long pcpu has been idle since Xen's boot by Xen's own account, in ns. */
enum xenoprof_status xenoprof_writer_idle(struct xenoprof_writer *writer,
                                          uint64_t time, uint16_t pcpu,
                                          uint64_t idle);

enum xenoprof_status xenoprof_writer_cost(struct xenoprof_writer *writer,
                                          uint64_t time,
                                          const struct xenoprof_cost *cost);

/* The domain with that number was given to xenoprof_writer_domain() before.  A
 * session need not have all times: each says how long it is about. */
enum xenoprof_status xenoprof_writer_wait(struct xenoprof_writer *writer,
                                          uint64_t time,
                                          const struct xenoprof_waited *waited);

/* Domains as above. */
enum xenoprof_status xenoprof_writer_latency(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_latency *latency);

/* Domains as above. */
enum xenoprof_status xenoprof_writer_exits(struct xenoprof_writer *writer,
                                           uint64_t time,
                                           const struct xenoprof_exits *exits);

/* Domains as above.  A file begins with nothing that waits: whoever writes says
 * all that does again when xenoprof_writer_epoch() is another one. */
enum xenoprof_status xenoprof_writer_spooled(
    struct xenoprof_writer *writer, const struct xenoprof_spooled *spooled);

/* Returns the number of bytes that are not flushed yet. */
size_t xenoprof_writer_pending(const struct xenoprof_writer *writer);

/* Write a block and wait until it is on disk (fdatasync). */
enum xenoprof_status xenoprof_writer_flush(struct xenoprof_writer *writer);
/* Flush, and mark the session as closed at time. */
enum xenoprof_status xenoprof_writer_close(struct xenoprof_writer *writer,
                                           uint64_t time);

/* 6. Sessions: reading ---------------------------------------------------- */

struct xenoprof_session;

/* The kinds of items that xenoprof_session_next() returns. */
enum xenoprof_item_kind {
    XENOPROF_ITEM_ATTRIBUTE = 1,
    XENOPROF_ITEM_DOMAIN,
    XENOPROF_ITEM_PLACE,
    XENOPROF_ITEM_STACK,
    XENOPROF_ITEM_SAMPLE,
    XENOPROF_ITEM_RING,
    XENOPROF_ITEM_COUNTERS,
    XENOPROF_ITEM_IDLE,
    XENOPROF_ITEM_CLOSED,
    XENOPROF_ITEM_RING_SUM,
    XENOPROF_ITEM_SAMPLES, /* of xenoprof_session_next_columns() only */
    XENOPROF_ITEM_WAIT,
    XENOPROF_ITEM_COST,
    XENOPROF_ITEM_LATENCY,
    XENOPROF_ITEM_EXITS,
    XENOPROF_ITEM_TYPE, /* of types but TIME */
    XENOPROF_ITEM_MEASURED,
    XENOPROF_ITEM_ORIGIN,
    XENOPROF_ITEM_SPOOLED,
    XENOPROF_ITEM_LINE, /* after its place */
    XENOPROF_ITEM_CODE,
    XENOPROF_ITEM_INSTRUCTION, /* after its code, in their order */
    XENOPROF_ITEM_SOURCE
};

/* Whose samples, and what else many have in common. */
struct xenoprof_who {
    uint16_t domain, vcpu, pcpu;
    uint8_t mode, weight;
    uint32_t marks, period;
    struct xenoprof_entry entry;   /* of kind NONE, and zeroes: not known */
    struct xenoprof_thread thread; /* zeroes: not known */
    uint64_t count;                /* units that a sample stands for */
    uint32_t type;
    uint32_t zero;
};

#define XENOPROF_CHAINS 3u /* of a sample: Xen's, the kernel's, the process's */

/* A place, and who called it. */
struct xenoprof_node {
    uint32_t parent; /* number of a node, less than its own; 0: none */
    uint32_t place;  /* number of a place; 0: not known */
};

/* What is asked of a node by xenoprof_session_kinds_only(). */
struct xenoprof_kind_node {
    uint32_t parent; /* its kind; 0: there is none */
    uint32_t place;  /* number; 0: not known */
    uint16_t domain; /* whose place it is; XENOPROF_NOBODY: Xen's, or unknown */
};

/* What samples ran.  Xen's chain stands on the kernel's, and that on the
 * process's. */
struct xenoprof_call {
    uint32_t place; /* number; 0: not known */
    uint32_t stack; /* 1: it has callers */
    /* The leaf of each chain, an index into node[] and 1; 0: there is none.
     * Without any chain there is the place alone. */
    uint32_t nodes[XENOPROF_CHAINS];
};

#define XENOPROF_SECOND 1000000000ull /* ns */

/* Samples in columns: what has the same index is one sample's. */
struct xenoprof_samples {
    size_t count;
    const uint64_t *times;   /* NULL: xenoprof_session_without_times() */
    const uint64_t *ticks;   /* not NULL: these are sums, and each stands for so
                                many ns; xenoprof_session_sums() */
    uint64_t first, last;    /* none is before or after, as the session says */
    const uint32_t *seconds; /* of Xen's time in which each was taken, after */
    uint64_t second;         /* ... this one */
    const uint32_t *whos, *calls; /* indexes into who[] and call[], or NULL */
    /* Numbers, where who[] has 0 for them; NULL: it has them. */
    const uint16_t *vcpus, *pcpus; /* xenoprof_session_pcpus_apart() */
    /* Of all of a file so far: they begin anew with another one. */
    const struct xenoprof_who *who;
    const struct xenoprof_call *call;
    const struct xenoprof_node *node; /* number 1 is the first */
    size_t who_count, call_count, node_count;
    uint32_t file; /* counts files */
};

struct xenoprof_item {
    enum xenoprof_item_kind kind;
    uint64_t time; /* 0 for kinds without one */
    union {
        struct {
            const char *key, *value;
        } attribute;
        struct {
            uint16_t domain;
            uint8_t uuid[16];
            const char *name, *kind;
            bool again; /* it was said before, and what follows is of it */
        } domain;
        struct {
            uint32_t number;
            struct xenoprof_place place;
            uint8_t uuid[16]; /* of its domain */
        } place;
        struct {
            uint32_t number;
            const uint32_t *places;
            size_t count;
        } stack;
        struct xenoprof_stored sample;
        struct xenoprof_samples samples;
        struct {
            struct xenoprof_ring_info info;
            uint64_t read, lost_daemon, spooled;
        } ring;
        struct {
            struct xenoprof_ring_sum sum;
            bool first; /* what was said of rings and sums before does not
                           count any more */
        } ring_sum;
        struct xenoprof_counters counters;
        struct {
            uint16_t pcpu;
            uint64_t idle;
        } idle;
        struct xenoprof_waited wait;
        struct xenoprof_cost cost;
        struct xenoprof_latency latency;
        struct xenoprof_exits exits;
        struct {
            uint16_t number;
            struct xenoprof_type type;
        } type;
        struct xenoprof_measured measured;
        struct xenoprof_origin origin;
        struct xenoprof_spooled spooled;
        struct xenoprof_line line;
        struct xenoprof_code code;
        struct xenoprof_instruction instruction;
        struct xenoprof_source_line source;
    } u;
};

/* path: a session's folder, or one of its files, which is then read alone. */
enum xenoprof_status xenoprof_session_open(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_session **ret);
void xenoprof_session_close(struct xenoprof_session *session);

/* Read the next item in the order of writing; pointers are valid until the next
 * call.  Returns XENOPROF_OK; XENOPROF_END after the last whole block, also if
 * the session is still open or its last block is torn; or XENOPROF_DAMAGED if a
 * block in the middle is bad: the message says so, the next call goes on. */
enum xenoprof_status xenoprof_session_next(struct xenoprof_session *session,
                                           struct xenoprof_item *ret);
/* The same for who reads many samples: those that follow each other come in
 * columns, as one item of kind XENOPROF_ITEM_SAMPLES, and stacks as nodes.  The
 * function that is called first goes on; the other returns XENOPROF_INVALID. */
enum xenoprof_status xenoprof_session_next_columns(
    struct xenoprof_session *session, struct xenoprof_item *ret);
/* From here on only samples with from <= time < to are wanted: blocks and files
 * without such are not read, but for the account of all samples.  Others may
 * still be returned, and so may what is not samples, of any time. */
void xenoprof_session_span(struct xenoprof_session *session, uint64_t from,
                           uint64_t to);
/* How many samples were left out so far because of that. */
uint64_t xenoprof_session_left_out(const struct xenoprof_session *session);
/* The time of what a session has last; 0: nothing.  Damage is passed over. */
enum xenoprof_status xenoprof_session_end(struct xenoprof_handle *handle,
                                          const char *path, uint64_t *ret);
/* Before xenoprof_session_next_columns() reads the first item, for who does not
 * ask which functions called others: calls have no nodes. */
void xenoprof_session_leaves_only(struct xenoprof_session *session);
/* Then, of the last item's place: samples are its caller's of the same mode. */
enum xenoprof_status xenoprof_session_leaf_passes(
    struct xenoprof_session *session, uint32_t place);
/* In place of that, for who does not ask what samples ran: no calls. */
void xenoprof_session_who_only(struct xenoprof_session *session);
/* Beside that, at any time: what samples of a block stand for may come as sums
 * by vCPU and second, as its writer says; samples may say otherwise. */
void xenoprof_session_sums(struct xenoprof_session *session);
/* In place of that, for who knows which nodes are one: of one kind, a number,
 * not 0.  kinds sets *ret for some nodes of a file, for each once, or returns
 * false if there is no memory.  Calls have kinds in place of nodes, no place,
 * and a stack of 1 if a chain stands on another one. */
void xenoprof_session_kinds_only(
    struct xenoprof_session *session,
    bool (*kinds)(void *argument, uint32_t file,
                  const struct xenoprof_kind_node *nodes, size_t count,
                  uint32_t *ret),
    void *argument);
/* Beside one of these, for who does not ask for addresses: places of a function
 * may be one, in whichever domain, and have the first one's address. */
void xenoprof_session_functions_only(struct xenoprof_session *session);
/* As that, for who does not ask when samples were taken: they have no times. */
void xenoprof_session_without_times(struct xenoprof_session *session);
/* ... or on which pCPUs, or in which threads: who[] has 0 for these. */
void xenoprof_session_without_pcpus(struct xenoprof_session *session);
void xenoprof_session_without_threads(struct xenoprof_session *session);
/* At any time: from the next block on vCPUs and pCPUs may come in columns. */
void xenoprof_session_pcpus_apart(struct xenoprof_session *session);
/* So many threads, some at most, unpack what comes next.  What is read is the
 * same.  They end with xenoprof_session_close(), and take no signals. */
void xenoprof_session_threads(struct xenoprof_session *session,
                              unsigned int count);
/* Where a session was read up to; and: what comes after that is not there, so
 * that of a session that grows one may read the same once more. */
uint64_t xenoprof_session_position(const struct xenoprof_session *session);
void xenoprof_session_until(struct xenoprof_session *session,
                            uint64_t position);
/* Before the first item is read: samples before such a position are left out,
 * and so are all of the files that end before it.  Returns XENOPROF_OK, or as
 * xenoprof_session_open(). */
enum xenoprof_status xenoprof_session_since(struct xenoprof_session *session,
                                            uint64_t position);
/* Bytes at the end that are not a whole block (a torn write). */
uint64_t xenoprof_session_torn(const struct xenoprof_session *session);

/* A copy of a session, or of a part of it, as one file, folder/DATA.0000: items
 * are put as xenoprof_session_next() returns them, or changed in anything but
 * kind and numbers, or not at all.  Places and stacks are written if samples
 * have them.  The folder is made (0700); it must not contain a session.  The
 * session that is copied stays the caller's, who closes it after the copy. */
struct xenoprof_copy;
enum xenoprof_status xenoprof_copy_create(struct xenoprof_handle *handle,
                                          struct xenoprof_session *session,
                                          const char *folder,
                                          struct xenoprof_copy **ret);
/* XENOPROF_INVALID, too, if so much is defined that one file cannot hold it. */
enum xenoprof_status xenoprof_copy_put(struct xenoprof_copy *copy,
                                       const struct xenoprof_item *item);
/* End a block; all, and wait until it is on disk. */
enum xenoprof_status xenoprof_copy_block(struct xenoprof_copy *copy);
enum xenoprof_status xenoprof_copy_end(struct xenoprof_copy *copy);
void xenoprof_copy_destroy(struct xenoprof_copy *copy);

#ifdef __cplusplus
}
#endif

#endif
