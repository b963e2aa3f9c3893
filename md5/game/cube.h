// A Cube 2 model while it is read: the arrays of md5_cube and its parts, with room to grow.
#ifndef MD5_GAME_CUBE_H
#define MD5_GAME_CUBE_H

#include "md5/game/cube_script.h"
#include "md5/md5dialects.h"

// An array whose items are added one by one: it is doubled when it is full.
typedef struct md5_cube_list {
    void *items; // [count] of `room`
    uint32_t count, room;
} md5_cube_list;

// Returns a new item of `size` bytes, all 0, at the end. NULL if memory runs out.
void *md5i_cube_add(md5_arena *arena, md5_cube_list *list, size_t size);

typedef struct md5_cube_part_reader {
    const char *mesh, *skeleton;
    float smooth;
    md5_cube_list tags, pitches, adjustments, anims, masks, rows;
    md5_name_map files; // of animations; values are 1 + the number of adjustments when first named
} md5_cube_part_reader;

typedef struct md5_cube_reader {
    md5_cube_script script;
    md5_arena *arena;
    const char *folder; // that paths are relative to, with / at its end
    const char *models; // folder that md5dir is relative to
    md5_cube cube;
    md5_cube_list parts; // of md5_cube_part_reader
    md5_cube_list links, settings;
} md5_cube_reader;

// Executes a command; an unknown one is a warning. Returns false if memory runs out.
bool md5i_cube_run(md5_cube_reader *reader, const md5_cube_command *command);

// Adds a part, and the mask of all its joints.
md5_cube_part_reader *md5i_cube_add_part(md5_cube_reader *reader, const char *mesh);

#endif
