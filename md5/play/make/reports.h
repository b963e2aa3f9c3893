#ifndef MD5_PLAY_BUILD_REPORTS_H
#define MD5_PLAY_BUILD_REPORTS_H

#include "md5/play/machine.h"
#include "md5/core/arena.h"

// Lays out the events that a machine reports. Its tables and layers are placed already.
void md5i_place_reports(md5_block *block, const md5_machine_desc *desc, md5_machine *machine);

#endif
