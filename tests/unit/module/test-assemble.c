/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module object of this build, completed for a hypervisor with just the
 * symbols that we list, and read back as Xen's loader reads it. */
#include "module/assemble.h"
#include "tests/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OBJECT  "xenoprof-module.o"
#define PREFIX  "xenoprof."
#define STATICS "arch/x86/somewhere.c#"

static const char *const optional[] = {
#define XEN_OPTIONAL(name) #name,
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};

/* As Xen 4.17 and 4.20 have them. */
static const char *const statics[] = {
    "acpi_idle_do_entry", "mwait_idle",         "nmi_p6_event_width",
    "nmi_perfctr_msr",    "saved_nmi_callback", "softirq_handlers",
};

struct object {
    int file;
    Elf *elf;
    GElf_Shdr symbols_header;
    Elf_Data *symbols;
};

static void open_object(struct object *object, const char *path)
{
    Elf_Scn *section = NULL;

    elf_version(EV_CURRENT);
    object->file = open(path, O_RDONLY | O_CLOEXEC);
    if ( object->file < 0 )
        test_fail(__FILE__, __LINE__, "%s: %s; run `make %s`", path,
                  strerror(errno), OBJECT);
    object->elf = elf_begin(object->file, ELF_C_READ, NULL);
    CHECK(object->elf);
    object->symbols = NULL;
    while ( (section = elf_nextscn(object->elf, section)) )
    {
        GElf_Shdr header;

        CHECK(gelf_getshdr(section, &header));
        if ( header.sh_type != SHT_SYMTAB )
            continue;
        CHECK(!object->symbols); /* Xen takes only one */
        object->symbols_header = header;
        object->symbols = elf_getdata(section, NULL);
    }
    CHECK(object->symbols);
}

static void close_object(struct object *object)
{
    elf_end(object->elf);
    close(object->file);
}

/* Returns the symbol, or NULL if there is none of that name. */
static const char *symbol_at(const struct object *object, int index,
                             GElf_Sym *symbol)
{
    const char *name;

    if ( !gelf_getsym(object->symbols, index, symbol) )
        return NULL;
    name = elf_strptr(object->elf, object->symbols_header.sh_link,
                      symbol->st_name);
    CHECK(name);
    return name;
}

static Elf_Scn *section_named(const struct object *object, const char *wanted)
{
    Elf_Scn *section = NULL;
    size_t strings;

    CHECK_EQ(elf_getshdrstrndx(object->elf, &strings), 0);
    while ( (section = elf_nextscn(object->elf, section)) )
    {
        GElf_Shdr header;

        CHECK(gelf_getshdr(section, &header));
        if ( !strcmp(elf_strptr(object->elf, strings, header.sh_name), wanted) )
            return section;
    }
    test_fail(__FILE__, __LINE__, "there is no section %s", wanted);
}

static bool is_in(const char *const *list, size_t count, const char *name)
{
    for ( size_t i = 0; i < count; i++ )
        if ( !strcmp(list[i], name) )
            return true;
    return false;
}

#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof(*(list)), name)

/*
 * A hypervisor with everything that the object needs, except what is left out.
 */
static void make_image(struct xen_image *image, const char *left_out,
                       const char *extra)
{
    struct xen_range nothing = {0};
    struct object object;
    GElf_Sym symbol;
    const char *name;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    open_object(&object, OBJECT);
    for ( int i = 1; (name = symbol_at(&object, i, &symbol)); i++ )
    {
        if ( symbol.st_shndx != SHN_UNDEF || !strcmp(name, left_out) )
            continue;
        if ( !strcmp(name, "nmi_callback") )
            fprintf(file, "ffff82d0402%05x b arch/x86/traps.c#%s\n", i, name);
        else
            fprintf(file, "ffff82d0402%05x T %s%s\n", i,
                    IS_IN(statics, name) ? STATICS : "", name);
    }
    fputs(extra, file);
    fclose(file);
    close_object(&object);
    CHECK_EQ(xen_image_open_text(image, &nothing, text, size), 0);
    free(text);
}

static char error[ASSEMBLE_ERROR_MAX];
static char output[64];
static struct xenoprof_facts facts;
static struct xenoprof_unwind *unwind; /* NULL: none */

static int assemble_with(const struct xen_image *image, size_t id_size)
{
    struct assemble_order order = {
        .object = OBJECT,
        .output = output,
        .image = image,
        .facts = &facts,
        .unwind = unwind,
    };
    int file;

    strcpy(output, "/tmp/xenoprof-test-XXXXXX");
    file = mkstemp(output);
    CHECK(file >= 0);
    close(file);
    order.xen.size = order.own.size = order.depends.size = id_size;
    memset(order.xen.bytes, 0x11, id_size);
    memset(order.own.bytes, 0x22, id_size);
    memset(order.depends.bytes, 0x33, id_size);
    memset(&facts, 0x44, sizeof(facts));
    error[0] = 0;
    return assemble(&order, error);
}

static void assemble_well(struct object *object, const char *left_out,
                          const char *extra, size_t id_size)
{
    struct xen_image image;
    int result;

    make_image(&image, left_out, extra);
    result = assemble_with(&image, id_size);
    xen_image_close(&image);
    if ( result )
        test_fail(__FILE__, __LINE__, "assemble() is %d: %s", result, error);
    open_object(object, output);
    unlink(output);
}

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
    struct object object;
    GElf_Sym symbol;
    const char *name;
    unsigned int imports = 0, ours = 0;

    assemble_well(&object, "", "", 20);
    for ( int i = 1; (name = symbol_at(&object, i, &symbol)); i++ )
    {
        check_symbol(name, &symbol);
        imports += symbol.st_shndx == SHN_UNDEF;
        ours += !strcmp(name, PREFIX "xenoprof_load_hook");
    }
    close_object(&object);
    CHECK(imports > 40);
    CHECK_EQ(ours, 1);
}

static bool imports(const struct object *object, const char *wanted)
{
    GElf_Sym symbol;
    const char *name;

    for ( int i = 1; (name = symbol_at(object, i, &symbol)); i++ )
        if ( symbol.st_shndx == SHN_UNDEF && !strcmp(name, wanted) )
            return true;
    return false;
}

TEST(statics_are_spelled_with_their_file)
{
    struct object object;

    assemble_well(&object, "", "", 20);
    CHECK(imports(&object, STATICS "softirq_handlers"));
    CHECK(imports(&object, STATICS "saved_nmi_callback"));
    CHECK(imports(&object, "arch/x86/traps.c#nmi_callback"));
    CHECK(imports(&object, "printk"));
    CHECK(!imports(&object, "nmi_callback"));
    close_object(&object);
}

/* Xen's own xenoprof and the watchdog have statics of that name as well. */
TEST(the_right_one_of_several_statics)
{
    struct object object;

    assemble_well(&object, "",
                  "ffff82d040300000 t arch/x86/oprofile/nmi_int.c#nmi_callback",
                  20);
    CHECK(imports(&object, "arch/x86/traps.c#nmi_callback"));
    close_object(&object);
}

static void check_refused(const char *left_out, const char *extra,
                          const char *symbol)
{
    struct xen_image image;
    int result;

    make_image(&image, left_out, extra);
    result = assemble_with(&image, 20);
    xen_image_close(&image);
    CHECK_EQ(result, -ENOENT);
    if ( !strstr(error, symbol) )
        test_fail(__FILE__, __LINE__, "'%s' does not name %s", error, symbol);
    if ( !access(output, F_OK) )
        test_fail(__FILE__, __LINE__, "%s is left behind", output);
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

static void check_is_zero(const struct object *object, const char *wanted)
{
    GElf_Sym symbol;
    const char *name;

    for ( int i = 1; (name = symbol_at(object, i, &symbol)); i++ )
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
        struct object object;
        char name[128];

        assemble_well(&object, optional[i], "", 20);
        snprintf(name, sizeof(name), PREFIX "no-%s", optional[i]);
        check_is_zero(&object, name);
        close_object(&object);
    }
}

TEST(a_missing_return_thunk_is_the_objects_own)
{
    struct object object;
    GElf_Sym symbol, own = {0}, import = {0};
    const char *name;
    const uint8_t *code;

    assemble_well(&object, "__x86_return_thunk", "", 20);
    for ( int i = 1; (name = symbol_at(&object, i, &symbol)); i++ )
    {
        check_symbol(name, &symbol);
        if ( !strcmp(name, PREFIX "own-__x86_return_thunk") )
            import = symbol;
        if ( !strcmp(name, PREFIX "xenoprof_return_thunk") )
            own = symbol;
    }
    CHECK(own.st_shndx != SHN_UNDEF);
    CHECK_EQ(import.st_shndx, own.st_shndx);
    CHECK_EQ(import.st_value, own.st_value);
    code = elf_getdata(section_named(&object, ".text"), NULL)->d_buf;
    CHECK_EQ(code[own.st_value], 0xc3); /* ret */
    close_object(&object);
}

/* An instruction cannot reach 0: such a module would be refused. */
static void check_relocation(const struct object *object, const GElf_Rela *rela)
{
    static const int known[] = {R_X86_64_64, R_X86_64_PC32, R_X86_64_PLT32};
    GElf_Sym symbol;
    const char *name = symbol_at(object, GELF_R_SYM(rela->r_info), &symbol);
    int type = GELF_R_TYPE(rela->r_info);

    CHECK(name);
    if ( type != known[0] && type != known[1] && type != known[2] )
        test_fail(__FILE__, __LINE__, "relocation type %d, of %s", type, name);
    if ( IS_IN(optional, name) && type != R_X86_64_64 )
        test_fail(__FILE__, __LINE__, "%s is reached by an instruction", name);
}

static void check_section(const struct object *object, Elf_Scn *section)
{
    GElf_Shdr header;
    GElf_Rela rela;

    CHECK(gelf_getshdr(section, &header));
    CHECK(header.sh_type != SHT_REL);
    if ( header.sh_flags & SHF_ALLOC )
        CHECK((header.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) !=
              (SHF_WRITE | SHF_EXECINSTR));
    if ( header.sh_type != SHT_RELA )
        return;
    for ( int i = 0; gelf_getrela(elf_getdata(section, NULL), i, &rela); i++ )
        check_relocation(object, &rela);
}

TEST(sections_and_relocations_are_what_xen_takes)
{
    static const char *const files[] = {OBJECT, "xenoprof-probe.o",
                                        "xenoprof-empty.o"};

    for ( size_t i = 0; i < sizeof(files) / sizeof(*files); i++ )
    {
        struct object object;
        Elf_Scn *section = NULL;

        open_object(&object, files[i]);
        while ( (section = elf_nextscn(object.elf, section)) )
            check_section(&object, section);
        close_object(&object);
    }
}

static void check_note(const struct object *object, const char *name,
                       uint8_t byte, size_t id_size)
{
    Elf_Data *data = elf_getdata(section_named(object, name), NULL);
    GElf_Nhdr note;
    size_t at_name, at_id;

    CHECK(data);
    /* Only one of the three has the type of a note: libelf reads it as one. */
    data->d_type = ELF_T_NHDR;
    CHECK_EQ(data->d_size, 16 + id_size);
    CHECK(gelf_getnote(data, 0, &note, &at_name, &at_id));
    CHECK_EQ(note.n_type, 3);
    CHECK_TEXT((const char *)data->d_buf + at_name, "GNU");
    CHECK_EQ(note.n_descsz, id_size);
    for ( size_t i = 0; i < id_size; i++ )
        CHECK_EQ(((const uint8_t *)data->d_buf)[at_id + i], byte);
}

/* 16 bytes: the hypervisor was started as xen.efi. */
TEST(notes_have_the_build_ids)
{
    static const size_t sizes[] = {20, 16, XEN_IMAGE_BUILD_ID_MAX};

    for ( size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++ )
    {
        struct object object;

        assemble_well(&object, "", "", sizes[i]);
        check_note(&object, ".livepatch.xen_depends", 0x11, sizes[i]);
        check_note(&object, ".note.gnu.build-id", 0x22, sizes[i]);
        check_note(&object, ".livepatch.depends", 0x33, sizes[i]);
        close_object(&object);
    }
}

TEST(facts_are_filled_in)
{
    struct object object;
    Elf_Data *data;

    assemble_well(&object, "", "", 20);
    data = elf_getdata(section_named(&object, ".xenoprof.facts"), NULL);
    CHECK(data);
    CHECK_EQ(data->d_size, sizeof(facts));
    CHECK_EQ(memcmp(data->d_buf, &facts, sizeof(facts)), 0);
    close_object(&object);
}

/* The code is the object's own, byte for byte. */
TEST(the_rest_is_left_alone)
{
    static const char *const names[] = {".text", ".rela.text",
                                        ".livepatch.hooks.load"};
    struct object before, after;

    open_object(&before, OBJECT);
    assemble_well(&after, "", "", 16);
    for ( size_t i = 0; i < sizeof(names) / sizeof(*names); i++ )
    {
        Elf_Data *was = elf_rawdata(section_named(&before, names[i]), NULL);
        Elf_Data *is = elf_rawdata(section_named(&after, names[i]), NULL);

        CHECK(was && is && was->d_size && was->d_size == is->d_size);
        CHECK_EQ(memcmp(was->d_buf, is->d_buf, was->d_size), 0);
    }
    close_object(&before);
    close_object(&after);
}

static void check_no_object(const char *path, int wanted)
{
    struct xen_image image = {0};
    struct assemble_order order = {
        .object = path, .output = "test-assemble.out", .image = &image};
    char text[ASSEMBLE_ERROR_MAX] = "";

    CHECK_EQ(assemble(&order, text), wanted);
    if ( !strstr(text, path) )
        test_fail(__FILE__, __LINE__, "'%s' does not name %s", text, path);
    CHECK(access(order.output, F_OK));
}

TEST(files_that_are_not_objects)
{
    check_no_object("/nonexistent.o", -ENOENT);
    check_no_object("/proc/self/cmdline", -ENOEXEC);
    check_no_object("config.status", -ENOEXEC);
}

static void check_at_start(const struct object *object, const char *wanted,
                           const char *section)
{
    GElf_Sym symbol;
    const char *name;

    for ( int i = 1; (name = symbol_at(object, i, &symbol)); i++ )
        if ( !strcmp(name, wanted) )
        {
            CHECK_EQ(symbol.st_shndx,
                     elf_ndxscn(section_named(object, section)));
            CHECK_EQ(symbol.st_value, 0);
            return;
        }
    test_fail(__FILE__, __LINE__, "there is no %s", wanted);
}

/* Far larger than the room in the object. */
#define TABLE_SIZE 150000u

TEST(the_unwind_table_is_in_its_section)
{
    struct object object;
    GElf_Shdr header;
    Elf_Scn *section;
    Elf_Data *data;

    unwind = calloc(1, TABLE_SIZE);
    CHECK(unwind);
    memset(unwind, 0x55, TABLE_SIZE);
    unwind->size = TABLE_SIZE;
    assemble_well(&object, "", "", 20);
    section = section_named(&object, ".xenoprof.unwind");
    CHECK(gelf_getshdr(section, &header));
    CHECK_EQ(header.sh_size, TABLE_SIZE);
    CHECK_EQ(header.sh_flags, SHF_ALLOC);
    CHECK_EQ(header.sh_addralign % 8, 0);
    data = elf_getdata(section, NULL);
    CHECK(data && data->d_size == TABLE_SIZE);
    CHECK(!memcmp(data->d_buf, unwind, TABLE_SIZE));
    check_at_start(&object, PREFIX "unwind_table", ".xenoprof.unwind");
    check_at_start(&object, PREFIX "module_text_start", ".text");
    close_object(&object);
    free(unwind);
    unwind = NULL;
}
