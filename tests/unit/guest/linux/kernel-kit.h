/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Linux kernel in memory, made by a test: symbols in any of the layouts
 * that kernels have had, build-id, ORC rows, type information, modules.
 */
#ifndef XENOPROF_TESTS_UNIT_GUEST_LINUX_KERNEL_KIT_H
#define XENOPROF_TESTS_UNIT_GUEST_LINUX_KERNEL_KIT_H

#include "guest/linux/kallsyms.h"
#include "guest/linux/offset-run.h"

#define FAKE_NAME_MAX       400u
#define FAKE_FUNCTION       16u /* bytes of a function */
#define FAKE_MODULE         0x4000u
#define FAKE_MODULE_TEXT    0x2000u /* where its code is */
#define FAKE_MODULES        0xffffffffc0100000ull
#define FAKE_MODULE_SYMBOLS 8u
#define FAKE_LINKED         0xffffffff81000000ull

/* How to make a kernel; all zero makes a 6.1. */
struct fake_form {
    enum offset_encoding encoding;
    bool new_order;         /* 6.4: count, names, ..., then offsets */
    uint32_t marker_width;  /* 4 or, until 4.19, 8; 0: 4 */
    uint32_t by_name_width; /* of the index by name: 0 (none), 3 or 4 */
    uint32_t alignment;     /* of tables: 8 or, since 7.0, 4; 0: 8 */
    bool code_only;         /* symbols of code, as without KALLSYMS_ALL */
    bool many_alike;     /* thousands of symbols at one address, as in 5.10 */
    uint32_t functions;  /* 0: 20000 */
    uint64_t base;       /* 0: FAKE_LINKED */
    const char *release; /* NULL: 6.1.0-test */
    bool no_btf;
    bool memories;    /* struct module has mem[], as since 6.4 */
    uint32_t fillers; /* types before those that matter */
    bool no_orc;
    uint32_t orc_moved; /* rows lie so many bytes behind where they should */
    bool frame_pointers;
    bool no_build_id;
    uint32_t modules;
    const char *renamed; /* what function 7 is called instead */
    uint32_t cpus;       /* it has tasks: so many processors run some */
    bool hot;            /* they are in pcpu_hot, as from 6.2 to 6.14 */
    bool isolated;       /* page tables are isolated */
    bool no_loads;       /* its code loads none of that */
    bool origins;        /* its types say where a thread's program is */
    bool lists;          /* areas of memory are in a list, as in 5.10 */
    bool cached;         /* its types say what of files is in memory */
};

struct fake_symbol {
    uint64_t address;
    char type;
    char name[FAKE_NAME_MAX];
};

struct fake_part {
    uint8_t *bytes;
    size_t size, room;
    uint64_t address;
};

struct fake_kernel {
    struct fake_form form;
    struct fake_part kernel;
    struct fake_part modules;
    struct fake_part areas; /* per-CPU, and tasks */
    struct fake_symbol *symbols;
    uint32_t count, room, per_cpu;
    uint64_t text_end;
    uint64_t modules_head;
    uint64_t hole;  /* this page is not there; 0: none */
    uint32_t noise; /* one read of so many is changed; 0: none */
    uint64_t random;
    uint64_t build_id; /* address */
    uint64_t cache; /* struct address_space of all files; 0: they have none */
    uint64_t pages[2]; /* its first page, and struct page */
    struct guest_memory memory;
};

void fake_kernel_open(struct fake_kernel *fake, const struct fake_form *form);
void fake_kernel_close(struct fake_kernel *fake);

/* Start of function number index, and what it is called. */
uint64_t fake_function(const struct fake_kernel *fake, uint32_t index);
void fake_function_name(const struct fake_kernel *fake, uint32_t index,
                        char name[FAKE_NAME_MAX]);
/* Returns NULL if there is none. */
const struct fake_symbol *fake_find(const struct fake_kernel *fake,
                                    const char *name);
/* Where a symbol is; the test fails if there is none. */
uint64_t fake_address(const struct fake_kernel *fake, const char *name);

/* Returns whether its types say where struct module has its members. */
struct kmod_layout;
bool fake_kmod_layout(struct fake_kernel *fake, uint64_t start, uint64_t end,
                      struct kmod_layout *ret);

/* Bytes of a part at an address. */
uint8_t *fake_bytes(struct fake_kernel *fake, uint64_t address);

/* Steps of making a kernel; a failure ends the program. */
void fake_must(bool condition, const char *what);
void fake_add(struct fake_part *part, const void *bytes, size_t size);
void fake_align(struct fake_part *part, size_t alignment);
uint64_t fake_end(const struct fake_part *part);
void fake_symbol(struct fake_kernel *fake, uint64_t address, char type,
                 const char *name);
/* Adds the code that runs at boot too: it lies behind the tables. */
void fake_add_kallsyms(struct fake_kernel *fake);
void fake_add_init(struct fake_kernel *fake);
void fake_add_btf(struct fake_kernel *fake);
void fake_add_modules(struct fake_kernel *fake);
struct btf_kit;
void fake_add_task_types(const struct fake_kernel *fake, struct btf_kit *btf);
void fake_add_tasks(struct fake_kernel *fake);
/* Address of a processor's area, and of the task that it runs. */
uint64_t fake_area(const struct fake_kernel *fake, uint32_t cpu);
uint64_t fake_task(const struct fake_kernel *fake, uint32_t cpu);
/* Types of members of a task that lead to its origin. */
struct fake_origin_types {
    uint32_t links, cgroups, memory, proxy, pid, fs, fragment;
};
void fake_add_origin_types(const struct fake_kernel *fake, struct btf_kit *btf,
                           struct fake_origin_types *ret);
/* The same of what a process has mapped: of struct mm_struct, behind it the
 * members that it gets. */
struct fake_mapped_types {
    uint32_t tree, list;
};
void fake_add_mapped_types(const struct fake_kernel *fake, struct btf_kit *btf,
                           struct fake_mapped_types *ret);
/* The same of a file's pages: of struct address_space, xarray, page_frag. */
struct fake_cached_types {
    uint32_t mapping, fragment;
};
void fake_add_cached_types(const struct fake_kernel *fake, struct btf_kit *btf,
                           uint32_t array, struct fake_cached_types *ret);

/* A thread, and where it comes from. */
struct fake_thread {
    uint64_t start;
    uint32_t pid, tid; /* tid below 4,096 */
    uint64_t mount;    /* struct mount */
    uint64_t program;  /* dentry; 0: a kernel thread */
    uint64_t cgroup;   /* kernfs_node */
    uint64_t root;     /* dentry of its "/"; 0: it has none */
    const char *comm;  /* NULL: "" */
};

/* An area of a process's memory. */
struct fake_mapping {
    uint64_t start, end;
    uint64_t page;  /* in the file */
    uint64_t flags; /* 4: it may be executed */
    uint64_t mount; /* of the file; 0: there is none */
    uint64_t dentry;
};

/* Each returns the address of something new behind the areas: bytes; what has a
 * name below a parent (0: the root of all); what is mounted at a dentry of
 * another mount (0: at nothing); the task of a thread. */
uint64_t fake_new(struct fake_kernel *fake, size_t size);
uint64_t fake_dentry(struct fake_kernel *fake, const char *name,
                     uint64_t parent);
uint64_t fake_kernfs(struct fake_kernel *fake, const char *name,
                     uint64_t parent);
uint64_t fake_mount(struct fake_kernel *fake, uint64_t root, uint64_t parent,
                    uint64_t point);
uint64_t fake_thread(struct fake_kernel *fake,
                     const struct fake_thread *thread);

/* Gives a task's memory these areas, in a list, or in a tree whose nodes
 * have at most width slots, 2 to 16; those that know gaps at most 10.
 * Returns the address of the word that is the list or the tree. */
uint64_t fake_map(struct fake_kernel *fake, uint64_t task,
                  const struct fake_mapping *areas, uint32_t count,
                  uint32_t width);

/* Gives files that are mapped from now on these bytes, all of which are in
 * memory: once for each kernel, 1 MiB at most.  Returns the struct
 * address_space. */
uint64_t fake_cache(struct fake_kernel *fake, const void *bytes, size_t size);
/* The address of the word in that file's xarray that has a page, of the page's
 * bytes, and of its struct page. */
uint64_t fake_cache_slot(struct fake_kernel *fake, uint64_t cache,
                         uint64_t index);
uint64_t fake_cache_bytes(struct fake_kernel *fake, uint64_t index);
uint64_t fake_cache_page(struct fake_kernel *fake, uint64_t index);

/* Links modules from first to last into the list. */
void fake_link_modules(struct fake_kernel *fake, uint32_t first, uint32_t last);
/* Address of its struct module, and of its list entry. */
uint64_t fake_module(uint32_t index);
uint64_t fake_module_link(uint32_t index);

/* Where the kit's tasks are, and have their members. */
#define FAKE_AREAS  0xffff888000100000ull
#define FAKE_DIRECT 0xffff888000000000ull /* where all memory is */
enum {
    FAKE_AREA_SIZE = 0x4000,
    FAKE_AT_CURRENT = 2560, /* in an area: current_task, or pcpu_hot */
    FAKE_AT_HOT = 8,        /* in pcpu_hot */
    FAKE_AT_VCPU_ID = 2688,
    FAKE_AT_TASK = 0x2000, /* behind an area */
    FAKE_AT_PID = 600,
    FAKE_AT_START = 616,
    FAKE_AT_COMM = 640,
    FAKE_AT_MM = 704, /* in a task, and in what is behind it */
    FAKE_AT_CGROUPS = 712,
    FAKE_AT_PROXY = 720,
    FAKE_AT_THREAD_PID = 728,
    FAKE_AT_LINKS = 736,
    FAKE_AT_FS = 800,
    FAKE_AT_FS_ROOT = 24,
    FAKE_AT_FRAGMENT = 816,
    FAKE_AT_FILE_MAPPING = 96,
    FAKE_AT_HOST = 0, /* in an address_space */
    FAKE_AT_PAGES = 8,
    FAKE_AT_INODE_NUMBER = 64,
    FAKE_AT_INODE_SIZE = 80,
    FAKE_AT_INODE_CHANGED = 104,
    FAKE_AT_INODE_GENERATION = 120,
    FAKE_AT_PAGE_MAPPING = 24,
    FAKE_AT_PAGE_INDEX = 32,
    FAKE_PAGE_BYTES = 64,
    FAKE_AT_MM_AREAS = 64, /* in a mm_struct: maple tree, or list */
    FAKE_AT_TREE_ROOT = 8,
    FAKE_AT_AREA_START = 0,
    FAKE_AT_AREA_END = 8,
    FAKE_AT_AREA_MM = 16,
    FAKE_AT_AREA_FLAGS = 32,
    FAKE_AT_AREA_OFFSET = 96,
    FAKE_AT_AREA_FILE = 104,
    FAKE_AT_AREA_NEXT = 120,
    FAKE_AREA_BYTES = 152,
    FAKE_AT_PIVOTS = 8,
    FAKE_AT_RANGE_SLOTS = 128,
    FAKE_AT_RANGE_META = 248,
    FAKE_AT_GAPS_SLOTS = 80,
    FAKE_AT_GAPS_META = 240,
    FAKE_AT_DENTRY_HASH = 8,
    FAKE_AT_EXE = 904,
    FAKE_AT_FILE_PATH = 64,
    FAKE_AT_DENTRY_PARENT = 24,
    FAKE_AT_DENTRY_NAME = 32,
    FAKE_AT_MOUNT_PARENT = 80,
    FAKE_AT_MOUNT_POINT = 88,
    FAKE_AT_MOUNT_INSIDE = 96,
    FAKE_AT_CGROUP = 48,
    FAKE_AT_KN = 200,
    FAKE_AT_NODE_PARENT = 8,
    FAKE_AT_NODE_NAME = 16,
    FAKE_AT_PID_TASKS = 16,
    FAKE_AT_HEAD = 32, /* in init_pid_ns: of its xarray */
    FAKE_AT_SHIFT = 0,
    FAKE_AT_SLOTS = 40,
    FAKE_TASK_SIZE = 2048,
    FAKE_AT_FEATURES = 40
};

/* Where the kit's struct module has its members. */
enum {
    FAKE_AT_LIST = 8,
    FAKE_AT_NAME = 24,
    FAKE_AT_MEMORY = 320,
    FAKE_AT_ARCH = 640,
    FAKE_AT_KALLSYMS = 704,
    FAKE_MODULE_SIZE = 896,
    FAKE_MEMORY_SIZE = 32 /* of one piece of mem[] */
};

#endif
