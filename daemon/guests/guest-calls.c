/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at the bytes before a return address: x86 calls by E8 and by FF /2. */
#include "guest-calls.h"

#define NEAR 0x40000000ul /* 1 GiB */

#define CALL_NOT  1u
#define CALL_ENDS 2u

#define CALL_RELATIVE       0xe8
#define CALL_RELATIVE_BYTES 5u
#define CALL_INDIRECT       0xff
#define CALL_INDIRECT_REG   2u /* of ModRM: /2 */

void guest_calls_free(struct guest_calls *calls)
{
    address_table_clear(&calls->ends);
}

/* Returns how many bytes a call FF /2 has, of which these are the second and
 * third, or 0 if it is another instruction. */
static unsigned int indirect_bytes(uint8_t modrm, uint8_t sib)
{
    unsigned int mod = modrm >> 6, rm = modrm & 7, bytes = 2;

    if ( (modrm >> 3 & 7) != CALL_INDIRECT_REG )
        return 0;
    if ( mod == 3 )
        return bytes;
    bytes += rm == 4;
    if ( mod == 1 )
        return bytes + 1;
    if ( mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5) )
        return bytes + 4;
    return bytes;
}

bool bytes_end_with_call(const uint8_t bytes[CALL_BYTES_MAX])
{
    const uint8_t *end = bytes + CALL_BYTES_MAX;

    if ( end[-(int)CALL_RELATIVE_BYTES] == CALL_RELATIVE )
        return true;
    for ( unsigned int size = 2; size <= CALL_BYTES_MAX; size++ )
    {
        const uint8_t *at = end - size;

        if ( at[0] == CALL_INDIRECT &&
             indirect_bytes(at[1], size > 2 ? at[2] : 0) == size )
            return true;
    }
    return false;
}

bool is_near_code(uint64_t address, uint64_t ip)
{
    uint64_t distance = address > ip ? address - ip : ip - address;

    /* Within the same half, since ip is canonical and the halves are further
     * apart. */
    return distance <= NEAR && address >> 63 == ip >> 63;
}

bool guest_calls_end_at(struct guest_calls *calls, struct guest_walk *walk,
                        uint64_t address, uint64_t ip, uint32_t *left)
{
    uint8_t bytes[CALL_BYTES_MAX];
    uint32_t known;
    bool ends;

    if ( !is_near_code(address, ip) || address < CALL_BYTES_MAX )
        return false;
    known = address_table_find(&calls->ends, address);
    if ( known )
        return known == CALL_ENDS;
    if ( !*left )
        return false;
    --*left;
    ends = guest_walk_read(walk, address - CALL_BYTES_MAX, bytes,
                           sizeof(bytes)) == sizeof(bytes) &&
           bytes_end_with_call(bytes);
    address_table_set(&calls->ends, address, ends ? CALL_ENDS : CALL_NOT);
    return ends;
}
