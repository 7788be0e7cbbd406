/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format.h"

#include "base/must.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_MS   1000000u
#define SECONDS_MAX (UINT64_MAX / NS_PER_S - 1)

/* ".25" as ns; moves *text behind it.  Digits after the ninth are dropped. */
static uint64_t parse_fraction(const char **text)
{
    uint64_t ns = 0, digit = NS_PER_S / 10;

    if ( **text != '.' || !isdigit((unsigned char)(*text)[1]) )
        return 0;
    for ( ++*text; isdigit((unsigned char)**text); ++*text )
    {
        ns += digit * (uint64_t)(**text - '0');
        digit /= 10;
    }
    return ns;
}

bool clock_parse_seconds(const char *text, uint64_t *ret)
{
    uint64_t seconds = 0;

    if ( !isdigit((unsigned char)*text) )
        return false;
    for ( ; isdigit((unsigned char)*text); text++ )
    {
        seconds = seconds * 10 + (uint64_t)(*text - '0');
        if ( seconds > SECONDS_MAX )
            return false;
    }
    *ret = seconds * NS_PER_S + parse_fraction(&text);
    return !*text;
}

bool clock_parse_utc(const char *text, uint64_t *ret)
{
    struct tm tm = {0};
    time_t seconds;

    text = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if ( !text )
        return false;
    seconds = timegm(&tm);
    if ( seconds < 0 || (uint64_t)seconds > SECONDS_MAX )
        return false;
    *ret = (uint64_t)seconds * NS_PER_S + parse_fraction(&text);
    return !strcmp(text, "Z");
}

void clock_format_utc(uint64_t ns, unsigned int digits, char ret[CLOCK_TEXT])
{
    time_t seconds = (time_t)(ns / NS_PER_S);
    uint64_t fraction = ns % NS_PER_S;
    struct tm tm;
    size_t length;

    gmtime_r(&seconds, &tm);
    length = strftime(ret, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    for ( unsigned int i = digits; i < 9; i++ )
        fraction /= 10;
    if ( digits )
        snprintf(ret + length, CLOCK_TEXT - length, ".%0*" PRIu64 "Z",
                 (int)digits, fraction);
    else
        snprintf(ret + length, CLOCK_TEXT - length, "Z");
}

void clock_format_length(uint64_t ns, char ret[CLOCK_TEXT])
{
    uint64_t seconds = ns / NS_PER_S;

    if ( seconds < 1 )
        snprintf(ret, CLOCK_TEXT, "%" PRIu64 ".%03" PRIu64 " ms", ns / 1000000,
                 ns / 1000 % 1000);
    else if ( seconds < 60 )
        snprintf(ret, CLOCK_TEXT, "%" PRIu64 ".%03" PRIu64 " s", seconds,
                 ns % NS_PER_S / 1000000);
    else if ( seconds < 3600 )
        snprintf(ret, CLOCK_TEXT, "%" PRIu64 " min %02" PRIu64 " s",
                 seconds / 60, seconds % 60);
    else
        snprintf(ret, CLOCK_TEXT, "%" PRIu64 " h %02" PRIu64 " min",
                 seconds / 3600, seconds / 60 % 60);
}

char *format_close(FILE *file, char **text)
{
    must_do(!fclose(file));
    return *text;
}

char *format_seconds(uint64_t ns)
{
    uint64_t ms = (ns + NS_PER_MS / 2) / NS_PER_MS;

    return must_text("%" PRIu64 ".%03" PRIu64 " s", ms / 1000, ms % 1000);
}

char *format_short(uint64_t ns)
{
    static const char *const units[] = {"us", "ms", "s"};
    uint64_t tenths = (ns + 50) / 100;
    size_t unit = 0;

    if ( ns < 1000 )
        return must_text("%" PRIu64 " ns", ns);
    while ( tenths >= 10000 && unit < sizeof(units) / sizeof(*units) - 1 )
    {
        tenths = (tenths + 500) / 1000;
        unit++;
    }
    if ( tenths < 100 )
        return must_text("%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10,
                         units[unit]);
    return must_text("%" PRIu64 " %s", (tenths + 5) / 10, units[unit]);
}

char *format_count(uint64_t count)
{
    static const char units[] = "kMGTPE";
    double rest = (double)count;
    size_t unit = 0;

    if ( count < 1000 )
        return must_text("%" PRIu64, count);
    /* What is shown has three digits. */
    for ( rest /= 1000; rest >= 999.5 && units[unit + 1]; rest /= 1000 )
        unit++;
    return must_text("%.*f %c", rest < 9.995 ? 2 : rest < 99.95, rest,
                     units[unit]);
}

const char *format_without_path(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}
