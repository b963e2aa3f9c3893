// The tables of an .md5anim, before anything is derived from them.
#ifndef MD5_READ_ANIM_FILE_H
#define MD5_READ_ANIM_FILE_H

#include "md5/read/joints.h"

typedef struct md5_anim_file {
    md5_span command_line;
    uint32_t num_frames; // >= 1
    uint32_t num_joints; // >= 1
    uint32_t num_components;
    double frame_rate; // > 0
    const md5_file_joint *joints;
    bool parents_unknown;    // of version 6: all are -1
    const uint32_t *order;   // [num_joints] parents before children
    const md5_track *tracks; // [num_joints]; first + bits set <= num_components
    // [num_joints] relative to the parent; x y z of rotations as in the file, w is 0: frames
    // replace some of the three before w is computed.
    const md5_xform *base_frame;
    const float *numbers;     // [num_frames][num_components]
    const md5_bounds *bounds; // [num_frames], or NULL if the file has no bounds for each frame
} md5_anim_file;

// Reads `size` bytes of .md5anim text. What `file` points to lies in the arena or in the text.
// Returns false with the context's error set.
bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size, md5_anim_file *file);

// The same for a .bMD5anim of Doom 3 BFG, which its first bytes tell from text.
bool md5i_is_bfg_anim(const char *bytes, size_t size);
bool md5i_read_bfg_anim(md5_arena *arena, const char *bytes, size_t size, md5_anim_file *file);

#endif
