/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame-svg.h"

#include "embedded.h"
#include "markup.h"

#include <inttypes.h>
#include <stdlib.h>

/* The script knows these, but for the last four. */
#define ROW    18u
#define SIDE   10u
#define WIDE   3 /* frames from which on there is a gap behind them */
#define GAP    0.5
#define WIDTH  1200u
#define TOP    92u
#define BOTTOM 34u
#define LETTER 6.62 /* width of a letter at 11 px */

/* Frames under a tenth of a pixel are left out. */
#define PART (10u * (WIDTH - 2 * SIDE))

/* A name from outside stands between marks that keep it from turning round
 * what follows it. */
#define ISOLATE "\xe2\x81\xa8"
#define END     "\xe2\x81\xa9"

static unsigned int height(const struct flame *flame)
{
    return TOP + flame->rows * ROW + BOTTOM;
}

static bool put_frame(const struct flame_svg *svg, const struct flame *flame,
                      const struct flame_frame *frame, FILE *file)
{
    const struct flame_look *look = svg->look;
    double scale = (WIDTH - 2.0 * SIDE) / (double)flame->total;
    double x = SIDE + (double)frame->start * scale;
    double width = (double)frame->length * scale;
    uint32_t row = svg->icicle ? frame->depth : flame->rows - 1 - frame->depth;
    unsigned int y = TOP + row * ROW;
    char *text = look->name(look->data, frame->node);
    char *clean = text ? markup_clean(text) : NULL;

    free(text);
    if ( !clean )
        return false;
    fprintf(file,
            "<g class=\"f c%u\" data-at=\"%" PRIu32 " %" PRIu64 " %" PRIu64
            "\"><title>" ISOLATE,
            look->colour(look->data, frame->node), frame->depth, frame->start,
            frame->length);
    markup_put(file, clean, MARKUP_ALL);
    fputs(END "\n", file);
    look->facts(look->data, frame->node, file);
    fprintf(file,
            "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\"/>"
            "<text x=\"%.2f\" y=\"%.1f\">",
            x, y, width > WIDE ? width - GAP : width, ROW - 1, x + 3, y + 12.5);
    if ( width >= 6 + 3 * LETTER )
        markup_put(file, clean, (size_t)((width - 6) / LETTER));
    fputs("</text></g>\n", file);
    free(clean);
    return true;
}

static void put_tools(FILE *file)
{
    fputs("<g id=\"tools\" class=\"tools\">\n"
          "<text id=\"matched\" class=\"key\" x=\"796\" y=\"79\" "
          "text-anchor=\"end\"></text>\n"
          "<foreignObject x=\"806\" y=\"63\" width=\"228\" height=\"26\">"
          "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"words\" "
          "type=\"search\" aria-label=\"search for a function\" "
          "placeholder=\"Search (regular expression)   /\"/>"
          "</foreignObject>\n"
          "<g id=\"flip\" class=\"button\" role=\"button\" tabindex=\"0\">"
          "<title>Root on top or at the bottom (i)</title>"
          "<rect x=\"1042\" y=\"63.5\" width=\"66\" height=\"23\" "
          "fill=\"none\" pointer-events=\"all\"/>"
          "<text x=\"1075\" y=\"79\">Turn</text></g>\n"
          "<g id=\"reset\" class=\"button\" role=\"button\" tabindex=\"0\">"
          "<title>All of it, nothing searched (Escape)</title>"
          "<rect x=\"1116\" y=\"63.5\" width=\"74\" height=\"23\" "
          "fill=\"none\" pointer-events=\"all\"/>"
          "<text x=\"1153\" y=\"79\">Reset</text></g>\n</g>\n",
          file);
}

static void put_begin(const struct flame_svg *svg, const struct flame *flame,
                      FILE *file)
{
    unsigned int high = height(flame);

    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
            "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"group\" "
            "aria-label=\"flame graph\" data-top=\"%u\" data-rows=\"%" PRIu32
            "\" data-form=\"%s\">\n",
            WIDTH, high, WIDTH, high, TOP, flame->rows,
            svg->icicle ? "icicle" : "flame");
    fputs("<style><![CDATA[\n", file);
    embedded_put(embedded_flame_style, file);
    fputs("]]></style>\n", file);
    fprintf(file,
            "<rect id=\"paper\" class=\"paper\" width=\"%u\" height=\"%u\"/>\n",
            WIDTH, high);
}

static void put_key(const struct flame_svg *svg, FILE *file)
{
    unsigned int x = SIDE;

    for ( const struct flame_key *key = svg->keys; key->text; key++ )
    {
        fprintf(file,
                "<rect class=\"c%u\" x=\"%u\" y=\"69\" width=\"12\" "
                "height=\"12\" rx=\"2\"/><text class=\"key\" x=\"%u\" "
                "y=\"79\">%s</text>\n",
                key->colour, x, x + 17, key->text);
        x += key->room;
    }
}

static void put_header(const struct flame_svg *svg, const struct flame *flame,
                       FILE *file)
{
    static const struct {
        const char *class;
        unsigned int y;
    } lines[FLAME_SVG_LINES] = {{"title", 26}, {"facts", 44}, {"facts", 60}};

    for ( unsigned int line = 0; line < FLAME_SVG_LINES; line++ )
    {
        fprintf(file, "<text class=\"%s\" x=\"%u\" y=\"%u\">",
                lines[line].class, SIDE, lines[line].y);
        svg->line(svg->look->data, flame, line, file);
        fputs("</text>\n", file);
    }
    put_key(svg, file);
    put_tools(file);
}

static bool put_picture(const struct flame_svg *svg, const struct flame *flame,
                        FILE *file)
{
    put_begin(svg, flame, file);
    put_header(svg, flame, file);
    for ( size_t i = 0; i < flame->count; i++ )
        if ( !put_frame(svg, flame, &flame->frames[i], file) )
            return false;
    fprintf(file,
            "<text id=\"status\" class=\"status\" x=\"%u\" y=\"%u\">%s</text>\n"
            "<script><![CDATA[\n",
            SIDE, height(flame) - 12,
            flame->count ? "" : "There is nothing to draw.");
    embedded_put(embedded_flame_script, file);
    fputs("]]></script>\n</svg>\n", file);
    return true;
}

bool flame_svg_put(const struct flame_svg *svg, size_t nodes, FILE *file)
{
    struct flame flame;
    bool put = flame_build(&flame, svg->look, nodes, PART) &&
               put_picture(svg, &flame, file);

    flame_free(&flame);
    return put;
}

void flame_svg_text(const char *text, FILE *file)
{
    char *clean = markup_clean(text);

    markup_put(file, clean ? clean : "", MARKUP_ALL);
    free(clean);
}

void flame_svg_hidden(const struct flame *flame, FILE *file)
{
    if ( flame->narrow )
        fprintf(file,
                " %zu frames under 0.1 px (%.2f %% of what is drawn) are left "
                "out.",
                flame->narrow,
                100.0 * (double)flame->hidden / (double)flame->total);
}
