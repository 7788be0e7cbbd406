/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads symbols from text, and from files, which may also be ELF.
 * /proc/kallsyms, /proc/xen/xensyms and System.map have the same lines,
 * ADDRESS TYPE NAME; kallsyms adds a module in brackets.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

#define TEXT_MAX (256u << 20)
#define CHUNK    (256u << 10)

struct text_piece {
    const char *at;
    const char *end;
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct text_piece next_word(struct text_piece *line)
{
    struct text_piece word;

    while ( line->at < line->end && blank(*line->at) )
        line->at++;
    word.at = line->at;
    while ( line->at < line->end && !blank(*line->at) )
        line->at++;
    word.end = line->at;
    return word;
}

static size_t length(struct text_piece word)
{
    return word.end - word.at;
}

static bool parse_address(struct text_piece word, uint64_t *ret)
{
    size_t digits;

    /* The map beside xen-syms has this prefix. */
    if ( length(word) > 2 && word.at[0] == '0' && word.at[1] == 'x' )
        word.at += 2;
    digits = length(word);
    *ret = 0;
    if ( !digits || digits > 16 )
        return false;
    for ( ; word.at < word.end; word.at++ )
    {
        unsigned int digit = (unsigned char)*word.at;

        if ( digit - '0' < 10 )
            digit -= '0';
        else if ( (digit | 0x20) - 'a' < 6 )
            digit = (digit | 0x20) - 'a' + 10;
        else
            return false;
        *ret = *ret << 4 | digit;
    }
    return true;
}

/* The letters of nm(1).  Returns false for an unknown letter. */
static bool parse_type(struct text_piece word, struct symbol *symbol)
{
    char type = *word.at;

    if ( length(word) != 1 || !strchr("tTwWvViIdDbBrRgGsSuVnNpP-?", type) )
        return false;
    symbol->code = strchr("tTwWiI", type);
    symbol->worth = strchr("wWvV", type)         ? WORTH_WEAK
                    : type >= 'A' && type <= 'Z' ? WORTH_GLOBAL
                                                 : WORTH_LOCAL;
    return true;
}

static bool absolute(struct text_piece word)
{
    return length(word) == 1 && strchr("aAU", *word.at);
}

static struct text_piece unbracketed(struct text_piece word)
{
    if ( length(word) > 2 && word.at[0] == '[' && word.end[-1] == ']' )
        return (struct text_piece){word.at + 1, word.end - 1};
    return (struct text_piece){word.at, word.at};
}

enum line_verdict { LINE_TAKEN, LINE_EMPTY, LINE_STRANGE, LINE_NO_MEMORY };

static enum line_verdict take_line(struct xenoprof_symbols *symbols,
                                   struct text_piece line)
{
    const struct text_piece all = line;
    struct text_piece address = next_word(&line), type = next_word(&line);
    struct text_piece name = next_word(&line),
                      module = unbracketed(next_word(&line));
    struct symbol symbol = {0};

    if ( memchr(all.at, 0, length(all)) )
        return LINE_STRANGE;
    if ( !length(address) )
        return LINE_EMPTY;
    if ( !parse_address(address, &symbol.address) || !length(type) ||
         !length(name) )
        return LINE_STRANGE;
    if ( absolute(type) )
        return LINE_EMPTY;
    if ( !parse_type(type, &symbol) )
        return LINE_STRANGE;
    if ( length(module) )
    {
        symbol.module = symbols_module(symbols, module.at, length(module));
        if ( !symbol.module )
            return LINE_NO_MEMORY;
    }
    return symbols_add(symbols, &symbol, name.at, length(name))
               ? LINE_TAKEN
               : LINE_NO_MEMORY;
}

static bool take_symbol_lines(struct xenoprof_symbols *symbols,
                              struct text_piece text,
                              size_t verdicts[LINE_NO_MEMORY])
{
    while ( text.at < text.end )
    {
        const char *end = memchr(text.at, '\n', text.end - text.at);
        struct text_piece line = {text.at, end ? end : text.end};
        enum line_verdict verdict = take_line(symbols, line);

        if ( verdict == LINE_NO_MEMORY )
            return false;
        verdicts[verdict]++;
        text.at = line.end + 1;
    }
    return true;
}

static bool has_code_symbol(const struct xenoprof_symbols *symbols)
{
    for ( size_t i = 0; i < symbols->count; i++ )
        if ( symbols->items[i].code )
            return true;
    return false;
}

/* Single lines that are cut or odd do not spoil the rest. */
enum xenoprof_status xenoprof_symbols_text(struct xenoprof_handle *handle,
                                           const char *text, size_t size,
                                           struct xenoprof_symbols **ret)
{
    struct xenoprof_symbols *symbols = symbols_create();
    size_t verdicts[LINE_NO_MEMORY] = {0};

    if ( !symbols ||
         !take_symbol_lines(symbols, (struct text_piece){text, text + size},
                            verdicts) )
    {
        xenoprof_symbols_close(symbols);
        return handle_no_memory(handle);
    }
    if ( !has_code_symbol(symbols) || verdicts[LINE_STRANGE] > symbols->count )
    {
        xenoprof_symbols_close(symbols);
        return handle_fail(handle, XENOPROF_INVALID,
                           "no symbols of code: %zu lines \"ADDRESS "
                           "TYPE NAME\", %zu others",
                           verdicts[LINE_TAKEN], verdicts[LINE_STRANGE]);
    }
    symbols_sort(symbols);
    *ret = symbols;
    return XENOPROF_OK;
}

/* Files in /proc have no size: read until there is no more. */
static bool read_whole_text(int fd, struct buffer *text)
{
    ssize_t done;

    do
    {
        if ( !buffer_reserve(text, CHUNK) )
            return false;
        done = read(fd, text->bytes + text->used, CHUNK);
        if ( done > 0 )
            text->used += done;
        if ( text->used > TEXT_MAX )
        {
            errno = EFBIG;
            return false;
        }
    } while ( done > 0 || (done < 0 && errno == EINTR) );
    return !done;
}

static enum xenoprof_status open_fd(struct xenoprof_handle *handle,
                                    const char *path, int fd,
                                    struct xenoprof_symbols **ret)
{
    __attribute__((cleanup(buffer_free))) struct buffer text = {NULL, 0, 0};
    char magic[4] = "";
    enum xenoprof_status status;

    if ( pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
         !memcmp(magic, "\177ELF", sizeof(magic)) )
        return symbols_open_elf(handle, path, ret);
    if ( !read_whole_text(fd, &text) )
        return handle_fail_system(handle, "%s: cannot read it", path);
    status = xenoprof_symbols_text(handle, (const char *)text.bytes, text.used,
                                   ret);
    return status ? handle_fail_in(handle, status, path) : XENOPROF_OK;
}

enum xenoprof_status xenoprof_symbols_file(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_symbols **ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum xenoprof_status status;

    if ( fd < 0 )
        return handle_fail_system(handle, "%s: cannot open it", path);
    status = open_fd(handle, path, fd, ret);
    close(fd);
    return status;
}
