// State while an .md5anim is read. anim_parse.c reads all sections but the frames,
// which anim_frames.c reads.
#ifndef MD5_READ_ANIM_READER_H
#define MD5_READ_ANIM_READER_H

#include "md5/read/anim_file.h"
#include "md5/read/header.h"

// The fewest bytes that one of each takes in a file: see mesh_bytes.h.
enum {
    MD5_ANIM_JOINT_BYTES = sizeof "a 0 0 0(0 0 0)(0 0 0)" - 1, // in the hierarchy and base frame
    MD5_FRAME_BYTES = sizeof "frame 0{}" - 1,
    MD5_NUMBER_BYTES = sizeof " 0" - 1,
};

typedef struct md5_anim_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_frames, num_joints, num_components;
    const char *rate_at; // NULL = not given yet
    md5_file_joint *joints;
    md5_track *tracks;
    md5_xform *base_frame;
    const char *bounds_at;

    // Number of components that the hierarchy refers to, and the position of the last reference.
    uint64_t needed;
    const char *needed_at;
    uint64_t num_used; // components, each counted as often as joints use it
    uint32_t
        *turning; // [num_turning] joints with rotation flags: frames are checked for these only
    uint32_t num_turning;

    uint32_t num_frames_read;
    int64_t first_frame; // the number of the first frame
    float *numbers;
    md5_anim_file *file;
} md5_anim_reader;

static inline uint32_t md5_num_flags(uint32_t flags)
{
    uint32_t bits = 0;
    for (; flags; flags &= flags - 1)
        bits++;
    return bits;
}

// Reads the number after `numchannels` of version 6, which was consumed, and all that follows.
bool md5i_read_channels(md5_lex *lex, md5_header *header, md5_anim_file *file);

// Reads the first frame: what it needs must have been read before.
bool md5i_read_first_frame(md5_anim_reader *reader);

// Reads `frame i { numbers }`, any but the first.
bool md5i_read_frame(md5_anim_reader *reader);

#endif
