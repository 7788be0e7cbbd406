/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where code is found: in files, which may be others than what ran, and in boot
 * images.
 */
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "libxenoprof/session/session-attributes.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"
#include "tests/unit/module/boot-file-kit.h"
#include "tests/unit/report/code/code-kit.h"

/* This program is a file whose code is known: it is here. */
__attribute__((noinline, used)) static int known_function(int number)
{
    return number * 3 + 1;
}

static void check_known(void)
{
    CHECK(kit.code.size > 4);
    CHECK(!memcmp(kit.code.bytes, (const void *)(uintptr_t)known_function,
                  kit.code.size));
}

static void own_path(char ret[PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", ret, PATH_MAX - 1);

    CHECK(size > 0);
    ret[size] = '\0';
}

TEST(the_file_of_a_program)
{
    uint64_t start = (uintptr_t)known_function, offset;
    char path[PATH_MAX], boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

    if ( !file )
        test_skip("there is no boot id here");
    CHECK(fscanf(file, "%63s", boot) == 1);
    fclose(file);
    code_kit_begin();
    own_path(path);
    add_attribute(SESSION_ATTRIBUTE_BOOT, boot);
    add_samples(XENOPROF_MODE_USER, path, "known_function", start, 2);
    kit.shelf.root = "";
    CHECK_EQ(known_function(2), 7);
    CHECK_EQ(
        code_find(&kit.shelf, function_of("known*"), &kit.code, &kit.failure),
        0);
    check_known();
    CHECK_TEXT(code_name(&kit.code, start + 3, &offset), "known_function");
    CHECK_EQ(offset, 3);
    code_free(&kit.code);
    /* Since another boot it may be another file. */
    kit.loaded.attributes.count = 0;
    add_attribute(SESSION_ATTRIBUTE_BOOT, BOOT);
    CHECK_EQ(
        code_find(&kit.shelf, function_of("known*"), &kit.code, &kit.failure),
        0);
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
}

TEST(the_kernel_of_a_release)
{
    uint64_t start = (uintptr_t)known_function;
    char path[PATH_MAX], link[2 * PATH_MAX];

    code_kit_begin();
    own_path(path);
    add_attribute(SESSION_ATTRIBUTE_BOOT, BOOT);
    add_attribute(SESSION_ATTRIBUTE_KERNEL, "Linux 6.1.0-test");
    write_text("/boot/vmlinux-6.1.0-test", "no ELF file");
    snprintf(link, sizeof(link), "%s/boot/vmlinuz-6.1.0-test", kit.root);
    CHECK(!symlink(path, link));
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "known_function", start, 0);
    CHECK_EQ(
        code_find(&kit.shelf, function_of("known*"), &kit.code, &kit.failure),
        0);
    check_known();
    CHECK(!kit.code.checked);
    code_free(&kit.code);
    /* The session describes another kernel than the one that runs. */
    add_attribute(SESSION_ATTRIBUTE_GUEST_KERNEL "0",
                  "release=6.1.0-test build-id=00112233445566778899 base=0x0");
    CHECK_EQ(
        code_find(&kit.shelf, function_of("known*"), &kit.code, &kit.failure),
        0);
    CHECK_EQ(kit.code.size, 0);
    kit.given[0] = "0:/none";
    CHECK_EQ(
        code_find(&kit.shelf, function_of("known*"), &kit.code, &kit.failure),
        STATUS_NO_CODE);
    code_kit_end();
}

TEST(the_kernel_in_a_boot_image)
{
    struct fake_form form = {.functions = 3000};
    struct fake_part elf, packed, image;
    char name[FAKE_NAME_MAX], text[2 * PATH_MAX];
    struct fake_kernel fake;
    uint64_t shift = 0x13000000;

    code_kit_begin();
    fake_kernel_open(&fake, &form);
    fake_elf(&fake, &elf);
    fake_pack(&elf, FAKE_XZ, &packed);
    fake_boot_image(&packed, elf.size, &image);
    write_file("/vmlinuz", image.bytes, image.size);
    for ( uint32_t i = 10; i < 14; i++ )
    {
        fake_function_name(&fake, i, name);
        add_samples(XENOPROF_MODE_KERNEL, "kernel", name,
                    fake_function(&fake, i) + shift, 0);
    }
    snprintf(text, sizeof(text), "kernel:%s/vmlinuz", kit.root);
    kit.given[0] = text;
    CHECK_EQ(code_find(&kit.shelf, function_of(name), &kit.code, &kit.failure),
             0);
    CHECK(kit.code.shift == shift);
    CHECK_EQ(kit.code.size, FAKE_FUNCTION);
    CHECK(!memcmp(kit.code.bytes, fake_bytes(&fake, fake_function(&fake, 13)),
                  FAKE_FUNCTION));
    fake_kernel_close(&fake);
    free(elf.bytes);
    free(packed.bytes);
    free(image.bytes);
    code_kit_end();
}

/* As boot loaders get it: no sections, no names, addresses of its own. */
struct fake_xen {
    Elf32_Ehdr header;
    Elf32_Phdr segments[2];
    Elf32_Nhdr note;
    char owner[4];
    uint8_t build_id[8];
    uint8_t bytes[64];
};

static struct fake_xen fake_xen(uint8_t build)
{
    struct fake_xen xen = {
        .header = {.e_ident = {[EI_CLASS] = ELFCLASS32,
                               [EI_DATA] = ELFDATA2LSB,
                               [EI_VERSION] = EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_386,
                   .e_version = EV_CURRENT,
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = 2,
                   .e_phoff = offsetof(struct fake_xen, segments)},
        .segments = {{.p_type = PT_LOAD,
                      .p_vaddr = 0x200000,
                      .p_offset = offsetof(struct fake_xen, bytes),
                      .p_filesz = sizeof(xen.bytes),
                      .p_memsz = sizeof(xen.bytes),
                      .p_flags = PF_R | PF_X},
                     {.p_type = PT_NOTE,
                      .p_vaddr = 0x1000,
                      .p_offset = offsetof(struct fake_xen, note),
                      .p_filesz = 24,
                      .p_memsz = 24,
                      .p_align = 4}},
        .note = {.n_namesz = 4, .n_descsz = 8, .n_type = NT_GNU_BUILD_ID},
        .owner = "GNU",
        .build_id = {build, 1, 2, 3, 4, 5, 6, 7},
    };

    memcpy(xen.header.e_ident, ELFMAG, SELFMAG);
    return xen;
}

static void write_xen(const char *path, uint8_t build)
{
    struct fake_xen xen = fake_xen(build);

    memset(xen.bytes, 0x90, sizeof(xen.bytes));
    xen.bytes[0x20] = 0xf4;
    write_file(path, &xen, sizeof(xen));
}

TEST(the_image_of_xen_that_runs)
{
    uint64_t offset;

    code_kit_begin();
    write_xen("/boot/xen-4.1.gz", 0xaa);
    write_xen("/boot/xen-4.2.gz", 0xbb);
    write_text("/sys/hypervisor/properties/buildid", "bb01020304050607\n");
    write_text("/proc/xen/xensyms", "ffff82d040200000 T _stext\n"
                                    "ffff82d040200010 t arch/a.c#before\n"
                                    "ffff82d040200020 t arch/a.c#run\n"
                                    "ffff82d040200030 t arch/b.c#run\n"
                                    "ffff82d040200038 T last\n");
    add_attribute(SESSION_ATTRIBUTE_BUILD_ID, "bb01020304050607");
    add_samples(XENOPROF_MODE_XEN, "xen", "arch/a.c#run", ADDRESS + 0x20, 4);
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             0);
    CHECK_TEXT(code_file_path(kit.code.file) + strlen(kit.root),
               "/boot/xen-4.2.gz");
    CHECK(kit.code.checked);
    CHECK_EQ(kit.code.size, 0x10);
    CHECK_EQ(kit.code.bytes[0], 0xf4);
    CHECK_TEXT(code_name(&kit.code, ADDRESS + 0x12, &offset),
               "arch/a.c#before");
    code_free(&kit.code);
    code_shelf_free(&kit.shelf);
    kit.shelf = (struct code_shelf){.loaded = &kit.loaded, .root = kit.root};
    write_text("/sys/hypervisor/properties/buildid", "<denied>\n");
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             0);
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
}

/* What boots Xen, packed or not: its code and the table of its symbols. */
static void write_boot_file(const char *path, const char *mode)
{
    struct fake_xen xen = fake_xen(0xbb);
    char whole[2 * PATH_MAX];
    gzFile file;

    write_text(path, "");
    snprintf(whole, sizeof(whole), "%s%s", kit.root, path);
    xen.segments[0].p_offset = sizeof(xen);
    xen.segments[0].p_filesz = xen.segments[0].p_memsz = BOOT_PIECE;
    boot_piece_make(true);
    file = gzopen(whole, mode);
    CHECK(file && gzwrite(file, &xen, sizeof(xen)) == sizeof(xen) &&
          gzwrite(file, boot_piece, BOOT_PIECE) == BOOT_PIECE);
    CHECK(gzclose(file) == Z_OK);
}

TEST(the_file_that_boots_xen_has_its_own_symbols)
{
    static const char *const modes[] = {"wb", "wbT"}; /* packed, or not */
    char given[3 * PATH_MAX];
    uint64_t offset;

    for ( size_t i = 0; i < 2; i++ )
    {
        code_kit_begin();
        write_boot_file("/xen.gz", modes[i]);
        snprintf(given, sizeof(given), "xen:%s/xen.gz", kit.root);
        kit.given[0] = given;
        add_attribute(SESSION_ATTRIBUTE_BUILD_ID, "bb01020304050607");
        add_samples(XENOPROF_MODE_XEN, "xen", "common/file.c#function_5",
                    ADDRESS + 10, 1);
        CHECK_EQ(code_find(&kit.shelf, function_of("function_5"), &kit.code,
                           &kit.failure),
                 0);
        CHECK(kit.code.checked);
        CHECK_EQ(kit.code.size, 2);
        CHECK(!memcmp(kit.code.bytes, boot_piece + 10, 2));
        CHECK_TEXT(code_name(&kit.code, ADDRESS + 12, &offset),
                   "common/file.c#function_6");
        code_kit_end();
    }
}

/* The session brings two bytes of a function, as from an archive. */
static void keep_code(uint8_t mode, const char *image, uint32_t domain,
                      uint64_t start)
{
    static const uint8_t bytes[] = {0x90, 0xc3};
    const struct xenoprof_item item = {.kind = XENOPROF_ITEM_CODE,
                                       .u.code = {.function = {.start = start,
                                                               .image = image,
                                                               .symbol = "run",
                                                               .mode = mode},
                                                  .bytes = bytes,
                                                  .size = sizeof(bytes),
                                                  .file = "/boot/code",
                                                  .length = 1}};

    kept_add(&kit.loaded.code, &kit.loaded.names, domain, &item);
}

TEST(code_that_the_session_has)
{
    uint8_t from;

    code_kit_begin();
    write_xen("/boot/xen-4.2.gz", 0xbb);
    add_attribute(SESSION_ATTRIBUTE_BUILD_ID, "bb01020304050607");
    add_samples(XENOPROF_MODE_XEN, "xen", "run", ADDRESS + 0x20, 1);
    keep_code(XENOPROF_MODE_XEN, "xen", 7, ADDRESS + 0x21);
    keep_code(XENOPROF_MODE_KERNEL, "xen", 0, ADDRESS + 0x20);
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             0);
    CHECK(!kit.code.kept);
    keep_code(XENOPROF_MODE_XEN, "xen", 7, ADDRESS + 0x20);
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             0);
    CHECK(kit.code.kept);
    CHECK_EQ(kit.code.size, 2);
    CHECK_EQ(kit.code.bytes[1], 0xc3);
    CHECK_TEXT(code_origin(&kit.code, &from), "/boot/code");
    CHECK_EQ(from, XENOPROF_CODE_FILE);
    CHECK(!code_has_lines(&kit.code));
    /* A file that is given is what its user wants to see. */
    kit.given[0] = "xen:/none";
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             STATUS_NO_CODE);
    code_kit_end();
}

/* Domain 3 runs dom0's kernel, 0x1000 bytes further on. */
TEST(a_kernel_s_code_is_all_domains)
{
    static const struct {
        uint64_t start;
        uint32_t domain;
        bool found;
    } kept[] = {{KERNEL + 0x1000, 2, false},
                {KERNEL, 3, false},
                {KERNEL + 0x1000, 3, true}};

    for ( size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++ )
    {
        const struct domain_key key = {.number = 1};

        code_kit_begin();
        CHECK(table_put(&kit.loaded.domains, &key));
        add_samples(XENOPROF_MODE_KERNEL, "kernel", "run", KERNEL, 1);
        keep_code(XENOPROF_MODE_KERNEL, "kernel", kept[i].domain,
                  kept[i].start);
        function_of("run");
        kit.hits.homes[3] = (struct hit_home){2, 0 - 0x1000ull};
        CHECK_EQ(
            code_find(&kit.shelf, kit.hits.sorted[0], &kit.code, &kit.failure),
            0);
        CHECK_EQ(kit.code.kept != NULL, kept[i].found);
        code_kit_end();
    }
}

TEST(what_is_behind_a_symbol_s_end_is_there_for_samples)
{
    for ( size_t offset = 0; offset < 2; offset++ )
    {
        code_kit_begin();
        add_samples(XENOPROF_MODE_XEN, "xen", "run", ADDRESS, offset);
        keep_code(XENOPROF_MODE_XEN, "xen", 0, ADDRESS);
        CHECK_EQ(
            code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
            0);
        CHECK_EQ(kit.code.size, offset + 1);
        CHECK_EQ(kit.code.length, offset);
        code_kit_end();
    }
}
