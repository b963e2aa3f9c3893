// A machine's own copy of the tables that it is made from.
#ifndef MD5_PLAY_BUILD_TABLES_H
#define MD5_PLAY_BUILD_TABLES_H

#include "md5/core/arena.h"
#include "md5/md5play.h"

// Copies the tables and all that they name into `block`; while it measures, `copy` is of no use.
void md5i_copy_tables(md5_block *block, const md5_machine_desc *desc, md5_machine_desc *copy);

// Whether the reserved members of the machine and its tables are 0; for assertions only. Skips
// tables that are missing, which is an error of its own.
bool md5i_are_reserved_zero(const md5_machine_desc *desc);

#endif
