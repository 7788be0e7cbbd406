/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame-svg.h"

#include "clock.h"
#include "domains.h"
#include "embedded.h"
#include "markup.h"

#include <inttypes.h>
#include <session-facts.h>
#include <stdlib.h>
#include <string.h>

/* The script knows the first two as well. */
#define ROW    18u
#define SIDE   10u
#define WIDTH  1200u
#define TOP    92u
#define BOTTOM 34u
#define LETTER 6.62 /* width of a letter at 11 px */

/* Classes of the style, after those of the modes. */
enum { COLOUR_DOMAIN = XENOPROF_MODES, COLOUR_ROOT };

/* A name from outside stands between marks that keep it from turning round
 * what follows it. */
#define ISOLATE "\xe2\x81\xa8"
#define END     "\xe2\x81\xa9"

static unsigned int height(const struct flame_svg *svg)
{
    return TOP + svg->flame->rows * ROW + BOTTOM;
}

/* What a frame is called, as it came; NULL if there is no memory. */
static char *node_text(const struct flame_svg *svg, const struct node *node)
{
    if ( node == tree_node(svg->flame->tree, NODE_ROOT) )
        return strdup("all");
    if ( node->key.kind != NODE_FRAME )
        return label_text(svg->report->recording, (enum label)node->key.kind,
                          node->key.value, LABEL_NONE);
    return frame_text(svg->texts, stacks_frame(svg->texts->stacks,
                                               (uint32_t)node->key.value));
}

static unsigned int node_colour(const struct flame_svg *svg,
                                const struct node *node)
{
    const struct frame *frame;

    if ( node == tree_node(svg->flame->tree, NODE_ROOT) )
        return COLOUR_ROOT;
    if ( node->key.kind != NODE_FRAME )
        return node->key.value == DOMAIN_INDEX_IDLE && !svg->flame->idle.time
                   ? XENOPROF_MODE_IDLE
                   : COLOUR_DOMAIN;
    frame = stacks_frame(svg->texts->stacks, (uint32_t)node->key.value);
    if ( frame->key.kind == FRAME_TRUNCATED || frame->key.kind == FRAME_MOVED )
        return XENOPROF_MODE_IDLE;
    return frame->key.mode;
}

/* "kernel, 1.234 s, 12.34 %, 120 samples": the line below a name. */
static void put_facts(const struct flame_svg *svg, const struct node *node,
                      FILE *file)
{
    const struct stacks *stacks = svg->texts->stacks;
    struct amount amount = flame_amount(svg->flame, node);
    char time[CLOCK_TEXT];

    if ( node->key.kind == NODE_FRAME )
    {
        const char *mode = frame_mode(
            stacks_frame(stacks, (uint32_t)node->key.value));

        fprintf(file, "%s%s", *mode == '-' ? "" : mode,
                *mode == '-' ? "" : ", ");
    }
    clock_format_length(amount.time, time);
    fprintf(file, "%s, %.2f %%, %" PRIu64 " samples", time,
            tree_percent(svg->flame->tree, amount.time), amount.samples);
    if ( !node->self.time || node->key.kind != NODE_FRAME )
        return;
    clock_format_length(node->self.time, time);
    fprintf(file, ", %s in itself", time);
}

static bool put_frame(const struct flame_svg *svg,
                      const struct flame_frame *frame, FILE *file)
{
    const struct node *node = tree_node(svg->flame->tree, frame->node);
    double scale = (WIDTH - 2.0 * SIDE) / (double)svg->flame->total;
    double x = SIDE + (double)frame->start * scale;
    double width = (double)frame->length * scale;
    uint32_t row = svg->icicle ? frame->depth
                               : svg->flame->rows - 1 - frame->depth;
    unsigned int y = TOP + row * ROW;
    char *text = node_text(svg, node);
    char *clean = text ? markup_clean(text) : NULL;

    free(text);
    if ( !clean )
        return false;
    fprintf(file,
            "<g class=\"f c%u\" data-at=\"%" PRIu32 " %" PRIu64 " %" PRIu64
            "\"><title>" ISOLATE,
            node_colour(svg, node), frame->depth, frame->start, frame->length);
    markup_put(file, clean, MARKUP_ALL);
    fputs(END "\n", file);
    put_facts(svg, node, file);
    fprintf(file,
            "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\"/>"
            "<text x=\"%.2f\" y=\"%.1f\">",
            x, y, width, ROW - 1, x + 3, y + 12.5);
    if ( width >= 6 + 3 * LETTER )
        markup_put(file, clean, (size_t)((width - 6) / LETTER));
    fputs("</text></g>\n", file);
    free(clean);
    return true;
}

static void put_text(FILE *file, const char *text)
{
    char *clean = markup_clean(text);

    markup_put(file, clean ? clean : "", MARKUP_ALL);
    free(clean);
}

/* Whose time it was: host, Xen, when, how long. */
static void put_host(const struct flame_svg *svg, FILE *file)
{
    const struct recording *recording = svg->report->recording;
    const char *host = recording_fact(recording, SESSION_FACT_HOST);
    const char *xen = recording_fact(recording, SESSION_FACT_XEN);
    char text[CLOCK_TEXT];

    if ( host )
    {
        put_text(file, host);
        fputs(", ", file);
    }
    if ( xen )
    {
        fputs("Xen ", file);
        put_text(file, xen);
        fputs(", ", file);
    }
    if ( recording->clocks.utc_known )
    {
        clock_format_utc(
            clocks_utc(&recording->clocks, recording->clocks.start), 0, text);
        fprintf(file, "%s, ", text);
    }
    clock_format_length(recording_since(recording, recording->last), text);
    fputs(text, file);
}

/* How much of it is in the picture, and what is not. */
static void put_sums(const struct flame_svg *svg, FILE *file)
{
    const struct recording *recording = svg->report->recording;
    const struct flame *flame = svg->flame;
    char text[CLOCK_TEXT];

    clock_format_length(flame->total, text);
    fprintf(file, "Drawn: %s of pCPU time, %.2f %% of all.", text,
            tree_percent(flame->tree, flame->total));
    clock_format_length(flame->idle.time, text);
    if ( flame->idle.time )
        fprintf(file, " Not drawn: %s idle.", text);
    fprintf(file, " Samples: %" PRIu64 " read, %" PRIu64 " lost.",
            recording->read,
            recording_lost_all(recording) + recording_unreadable(recording));
    if ( flame->narrow )
        fprintf(file, " %zu frames under 0.1 px (%.2f %% of all) are left out.",
                flame->narrow, tree_percent(flame->tree, flame->narrow_own));
}

static void put_key(FILE *file)
{
    static const struct {
        unsigned int colour, x;
        const char *text;
    } keys[] = {
        {XENOPROF_MODE_XEN, SIDE, "Xen"},
        {XENOPROF_MODE_KERNEL, SIDE + 56, "kernel"},
        {XENOPROF_MODE_USER, SIDE + 128, "user"},
        {XENOPROF_MODE_IDLE, SIDE + 188, "idle or not known"},
    };

    for ( size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++ )
        fprintf(file,
                "<rect class=\"c%u\" x=\"%u\" y=\"69\" width=\"12\" "
                "height=\"12\" rx=\"2\"/><text class=\"key\" x=\"%u\" "
                "y=\"79\">%s</text>\n",
                keys[i].colour, keys[i].x, keys[i].x + 17, keys[i].text);
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

static void put_begin(const struct flame_svg *svg, FILE *file)
{
    unsigned int high = height(svg);

    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
            "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"group\" "
            "aria-label=\"flame graph\" data-top=\"%u\" data-rows=\"%" PRIu32
            "\" data-form=\"%s\">\n",
            WIDTH, high, WIDTH, high, TOP, svg->flame->rows,
            svg->icicle ? "icicle" : "flame");
    fputs("<style><![CDATA[\n", file);
    embedded_put(embedded_flame_style, file);
    fputs("]]></style>\n", file);
    fprintf(file,
            "<rect id=\"paper\" class=\"paper\" width=\"%u\" height=\"%u\"/>\n",
            WIDTH, high);
}

static void put_header(const struct flame_svg *svg, FILE *file)
{
    fprintf(file, "<text class=\"title\" x=\"%u\" y=\"26\">", SIDE);
    put_text(file, svg->report->name);
    fprintf(file, "</text>\n<text class=\"facts\" x=\"%u\" y=\"44\">", SIDE);
    put_host(svg, file);
    fprintf(file, "</text>\n<text class=\"facts\" x=\"%u\" y=\"60\">", SIDE);
    put_sums(svg, file);
    fputs("</text>\n", file);
    put_key(file);
    put_tools(file);
}

bool flame_svg_put(const struct flame_svg *svg, FILE *file)
{
    const struct flame *flame = svg->flame;

    put_begin(svg, file);
    put_header(svg, file);
    for ( size_t i = 0; i < flame->count; i++ )
        if ( !put_frame(svg, &flame->frames[i], file) )
            return false;
    fprintf(file,
            "<text id=\"status\" class=\"status\" x=\"%u\" y=\"%u\">%s</text>\n"
            "<script><![CDATA[\n",
            SIDE, height(svg) - 12,
            flame->count ? "" : "No samples: there is nothing to draw.");
    embedded_put(embedded_flame_script, file);
    fputs("]]></script>\n</svg>\n", file);
    return true;
}
