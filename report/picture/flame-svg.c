/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a flame graph as SVG, with its style and script. */
#include "flame-svg.h"

#include "base/scope.h"
#include "embedded.h"
#include "markup.h"

#include <inttypes.h>
#include <stdlib.h>

/* The script knows these too, except the last four. */
#define ROW    18u
#define SIDE   10u
#define WIDE   3 /* wider frames have a gap after them */
#define GAP    0.5
#define WIDTH  1200u
#define TOP    124u
#define BOTTOM 34u
#define LETTER 6.62 /* width of a letter at 11 px */

/* Frames under a tenth of a pixel are left out. */
#define PART (10u * (WIDTH - 2 * SIDE))

/* These marks keep a name from changing the direction of the text after it. */
#define ISOLATE "\xe2\x81\xa8"
#define END     "\xe2\x81\xa9"

struct drawing {
    const struct flame_svg *svg;
    const void *data; /* of svg's functions */
    struct flame flame;
    bool icicle;
    FILE *file;
};

static unsigned int height(const struct flame *flame)
{
    return TOP + flame->rows * ROW + BOTTOM;
}

static void draw_frame(const struct drawing *drawing,
                       const struct flame_frame *frame)
{
    const struct flame_look *look = &drawing->svg->look;
    const struct flame *flame = &drawing->flame;
    FILE *file = drawing->file;
    double scale = (WIDTH - 2.0 * SIDE) / (double)flame->total;
    double x = SIDE + (double)frame->start * scale;
    double width = (double)frame->length * scale;
    uint32_t row = drawing->icicle ? frame->depth
                                   : flame->rows - 1 - frame->depth;
    unsigned int y = TOP + row * ROW;
    char *text SCOPE_FREE = look->name(drawing->data, frame->node);
    char *clean SCOPE_FREE = markup_clean(text);

    fprintf(file,
            "<g class=\"f c%u%s\" data-at=\"%" PRIu32 " %" PRIu64 " %" PRIu64
            "\"><title>" ISOLATE,
            look->colour(drawing->data, frame->node),
            frame->torn ? " torn" : "", frame->depth, frame->start,
            frame->length);
    markup_put(file, clean, MARKUP_ALL);
    fputs(END "\n", file);
    look->details(drawing->data, frame->node, file);
    if ( frame->torn )
        fputs(", called from what is not known", file);
    fprintf(file,
            "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\"/>"
            "<text x=\"%.2f\" y=\"%.1f\">",
            x, y, width > WIDE ? width - GAP : width, ROW - 1, x + 3, y + 12.5);
    if ( width >= 6 + 3 * LETTER )
        markup_put(file, clean, (size_t)((width - 6) / LETTER));
    fputs("</text></g>\n", file);
}

static void put_tools(FILE *file)
{
    fputs("<g id=\"tools\" class=\"tools\">\n"
          "<text id=\"matched\" class=\"key\" x=\"796\" y=\"111\" "
          "text-anchor=\"end\"></text>\n"
          "<foreignObject x=\"806\" y=\"95\" width=\"228\" height=\"26\">"
          "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"words\" "
          "type=\"search\" aria-label=\"search for a function\" "
          "placeholder=\"Search (regular expression)   /\"/>"
          "</foreignObject>\n"
          "<g id=\"flip\" class=\"button\" role=\"button\" tabindex=\"0\">"
          "<title>Root on top or at the bottom (i)</title>"
          "<rect x=\"1042\" y=\"95.5\" width=\"66\" height=\"23\" "
          "fill=\"none\" pointer-events=\"all\"/>"
          "<text x=\"1075\" y=\"111\">Turn</text></g>\n"
          "<g id=\"reset\" class=\"button\" role=\"button\" tabindex=\"0\">"
          "<title>All of it, nothing searched (Escape)</title>"
          "<rect x=\"1116\" y=\"95.5\" width=\"74\" height=\"23\" "
          "fill=\"none\" pointer-events=\"all\"/>"
          "<text x=\"1153\" y=\"111\">Reset</text></g>\n</g>\n",
          file);
}

static void put_begin(const struct drawing *drawing)
{
    unsigned int high = height(&drawing->flame);
    FILE *file = drawing->file;

    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
            "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"group\" "
            "aria-label=\"flame graph\" data-top=\"%u\" data-rows=\"%" PRIu32
            "\" data-form=\"%s\">\n",
            WIDTH, high, WIDTH, high, TOP, drawing->flame.rows,
            drawing->icicle ? "icicle" : "flame");
    /* Without it, Chromium looks for a title among all frames at each frame. */
    fputs("<title>", file);
    drawing->svg->line(drawing->data, &drawing->flame, 0, file);
    fputs("</title>\n", file);
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
                "<rect class=\"c%u\" x=\"%u\" y=\"101\" width=\"12\" "
                "height=\"12\" rx=\"2\"/><text class=\"key\" x=\"%u\" "
                "y=\"111\">%s</text>\n",
                key->colour, x, x + 17, key->text);
        x += key->room;
    }
}

static void put_header(const struct drawing *drawing)
{
    const struct flame_svg *svg = drawing->svg;
    FILE *file = drawing->file;
    static const struct {
        const char *class;
        unsigned int y;
    } lines[FLAME_SVG_LINES] = {{"title", 26},
                                {"facts", 76},
                                {"facts", 92},
                                {"verdict", 44},
                                {"verdict", 60}};

    for ( unsigned int line = 0; line < FLAME_SVG_LINES; line++ )
    {
        fprintf(file, "<text class=\"%s\" x=\"%u\" y=\"%u\">",
                lines[line].class, SIDE, lines[line].y);
        svg->line(drawing->data, &drawing->flame, line, file);
        fputs("</text>\n", file);
    }
    put_key(svg, file);
    put_tools(file);
}

void flame_svg_put(const struct flame_svg *svg, const void *data, size_t nodes,
                   bool icicle, FILE *file)
{
    struct drawing drawing = {
        .svg = svg, .data = data, .icicle = icicle, .file = file};
    struct flame *flame = &drawing.flame;

    flame_build(flame, &svg->look, data, nodes, PART);
    put_begin(&drawing);
    put_header(&drawing);
    fputs("<g>\n", file);
    for ( size_t i = 0; i < flame->count; i++ )
        draw_frame(&drawing, &flame->items[i]);
    fprintf(
        file,
        "</g>\n<text id=\"status\" class=\"status\" x=\"%u\" y=\"%u\">%s</text>\n"
        "<script><![CDATA[\n",
        SIDE, height(flame) - 12,
        flame->count ? "" : "There is nothing to draw.");
    embedded_put(embedded_flame_script, file);
    fputs("]]></script>\n</svg>\n", file);
    flame_free(flame);
}

void flame_svg_text(const char *text, FILE *file)
{
    char *clean SCOPE_FREE = markup_clean(text);

    markup_put(file, clean, MARKUP_ALL);
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
