/* SPDX-License-Identifier: MIT */
/*
 * libxenoprof: everything in dom0 that has to do with samples.
 *
 *   1. handle and errors     4. symbols
 *   2. records               5. sessions: writing
 *   3. sources of records    6. sessions: reading
 *
 * Rules for all of it: a function that can fail returns enum xenoprof_status,
 * XENOPROF_OK (0) for success; the sentence for a person is at the handle.
 * What is created is destroyed by its pair, which takes NULL.  Results come
 * out through the last parameter.  One thread at a time for each handle and
 * for all that was made from it.
 */
#ifndef LIBXENOPROF_H
#define LIBXENOPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xenoprof/record.h>
#include <xenoprof/ring.h>

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
    XENOPROF_DAMAGED, /* a session is readable up to a point, said */
    XENOPROF_NEWER,   /* written by a newer version */
    XENOPROF_NOT_FOUND,
    XENOPROF_UNSUPPORTED, /* not built in, or this system lacks it */
};

struct xenoprof_handle;

/* NULL only if there is no memory. */
struct xenoprof_handle *xenoprof_open(void);
void xenoprof_close(struct xenoprof_handle *handle);

/* One sentence on the last failure; "" if there was none.  Valid until the
 * next call with this handle. */
const char *xenoprof_message(const struct xenoprof_handle *handle);
int xenoprof_errno(const struct xenoprof_handle *handle);

/* 2. Records -------------------------------------------------------------- */

/* A checked record: pointers into the caller's bytes, NULL where a part is
 * not there. */
struct xenoprof_view {
    const struct xenoprof_record *head;
    const struct xenoprof_sample *sample; /* if head->kind says so */
    const struct xenoprof_lost *lost;     /* if head->kind says so */
    const struct xenoprof_guest *guest;
    const struct xenoprof_registers *registers;
    const struct xenoprof_chain *xen_stack; /* followed by addresses */
    const struct xenoprof_window *window;   /* followed by bytes */
    const struct xenoprof_window *window2;
};

/*
 * Look at the record at bytes (8-byte aligned), of which size are there.
 * Every length and count is checked; nothing beyond size is read.
 * XENOPROF_OK, XENOPROF_END if size is 0, XENOPROF_INVALID otherwise.
 * Unknown kinds are valid records of which only head is set.
 */
enum xenoprof_status xenoprof_record_check(const void *bytes, size_t size,
                                           struct xenoprof_view *ret);

/*
 * Put a record together from a view's parts (head, sample and so on are
 * read; head.length and head.parts are computed).  Returns its length, or 0
 * if it does not fit into size or is longer than XENOPROF_RECORD_MAX.
 */
size_t xenoprof_record_encode(const struct xenoprof_view *view, void *bytes,
                              size_t size);

/* One record as lines of readable text, and back.  The text form is in
 * man/xenoprof-records.5.  *ret is malloc'ed. */
enum xenoprof_status xenoprof_record_print(const struct xenoprof_view *view,
                                           char **ret);
/* Reads one record from text, moves *text behind it; END at its end. */
enum xenoprof_status xenoprof_record_scan(struct xenoprof_handle *handle,
                                          const char **text, void *bytes,
                                          size_t size, size_t *ret);

const char *xenoprof_mode_name(unsigned int mode);   /* "xen", ... */
const char *xenoprof_cause_name(unsigned int cause); /* "queue", ... */

/* 3. Sources of records --------------------------------------------------- */

/*
 * A source is where rings come from: the running hypervisor
 * (xenoprof_source_xen()), or a folder of saved rings
 * (xenoprof_source_replay()).
 */
struct xenoprof_source;

/* Open Xen's device now, while this process may; xenoprof_source_xen() then
 * uses it, also when privileges are gone. */
enum xenoprof_status xenoprof_prepare_xen(struct xenoprof_handle *handle);
/* status_mfn as the door's state leaf gives it. */
enum xenoprof_status xenoprof_source_xen(struct xenoprof_handle *handle,
                                         uint64_t status_mfn,
                                         struct xenoprof_source **ret);
enum xenoprof_status xenoprof_source_replay(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_source **ret);
void xenoprof_source_close(struct xenoprof_source *source);

/* Save status page and rings as they are now into folder, which is made, for
 * xenoprof_source_replay(). */
enum xenoprof_status xenoprof_source_record(struct xenoprof_source *source,
                                            const char *folder);

/* A copy of the status page; checked for magic and version. */
enum xenoprof_status xenoprof_source_status(struct xenoprof_source *source,
                                            struct xenoprof_status_page *ret);

/* Pick up rings that came or went; cheap if nothing changed. */
enum xenoprof_status xenoprof_source_refresh(struct xenoprof_source *source);

/* A sign of life to Xen (design: lease). */
void xenoprof_source_heartbeat(struct xenoprof_source *source);

/* What is known of one ring; counters as Xen published them. */
struct xenoprof_ring_info {
    uint32_t ring;
    uint32_t generation;
    uint16_t domain;
    uint16_t vcpu;  /* or pCPU */
    uint16_t kind;  /* enum xenoprof_ring_kind */
    uint16_t state; /* enum xenoprof_ring_state */
    uint8_t uuid[16];
    uint32_t size; /* bytes of data */
    uint64_t producer;
    uint64_t position; /* how far the reader is */
    uint64_t released; /* how far Xen knows of it */
    uint64_t made;
    uint64_t committed;
    uint64_t lost[XENOPROF_LOST_SLOTS];
};

/* Number of rings mapped now; what is known of the index-th. */
size_t xenoprof_source_rings(const struct xenoprof_source *source);
enum xenoprof_status xenoprof_ring_info(struct xenoprof_source *source,
                                        size_t index,
                                        struct xenoprof_ring_info *ret);

/*
 * Next record of the index-th ring.  XENOPROF_END: none now.
 * XENOPROF_INVALID: the ring holds nonsense and is not read any more; what
 * was skipped is to be counted as lost by the caller (cause daemon).
 * The view points into the ring; it is good until the ring is released.
 */
enum xenoprof_status xenoprof_ring_next(struct xenoprof_source *source,
                                        size_t index,
                                        struct xenoprof_view *ret);

/* Start reading at position instead (a restarted daemon); refused with
 * XENOPROF_INVALID unless released <= position <= producer. */
enum xenoprof_status xenoprof_ring_seek(struct xenoprof_source *source,
                                        size_t index, uint64_t position);

/* Tell Xen that all up to position may be overwritten. */
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
/* A file: ELF (through libbfd), or text as above; told by its content. */
enum xenoprof_status xenoprof_symbols_file(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_symbols **ret);
void xenoprof_symbols_close(struct xenoprof_symbols *symbols);
/* False if no symbol covers address. */
bool xenoprof_symbols_find(const struct xenoprof_symbols *symbols,
                           uint64_t address, struct xenoprof_symbol *ret);
/* By name; false if there is none. */
bool xenoprof_symbols_lookup(const struct xenoprof_symbols *symbols,
                             const char *name, struct xenoprof_symbol *ret);
size_t xenoprof_symbols_count(const struct xenoprof_symbols *symbols);

/* 5. Sessions: writing ---------------------------------------------------- */

/*
 * A session is a folder of files DATA.0000, DATA.0001, ... (rotation by size)
 * of checksummed, compressed blocks; man/xenoprof-session.5 has the format.
 * Appended to only.  A block carries the ring positions that it brings the
 * reader to.  Nothing is on disk before xenoprof_writer_flush() returned.
 */
struct xenoprof_writer;

/* folder is made (0700) and must not hold a session. */
enum xenoprof_status xenoprof_writer_create(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_writer **ret);
/* Go on with an open session after a crash: cuts off a torn last block.
 * XENOPROF_INVALID if it is closed. */
enum xenoprof_status xenoprof_writer_reopen(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_writer **ret);
void xenoprof_writer_destroy(struct xenoprof_writer *writer);

/*
 * What a reopened session knew of its rings when its last block was written:
 * where a restarted reader goes on (info.position), and what it had counted.
 * The index-th of xenoprof_writer_past_rings(); rings that are gone since
 * count too.
 */
struct xenoprof_ring_past {
    struct xenoprof_ring_info info;
    uint64_t read;
    uint64_t lost_daemon;
};
size_t xenoprof_writer_past_rings(const struct xenoprof_writer *writer);
void xenoprof_writer_past_ring(const struct xenoprof_writer *writer,
                               size_t index, struct xenoprof_ring_past *ret);
/* Returns the last value of an attribute, or NULL if there is none. */
const char *xenoprof_writer_past_attribute(const struct xenoprof_writer *writer,
                                           const char *key);

/* Start a new file when the current one is larger; default 256 MiB. */
void xenoprof_writer_rotate_at(struct xenoprof_writer *writer, uint64_t bytes);
/* End the current file now; all files before the new one never change. */
enum xenoprof_status xenoprof_writer_rotate(struct xenoprof_writer *writer);

/*
 * Facts are texts by key; the last one counts, each change is kept with its
 * time.  Keys in use: man/xenoprof-session.5.
 */
enum xenoprof_status xenoprof_writer_attribute(struct xenoprof_writer *writer,
                                               uint64_t time, const char *key,
                                               const char *value);

/* Who a domain number is from now on. */
enum xenoprof_status xenoprof_writer_domain(struct xenoprof_writer *writer,
                                            uint64_t time, uint16_t domain,
                                            const uint8_t uuid[16],
                                            const char *name, const char *kind);

/*
 * A place is an address in a domain and mode with what names it.  Numbers
 * are given out by the writer, the same for equal places.  image and symbol
 * may be NULL (unknown).  A place without a symbol that gets one keeps its
 * number: the samples that were there before have it, too.
 */
struct xenoprof_place {
    uint16_t domain;
    uint8_t mode;
    uint64_t address;
    const char *image;
    const char *symbol;
    uint64_t symbol_start;
};

/* The number of this address if the writer has it: *found says so. */
bool xenoprof_writer_known(const struct xenoprof_writer *writer,
                           uint16_t domain, uint8_t mode, uint64_t address,
                           uint32_t *ret);
enum xenoprof_status xenoprof_writer_place(struct xenoprof_writer *writer,
                                           const struct xenoprof_place *place,
                                           uint32_t *ret);
/* The next place behind *number (0 to begin with) of this domain and mode that
 * has no symbol; false: there is none. */
bool xenoprof_writer_unnamed(const struct xenoprof_writer *writer,
                             uint16_t domain, uint8_t mode, uint32_t *number,
                             uint64_t *address);

/* A sample as it is stored: no registers, no stack bytes. */
struct xenoprof_stored {
    uint64_t time;
    uint32_t place;
    uint32_t stack; /* 0: none; from xenoprof_writer_stack() */
    uint32_t period;
    uint32_t marks;
    uint16_t domain;
    uint16_t vcpu;
    uint16_t pcpu;
    uint8_t mode;
    uint8_t weight;
};

/* Where a sample's call chain ended; it is true as far as it goes. */
enum xenoprof_ended {
    XENOPROF_ENDED_ROOT = 0, /* it is whole, or none was asked for */
    XENOPROF_ENDED_XEN,      /* in Xen: no row for this code, or too deep */
    XENOPROF_ENDED_WINDOW,   /* the next frame is not in what was taken of the
                                guest's stack, which has as much as may be */
    XENOPROF_ENDED_PAGE,     /* ... which ends where a page is not there */
    XENOPROF_ENDED_RULE,     /* nothing says how this code keeps its stack */
    XENOPROF_ENDED_NONSENSE, /* the stack contradicts itself, or is too deep */
    XENOPROF_ENDED_KERNEL,   /* the guest's kernel was not known */
    XENOPROF_ENDED_GUEST,    /* at Xen, or at its leaf: the guest's state was
                                not complete, or could not be looked at */
    XENOPROF_ENDED_MOVED,    /* the same: it was not where it had been */
    XENOPROF_ENDED_UNTOLD,   /* early; the session does not say why */
    XENOPROF_ENDS
};

/* "window", for programs; and what chains that end so have done, for people:
 * "went beyond the window".  NULL: not known. */
const char *xenoprof_ended_name(enum xenoprof_ended ended);
const char *xenoprof_ended_text(enum xenoprof_ended ended);

/* It is part of a stored sample's marks; mode is there already.  GUEST of a
 * sample in Xen and MOVED are no XENOPROF_MARK_TRUNCATED, all others are. */
void xenoprof_stored_set_ended(struct xenoprof_stored *sample,
                               enum xenoprof_ended ended);
enum xenoprof_ended xenoprof_stored_ended(const struct xenoprof_stored *sample);

enum xenoprof_status xenoprof_writer_sample(
    struct xenoprof_writer *writer, const struct xenoprof_stored *sample);
/* The number of this stack if the writer has it; false: it has not. */
bool xenoprof_writer_known_stack(const struct xenoprof_writer *writer,
                                 const uint32_t *places, size_t count,
                                 uint32_t *ret);
/* A stack is its places, leaf first; numbers as for places. */
enum xenoprof_status xenoprof_writer_stack(struct xenoprof_writer *writer,
                                           const uint32_t *places, size_t count,
                                           uint32_t *ret);

/* Counters of one ring as of now: absolute, the last one counts. */
enum xenoprof_status xenoprof_writer_ring(struct xenoprof_writer *writer,
                                          const struct xenoprof_ring_info *info,
                                          uint64_t read, uint64_t lost_daemon);
/* Counters of the whole session as of now. */
enum xenoprof_status xenoprof_writer_counters(
    struct xenoprof_writer *writer, uint64_t time,
    const struct xenoprof_counters *counters);
/* Xen's own account: ns that pcpu has been idle since Xen's boot. */
enum xenoprof_status xenoprof_writer_idle(struct xenoprof_writer *writer,
                                          uint64_t time, uint16_t pcpu,
                                          uint64_t idle);

/* Bytes gathered and not yet flushed. */
size_t xenoprof_writer_pending(const struct xenoprof_writer *writer);

/* Write a block and wait until it is on disk (fdatasync). */
enum xenoprof_status xenoprof_writer_flush(struct xenoprof_writer *writer);
/* Flush, and mark the session as closed at time. */
enum xenoprof_status xenoprof_writer_close(struct xenoprof_writer *writer,
                                           uint64_t time);

/* 6. Sessions: reading ---------------------------------------------------- */

struct xenoprof_session;

/* Item kinds that xenoprof_session_next() hands out. */
enum xenoprof_item_kind {
    XENOPROF_ITEM_ATTRIBUTE = 1,
    XENOPROF_ITEM_DOMAIN,
    XENOPROF_ITEM_PLACE,
    XENOPROF_ITEM_STACK,
    XENOPROF_ITEM_SAMPLE,
    XENOPROF_ITEM_RING,
    XENOPROF_ITEM_COUNTERS,
    XENOPROF_ITEM_IDLE,
    XENOPROF_ITEM_CLOSED
};

struct xenoprof_item {
    enum xenoprof_item_kind kind;
    uint64_t time; /* where the kind has one */
    union {
        struct {
            const char *key, *value;
        } attribute;
        struct {
            uint16_t domain;
            uint8_t uuid[16];
            const char *name, *kind;
        } domain;
        struct {
            uint32_t number;
            struct xenoprof_place place;
        } place;
        struct {
            uint32_t number;
            const uint32_t *places;
            size_t count;
        } stack;
        struct xenoprof_stored sample;
        struct {
            struct xenoprof_ring_info info;
            uint64_t read, lost_daemon;
        } ring;
        struct xenoprof_counters counters;
        struct {
            uint16_t pcpu;
            uint64_t idle;
        } idle;
    } u;
};

/* path: a session's folder, or one of its files (then only that one). */
enum xenoprof_status xenoprof_session_open(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_session **ret);
void xenoprof_session_close(struct xenoprof_session *session);

/*
 * The next item in the order of writing; pointers are good until the next
 * call.  XENOPROF_END after the last whole block, also if the session is
 * still open or its last block is torn.  XENOPROF_DAMAGED: a block in the
 * middle is bad; the message says what is lost, and the next call goes on
 * behind it.
 */
enum xenoprof_status xenoprof_session_next(struct xenoprof_session *session,
                                           struct xenoprof_item *ret);
/* Bytes at the end that are no whole block (a torn write), or 0. */
uint64_t xenoprof_session_torn(const struct xenoprof_session *session);

#ifdef __cplusplus
}
#endif

#endif
