/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a survey says is missing.  That it finds all that there is in a real
 * hypervisor is test-boot-file-xen-syms.c's. */
#include <stdlib.h>
#include <string.h>

#include "assemble-kit.h"
#include "module/survey.h"

static char *text;
static struct failure failure;

/* Surveys a hypervisor without code, which has what the module imports. */
static int survey_as(struct survey asked, const char *left_out,
                     const char *extra)
{
    struct xen_image image;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int status;

    asked.image = &image;
    asked.object = OBJECT;
    failure = (struct failure){0};
    assembled_image(&image, left_out, extra);
    status = survey_print(&asked, &(struct answer_list){.out = out}, &failure);
    fclose(out);
    xen_image_close(&image);
    return status;
}

static int survey(const char *left_out, const char *extra)
{
    return survey_as((struct survey){0}, left_out, extra);
}

static void check_line(const char *line)
{
    if ( !strstr(text, line) )
        test_fail(__FILE__, __LINE__, "there is no '%s' in:\n%s", line, text);
}

TEST(survey_of_symbols_alone)
{
    CHECK_EQ(
        survey("ASSERT_NOT_IN_ATOMIC", "ffff82d040300000 T livepatch_op\n"),
        STATUS_NO_FACTS);
    check_line("release build     yes ");
    check_line("livepatches       yes  CONFIG_LIVEPATCH\n");
    check_line("hypfs             yes  CONFIG_HYPFS\n");
    check_line("module's symbols  yes  all that the module needs\n");
    check_line("samples           no   0 of ");
    check_line("guests' stacks    note 0 of ");
    check_line(" p2m_domain.phys_table");
    check_line(
        "who waited        note 0 of 5 things that it takes were found in Xen; who waited, for what, or where, "
        "is not known without: domain.next_in_list vcpu.pause_flags "
        "vcpu.arch.user_regs vcpu.dirty_cpu vcpu.poll_evtchn\n");
    /* It has no function of Intel's virtualization. */
    check_line("why guests exit   yes  this Xen has none\n");
    check_line("Xen's stacks      note ");
    CHECK_TEXT(failure.text, "");
    free(text);
}

/* A debug build alone is no reason to refuse.  The first that is missing is the
 * exit status; the others are printed too. */
TEST(survey_of_a_debug_build)
{
    CHECK_EQ(survey("hypfs_root", ""), STATUS_NO_LIVEPATCH);
    check_line("release build     note a debug build (debug=y)");
    check_line("livepatches       no   build the hypervisor with CONFIG_LIVE");
    check_line("hypfs             no   build the hypervisor with CONFIG_HYPFS");
    check_line("module's symbols  no ");
    check_line("no symbol hypfs_root");
    free(text);
}

TEST(survey_of_a_build_without_hvm_guests)
{
    survey("hvm_domain_initialise", "");
    check_line("; this Xen runs no HVM or PVH guests\n");
    if ( strstr(text, "p2m_domain.") || strstr(text, "no PV guests") )
        test_fail(__FILE__, __LINE__, "that is no lack:\n%s", text);
    free(text);
    survey("svm_asm_do_resume", "");
    check_line("AMD's guests      yes  this Xen runs none with AMD's");
    free(text);
}

/* Only a hypervisor that runs has a host. */
TEST(survey_of_a_host_whose_memory_has_holes)
{
    survey("", "");
    if ( strstr(text, "\nmemory ") )
        test_fail(__FILE__, __LINE__, "there is no host:\n%s", text);
    free(text);
    CHECK_EQ(survey_as((struct survey){.running = true}, "", ""),
             STATUS_NO_FACTS);
    check_line("\nmemory            yes  all of it is in Xen's tables\n");
    free(text);
    CHECK_EQ(
        survey_as((struct survey){.running = true, .has_holes = true}, "", ""),
        STATUS_REFUSED);
    check_line(
        "\nmemory            no   Xen leaves holes of this host's memory "
        "out of its tables");
    check_line("pdx-compress=no");
    free(text);
}

TEST(survey_of_a_host_that_stops_at_nmis)
{
    survey_as((struct survey){.running = true, .nmi = 'd'}, "", "");
    check_line("\nunknown NMIs      yes  dom0 is told of them");
    free(text);
    survey_as((struct survey){.running = true, .nmi = 'f'}, "", "");
    check_line("\nunknown NMIs      note they are fatal on this host");
    free(text);
}
