// Joint 0's translation, by which clips move a character.
#ifndef MD5_POSE_ROOT_H
#define MD5_POSE_ROOT_H

#include "md5/md5model.h"

// Returns joint 0's translation as stored, interpolated between the frames of `moment`.
md5_vec3 md5i_root_stored(const md5_anim *anim, const md5_moment *moment);

// Returns joint 0's translation in the mode `root`.
md5_vec3 md5i_root_translation(const md5_anim *anim, const md5_moment *moment, md5_root root);

// Joint 0's translations as stored: what the functions below make a result of, so that compressed
// clips share them.
typedef struct md5_root_frames {
    md5_vec3 base, last;     // of the base frame and of the last frame
    md5_vec3 frame0, frame1; // of the moment's frames
} md5_root_frames;

// The mode MD5_ROOT_ID.
md5_vec3 md5i_root_of_id(const md5_root_frames *frames, const md5_moment *moment);

// md5_anim_root_motion(): frames[4] are those of both moments, `first` and `last` of the clip.
md5_vec3 md5i_root_between(const md5_moment *from, const md5_moment *to, const md5_vec3 frames[4],
                           md5_vec3 first, md5_vec3 last);

#endif
