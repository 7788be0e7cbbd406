/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What falls on instructions, and where code is found: in files, which may be
 * others than what ran, in a boot image, and in the running kernel.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <session-attributes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/code/code-fit.h"
#include "report/code/instructions.h"
#include "report/code/source-text.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

#define BOOT    "01234567-89ab-cdef-0123-456789abcdef"
#define KERNEL  0xffffffffa5000000ull
#define ADDRESS 0xffff82d040200000ull

static struct loaded loaded;
static struct hits hits;
static struct code_shelf shelf;
static struct code code;
static struct failure failure;
static char root[PATH_MAX];
static const char *given[3];

static void add_attribute(const char *key, const char *value)
{
    struct attribute *attribute = vector_add(&loaded.attributes);

    CHECK(attribute);
    attribute->time = 1;
    CHECK(names_add(&loaded.names, key, &attribute->key) &&
          names_add(&loaded.names, value, &attribute->value));
}

/* With dom0, of index 2, and a folder that stands for the root. */
static void begin(void)
{
    const struct domain_key key = {.number = 0};

    CHECK(loaded_init(&loaded) && table_put(&loaded.domains, &key));
    memset(&hits, 0, sizeof(hits));
    memset(&code, 0, sizeof(code));
    memset(given, 0, sizeof(given));
    failure = (struct failure){.status = STATUS_DONE};
    shelf = (struct code_shelf){
        .loaded = &loaded, .given = given, .root = root};
    strcpy(root, "/tmp/xenoprof-annotate-XXXXXX");
    CHECK(mkdtemp(root));
}

static void end(void)
{
    char command[PATH_MAX + 16];

    code_free(&code);
    code_shelf_free(&shelf);
    hits_free(&hits);
    loaded_free(&loaded);
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    CHECK(!system(command));
}

/* Samples of dom0, offset bytes into a function. */
static void add_samples(uint8_t mode, const char *image, const char *symbol,
                        uint64_t start, uint64_t offset)
{
    struct cell_key key;
    struct cell *cell;

    memset(&key, 0, sizeof(key));
    key.domain = 2;
    key.place = (uint32_t)loaded.cells.count + 1;
    key.mode = mode;
    cell = table_put(&loaded.cells, &key);
    CHECK(cell);
    cell->samples = 10;
    cell->time = 1000;
    cell->name.start = start;
    cell->name.address = start + offset;
    CHECK(names_add(&loaded.names, image, &cell->name.image) &&
          names_add(&loaded.names, symbol, &cell->name.symbol));
}

/* The hottest of what matches. */
static const struct function *function_of(const char *pattern)
{
    hits_free(&hits);
    CHECK(hits_gather(&hits, &loaded, pattern));
    CHECK(hits.functions.count);
    return hits.sorted[0];
}

/* A file below root, with the folders that it takes. */
static void write_file(const char *path, const void *bytes, size_t size)
{
    char whole[2 * PATH_MAX];
    FILE *file;

    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for ( char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/'));
          slash++ )
    {
        *slash = '\0';
        CHECK(!mkdir(whole, 0700) || errno == EEXIST);
        *slash = '/';
    }
    file = fopen(whole, "w");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(!fclose(file));
}

static void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

/* Instructions ------------------------------------------------------------ */

TEST(samples_fall_on_instructions)
{
    struct instruction list[] = {{.address = 0x100, .size = 4},
                                 {.address = 0x104, .size = 1},
                                 {.address = 0x105, .size = 7}};
    struct instructions instructions = {.items = list, .count = 3};
    const struct hit falls[] = {
        {.key.address = 0xff, .samples = 1, .time = 10},
        {.key.address = 0x100, .samples = 2, .time = 20},
        {.key.address = 0x103, .samples = 4, .time = 40},
        {.key.address = 0x105, .samples = 8, .time = 80},
        {.key.address = 0x10b, .samples = 16, .time = 160},
        {.key.address = 0x10c, .samples = 32, .time = 320},
        {.key.address = UINT64_MAX, .samples = 64, .time = 640}};
    const struct hit *sorted[7];

    for ( size_t i = 0; i < 7; i++ )
        sorted[i] = &falls[i];
    instructions_count(&instructions, sorted, 7);
    CHECK_EQ(list[0].samples, 6);
    CHECK_EQ(list[0].time, 60);
    CHECK_EQ(list[0].inside, 4);
    CHECK_EQ(list[1].samples, 0);
    CHECK_EQ(list[2].samples, 24);
    CHECK_EQ(list[2].inside, 16);
    CHECK_EQ(instructions.outside.samples, 1 + 32 + 64);
    CHECK_EQ(instructions.outside.time, 10 + 320 + 640);
}

TEST(what_is_no_instruction_is_bytes)
{
    /* push %es, which 64 bits have not; nop; and a call that is cut off. */
    static const uint8_t bytes[] = {0x06, 0x90, 0xe8, 0x01, 0x02};
    static const char *const texts[] = {".byte   0x06", "nop", ".byte   0xe8",
                                        "addl    %eax, (%rdx)"};
    const struct code some = {.bytes = bytes,
                              .size = sizeof(bytes),
                              .start = ADDRESS,
                              .symbols = &(struct code_symbols){.count = 0}};
    const struct function nothing = {.samples = 0};
    struct instructions instructions;

    CHECK(instructions_read(&instructions, &some, &nothing));
    CHECK_EQ(instructions.count, 4);
    for ( size_t i = 0; i < 4; i++ )
        CHECK_TEXT(instructions.items[i].text, texts[i]);
    CHECK(instructions.items[3].address == ADDRESS + 3);
    instructions_free(&instructions);
}

/* Functions --------------------------------------------------------------- */

TEST(functions_by_pattern)
{
    begin();
    add_samples(XENOPROF_MODE_XEN, "xen", "arch/x86/mm.c#get_page", ADDRESS, 4);
    add_samples(XENOPROF_MODE_XEN, "xen", "arch/x86/mm.c#get_page", ADDRESS, 0);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "get_page", KERNEL, 0);
    add_samples(XENOPROF_MODE_USER, "/usr/bin/webd", "ns::get", 0x1000, 0);
    CHECK_EQ(function_of("get_page")->count, 2);
    CHECK_EQ(hits.functions.count, 2);
    CHECK(hits.sorted[0]->hits[0]->key.address == ADDRESS);
    CHECK_EQ(hits.time, 3000);
    CHECK_EQ(hits.time_all, 4000);
    function_of("*#get_page");
    CHECK_EQ(hits.functions.count, 1);
    function_of("kern*:get*");
    CHECK_EQ(hits.functions.count, 1);
    function_of("webd:*");
    function_of("ns::get"); /* a colon may belong to a name */
    hits_free(&hits);
    CHECK(hits_gather(&hits, &loaded, "xen:none"));
    CHECK_EQ(hits.functions.count, 0);
    end();
}

/* Places ------------------------------------------------------------------ */

static void add_symbol(struct code_symbols *symbols, const char *name,
                       uint64_t address)
{
    CHECK(code_symbols_add(
        symbols, &(struct code_symbol){.address = address, .name = name}));
}

TEST(equal_names_are_told_apart_by_others)
{
    struct code_symbols symbols = {.count = 0};
    const struct code_symbol *found;

    begin();
    add_symbol(&symbols, "twin", 0x1000);
    add_symbol(&symbols, "middle", 0x2000);
    add_symbol(&symbols, "twin", 0x3000);
    add_symbol(&symbols, "top", 0x4000);
    CHECK(code_symbols_sort(&symbols));
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "twin", KERNEL + 0x3000, 0);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "middle", KERNEL + 0x2000, 0);
    add_samples(XENOPROF_MODE_KERNEL, "module", "top", KERNEL, 0);
    CHECK_EQ(code_fit(&loaded, function_of("twin"), &symbols, &found),
             FIT_FOUND);
    CHECK_EQ(found->address, 0x3000);
    CHECK_EQ(code_fit(&loaded, function_of("module:top"), &symbols, &found),
             FIT_FOUND);
    code_symbols_free(&symbols);
    end();
}

TEST(another_build_is_seen)
{
    struct code_symbols symbols = {.count = 0};
    const struct code_symbol *found;

    begin();
    add_symbol(&symbols, "a", 0x1000);
    add_symbol(&symbols, "b", 0x2000);
    CHECK(code_symbols_sort(&symbols));
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "a", KERNEL + 0x1000, 0);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "b", KERNEL + 0x2010, 0);
    CHECK_EQ(code_fit(&loaded, function_of("a"), &symbols, &found),
             FIT_ELSEWHERE);
    /* One alone may have been moved, but Xen is not. */
    add_samples(XENOPROF_MODE_KERNEL, "other", "b", KERNEL, 0);
    CHECK_EQ(code_fit(&loaded, function_of("other:b"), &symbols, &found),
             FIT_FOUND);
    add_samples(XENOPROF_MODE_XEN, "xen", "b", ADDRESS, 0);
    CHECK_EQ(code_fit(&loaded, function_of("xen:b"), &symbols, &found),
             FIT_ELSEWHERE);
    add_samples(XENOPROF_MODE_XEN, "xen", "c", ADDRESS, 0);
    CHECK_EQ(code_fit(&loaded, function_of("xen:c"), &symbols, &found),
             FIT_NO_SYMBOL);
    code_symbols_free(&symbols);
    end();
}

/* Code -------------------------------------------------------------------- */

/* This program is a file whose code is known: it is here. */
__attribute__((noinline, used)) static int known_function(int number)
{
    return number * 3 + 1;
}

static void check_known(void)
{
    CHECK(code.size > 4);
    CHECK(!memcmp(code.bytes, (const void *)(uintptr_t)known_function,
                  code.size));
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
    begin();
    own_path(path);
    add_attribute(SESSION_ATTRIBUTE_BOOT, boot);
    add_samples(XENOPROF_MODE_USER, path, "known_function", start, 2);
    shelf.root = "";
    CHECK_EQ(known_function(2), 7);
    CHECK_EQ(code_find(&shelf, function_of("known*"), &code, &failure), 0);
    check_known();
    CHECK_TEXT(code_name(&code, start + 3, &offset), "known_function");
    CHECK_EQ(offset, 3);
    code_free(&code);
    /* Since another boot it may be another file. */
    loaded.attributes.count = 0;
    add_attribute(SESSION_ATTRIBUTE_BOOT, BOOT);
    CHECK_EQ(code_find(&shelf, function_of("known*"), &code, &failure), 0);
    CHECK_EQ(code.size, 0);
    end();
}

TEST(the_kernel_of_a_release)
{
    uint64_t start = (uintptr_t)known_function;
    char path[PATH_MAX], link[2 * PATH_MAX];

    begin();
    own_path(path);
    add_attribute(SESSION_ATTRIBUTE_BOOT, BOOT);
    add_attribute(SESSION_ATTRIBUTE_KERNEL, "Linux 6.1.0-test");
    write_text("/boot/vmlinux-6.1.0-test", "no ELF file");
    snprintf(link, sizeof(link), "%s/boot/vmlinuz-6.1.0-test", root);
    CHECK(!symlink(path, link));
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "known_function", start, 0);
    CHECK_EQ(code_find(&shelf, function_of("known*"), &code, &failure), 0);
    check_known();
    CHECK(!code.checked);
    code_free(&code);
    /* What the session says of the kernel is not so of this one. */
    add_attribute(SESSION_ATTRIBUTE_GUEST_KERNEL "0",
                  "release=6.1.0-test build-id=00112233445566778899 base=0x0");
    CHECK_EQ(code_find(&shelf, function_of("known*"), &code, &failure), 0);
    CHECK_EQ(code.size, 0);
    given[0] = "0:/none";
    CHECK_EQ(code_find(&shelf, function_of("known*"), &code, &failure),
             STATUS_NO_CODE);
    end();
}

TEST(the_kernel_in_a_boot_image)
{
    struct fake_form form = {.functions = 3000};
    struct fake_part elf, packed, image;
    char name[FAKE_NAME_MAX], text[2 * PATH_MAX];
    struct fake_kernel fake;
    uint64_t shift = 0x13000000;

    begin();
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
    snprintf(text, sizeof(text), "kernel:%s/vmlinuz", root);
    given[0] = text;
    CHECK_EQ(code_find(&shelf, function_of(name), &code, &failure), 0);
    CHECK(code.shift == shift);
    CHECK_EQ(code.size, FAKE_FUNCTION);
    CHECK(!memcmp(code.bytes, fake_bytes(&fake, fake_function(&fake, 13)),
                  FAKE_FUNCTION));
    fake_kernel_close(&fake);
    free(elf.bytes);
    free(packed.bytes);
    free(image.bytes);
    end();
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

static void write_xen(const char *path, uint8_t build)
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
    memset(xen.bytes, 0x90, sizeof(xen.bytes));
    xen.bytes[0x20] = 0xf4;
    write_file(path, &xen, sizeof(xen));
}

TEST(the_image_of_xen_that_runs)
{
    uint64_t offset;

    begin();
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
    CHECK_EQ(code_find(&shelf, function_of("run"), &code, &failure), 0);
    CHECK_TEXT(code_file_path(code.file) + strlen(root), "/boot/xen-4.2.gz");
    CHECK(code.checked);
    CHECK_EQ(code.size, 0x10);
    CHECK_EQ(code.bytes[0], 0xf4);
    CHECK_TEXT(code_name(&code, ADDRESS + 0x12, &offset), "arch/a.c#before");
    code_free(&code);
    code_shelf_free(&shelf);
    shelf = (struct code_shelf){.loaded = &loaded, .root = root};
    write_text("/sys/hypervisor/properties/buildid", "<denied>\n");
    CHECK_EQ(code_find(&shelf, function_of("run"), &code, &failure), 0);
    CHECK_EQ(code.size, 0);
    end();
}

/* The running kernel ------------------------------------------------------ */

struct fake_core {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    uint8_t bytes[64];
};

static void make_core(struct fake_core *core)
{
    memset(core, 0, sizeof(*core));
    memcpy(core->header.e_ident, ELFMAG, SELFMAG);
    core->header.e_ident[EI_CLASS] = ELFCLASS64;
    core->header.e_phentsize = sizeof(*core->segments);
    core->header.e_phnum = 2;
    core->header.e_phoff = offsetof(struct fake_core, segments);
    core->segments[1] = (Elf64_Phdr){
        .p_type = PT_LOAD,
        .p_vaddr = KERNEL,
        .p_offset = offsetof(struct fake_core, bytes),
        .p_filesz = sizeof(core->bytes)};
    memset(core->bytes, 0x90, sizeof(core->bytes));
}

static void begin_live(const struct fake_core *core, size_t size)
{
    begin();
    write_text("/proc/kallsyms", "ffffffffa5000000 T _text\n"
                                 "ffffffffa5000010 T run\n"
                                 "ffffffffa5000030 T next\n");
    write_text("/proc/sys/kernel/random/boot_id", BOOT "\n");
    write_file("/proc/kcore", core, size);
    add_attribute(SESSION_ATTRIBUTE_BOOT, BOOT);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "run", KERNEL + 0x10, 4);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "gone", KERNEL + 0x20, 0);
    CHECK_EQ(code_find(&shelf, function_of("run"), &code, &failure), 0);
}

TEST(the_running_kernel)
{
    struct fake_core core;
    uint64_t offset;

    make_core(&core);
    core.bytes[0x10] = 0xf4;
    begin_live(&core, sizeof(core));
    CHECK(code.running);
    CHECK_EQ(code.size, 0x20);
    CHECK_EQ(code.bytes[0], 0xf4);
    CHECK_TEXT(code_name(&code, KERNEL + 0x31, &offset), "next");
    CHECK_EQ(offset, 1);
    code_free(&code);
    /* A function that is not there now, as of a module that was unloaded. */
    CHECK_EQ(code_find(&shelf, function_of("gone"), &code, &failure), 0);
    CHECK_EQ(code.size, 0);
    end();
}

TEST(another_boot)
{
    struct fake_core core;

    make_core(&core);
    begin_live(&core, sizeof(core));
    code_free(&code);
    code_shelf_free(&shelf);
    shelf = (struct code_shelf){.loaded = &loaded, .root = root};
    write_text("/proc/sys/kernel/random/boot_id", "another\n");
    CHECK_EQ(code_find(&shelf, function_of("run"), &code, &failure), 0);
    CHECK_EQ(code.size, 0);
    end();
}

TEST(a_memory_that_lies)
{
    struct fake_core core;

    make_core(&core);
    core.header.e_phnum = UINT16_MAX;
    begin_live(&core, sizeof(core));
    CHECK_EQ(code.size, 0);
    end();
    make_core(&core);
    core.segments[1].p_filesz = UINT64_MAX;
    core.segments[1].p_offset = INT64_MAX - 8;
    begin_live(&core, sizeof(core));
    CHECK_EQ(code.size, 0);
    end();
    make_core(&core);
    begin_live(&core, sizeof(core) - sizeof(core.bytes) + 0x18);
    CHECK_EQ(code.size, 8);
    end();
    make_core(&core);
    core.segments[1].p_filesz = 8;
    begin_live(&core, sizeof(core));
    CHECK_EQ(code.size, 0);
    end();
    make_core(&core);
    begin_live(&core, sizeof(core.header) + 8);
    CHECK_EQ(code.size, 0);
    end();
}

/* Source ------------------------------------------------------------------ */

TEST(lines_of_a_source)
{
    struct source_text source = {.path = NULL};
    char path[2 * PATH_MAX];

    begin();
    snprintf(path, sizeof(path), "%s/a.c", root);
    write_text("/a.c", "one\n\nthree");
    CHECK_TEXT(source_line(&source, path, 1), "one");
    CHECK_TEXT(source_line(&source, path, 2), "");
    CHECK_TEXT(source_line(&source, path, 3), "three");
    CHECK(!source_line(&source, path, 4));
    CHECK(!source_line(&source, path, 0));
    CHECK(!source_line(&source, path, INT_MIN));
    CHECK(!source_line(&source, "/dev/zero", 1));
    CHECK(!source_line(&source, root, 1));
    CHECK_TEXT(source_line(&source, path, 1), "one");
    source_free(&source);
    end();
}
