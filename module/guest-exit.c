/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes the function that runs AMD guests, from its first byte to its last:
 * it is written by hand, and has no data in it. */
#include "guest-exit.h"

#include "disassembler.h"

#define RUNS_GUESTS "svm_asm_do_resume"

bool guest_exit_may_be(const struct xen_image *image, uint64_t address)
{
    const struct xen_symbol *start = xen_image_find(image, RUNS_GUESTS);
    const struct xen_symbol *at = xen_image_at(image, address);

    return start && at && at->address == start->address &&
           address > start->address;
}

uint64_t guest_exit_find(const struct xen_image *image)
{
    const struct xen_symbol *start = xen_image_find(image, RUNS_GUESTS);
    struct disassembler disassembler;
    const uint8_t *code;
    unsigned int count = 0;
    uint64_t address, after = 0;
    size_t size;

    if ( !start || !(code = xen_image_code(image, start->address, &size)) )
        return 0;
    address = start->address;
    size = xen_image_end(image, start) - address;
    if ( !disassembler_open(&disassembler) )
        while ( disassemble(&disassembler, &code, &size, &address) )
            if ( disassembler.instruction->id == X86_INS_STGI )
            {
                after = address;
                count++;
            }
    disassembler_close(&disassembler);
    return after && count == 1 ? after : 0;
}
