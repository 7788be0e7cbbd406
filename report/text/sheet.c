/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sheet.h"

#include "base/must.h"
#include "json-members.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>

void sheet_rows(struct sheet *sheet, const char *key)
{
    if ( sheet->json )
        json_begin_array(sheet->json, key);
}

void sheet_rows_end(struct sheet *sheet)
{
    if ( sheet->json )
        json_array_end(sheet->json);
}

void sheet_row(struct sheet *sheet, bool flat)
{
    if ( sheet->json && flat )
        json_object_begin_flat(sheet->json);
    else if ( sheet->json )
        json_object_begin(sheet->json);
}

void sheet_row_end(struct sheet *sheet)
{
    if ( sheet->json )
        json_object_end(sheet->json);
}

static void add_cell(struct sheet *sheet, const char *title, bool right,
                     bool shrinks, char *text)
{
    if ( sheet->json || !title )
        free(text);
    else
        grid_cell(&sheet->grid, title, right, shrinks, text);
}

void sheet_number(struct sheet *sheet, const char *title, const char *key,
                  uint64_t number, char *text)
{
    add_cell(sheet, title, true, false, text);
    if ( sheet->json && key )
        json_put_number(sheet->json, key, number);
}

void sheet_count(struct sheet *sheet, const char *title, const char *key,
                 uint64_t number)
{
    sheet_number(sheet, title, key, number, must_text("%" PRIu64, number));
}

void sheet_short(struct sheet *sheet, const char *title, const char *key,
                 uint64_t number)
{
    sheet_number(sheet, title, key, number, format_short(number));
}

void sheet_words(struct sheet *sheet, const char *title, bool shrinks,
                 char *text)
{
    add_cell(sheet, title, false, shrinks, text);
}
