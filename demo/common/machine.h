// A machine file with all that it names: its model, its clips, bound, and the machine itself.
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

// Files are looked for beside the machine file. Warnings go to opts->warn, each with its file.
// Returns false with `error` set; `loaded` is then to be freed too.
bool common_load_machine(const char *path, const md5_load_opts *opts, common_machine *loaded,
                         md5_error *error);
void common_free_machine(common_machine *loaded); // a zeroed one is allowed

#endif
