/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include "base/must.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH_MODE 0666 /* as any file that a program writes: umask counts */

static const struct output *begun; /* NULL: none */

static FILE *open_fresh(struct output *output)
{
    mode_t mask = umask(0);
    int handle;

    umask(mask);
    output->fresh = must_text("%s.XXXXXX", output->path);
    handle = mkostemp(output->fresh, 0);
    if ( handle < 0 )
        return NULL;
    fchmod(handle, FRESH_MODE & ~mask);
    return fdopen(handle, "w");
}

enum exit_status output_open(struct output *output, const char *path,
                             struct failure *failure)
{
    struct stat state;

    *output = (struct output){.file = stdout, .path = path};
    if ( !path || !strcmp(path, "-") )
    {
        output->path = NULL;
        return STATUS_DONE;
    }
    /* A pipe or a device is not to be replaced, nor what a link leads to. */
    if ( !lstat(path, &state) && !S_ISREG(state.st_mode) )
        output->file = fopen(path, "we");
    else
        output->file = open_fresh(output);
    if ( output->file )
    {
        begun = output;
        return STATUS_DONE;
    }
    free(output->fresh);
    return fail(failure, STATUS_OUTPUT,
                "%s cannot be written: %m: name a file in a folder that "
                "you may write to",
                path);
}

static enum exit_status end_file(struct output *output, struct failure *failure)
{
    bool written = !ferror(output->file);

    if ( fclose(output->file) || !written )
        written = false;
    if ( written && !failure->status && output->fresh )
        written = !rename(output->fresh, output->path);
    if ( !written && !failure->status )
        fail(failure, STATUS_OUTPUT, "%s could not be written to the end: %m",
             output->path);
    if ( output->fresh && failure->status )
        unlink(output->fresh);
    free(output->fresh);
    return failure->status;
}

enum exit_status output_close(struct output *output, struct failure *failure)
{
    begun = NULL;
    if ( output->path )
        return end_file(output, failure);
    if ( (fflush(stdout) || ferror(stdout)) && !failure->status )
        fail(failure, STATUS_OUTPUT,
             "the report could not be written to the end: %m");
    return failure->status;
}

void output_give_up(void)
{
    if ( begun && begun->fresh )
        unlink(begun->fresh);
    else if ( begun )
        fflush(begun->file);
    fflush(stdout);
}
