// The tables of an .md5camera, before anything is derived from them.
#ifndef MD5_READ_CAMERA_FILE_H
#define MD5_READ_CAMERA_FILE_H

#include "md5/core/lex_values.h"

typedef struct md5_camera_file {
    md5_span command_line;
    uint32_t num_frames; // >= 1
    uint32_t num_cuts;
    double frame_rate;    // > 0
    const uint32_t *cuts; // [num_cuts] below num_frames
    uint32_t num_cut_views;
    const md5_cut_view *cut_views; // [num_cut_views]
    const md5_camera_view *frames; // [num_frames]
} md5_camera_file;

// Reads `size` bytes of .md5camera text. What `file` points to lies in the arena or in the text.
// Returns false with the context's error set.
bool md5i_read_camera_file(md5_arena *arena, const char *text, size_t size, md5_camera_file *file);

// The same for a .bcanim of Doom 3 BFG's successors, which its first bytes tell from text.
bool md5i_is_bfg_camera(const char *bytes, size_t size);
bool md5i_read_bfg_camera(md5_arena *arena, const char *bytes, size_t size, md5_camera_file *file);

#endif
