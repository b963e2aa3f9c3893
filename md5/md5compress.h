// md5compress: clips in a fifth to an eighth of their memory, with an error that is measured.
//
//   md5_compressed *walk = md5_compress_anim(anim, &(md5_compress_opts){.model = model}, NULL,
//                                            &error);
//   md5_compressed_binding *binding = md5_bind_compressed(model, walk, NULL, &error);
//   const md5_moment moment = md5_compressed_moment(walk, time, MD5_WRAP_LOOP);
//   md5_sample_compressed(binding, &moment, MD5_ROOT_FILE, pose);
//
// Constant tracks are stored once. Of the others, frames that are interpolated from their
// neighbours well enough are dropped. What remains are integers of as many bits as the tolerance
// asks for: each joint has its own step, finer for joints with much of the model below them. Any
// moment costs the same; sampling keeps no state and allocates nothing.
//
// The same input gives the same bytes, and the same samples, with every compiler, platform and
// instruction set.
//
// Space, memory and threads: see md5model.h.
#ifndef MD5COMPRESS_H
#define MD5COMPRESS_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// The stored tracks.
typedef struct md5_packed md5_packed;

// A compressed clip. Read-only after it is made; threads may share it. It keeps no pointer to the
// animation or the model.
typedef struct md5_compressed {
    md5_skeleton skeleton;
    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    double duration;     // of one cycle, in seconds: (num_frames - 1) / frame_rate
    float tolerance;     // units, as asked for

    // The largest displacement of a point of the skin, measured: of all joints of all frames, and
    // of the moments halfway between them, by comparing joints in model space with those of the
    // animation. A joint moves points at its skin distance by at most the displacement of its
    // origin plus the skin distance times the chord of the angle by which it is turned. A vertex
    // with weights from 0 to 1 that sum to 1 moves no farther than its joints' points.
    float error; // units, <= tolerance

    const md5_packed *packed;
    size_t packed_size; // bytes that sampling reads: what compares with the frames of an md5_anim
    size_t size;        // bytes of the whole block, with names and hierarchy
    md5_allocator allocator;
} md5_compressed;

// Begin with `md5_compress_opts compress = {0};`.
typedef struct md5_compress_opts {
    float tolerance; // largest displacement at the skin, units; 0 = 0.01 times the clip's scale

    // The skin distance of a joint is that of the farthest vertex that it moves. Taken from the
    // weights of `model`, whose joints are matched by name (differences are warnings, as those of
    // md5_bind(); vertices of a joint that the clip lacks move with its parent); or from
    // distances[anim joints], units, if that is not NULL. Without both: the longest bone from the
    // joint to a child, or, if it has none, from its parent. Joints without vertices, and all if
    // there is neither: 0. At least 1 unit (times the clip's scale) in any case, so that rotations
    // keep their directions.
    const md5_model *model;
    const float *distances;

    uintptr_t reserved[8]; // 0
} md5_compress_opts;

// Compresses an animation. `compress`, `opts` (allocator, memory_limit, warnings) and `error` may
// be NULL. Free the result with md5_free_compressed(). Returns NULL with
//
// - MD5_ERROR_RANGE if the tolerance is negative or not finite, or finer than floats of the clip's
//   size can keep; if the clip has more than 65535 joints or frames beyond 1e9 units;
// - MD5_ERROR_VERSION for version 6, which stores no hierarchy (parents_unknown);
// - MD5_ERROR_MISMATCH if no joint of the model is in the animation;
// - MD5_ERROR_MEMORY.
//
// The result is the smallest of 16 attempts, each of which is decoded and measured; if none holds,
// of more with finer steps. Some 9 microseconds a joint and frame. Time and memory are linear in
// joints times frames. Bounds of frames and the command line are not kept.
MD5_API md5_compressed *md5_compress_anim(const md5_anim *anim, const md5_compress_opts *compress,
                                          const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_compressed(md5_compressed *compressed); // NULL is allowed

// Makes a plain animation, whose frames are the samples of the clip at them: for tools. Rotations
// may be -q where the original has q. There are no bounds of frames; the base frame is the first
// frame, but for the position of joint 0. `opts` (allocator, memory_limit) and `error` may be NULL.
// Free the result with md5_free_anim(). Returns NULL with MD5_ERROR_MEMORY.
MD5_API md5_anim *md5_decompress_anim(const md5_compressed *compressed, const md5_load_opts *opts,
                                      md5_error *error);

// -- Files ----------------------------------------------------------------------------------

// Returns the bytes of the clip as a file, and writes them to bytes[size] if there is room: for a
// file of its own, or a part of another one. `bytes` may be NULL if `size` is 0. The bytes do not
// depend on their position or the platform, and end with a checksum.
MD5_API size_t md5_write_anim(const md5_compressed *compressed, void *bytes, size_t size);

// Reads what md5_write_anim() wrote. Every number is checked: whatever the bytes are, samples
// are finite and rotations of unit length. Returns NULL with MD5_ERROR_VERSION if they are of
// another version, MD5_ERROR_SYNTAX if they are no compressed clip, are cut off or changed
// (checksum), MD5_ERROR_RANGE if numbers contradict each other. Axes and scale are those that the
// animation had; those of `opts` are not used.
MD5_API md5_compressed *md5_load_compressed(const char *path, const md5_load_opts *opts,
                                            md5_error *error);
MD5_API md5_compressed *md5_parse_compressed(const void *bytes, size_t size,
                                             const md5_load_opts *opts, md5_error *error);

// -- Sampling -------------------------------------------------------------------------------

// Which joint of the clip drives which model joint: see md5_bind(). Keeps pointers to both.
typedef struct md5_compressed_binding md5_compressed_binding;

// md5_bind() for a compressed clip: the same matches, warnings and errors.
MD5_API md5_compressed_binding *md5_bind_compressed(const md5_model *model,
                                                    const md5_compressed *compressed,
                                                    const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_compressed_binding(md5_compressed_binding *binding); // NULL is allowed

// md5_moment_at() for a compressed clip.
MD5_API md5_moment md5_compressed_moment(const md5_compressed *compressed, double time,
                                         md5_wrap wrap);

// md5_sample() for a compressed clip: writes pose[model joints], transforms relative to the parent.
// A rotation may be -q where md5_sample() has q.
MD5_API void md5_sample_compressed(const md5_compressed_binding *binding, const md5_moment *moment,
                                   md5_root root, md5_xform *pose);

// md5_sample_anim() for a compressed clip: writes pose[clip joints].
MD5_API void md5_sample_compressed_anim(const md5_compressed *compressed, const md5_moment *moment,
                                        md5_root root, md5_xform *pose);

// md5_anim_root_motion() for a compressed clip.
MD5_API md5_vec3 md5_compressed_root_motion(const md5_compressed *compressed,
                                            const md5_moment *from, const md5_moment *to);

#ifdef __cplusplus
}
#endif

#endif
