// The walks over a machine's tables when it is made.
#ifndef MD5_PLAY_BUILD_TABLES_H
#define MD5_PLAY_BUILD_TABLES_H

#include "md5/core/arena.h"
#include "md5/play/make/building.h"
#include "md5/play/schema.h"

// Checks what needs no other row: numbers, choices, that arrays are there.
bool md5i_check_tables(md5_building *building, const md5_schema *schema, const void *row);

// Whether all reserved members are 0.
bool md5i_tables_reserve_zero(const md5_schema *schema, const void *row);

// Copies a row and all that it names into `block`; while it measures, `copy` is of no use.
void md5i_copy_tables(md5_block *block, const md5_schema *schema, const void *row, void *copy);

// A hash of a row and all that it names, which are valid, and of the joints and durations that they
// refer to.
uint64_t md5i_fingerprint_of(const md5_schema *schema, const void *row);

#endif
