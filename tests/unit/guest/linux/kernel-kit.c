/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's kernel, part by part, and how it is read. */
#include "kernel-kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET (16ull << 20)

void fake_must(bool condition, const char *what)
{
    if ( condition )
        return;
    fprintf(stderr, "the kit cannot go on without: %s\n", what);
    abort();
}

void fake_add(struct fake_part *part, const void *bytes, size_t size)
{
    while ( part->size + size > part->room )
    {
        part->room = part->room ? part->room * 2 : 65536;
        part->bytes = realloc(part->bytes, part->room);
        fake_must(part->bytes, "memory");
    }
    if ( !size )
        return;
    if ( bytes )
        memcpy(part->bytes + part->size, bytes, size);
    else
        memset(part->bytes + part->size, 0, size);
    part->size += size;
}

void fake_align(struct fake_part *part, size_t alignment)
{
    fake_add(part, NULL, -part->size & (alignment - 1));
}

uint64_t fake_end(const struct fake_part *part)
{
    return part->address + part->size;
}

void fake_symbol(struct fake_kernel *fake, uint64_t address, char type,
                 const char *name)
{
    struct fake_symbol *symbol;

    if ( fake->count == fake->room )
    {
        fake->room = fake->room ? 2 * fake->room : 4096;
        fake->symbols = realloc(fake->symbols,
                                fake->room * sizeof(*fake->symbols));
    }
    fake_must(fake->symbols, "memory");
    symbol = &fake->symbols[fake->count++];
    symbol->address = address;
    symbol->type = type;
    snprintf(symbol->name, sizeof(symbol->name), "%s", name);
}

uint64_t fake_function(const struct fake_kernel *fake, uint32_t index)
{
    return fake->kernel.address + (uint64_t)index * FAKE_FUNCTION;
}

void fake_function_name(const struct fake_kernel *fake, uint32_t index,
                        char name[FAKE_NAME_MAX])
{
    if ( index == 7 && fake->form.renamed )
        snprintf(name, FAKE_NAME_MAX, "%s", fake->form.renamed);
    else if ( index == 8 && fake->form.origins && !fake->form.lists )
        strcpy(name, "mas_walk"); /* it has maple trees */
    else if ( index == 9 )        /* longer than one byte can say */
        snprintf(name, FAKE_NAME_MAX, "very_long_%0300u", index);
    else
        snprintf(name, FAKE_NAME_MAX, "%s_%u_%c",
                 index % 3 ? "sys_do_it" : "reader", index,
                 (char)('a' + index % 26));
}

const struct fake_symbol *fake_find(const struct fake_kernel *fake,
                                    const char *name)
{
    for ( uint32_t i = 0; i < fake->count; i++ )
        if ( !strcmp(fake->symbols[i].name, name) )
            return &fake->symbols[i];
    return NULL;
}

uint64_t fake_address(const struct fake_kernel *fake, const char *name)
{
    const struct fake_symbol *symbol = fake_find(fake, name);

    fake_must(symbol, name);
    return symbol->address;
}

static void add_per_cpu(struct fake_kernel *fake)
{
    uint32_t i;
    char name[FAKE_NAME_MAX];

    if ( fake->form.encoding != OFFSET_PER_CPU )
        return;
    fake_symbol(fake, 0, 'A', "fixed_percpu_data");
    fake_symbol(fake, 0, 'A', "__per_cpu_start");
    for ( i = 1; i < 40; i++ )
    {
        snprintf(name, sizeof(name), "per_cpu_%u", i);
        fake_symbol(fake, 64 * i, 'A', name);
    }
    if ( fake->form.cpus )
    {
        fake_symbol(fake, FAKE_AT_CURRENT, 'A',
                    fake->form.hot ? "pcpu_hot" : "current_task");
        fake_symbol(fake, FAKE_AT_VCPU_ID, 'A', "xen_vcpu_id");
    }
    fake->per_cpu = fake->count;
}

static void add_text(struct fake_kernel *fake)
{
    static const uint8_t plain[FAKE_FUNCTION] = {0xf3, 0x0f, 0x1e, 0xfa, 0x41,
                                                 0x57, 0x31, 0xc0, 0xc3};
    static const uint8_t framed[FAKE_FUNCTION] = {0x0f, 0x1f, 0x44, 0x00, 0x00,
                                                  0x55, 0x48, 0x89, 0xe5, 0xc3};
    char name[FAKE_NAME_MAX];
    uint32_t i;

    fake_symbol(fake, fake->kernel.address, 'T', "_text");
    fake_symbol(fake, fake->kernel.address, 'T', "_stext");
    for ( i = 0; i < fake->form.functions; i++ )
    {
        fake_function_name(fake, i, name);
        if ( i ) /* the first is called _text */
            fake_symbol(fake, fake_end(&fake->kernel), i % 2 ? 't' : 'T', name);
        fake_add(&fake->kernel, fake->form.frame_pointers ? framed : plain,
                 FAKE_FUNCTION);
    }
    fake->text_end = fake_end(&fake->kernel);
    fake_symbol(fake, fake->text_end, 'T', "_etext");
    fake_align(&fake->kernel, 4096);
}

static void add_banner(struct fake_kernel *fake)
{
    char text[256] = "";

    snprintf(text, sizeof(text), "Linux version %s (me@here) #1 SMP",
             fake->form.release);
    fake_symbol(fake, fake_end(&fake->kernel), 'D', "linux_banner");
    fake_add(&fake->kernel, text, sizeof(text));
}

static void add_notes(struct fake_kernel *fake)
{
    struct {
        uint32_t other[4];
        uint32_t head[3];
        char owner[4];
        uint8_t id[20];
    } notes = {{4, 0, 6, 0x006e6558}, {4, 20, 3}, "GNU", {0}};

    memset(notes.id, 0xab, sizeof(notes.id));
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__start_notes");
    fake->build_id = fake_end(&fake->kernel) + sizeof(notes) - 20;
    fake_add(&fake->kernel, &notes,
             fake->form.no_build_id ? sizeof(notes.other) : sizeof(notes));
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__stop_notes");
}

/* A row for each second function, whose frame grows with its number. */
static void add_orc(struct fake_kernel *fake)
{
    uint32_t i, rows = fake->form.functions / 2;

    if ( fake->form.no_orc )
        return;
    fake_align(&fake->kernel, 4);
    fake_add(&fake->kernel, NULL, fake->form.orc_moved);
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__start_orc_unwind_ip");
    for ( i = 0; i < rows; i++ )
    {
        int32_t ip = (int32_t)(fake_function(fake, 2 * i) -
                               fake_end(&fake->kernel) + fake->form.orc_moved);

        fake_add(&fake->kernel, &ip, sizeof(ip));
    }
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__stop_orc_unwind_ip");
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__start_orc_unwind");
    for ( i = 0; i < rows; i++ )
    {
        /* CFA = sp + offset, a call: of 4.14, or of 6.4 */
        uint16_t row[3] = {8 + 8 * (i % 5), 0,
                           fake->form.new_order ? 0x205 : 5};

        fake_add(&fake->kernel, row, sizeof(row));
    }
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__stop_orc_unwind");
}

static void add_data(struct fake_kernel *fake)
{
    uint32_t i;

    fake_align(&fake->kernel, 16);
    fake->modules_head = fake_end(&fake->kernel);
    fake_symbol(fake, fake->modules_head, 'D', "modules");
    fake_add(&fake->kernel, NULL, 16);
    for ( i = 0; i < 10000 && fake->form.many_alike; i++ )
        fake_symbol(fake, fake_end(&fake->kernel), 'r', "__kstrtabns_x");
}

void fake_add_init(struct fake_kernel *fake)
{
    fake_align(&fake->kernel, 4096);
    fake_symbol(fake, fake_end(&fake->kernel), 'T', "_sinittext");
    fake_add(&fake->kernel, NULL, 64);
    fake_symbol(fake, fake_end(&fake->kernel), 't', "start_of_all");
    fake_add(&fake->kernel, NULL, 64);
    fake_symbol(fake, fake_end(&fake->kernel), 'T', "_einittext");
    fake_align(&fake->kernel, 4096);
}

static struct fake_part *part_of(struct fake_kernel *fake, uint64_t address)
{
    if ( address - fake->kernel.address < fake->kernel.size )
        return &fake->kernel;
    if ( address - fake->areas.address < fake->areas.size )
        return &fake->areas;
    return address - fake->modules.address < fake->modules.size ? &fake->modules
                                                                : NULL;
}

uint8_t *fake_bytes(struct fake_kernel *fake, uint64_t address)
{
    struct fake_part *part = part_of(fake, address);

    fake_must(part, "an address that is there");
    return part->bytes + (address - part->address);
}

static uint64_t next_random(struct fake_kernel *fake)
{
    fake->random ^= fake->random << 13;
    fake->random ^= fake->random >> 7;
    fake->random ^= fake->random << 17;
    return fake->random;
}

static size_t read_fake(void *self, uint64_t address, void *to, size_t size)
{
    struct fake_kernel *fake = self;
    struct fake_part *part = part_of(fake, address);
    uint64_t left;

    if ( !part )
        return 0;
    left = part->size - (address - part->address);
    if ( fake->hole && address < fake->hole + 4096 &&
         fake->hole < address + left )
        left = fake->hole > address ? fake->hole - address : 0;
    if ( size > left )
        size = left;
    memcpy(to, part->bytes + (address - part->address), size);
    if ( size && fake->noise && next_random(fake) % fake->noise == 0 )
        ((uint8_t *)to)[next_random(fake) % size] ^= 1 << next_random(fake) % 8;
    return size;
}

void fake_kernel_open(struct fake_kernel *fake, const struct fake_form *form)
{
    memset(fake, 0, sizeof(*fake));
    fake->form = *form;
    fake->random = 88172645463325252u;
    if ( !fake->form.functions )
        fake->form.functions = 20000;
    if ( !fake->form.alignment )
        fake->form.alignment = 8;
    if ( !fake->form.release )
        fake->form.release = form->new_order ? "6.12.9-test" : "6.1.0-test";
    fake->kernel.address = form->base ? form->base : FAKE_LINKED;
    fake->modules.address = FAKE_MODULES;
    fake->areas.address = FAKE_AREAS;
    add_per_cpu(fake);
    add_text(fake);
    add_banner(fake);
    add_notes(fake);
    fake_add_btf(fake);
    add_data(fake);
    if ( fake->form.cpus )
        fake_add_tasks(fake);
    add_orc(fake);
    fake_add_kallsyms(fake);
    fake_add_modules(fake);
    fake->memory = (struct guest_memory){
        .read = read_fake, .self = fake, .left = BUDGET};
}

void fake_kernel_close(struct fake_kernel *fake)
{
    free(fake->kernel.bytes);
    free(fake->modules.bytes);
    free(fake->areas.bytes);
    free(fake->symbols);
}
