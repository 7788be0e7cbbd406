/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What type information says of a kernel's structures, and leaves out: that of
 * the kit's kernels, and of the one that runs here; and layouts that another
 * process made. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xenoprof/fetch.h>

#include "guest/linux/tasks/kernel-layout.h"
#include "guest/task-list.h"
#include "tests/harness.h"
#include "tests/unit/guest/btf/btf-kit.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define BUDGET (1u << 24)

static struct kernel_layout layout;

static uint32_t read_types(struct guest_memory *memory, uint64_t start,
                           uint64_t end, uint32_t groups)
{
    struct btf_wanted types[KERNEL_TYPES];
    static struct btf btf;

    CHECK(btf_open(&btf, memory, start, end));
    kernel_layout_want(types, groups);
    btf_find_structs(&btf, types, KERNEL_TYPES);
    kernel_layout_read(&btf, types, &layout);
    CHECK(kernel_layout_is_sound(&layout));
    return layout.known;
}

static uint32_t read_fake(struct fake_kernel *fake)
{
    const uint32_t groups = FOR_ALL & ~(fake->form.hot ? 0 : FOR_HOT) &
                            ~(fake->form.lists ? FOR_TREE : 0);

    fake->memory.left = BUDGET;
    return read_types(&fake->memory, fake_address(fake, "__start_BTF"),
                      fake_address(fake, "__stop_BTF"), groups);
}

static uint32_t read_kit(struct fake_form form)
{
    struct fake_kernel fake;
    uint32_t known;

    form.functions = 300;
    form.cpus = 1;
    fake_kernel_open(&fake, &form);
    known = read_fake(&fake);
    fake_kernel_close(&fake);
    return known;
}

struct member_place {
    enum kernel_member member;
    uint32_t at;
};

static void check_places(const struct member_place *places, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        CHECK_EQ(layout.at[places[i].member], places[i].at);
}

#define CHECK_PLACES(...)                                                      \
    check_places((const struct member_place[]){__VA_ARGS__},                   \
                 sizeof((const struct member_place[]){__VA_ARGS__}) /          \
                     sizeof(struct member_place))

TEST(types_that_say_it_all)
{
    CHECK_EQ(read_kit((struct fake_form){.origins = true, .cached = true}),
             FOR_ALL & ~FOR_HOT & ~FOR_LIST);
    CHECK_PLACES(
        {MEMBER_TASK_PID, FAKE_AT_PID}, {MEMBER_TASK_TGID, FAKE_AT_PID + 4},
        {MEMBER_TASK_START, FAKE_AT_START}, {MEMBER_TASK_COMM, FAKE_AT_COMM},
        {MEMBER_TASK_MM, FAKE_AT_MM}, {MEMBER_TASK_CGROUPS, FAKE_AT_CGROUPS},
        {MEMBER_TASK_LINKS, FAKE_AT_LINKS},
        {MEMBER_CPU_FEATURES, FAKE_AT_FEATURES},
        {MEMBER_XA_NODE_SLOTS, FAKE_AT_SLOTS},
        {MEMBER_KERNFS_PARENT, FAKE_AT_NODE_PARENT},
        {MEMBER_AREA_END, FAKE_AT_AREA_END}, {MEMBER_AREA_NEXT, 0},
        {MEMBER_RANGE_SLOTS, FAKE_AT_RANGE_SLOTS},
        {MEMBER_GAPS_META, FAKE_AT_GAPS_META},
        {MEMBER_FILE_MAPPING, FAKE_AT_FILE_MAPPING},
        {MEMBER_INODE_CHANGED, FAKE_AT_INODE_CHANGED},
        {MEMBER_PAGE_INDEX, FAKE_AT_PAGE_INDEX});
    CHECK_EQ(layout.page_bytes, FAKE_PAGE_BYTES);
    CHECK_EQ(kernel_area_bytes(&layout), FAKE_AT_AREA_FILE + 8);
    CHECK_EQ(read_kit((struct fake_form){.origins = true,
                                         .cached = true,
                                         .lists = true,
                                         .hot = true,
                                         .new_order = true}),
             FOR_ALL & ~FOR_TREE);
    CHECK_PLACES({MEMBER_HOT_TASK, FAKE_AT_HOT},
                 {MEMBER_KERNFS_PARENT, FAKE_AT_NODE_PARENT},
                 {MEMBER_MM_LIST, FAKE_AT_MM_AREAS},
                 {MEMBER_AREA_NEXT, FAKE_AT_AREA_NEXT},
                 {MEMBER_RANGE_SLOTS, 0});
    CHECK_EQ(kernel_area_bytes(&layout), FAKE_AT_AREA_NEXT + 8);
}

TEST(types_that_lack_something)
{
    CHECK_EQ(read_kit((struct fake_form){.origins = true}),
             FOR_TASKS | FOR_ISOLATION | FOR_ORIGINS | FOR_TREE);
    CHECK_EQ(layout.page_bytes, 0);
    CHECK_PLACES({MEMBER_MAPPING_PAGES, 0}, {MEMBER_AREA_END, FAKE_AT_AREA_END},
                 {MEMBER_XA_NODE_SLOTS, FAKE_AT_SLOTS});
    CHECK_EQ(read_kit((struct fake_form){0}), FOR_TASKS | FOR_ISOLATION);
    CHECK_PLACES({MEMBER_TASK_PID, FAKE_AT_PID}, {MEMBER_AREA_END, 0},
                 {MEMBER_XA_NODE_SLOTS, 0}, {MEMBER_MAPPING_PAGES, 0});
}

/* What the table asks for, and the member that leads to each type. */
static const struct {
    uint32_t groups;
    enum kernel_type in;
    const char *names[3];
} rows[KERNEL_MEMBERS] = {
#define TYPE(NAME, how)
#define MEMBER(groups, NAME, IN, bytes, ...) {groups, TYPE_##IN, {__VA_ARGS__}},
#include "guest/linux/tasks/kernel-members.def"
#undef TYPE
#undef MEMBER
};

static const enum kernel_member leads[KERNEL_TYPES] = {
#define BY_NAME(...)    KERNEL_MEMBERS
#define BY_MEMBER(NAME) MEMBER_##NAME
#define TYPE(NAME, how) how,
#define MEMBER(groups, NAME, IN, bytes, ...)
#include "guest/linux/tasks/kernel-members.def"
#undef TYPE
#undef MEMBER
};

/* Returns the groups that need a member, or one that it leads to. */
static uint32_t needed_by(enum kernel_member member)
{
    uint32_t ret = rows[member].groups;

    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        if ( leads[rows[i].in] == member )
            ret |= needed_by(i);
    return ret;
}

/* Returns the groups that need any member of that name. */
static uint32_t needing(const char *name)
{
    uint32_t ret = 0;

    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        for ( unsigned int j = 0; j < 3 && rows[i].names[j]; j++ )
            if ( !strcmp(rows[i].names[j], name) )
                ret |= needed_by(i);
    return ret;
}

/* Gives all names that are this one another first letter. */
static void rename_all(struct fake_kernel *fake, const char *name, char letter)
{
    uint64_t start = fake_address(fake, "__start_BTF");
    size_t count = fake_address(fake, "__stop_BTF") - start;
    size_t length = strlen(name);
    uint8_t *bytes = fake_bytes(fake, start);

    for ( size_t i = 1; i + length < count; i++ )
        if ( !bytes[i - 1] && !memcmp(bytes + i, name, length + 1) )
            bytes[i] = (uint8_t)letter;
}

/* What needs it is not known then, and nothing of that is left; all else is
 * known as before. */
static void check_renamed(struct fake_kernel *fake, enum kernel_member member,
                          uint32_t all)
{
    const char *const *names = rows[member].names;
    uint32_t lost = 0;

    for ( unsigned int i = 0; i < 3 && names[i]; i++ )
    {
        rename_all(fake, names[i], '!');
        lost |= needing(names[i]);
    }
    if ( read_fake(fake) != (all & ~lost) )
        test_fail(__FILE__, __LINE__, "without %s: %x", names[0], layout.known);
    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        CHECK((rows[i].groups & layout.known) || !layout.at[i]);
    CHECK(!(layout.known & FOR_PAGES) == !layout.page_bytes);
    for ( unsigned int i = 0; i < 3 && names[i]; i++ )
    {
        char other[BTF_NAME_MAX];

        strcpy(other, names[i]);
        other[0] = '!';
        rename_all(fake, other, names[i][0]);
    }
    CHECK_EQ(read_fake(fake), all);
}

TEST(members_that_were_renamed)
{
    for ( unsigned int lists = 0; lists < 2; lists++ )
    {
        const struct fake_form form = {.functions = 300,
                                       .cpus = 1,
                                       .origins = true,
                                       .cached = true,
                                       .hot = true,
                                       .lists = lists};
        struct fake_kernel fake;

        fake_kernel_open(&fake, &form);
        for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
            check_renamed(&fake, i, FOR_ALL & ~(lists ? FOR_TREE : FOR_LIST));
        fake_kernel_close(&fake);
    }
}

/* What is different from types that say it all. */
struct lie {
    uint32_t tgid, comm_bytes, start_bytes;
    uint32_t size;
};

static struct btf_kit kit;

static void add_task(const struct lie *lie)
{
    uint32_t number = btf_kit_int(&kit, "int", 4);
    uint32_t word = btf_kit_int(&kit, "u64", lie->start_bytes);
    uint32_t letter = btf_kit_int(&kit, "char", 1);
    uint32_t comm = btf_kit_array(&kit, letter, lie->comm_bytes);

    btf_kit_type(&kit, "task_struct", BTF_STRUCT, 57, lie->size);
    for ( int i = 0; i < 53; i++ )
        btf_kit_member(&kit, "filler", number, 4 * i);
    btf_kit_member(&kit, "pid", number, 1000);
    btf_kit_member(&kit, "tgid", number, lie->tgid);
    btf_kit_member(&kit, "start_time", word, 1016);
    btf_kit_member(&kit, "comm", comm, 1040);
}

static void add_hot(void)
{
    uint32_t pointer = btf_kit_pointer(&kit, 0);
    uint32_t inner = btf_kit_type(&kit, NULL, BTF_STRUCT, 1, 32);

    btf_kit_member(&kit, "current_task", pointer, 24);
    btf_kit_type(&kit, "pcpu_hot", BTF_STRUCT, 1, 64);
    btf_kit_member(&kit, NULL, inner, 0);
}

static uint32_t read_lie(const struct lie *lie, uint32_t groups)
{
    add_task(lie);
    add_hot();
    btf_kit_end(&kit, 1 << 20);
    read_types(&kit.memory, BTF_KIT_ADDRESS, BTF_KIT_ADDRESS + kit.size,
               groups);
    btf_kit_free(&kit);
    return layout.known;
}

TEST(types_of_tasks_alone)
{
    const struct lie none = {1004, 16, 8, 4096};

    CHECK_EQ(read_lie(&none, FOR_ALL & ~FOR_HOT), FOR_TASKS);
    CHECK_PLACES({MEMBER_TASK_PID, 1000}, {MEMBER_TASK_START, 1016},
                 {MEMBER_TASK_COMM, 1040}, {MEMBER_HOT_TASK, 0},
                 {MEMBER_CPU_FEATURES, 0});
    CHECK_EQ(read_lie(&none, FOR_ALL), FOR_TASKS | FOR_HOT);
    CHECK_PLACES({MEMBER_TASK_PID, 1000}, {MEMBER_TASK_START, 1016},
                 {MEMBER_TASK_COMM, 1040}, {MEMBER_HOT_TASK, 24},
                 {MEMBER_CPU_FEATURES, 0});
}

/* The list's words would spell something else. */
TEST(types_of_another_shape)
{
    static const struct lie lies[] = {{1008, 16, 8, 4096},
                                      {1004, 32, 8, 4096},
                                      {1004, 16, 4, 4096},
                                      {1004, 16, 8, 1050},
                                      {1004, 16, 8, 1u << 20}};

    for ( unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
        if ( read_lie(&lies[i], FOR_ALL) & FOR_TASKS )
            test_fail(__FILE__, __LINE__, "lie %u is believed", i);
}

/* Whether a member must lie in an area, or in a node. */
static bool is_bounded(unsigned int member)
{
    return (member >= MEMBER_AREA_START && member <= MEMBER_AREA_MM) ||
           (member >= MEMBER_NODE_RANGE && member <= MEMBER_META_END);
}

TEST(layouts_that_another_process_made_up)
{
    const struct kernel_layout good = {
        .known = FOR_TREE,
        .at = {[MEMBER_RANGE_PIVOTS] = 8,
               [MEMBER_RANGE_SLOTS] = 128,
               [MEMBER_RANGE_META] = 248,
               [MEMBER_GAPS_PIVOTS] = 8,
               [MEMBER_GAPS_SLOTS] = 80,
               [MEMBER_GAPS_META] = 240},
    };

    CHECK(kernel_layout_is_sound(&good));
    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
    {
        struct kernel_layout lie = good;

        lie.at[i] = UINT32_MAX - 8;
        CHECK(!kernel_layout_is_sound(&lie));
        lie.at[i] = XENOPROF_FETCH_OFFSET_MAX + 1;
        CHECK(!kernel_layout_is_sound(&lie));
        lie.at[i] = AREA_BYTES_MAX;
        CHECK_EQ(kernel_layout_is_sound(&lie), !is_bounded(i));
    }
    layout = good;
    layout.known = FOR_ALL + 1;
    CHECK(!kernel_layout_is_sound(&layout));
    layout.known = UINT32_MAX;
    CHECK(!kernel_layout_is_sound(&layout));
}

TEST(pages_that_another_process_made_up)
{
    static const struct {
        uint32_t known, page_bytes;
        bool sound;
    } said[] = {{FOR_PAGES, 64, true},
                {FOR_PAGES, 60, false},
                {FOR_PAGES, 512, false},
                {FOR_PAGES, 0, false},
                {0, 0, true}};

    for ( unsigned int i = 0; i < sizeof(said) / sizeof(said[0]); i++ )
    {
        struct kernel_layout odd = {.known = said[i].known,
                                    .page_bytes = said[i].page_bytes};

        CHECK_EQ(kernel_layout_is_sound(&odd), said[i].sound);
        odd.at[MEMBER_ARRAY_HEAD] = UINT32_MAX;
        CHECK(!kernel_layout_is_sound(&odd));
    }
}

/* The kernel that runs here, which is 6.1 or later. */
TEST(types_of_a_kernel)
{
    const char *path = "/sys/kernel/btf/vmlinux";
    const uint32_t needed = FOR_TASKS | FOR_ISOLATION | FOR_ORIGINS | FOR_PAGES;
    struct stat status;
    uint8_t *bytes;
    size_t got = 0;
    ssize_t some;
    int file = open(path, O_RDONLY);

    if ( file < 0 )
        test_skip("this machine's kernel has no type information");
    CHECK_EQ(fstat(file, &status), 0);
    bytes = malloc((size_t)status.st_size);
    CHECK(bytes);
    while ( (some = read(file, bytes + got, (size_t)status.st_size - got)) > 0 )
        got += (size_t)some;
    close(file);
    btf_kit_take(&kit, bytes, got, 1 << 30);
    free(bytes);
    read_types(&kit.memory, BTF_KIT_ADDRESS, BTF_KIT_ADDRESS + kit.size,
               FOR_ALL);
    CHECK_EQ(layout.known & needed, needed);
    CHECK(layout.known & FOR_AREAS);
    CHECK_EQ(layout.page_bytes, 64);
    btf_kit_free(&kit);
}
