/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as text on stdin, encoded, checked and printed again on stdout. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/records/records.h"

static char text[1 << 20];
static uint64_t record[XENOPROF_RECORD_MAX / 8];

static int print(size_t length)
{
    struct xenoprof_view view;
    char *printed;

    if ( xenoprof_record_check(record, length, &view) ||
         record_print(&view, &printed) )
        return 1;
    fputs(printed, stdout);
    free(printed);
    return 0;
}

int main(void)
{
    struct xenoprof_handle *handle = xenoprof_open();
    const char *at = text;
    enum xenoprof_status status;
    size_t length;
    int failed = 0;

    text[fread(text, 1, sizeof(text) - 1, stdin)] = 0;
    while ( !failed && !(status = record_scan(handle, &at, record,
                                              sizeof(record), &length)) )
        failed = print(length);
    if ( failed || status != XENOPROF_END )
        fprintf(stderr, "%s\n", xenoprof_message(handle));
    xenoprof_close(handle);
    return failed || status != XENOPROF_END;
}
