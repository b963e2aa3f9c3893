// Compressed clips as the bytes of files and as blocks in memory.
#ifndef MD5_COMPRESS_FILE_H
#define MD5_COMPRESS_FILE_H

#include "md5/core/bytes.h"
#include "md5/pose/packed.h"

#define MD5_PACKED_FILE "M5CC" // what the bytes of md5_write_anim() begin with

// Makes a compressed clip of such bytes: whatever they are, in linear time. Reports errors; returns
// false.
bool md5i_read_packed_file(md5_arena *arena, const char *bytes, size_t size, void **asset);

// Copies a packed clip into one block of the context's allocator: skeleton, rate, error and
// tolerance are those of `source`. `base` is joint 0's position in the base frame. NULL if memory
// runs out.
md5_anim *md5i_packed_create(md5_context *context, const md5_anim *source, md5_vec3 base,
                             const md5_packed *packed);

// Checks all that sampling relies on, whatever bytes[num_bytes + MD5_PACKED_PADDING] are:
// num_joints and num_frames are valid, `cursors` are not looked at. Sets header_bits.
bool md5i_check_packed(md5_context *context, md5_packed *packed);

// Distances and budgets of joints, [anim joints] each.
typedef struct md5_skin_reach {
    float *own;     // from a joint to the farthest point of the skin that it moves
    float *reach;   // to the farthest point that it or a joint below it moves, along the bones
    float *budgets; // units by which a joint may displace the skin: 1 is shared along each path
} md5_skin_reach;
bool md5i_find_reach(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                     md5_skin_reach *reach);

#endif
