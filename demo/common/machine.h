// A machine file with its model, its bound clips, and the machine that they make.
#ifndef DEMO_COMMON_MACHINE_H
#define DEMO_COMMON_MACHINE_H

#include "md5/md5model.h"
#include "md5/md5play.h"

typedef struct common_machine {
    md5_machine_file *file;
    md5_model *model;
    uint32_t num_clips;
    char **clip_paths;      // [num_clips]
    md5_anim **anims;       // [num_clips]
    md5_binding **bindings; // [num_clips]
    md5_machine *machine;
} common_machine;

// Loads a machine and its files, whose paths are relative to the machine file. Warnings go to
// opts->warn, each with its file. On failure returns false and fills `error`. Free `loaded` in any
// case.
bool common_load_machine(const char *path, const md5_load_opts *opts, common_machine *loaded,
                         md5_error *error);
void common_free_machine(common_machine *loaded); // a zeroed one is allowed

#endif
