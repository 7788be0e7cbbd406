/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages between xenoprofd and its parser, over two pipes.
 *
 * The parent asks; the parser answers.  While it looks for a kernel the parser
 * asks back: READ, which is answered with BYTES; between the two, and between
 * two pieces of a file, it also answers STACK and NAME of other guests.
 *
 *   FIND, MODULES  ->  (READ, BYTES)... FOUND
 *   FILE, PIECE... ->  (READ, BYTES)... FOUND; an empty PIECE ends it early
 *   STACK          ->  FRAMES
 *   NAME           ->  NAMES
 *   FORGET         ->  nothing
 *
 * Both sides check every message before they use it.  The daemon trusts the
 * parser no more than a guest: a guest that took it over may send anything.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_WIRE_H
#define XENOPROF_DAEMON_PARSER_PARSER_WIRE_H

#include "guest/kernel.h"
#include "guest/unwind.h"

#define WIRE_SLOTS       512u   /* guests that may be known at a time */
#define WIRE_READ_MAX    65536u /* bytes of one READ */
#define WIRE_PAYLOAD_MAX (65536u + 4096u)
#define WIRE_FILE_MAX    (512u << 20) /* of a file that a user named */
#define WIRE_NAME_MAX    255u
#define WIRE_MODULE_MAX  63u

enum wire_kind {
    WIRE_FIND = 1,
    WIRE_MODULES,
    WIRE_FILE,
    WIRE_PIECE,
    WIRE_BYTES,
    WIRE_STACK,
    WIRE_NAME,
    WIRE_FORGET,
    WIRE_READ,
    WIRE_FOUND,
    WIRE_FRAMES,
    WIRE_NAMES,
    WIRE_KINDS
};

#define WIRE_MAGIC 0x4b58u

struct wire_head {
    uint16_t magic;
    uint8_t kind; /* enum wire_kind */
    uint8_t code; /* of FOUND: enum kernel_status; else 0 */
    uint32_t slot;
    uint32_t length; /* of the payload */
    uint32_t reserved;
};

struct wire_message {
    struct wire_head head;
    uint8_t payload[WIRE_PAYLOAD_MAX] __attribute__((aligned(8)));
};

/* Payloads.  FIND; FILE, where size is the file's. */
struct wire_find {
    uint64_t address; /* an instruction of the kernel */
    uint64_t budget;  /* bytes of the guest's memory that may be read */
    uint64_t size;
    uint64_t pv; /* 1: of a PV guest */
};

struct wire_read {
    uint64_t address;
    uint64_t size;
};

/* STACK; the bytes of both windows follow. */
struct wire_stack {
    uint64_t ip;
    struct xenoprof_registers registers;
    uint64_t addresses[2];
    uint32_t lengths[2];
    uint8_t bits32;
    uint8_t kernel;
    uint8_t reserved[6];
};

/* FRAMES; count addresses follow, then as many bytes: 1 is exact. */
struct wire_frames {
    uint32_t count;
    uint32_t end; /* enum unwind_end */
};

/* NAMES: one for each address that was asked for; texts follow, each with its
 * zero, the whole filled up to a multiple of 8. */
struct wire_entry {
    uint64_t start;
    uint64_t end;
    uint32_t name_size; /* with the zero; 0: no name */
    uint32_t module_size;
};

/* One side's end. */
struct wire {
    /* Return true after all of size bytes, false if the other side is gone or
     * takes too long. */
    bool (*read)(void *self, void *to, size_t size);
    bool (*write)(void *self, const void *from, size_t size);
    void *self;
};

/* Returns true after a whole message, false if the other side is gone or sent
 * something else. */
bool wire_receive(const struct wire *wire, struct wire_message *ret);
/* The payload is there already, head.length too. */
bool wire_send(const struct wire *wire, struct wire_message *message,
               enum wire_kind kind, uint32_t slot);

/* Begin a payload, and add to it.  wire_add() returns false if the bytes do not
 * fit. */
void wire_begin(struct wire_message *message);
bool wire_add(struct wire_message *message, const void *bytes, size_t size);

/*
 * Requests, as the parser reads them.  Return true if the message is such a
 * request.  Pointers go into the message.
 */
bool wire_get_find(const struct wire_message *message, struct wire_find *ret);
bool wire_get_stack(const struct wire_message *message,
                    struct xenoprof_registers *registers,
                    struct unwind_start *ret);
bool wire_get_addresses(const struct wire_message *message,
                        const uint64_t **addresses, size_t *count);

/* Answers, as the daemon reads them.  Return false if the parser lies. */
bool wire_get_read(const struct wire_message *message, struct wire_read *ret);
bool wire_get_found(const struct wire_message *message,
                    struct kernel_info *ret);
bool wire_get_frames(const struct wire_message *message,
                     struct unwind_result *ret);

struct wire_name {
    const char *name;   /* NULL: none */
    const char *module; /* NULL: the kernel itself */
    uint64_t start;
    uint64_t end; /* 0: not known */
};

/* count names for these addresses. */
bool wire_get_names(const struct wire_message *message,
                    const uint64_t *addresses, size_t count,
                    struct wire_name *ret);

/* Answers, as the parser writes them; they always fit. */
void wire_put_frames(struct wire_message *message,
                     const struct unwind_result *result);
bool wire_put_name(struct wire_message *message,
                   const struct kernel_symbol *symbol);

#endif
