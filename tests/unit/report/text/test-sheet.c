/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fills a sheet once becomes a table or JSON. */
#include "report/text/sheet.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static void fill(struct sheet *sheet)
{
    sheet_rows(sheet, "rows");
    for ( unsigned int i = 0; i < 2; i++ )
    {
        sheet_row(sheet, true);
        sheet_count(sheet, NULL, "hidden", i);
        sheet_count(sheet, "waits", "count", 7 + i);
        sheet_short(sheet, "half in", NULL, 1500);
        sheet_number(sheet, "of", "all", 40, strdup("40 s"));
        sheet_words(sheet, "who", true, strdup("web"));
        sheet_row_end(sheet);
    }
    sheet_rows_end(sheet);
}

static char *shown(bool as_json)
{
    struct json json;
    struct sheet sheet = {.json = as_json ? &json : NULL};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    json_init(&json, file);
    if ( as_json )
        json_object_begin(&json);
    fill(&sheet);
    if ( as_json )
    {
        json_object_end(&json);
        CHECK(json_finish(&json));
    }
    else
        grid_print_table(&sheet.grid, 0, true, file);
    fclose(file);
    return text;
}

TEST(a_table_has_what_has_a_title)
{
    char *text = shown(false);

    CHECK_TEXT(text, "waits  half in    of  who\n"
                     "    7   1.5 us  40 s  web\n"
                     "    8   1.5 us  40 s  web\n");
    free(text);
}

TEST(json_has_what_has_a_key)
{
    char *text = shown(true);

    CHECK_TEXT(text, "{\n"
                     "  \"rows\": [\n"
                     "    {\"hidden\": 0, \"count\": 7, \"all\": 40},\n"
                     "    {\"hidden\": 1, \"count\": 8, \"all\": 40}\n"
                     "  ]\n"
                     "}\n");
    free(text);
}
