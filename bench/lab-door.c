/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab-door.h"

void door(const char *line)
{
    char command[400];

    snprintf(command, sizeof(command),
             "until said=$(xenhypfs write /xenoprof/command '%s' 2>&1); do "
             "case $said in *temporarily*) ;; *) exit 1;; esac; done",
             line);
    if ( system(command) )
    {
        fprintf(stderr, "the door refused: %s\n", line);
        exit(1);
    }
}

unsigned long door_made(void)
{
    FILE *status = popen("xenhypfs cat /xenoprof/status", "r");
    char line[256];
    unsigned long ret = 0;

    while ( status && fgets(line, sizeof(line), status) )
        if ( !strncmp(line, "made: ", 6) )
            ret = strtoul(line + 6, NULL, 10);
    if ( status )
        pclose(status);
    return ret;
}
