/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aliases.h"

#include "base/buffer.h"
#include "base/must.h"
#include "base/scope.h"
#include "siphash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define DIGITS      12u
#define DIGITS_MOST 1000000000000ull
#define ID_LEAST    8u /* hexadecimal digits of an id */
#define UUID_GROUP  4u

/* Libraries, by what is before ".so" or a version. */
static const char *const libraries[] = {
    "ld",
    "ld-linux-x86-64",
    "ld-musl-x86_64",
    "libaudit",
    "libbz2",
    "libc",
    "libcap",
    "libcrypto",
    "libcurl",
    "libdl",
    "libelf",
    "libgcc_s",
    "libglib-2",
    "libgmp",
    "libgnutls",
    "libgobject-2",
    "liblzma",
    "libm",
    "libmvec",
    "libnghttp2",
    "libpcre",
    "libpcre2-8",
    "libpthread",
    "libresolv",
    "librt",
    "libselinux",
    "libsqlite3",
    "libssl",
    "libstdc++",
    "libsystemd",
    "libudev",
    "libuuid",
    "libuv",
    "libxenctrl",
    "libxenguest",
    "libxenstore",
    "libxml2",
    "libz",
    "libzstd",
};

static const char *const folders[] = {
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
};

/* Words of cgroups that say nothing of whose they are. */
static const char *const cgroup_words[] = {
    "app",     "besteffort", "burstable", "containerd", "cri",     "crio",
    "docker",  "guaranteed", "init",      "kubepods",   "libpod",  "lxc",
    "machine", "mount",      "payload",   "scope",      "service", "session",
    "slice",   "socket",     "swap",      "system",     "user",
};

static uint64_t hash(const void *bytes, size_t size)
{
    static uint64_t key[2];
    static bool made;

    if ( !made && getrandom(key, sizeof(key), 0) != sizeof(key) )
        no_memory(); /* as good as never: the kernel has no random bytes */
    made = true;
    return siphash(key, bytes, size);
}

char *alias_word(const char *word, size_t length)
{
    return must_text("x%0*llu", (int)DIGITS, hash(word, length) % DIGITS_MOST);
}

char *alias_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder SCOPE_FREE = NULL, *file SCOPE_FREE = NULL;

    if ( !slash )
        return alias_word(path, strlen(path));
    folder = alias_word(path, (size_t)(slash - path));
    file = alias_word(slash + 1, strlen(slash + 1));
    return slash == path ? must_text("/%s", file)
                         : must_text("/%s/%s", folder, file);
}

static bool is_one_of(const char *word, size_t length, const char *const *words,
                      size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        if ( strlen(words[i]) == length && !memcmp(words[i], word, length) )
            return true;
    return false;
}

#define IS_ONE_OF(word, length, words)                                         \
    is_one_of(word, length, words, sizeof(words) / sizeof((words)[0]))

/* "libc.so.6", "libc-2.36.so", "ld-linux-x86-64.so.2"; nothing but digits,
 * dots and "so" is behind the name. */
bool image_is_public(const char *image)
{
    const char *slash = strrchr(image, '/');
    const char *file = slash ? slash + 1 : image;

    if ( !strcmp(image, "[vdso]") || !strcmp(image, "[vsyscall]") )
        return true;
    for ( size_t length = strlen(file); length; length-- )
    {
        const char *rest = file + length;

        if ( (*rest == '.' || *rest == '-') &&
             IS_ONE_OF(file, length, libraries) )
            return strstr(rest, ".so") &&
                   strspn(rest, "-.0123456789so") == strlen(rest);
    }
    return false;
}

char *alias_image(const char *image)
{
    const char *slash = strrchr(image, '/');
    char *folder SCOPE_FREE = NULL;

    if ( !image_is_public(image) )
        return alias_path(image);
    if ( !slash || IS_ONE_OF(image, (size_t)(slash - image), folders) )
        return must(strdup(image));
    folder = alias_word(image, (size_t)(slash - image));
    return must_text("/%s%s", folder, slash);
}

/* Where distributions put code, and build it; a folder below is theirs, too. */
static const char *const code_folders[] = {
    "/boot/",    "/build/",     "/lib/",     "/lib64/",
    "/usr/lib/", "/usr/lib64/", "/usr/src/",
};

char *alias_code_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder SCOPE_FREE = NULL;

    for ( size_t i = 0; i < sizeof(code_folders) / sizeof(*code_folders); i++ )
        if ( !strncmp(path, code_folders[i], strlen(code_folders[i])) )
            return must(strdup(path));
    if ( !slash )
        return must(strdup(path));
    folder = alias_word(path, (size_t)(slash - path));
    return must_text("/%s%s", folder, slash);
}

static size_t hex_length(const char *word, size_t length)
{
    size_t digits = 0;

    while ( digits < length && isxdigit((unsigned char)word[digits]) )
        digits++;
    return digits;
}

/* An id stays one of as many digits. */
static void put_id(struct buffer *to, const char *word, size_t length)
{
    char *digits SCOPE_FREE = alias_word(word, length);

    for ( size_t i = 0; i < length; i++ )
        must_do(buffer_append(to, digits + 1 + i % DIGITS, 1));
}

static bool is_id(const char *word, size_t length, bool in_uuid)
{
    return hex_length(word, length) == length &&
           (length >= ID_LEAST || (in_uuid && length == UUID_GROUP));
}

static void put_word(struct buffer *to, const char *word, size_t length,
                     bool in_uuid)
{
    const size_t pod = strlen("pod");
    char *alias SCOPE_FREE = NULL;

    if ( IS_ONE_OF(word, length, cgroup_words) )
        must_do(buffer_append(to, word, length));
    else if ( length > pod && !memcmp(word, "pod", pod) &&
              is_id(word + pod, length - pod, false) )
    {
        must_do(buffer_append(to, "pod", pod));
        put_id(to, word + pod, length - pod);
    }
    else if ( is_id(word, length, in_uuid) )
        put_id(to, word, length);
    else
    {
        alias = alias_word(word, length);
        must_do(buffer_append(to, alias, strlen(alias)));
    }
}

static bool is_joint(char letter)
{
    return letter == '-' || letter == '_';
}

char *alias_cgroup(const char *path)
{
    struct buffer text = {0};
    char before = '/';

    while ( *path )
    {
        size_t length = 0;

        while ( isalnum((unsigned char)path[length]) ||
                (unsigned char)path[length] >= 0x80 )
            length++;
        if ( length )
            put_word(&text, path, length,
                     is_joint(before) && is_joint(path[length]));
        path += length;
        if ( !*path )
            break;
        must_do(buffer_append(&text, path, 1));
        before = *path++;
    }
    must_do(buffer_append(&text, "", 1));
    return (char *)text.bytes;
}

/* Dom0's, of zeroes, stays. */
void alias_uuid(uint8_t uuid[16])
{
    static const uint8_t none[16];
    uint64_t halves[2];

    if ( !memcmp(uuid, none, sizeof(none)) )
        return;
    halves[0] = hash(uuid, 16);
    halves[1] = hash(halves, sizeof(halves[0]));
    /* Of digits alone, as other aliases are. */
    for ( size_t i = 0; i < 16; i++ )
    {
        uint64_t *half = &halves[i / sizeof(*half)];

        uuid[i] = (uint8_t)(*half / 10 % 10 << 4 | *half % 10);
        *half /= 100;
    }
}
