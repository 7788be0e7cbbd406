/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of hostile-session.c: any rows of tables, written again and again.
 */
#ifndef XENOPROF_BENCH_HOSTILE_BLOCKS_H
#define XENOPROF_BENCH_HOSTILE_BLOCKS_H

#include "hostile-files.h"
#include "libxenoprof/session/defined-tables.h"

#define ROWS COLUMN_ROWS_MAX

/* Texts, and what else all files have as number 1. */
enum { TEXT_UTC = 1, TEXT_NOW, TEXT_KIND, TEXT_NAME, TEXTS = TEXT_NAME };

struct blocks_maker {
    struct hostile_files files;
    uint64_t samples_before;
    struct section_writer tables, samples; /* of the block in the making */
    struct section_shapes shapes;
    struct session_table table; /* whose rows are being made */
    struct session_rows rows;
    size_t count;
    struct buffer bytes; /* of texts */
    uint32_t sample_rows;
};

/* Makes the folder and its first file.  What fails here ends the program, with
 * a sentence. */
void blocks_begin(struct blocks_maker *maker, const char *folder,
                  const char *mib);
void blocks_end(struct blocks_maker *maker);

/* Begins a file: its first block has a sample of the one node that it knows. */
void blocks_begin_file(struct blocks_maker *maker);
/* Whether the files have all the bytes they may have, or are too many. */
bool blocks_full(const struct blocks_maker *maker);

/* Rows of a table, by its number; each is all zeroes.  They end in a section of
 * the block, the first of them with this number. */
void blocks_rows(struct blocks_maker *maker, uint32_t number);
uint64_t *blocks_row(struct blocks_maker *maker);
void blocks_end_rows(struct blocks_maker *maker, struct section_writer *into,
                     uint64_t first);
/* The block's only table goes up to the end of its section. */
void blocks_resize_table(struct blocks_maker *maker);
/* A row of texts. */
void blocks_text(struct blocks_maker *maker, const char *text, size_t size);
/* A row of samples, of what is number 1 but for the node. */
uint64_t *blocks_sample(struct blocks_maker *maker, uint64_t node);

/* Begins an empty block. */
void blocks_begin_block(struct blocks_maker *maker);
/* Writes the block in the making; it stays, to be written again. */
void blocks_write_block(struct blocks_maker *maker, uint32_t flags);
/* Writes it until the files are full. */
void blocks_repeat_block(struct blocks_maker *maker);
/* The section of tables becomes as many copies of itself as it may have. */
void blocks_repeat_tables(struct blocks_maker *maker);
/* Writes all but a 32nd of the session: a table that no reader looks at. */
void blocks_noise(struct blocks_maker *maker);

#endif
