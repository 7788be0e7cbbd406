/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a module's object stays as it is, and what is filled in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assemble-kit.h"

static const char *const optional[] = {
#define XEN_OPTIONAL(name) #name,
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};

static bool is_optional(const char *name)
{
    for ( size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++ )
        if ( !strcmp(optional[i], name) )
            return true;
    return false;
}

/* An instruction cannot reach 0: such a module would be refused. */
static void check_relocation(const struct assembled *object,
                             const GElf_Rela *rela)
{
    static const int known[] = {R_X86_64_64, R_X86_64_PC32, R_X86_64_PLT32};
    GElf_Sym symbol;
    const char *name = assembled_symbol(object, GELF_R_SYM(rela->r_info),
                                        &symbol);
    int type = GELF_R_TYPE(rela->r_info);

    CHECK(name);
    if ( type != known[0] && type != known[1] && type != known[2] )
        test_fail(__FILE__, __LINE__, "relocation type %d, of %s", type, name);
    if ( is_optional(name) && type != R_X86_64_64 )
        test_fail(__FILE__, __LINE__, "%s is reached by an instruction", name);
}

static void check_section(const struct assembled *object, Elf_Scn *section)
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
        struct assembled object;
        Elf_Scn *section = NULL;

        assembled_open(&object, files[i]);
        while ( (section = elf_nextscn(object.elf, section)) )
            check_section(&object, section);
        assembled_close(&object);
    }
}

static void check_note(const struct assembled *object, const char *name,
                       uint8_t byte, size_t id_size)
{
    Elf_Data *data = elf_getdata(assembled_section(object, name), NULL);
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
        struct assembled object;

        assembled_make(&object, "", "", sizes[i]);
        check_note(&object, ".livepatch.xen_depends", 0x11, sizes[i]);
        check_note(&object, ".note.gnu.build-id", 0x22, sizes[i]);
        check_note(&object, ".livepatch.depends", 0x33, sizes[i]);
        assembled_close(&object);
    }
}

TEST(facts_are_filled_in)
{
    struct assembled object;
    Elf_Data *data;

    assembled_make(&object, "", "", 20);
    data = elf_getdata(assembled_section(&object, ".xenoprof.facts"), NULL);
    CHECK(data);
    CHECK_EQ(data->d_size, sizeof(assembled_facts));
    CHECK_EQ(memcmp(data->d_buf, &assembled_facts, sizeof(assembled_facts)), 0);
    assembled_close(&object);
}

/* The code is the object's own, byte for byte. */
TEST(the_rest_is_left_alone)
{
    static const char *const names[] = {".text", ".rela.text",
                                        ".livepatch.hooks.load"};
    struct assembled before, after;

    assembled_open(&before, OBJECT);
    assembled_make(&after, "", "", 16);
    for ( size_t i = 0; i < sizeof(names) / sizeof(*names); i++ )
    {
        Elf_Data *was = elf_rawdata(assembled_section(&before, names[i]), NULL);
        Elf_Data *is = elf_rawdata(assembled_section(&after, names[i]), NULL);

        CHECK(was && is && was->d_size && was->d_size == is->d_size);
        CHECK_EQ(memcmp(was->d_buf, is->d_buf, was->d_size), 0);
    }
    assembled_close(&before);
    assembled_close(&after);
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

static void check_at_start(const struct assembled *object, const char *wanted,
                           const char *section)
{
    GElf_Sym symbol;
    const char *name;

    for ( int i = 1; (name = assembled_symbol(object, i, &symbol)); i++ )
        if ( !strcmp(name, wanted) )
        {
            CHECK_EQ(symbol.st_shndx,
                     elf_ndxscn(assembled_section(object, section)));
            CHECK_EQ(symbol.st_value, 0);
            return;
        }
    test_fail(__FILE__, __LINE__, "there is no %s", wanted);
}

/* Far larger than the room in the object. */
#define TABLE_SIZE 150000u

TEST(the_unwind_table_is_in_its_section)
{
    struct assembled object;
    GElf_Shdr header;
    Elf_Scn *section;
    Elf_Data *data;

    assembled_unwind = calloc(1, TABLE_SIZE);
    CHECK(assembled_unwind);
    memset(assembled_unwind, 0x55, TABLE_SIZE);
    assembled_unwind->size = TABLE_SIZE;
    assembled_make(&object, "", "", 20);
    section = assembled_section(&object, ".xenoprof.unwind");
    CHECK(gelf_getshdr(section, &header));
    CHECK_EQ(header.sh_size, TABLE_SIZE);
    CHECK_EQ(header.sh_flags, SHF_ALLOC);
    CHECK_EQ(header.sh_addralign % 8, 0);
    data = elf_getdata(section, NULL);
    CHECK(data && data->d_size == TABLE_SIZE);
    CHECK(!memcmp(data->d_buf, assembled_unwind, TABLE_SIZE));
    check_at_start(&object, PREFIX "unwind_table", ".xenoprof.unwind");
    check_at_start(&object, PREFIX "module_text_start", ".text");
    assembled_close(&object);
    free(assembled_unwind);
    assembled_unwind = NULL;
}
