// md5character: a machine file with everything it names, in one call.
//
//   md5_character *hero = md5_load_character("hero.md5machine", NULL, &error);
//   md5_player *player = md5_create_player(hero->machine, NULL, &error);
//
// One character serves any number of players, which must be freed first.
#ifndef MD5CHARACTER_H
#define MD5CHARACTER_H

#include "md5play.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// Read-only after loading; threads may share it. Arrays have one entry for each clip of the
// machine, in its order: md5_machine_tables(machine)->clips. Clips that name the same file share
// its animation and binding.
typedef struct md5_character {
    const md5_machine *machine;
    const md5_model *model;
    uint32_t num_clips;
    const md5_anim *const *anims;       // [num_clips]
    const md5_binding *const *bindings; // [num_clips]
    const char *model_path;             // as it was opened
    const char *const *anim_paths;      // [num_clips]
    size_t anims_size;                  // bytes of the animations, each counted once
    uint32_t num_warnings;              // of the machine file, the model and the animations
    md5_allocator allocator;
    void *memory; // holds the arrays and paths
} md5_character;

// Loads a machine file (md5/play/machine_files.md), the model and animations that it names, binds
// them and creates the machine. A file name in the text is relative to the folder of `path`, unless
// it begins with one / or \ or a drive letter: no file of another machine is read. Reads each file
// once, through opts->files if set. opts->memory_limit holds for each file by itself;
// opts->max_warnings too. Warnings about a binding name the clip. With opts->threads the files are
// read by several threads, all of them even if one has an error; result, warnings and error are
// those of one thread.
//
// Returns NULL on failure. A file that cannot be read is an error at its name in the machine file;
// other errors are at their location in the file that has them. `opts` and `error` may be NULL.
// Free with md5_free_character().
MD5_API md5_character *md5_load_character(const char *path, const md5_load_opts *opts,
                                          md5_error *error);

// Frees the machine, the bindings, the animations and the model. NULL is allowed.
MD5_API void md5_free_character(md5_character *character);

#ifdef __cplusplus
}
#endif

#endif
