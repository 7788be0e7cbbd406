/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code-kit.h"

#include "tests/harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct code_kit kit;

void add_attribute(const char *key, const char *value)
{
    struct attribute *attribute = vector_add(&kit.loaded.attributes);

    CHECK(attribute);
    attribute->time = 1;
    CHECK(names_add(&kit.loaded.names, key, &attribute->key) &&
          names_add(&kit.loaded.names, value, &attribute->value));
}

/* With dom0, of index 2, and a folder that stands for the root. */
void code_kit_begin(void)
{
    const struct domain_key key = {.number = 0};

    loaded_init(&kit.loaded);
    CHECK(table_put(&kit.loaded.domains, &key));
    memset(&kit.hits, 0, sizeof(kit.hits));
    memset(&kit.code, 0, sizeof(kit.code));
    memset(kit.given, 0, sizeof(kit.given));
    kit.failure = (struct failure){.status = STATUS_DONE};
    kit.shelf = (struct code_shelf){.loaded = &kit.loaded,
                                    .hits = &kit.hits,
                                    .given = kit.given,
                                    .root = kit.root};
    strcpy(kit.root, "/tmp/xenoprof-annotate-XXXXXX");
    CHECK(mkdtemp(kit.root));
}

void code_kit_end(void)
{
    char command[PATH_MAX + 16];

    code_free(&kit.code);
    code_shelf_free(&kit.shelf);
    hits_free(&kit.hits);
    loaded_free(&kit.loaded);
    snprintf(command, sizeof(command), "rm -rf '%s'", kit.root);
    CHECK(!system(command));
}

void add_samples(uint8_t mode, const char *image, const char *symbol,
                 uint64_t start, uint64_t offset)
{
    struct place_name *name = &kit.names[kit.loaded.cells.count];
    struct cell_key key;
    struct cell *cell;

    CHECK(name < kit.names + sizeof(kit.names) / sizeof(kit.names[0]));
    memset(&key, 0, sizeof(key));
    key.domain = 2;
    key.place = (uint32_t)kit.loaded.cells.count + 1;
    key.mode = mode;
    cell = table_put(&kit.loaded.cells, &key);
    CHECK(cell);
    cell->samples = 10;
    cell->time = 1000;
    cell->name = name;
    *name = (struct place_name){.start = start, .address = start + offset};
    CHECK(names_add(&kit.loaded.names, image, &name->image) &&
          names_add(&kit.loaded.names, symbol, &name->symbol));
}

const struct function *function_of(const char *pattern)
{
    hits_free(&kit.hits);
    hits_gather(&kit.hits, &kit.loaded, pattern);
    CHECK(kit.hits.functions.count);
    return kit.hits.sorted[0];
}

void write_file(const char *path, const void *bytes, size_t size)
{
    char whole[2 * PATH_MAX];
    FILE *file;

    snprintf(whole, sizeof(whole), "%s%s", kit.root, path);
    for ( char *slash = whole + strlen(kit.root) + 1;
          (slash = strchr(slash, '/')); slash++ )
    {
        *slash = '\0';
        CHECK(!mkdir(whole, 0700) || errno == EEXIST);
        *slash = '/';
    }
    file = fopen(whole, "w");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(!fclose(file));
}

void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}
