/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of a module: Xen's as Xen spells them, and ours. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assemble-kit.h"

static const char *const optional[] = {
#define XEN_OPTIONAL(name) #name,
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};

/* Why Xen's loader would refuse a symbol of that name. */
static void check_symbol(const char *name, const GElf_Sym *symbol)
{
    unsigned int type = GELF_ST_TYPE(symbol->st_info);

    if ( strlen(name) > 127 )
        test_fail(__FILE__, __LINE__, "%s is too long for Xen", name);
    if ( symbol->st_shndx == SHN_COMMON )
        test_fail(__FILE__, __LINE__, "%s is common", name);
    if ( !*name || type == STT_FILE || type == STT_SECTION )
        return;
    if ( symbol->st_shndx == SHN_UNDEF )
    {
        if ( !strncmp(name, PREFIX, strlen(PREFIX)) )
            test_fail(__FILE__, __LINE__, "%s is nobody's", name);
    }
    else if ( strncmp(name, PREFIX, strlen(PREFIX)) )
        test_fail(__FILE__, __LINE__, "%s may be a name of Xen's too", name);
}

TEST(every_symbol_is_xens_or_ours)
{
    struct assembled object;
    GElf_Sym symbol;
    const char *name;
    unsigned int imports = 0, ours = 0;

    assembled_make(&object, "", "", 20);
    for ( int i = 1; (name = assembled_symbol(&object, i, &symbol)); i++ )
    {
        check_symbol(name, &symbol);
        imports += symbol.st_shndx == SHN_UNDEF;
        ours += !strcmp(name, PREFIX "xenoprof_load_hook");
    }
    assembled_close(&object);
    CHECK(imports > 40);
    CHECK_EQ(ours, 1);
}

static bool imports(const struct assembled *object, const char *wanted)
{
    GElf_Sym symbol;
    const char *name;

    for ( int i = 1; (name = assembled_symbol(object, i, &symbol)); i++ )
        if ( symbol.st_shndx == SHN_UNDEF && !strcmp(name, wanted) )
            return true;
    return false;
}

TEST(statics_are_spelled_with_their_file)
{
    struct assembled object;

    assembled_make(&object, "", "", 20);
    CHECK(imports(&object, STATICS "softirq_handlers"));
    CHECK(imports(&object, STATICS "saved_nmi_callback"));
    CHECK(imports(&object, "arch/x86/traps.c#nmi_callback"));
    CHECK(imports(&object, "printk"));
    CHECK(!imports(&object, "nmi_callback"));
    assembled_close(&object);
}

/* Xen's own xenoprof and the watchdog have statics of that name as well. */
TEST(the_right_one_of_several_statics)
{
    struct assembled object;

    assembled_make(
        &object, "",
        "ffff82d040300000 t arch/x86/oprofile/nmi_int.c#nmi_callback", 20);
    CHECK(imports(&object, "arch/x86/traps.c#nmi_callback"));
    assembled_close(&object);
}

static void check_refused(const char *left_out, const char *extra,
                          const char *symbol)
{
    struct xen_image image;
    int result;

    assembled_image(&image, left_out, extra);
    result = assembled_with(&image, 20);
    xen_image_close(&image);
    CHECK_EQ(result, -ENOENT);
    if ( !strstr(assembled_error, symbol) )
        test_fail(__FILE__, __LINE__, "'%s' does not name %s", assembled_error,
                  symbol);
    if ( !access(assembled_output, F_OK) )
        test_fail(__FILE__, __LINE__, "%s is left behind", assembled_output);
}

TEST(a_missing_symbol_is_named)
{
    check_refused("open_softirq", "", "open_softirq");
}

TEST(an_ambiguous_symbol_is_named)
{
    check_refused("", "ffff82d040300000 b common/other.c#softirq_handlers",
                  "softirq_handlers");
}

static void check_is_zero(const struct assembled *object, const char *wanted)
{
    GElf_Sym symbol;
    const char *name;

    for ( int i = 1; (name = assembled_symbol(object, i, &symbol)); i++ )
    {
        if ( strcmp(name, wanted) )
            continue;
        CHECK_EQ(symbol.st_shndx, SHN_ABS);
        CHECK_EQ(symbol.st_value, 0);
        return;
    }
    test_fail(__FILE__, __LINE__, "there is no %s", wanted);
}

TEST(an_optional_symbol_becomes_zero)
{
    for ( size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++ )
    {
        struct assembled object;
        char name[128];

        assembled_make(&object, optional[i], "", 20);
        snprintf(name, sizeof(name), PREFIX "no-%s", optional[i]);
        check_is_zero(&object, name);
        assembled_close(&object);
    }
}

/* As Xen has it from 4.22 on. */
TEST(where_a_guests_run_ends_is_found_in_the_code)
{
    static const uint8_t code[] = {
        0x0f, 0x01, 0xd8, /* vmrun */
        0x0f, 0x01, 0xdc, /* stgi */
        0xc3,             /* ret */
    };
    struct assembled object;
    struct xen_image image;
    GElf_Sym symbol, found = {0};
    const char *name;
    uint64_t start;

    assembled_image(&image, "svm_stgi_label", "");
    start = xen_image_find(&image, "svm_asm_do_resume")->address;
    image.text = (struct xen_range){start, code, sizeof(code)};
    CHECK_EQ(assembled_with(&image, 20), 0);
    xen_image_close(&image);
    assembled_open(&object, assembled_output);
    for ( int i = 1; (name = assembled_symbol(&object, i, &symbol)); i++ )
        if ( !strcmp(name, PREFIX "at-svm_stgi_label") )
            found = symbol;
    CHECK_EQ(found.st_shndx, SHN_ABS);
    CHECK_EQ(found.st_value, start + 6);
    assembled_close(&object);
    unlink(assembled_output);
}

/* The first byte of what stands in for a thunk that Xen lacks. */
static uint8_t own_thunk(const char *thunk)
{
    struct assembled object;
    GElf_Sym symbol, own = {0}, import = {0};
    char xens[64], ours[64], imported[80];
    const char *name;
    const uint8_t *code;
    uint8_t first;

    snprintf(xens, sizeof(xens), "__x86_%s", thunk);
    snprintf(ours, sizeof(ours), PREFIX "xenoprof_%s", thunk);
    snprintf(imported, sizeof(imported), PREFIX "own-%s", xens);
    assembled_make(&object, xens, "", 20);
    for ( int i = 1; (name = assembled_symbol(&object, i, &symbol)); i++ )
    {
        check_symbol(name, &symbol);
        if ( !strcmp(name, imported) )
            import = symbol;
        if ( !strcmp(name, ours) )
            own = symbol;
    }
    CHECK(own.st_shndx != SHN_UNDEF);
    CHECK_EQ(import.st_shndx, own.st_shndx);
    CHECK_EQ(import.st_value, own.st_value);
    code = elf_getdata(assembled_section(&object, ".text"), NULL)->d_buf;
    first = code[own.st_value];
    assembled_close(&object);
    return first;
}

TEST(a_missing_thunk_is_the_objects_own)
{
    CHECK_EQ(own_thunk("return_thunk"), 0xc3);       /* ret */
    CHECK_EQ(own_thunk("indirect_thunk_rax"), 0xff); /* jmp *%rax */
}
