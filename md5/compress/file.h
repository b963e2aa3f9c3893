// Compressed clips as blocks in memory and as bytes of files.
#ifndef MD5_COMPRESS_FILE_H
#define MD5_COMPRESS_FILE_H

#include "md5/core/bytes.h"
#include "md5/pose/packed.h"

#define MD5_PACKED_FILE "M5CC" // the first bytes of a file that md5_write_anim() writes

// Reads a compressed clip from the bytes of a file. Accepts any bytes and takes linear time.
// Returns false and sets the context's error if the bytes are invalid or memory runs out.
bool md5i_read_packed_file(md5_arena *arena, const char *bytes, size_t size, void **asset);

// Creates a compressed clip in one block from the context's allocator. Copies the tracks of
// `packed`, and the skeleton, frame rate, error and tolerance of `source`. `base` is the position
// of joint 0 in the base frame. Returns NULL if memory runs out.
md5_anim *md5i_packed_create(md5_context *context, const md5_anim *source, md5_vec3 base,
                             const md5_packed *packed);

// Checks all properties of the tracks on which sampling relies. bytes[num_bytes +
// MD5_PACKED_PADDING] may have any content, but num_joints and num_frames must be valid. `cursors`
// is not used. Sets header_bits. Returns false and sets the context's error if a property is
// missing.
bool md5i_check_packed(md5_context *context, md5_packed *packed);

// Distances from joints to the skin that they move, and error budgets of joints. Each array has an
// element for each joint of the animation.
typedef struct md5_skin_reach {
    float *direct; // distance to the farthest point of the skin that the joint moves itself
    float *reach;  // distance along the bones to the farthest point that the joint or a descendant
                   // moves
    // Budget of the joint for a tolerance of 1 unit. It is the displacement of the skin, in units,
    // that the tracks of the joint may cause: 1 / sqrt(n) for n joints on the longest path through
    // the joint.
    float *budgets;
} md5_skin_reach;

// Computes the distances and budgets of all joints. Returns false and sets the context's error if a
// distance is out of range or memory runs out.
bool md5i_find_reach(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                     md5_skin_reach *reach);

#endif
