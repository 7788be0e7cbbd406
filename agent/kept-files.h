/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files, with their functions and unwind rows, as many as there is room for:
 * the one that was not asked for longest goes first.
 *
 * Whoever runs a program chose the bytes of its file.  So a process of its own
 * may read them for others, and is asked and answers with what is here as it
 * lies in memory; it is checked there.
 */
#ifndef XENOPROF_AGENT_KEPT_FILES_H
#define XENOPROF_AGENT_KEPT_FILES_H

#include <stddef.h>

#include "dwarf/inline-names.h"
#include "elf-names.h"
#include "file-roots.h"

enum file_asks {
    FILE_FUNCTION = 1, /* which one is there? */
    FILE_INLINED,      /* and what was inlined there, and at which lines? */
    FILE_ROWS,         /* unwind rows */
};

struct file_question {
    uint32_t asks;   /* enum file_asks */
    uint32_t number; /* of the question, which the answer has */
    uint64_t offset; /* of the code in the file; of a piece of the table */
    uint64_t steps;  /* that reading may take (inline-names.h) */
};

enum file_found {
    FILE_NOTHING, /* it cannot be read, or is not an ELF file */
    FILE_FOUND,
    FILE_LATER,       /* much is to be read: it is to be asked again */
    FILE_TOO_DEAR,    /* it, or its owner's files, took more than they may */
    FILE_WANTS_DEBUG, /* no answer, but a question for the descriptor of the
                         debug file with the function's build-id; a packet of
                         one byte has it, or none */
    FILE_FOUNDS
};

struct file_function {
    uint32_t is_code;       /* 0: the file says that it is none */
    uint32_t build_id_size; /* 0: it has none */
    uint64_t address, start;
    uint64_t before, after; /* struct elf_function */
    uint8_t build_id[ELF_BUILD_ID_MAX];
    char name[ELF_NAME_MAX]; /* "" if it has none */
};

/* A function that was inlined, or the one around all of them, which has no name
 * here: and where in it the code is, or the call of the one before. */
struct file_frame {
    char name[ELF_NAME_MAX];
    char path[ELF_NAME_MAX]; /* of the source; "" if it is not known */
    uint32_t line;
};

#define FILE_FRAMES_MAX (INLINED_MAX + 1)

#define FILE_PIECE_MAX 65472u

struct file_answer {
    uint32_t number, found; /* enum file_found */
    uint64_t steps;         /* that are left */
    uint64_t bytes;         /* that are held of all files */
    uint64_t refused; /* files and units that there was no room for, so far */
    struct file_function function;
    uint32_t frames; /* inlined functions, and one; 0: none was asked for */
    uint32_t piece;  /* bytes of rows here */
    uint64_t table;  /* and of all of them; 0: there are none */
    struct file_frame frame[FILE_FRAMES_MAX]; /* innermost first */
    uint8_t rows[FILE_PIECE_MAX]; /* as row_table_put() writes them */
};

/* Returns how many bytes of such a table lie in the piece from offset on. */
static inline uint32_t file_piece(uint64_t table, uint64_t offset)
{
    uint64_t left = offset < table ? table - offset : 0;

    return left < FILE_PIECE_MAX ? (uint32_t)left : FILE_PIECE_MAX;
}

/* Returns how many bytes of an answer say something. */
static inline size_t file_answer_size(const struct file_answer *answer)
{
    return answer->piece ? offsetof(struct file_answer, rows) + answer->piece
                         : offsetof(struct file_answer, frame) +
                               answer->frames * sizeof(answer->frame[0]);
}

struct kept_files;

/* Holds so many bytes.  Debug files are below roots.  Returns NULL if there is
 * no memory. */
struct kept_files *kept_files_open(size_t bytes,
                                   const struct file_roots *roots);
/* Takes NULL. */
void kept_files_close(struct kept_files *files);

/* Answers a question about a file, whose descriptor is taken over; -1 is the
 * vDSO.  The answer has no number yet. */
void kept_files_answer(struct kept_files *files, int fd,
                       const struct file_question *question,
                       struct file_answer *ret);
/* Gives back what reading took if nothing was read for a while. */
void kept_files_rest(struct kept_files *files);

size_t kept_files_bytes(const struct kept_files *files);
uint64_t kept_files_refused(const struct kept_files *files);

#endif
