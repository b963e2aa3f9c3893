// A machine's own copy of the tables that it is made from.
#ifndef MD5_PLAY_BUILD_TABLES_H
#define MD5_PLAY_BUILD_TABLES_H

#include "md5/core/arena.h"
#include "md5/md5machine.h"

// Copies the tables and all that they name into `block`; while it measures, `copy` is of no use.
void md5_copy_tables(md5_block *block, const md5_machine_desc *desc, md5_machine_desc *copy);

#endif
