/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * break-fact                     the facts' names, a line each
 * break-fact FILE NAME DELTA     adds DELTA to that fact in a module's file
 * break-fact FILE NAME absent    as if it had not been found
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenoprof/facts.h>

static const char *const names[] = {
#define XENOPROF_FACT(name, need, path, what) #name,
#include <xenoprof/facts.def>
#undef XENOPROF_FACT
};

static int find(const char *name)
{
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( strcmp(names[i], name) == 0 )
            return i;
    fprintf(stderr, "break-fact: there is no fact '%s'\n", name);
    exit(1);
}

static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *bytes = malloc(1 << 24);

    if ( !file || !bytes )
    {
        perror(path);
        exit(1);
    }
    *size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}

/* The structure has a magic of its own. */
static struct xenoprof_facts *facts_in(char *bytes, size_t size)
{
    const uint32_t head[] = {XENOPROF_FACTS_MAGIC, XENOPROF_FACTS_VERSION,
                             sizeof(struct xenoprof_facts),
                             XENOPROF_FACT_COUNT};
    char *at = memmem(bytes, size, head, sizeof(head));

    if ( !at || (size_t)(bytes + size - at) < sizeof(struct xenoprof_facts) )
    {
        fputs("break-fact: there are no facts in that file\n", stderr);
        exit(1);
    }
    return (struct xenoprof_facts *)at;
}

static void store(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "we");

    if ( !file || fwrite(bytes, 1, size, file) != size || fclose(file) )
    {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    struct xenoprof_facts facts, *place;
    size_t size;
    char *bytes;
    uint32_t *value;

    for ( int i = 0; argc == 1 && i < XENOPROF_FACT_COUNT; i++ )
        puts(names[i]);
    if ( argc == 1 )
        return 0;
    if ( argc != 4 )
    {
        fputs("break-fact FILE NAME DELTA|absent\n", stderr);
        return 1;
    }
    bytes = load(argv[1], &size);
    place = facts_in(bytes, size);
    memcpy(&facts, place, sizeof(facts));
    value = &facts.count + 1 + find(argv[2]);
    if ( *value == XENOPROF_FACT_ABSENT )
    {
        puts("absent");
        return 0;
    }
    if ( strcmp(argv[3], "absent") == 0 )
        *value = XENOPROF_FACT_ABSENT;
    else
        *value += (uint32_t)atoi(argv[3]);
    printf("%u\n", *value);
    memcpy(place, &facts, sizeof(facts));
    store(argv[1], bytes, size);
    free(bytes);
    return 0;
}
