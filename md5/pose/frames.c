// Reads the translations of joint 0 for root motion. The small form of the library (md5/small/) has
// its own version without compressed clips.
#include "md5/pose/frames.h"
#include "md5/pose/tracks.h"

// Reads the translations of joint 0 at frames[count] into out[count].
void md5i_read_root(const md5_anim *anim, const uint32_t *frames, uint32_t count, md5_vec3 *out)
{
    // translation_joints is ascending, so joint 0 can only be its first element.
    const bool is_animated = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    for (uint32_t i = 0; i < count; i++)
        out[i] =
            is_animated ? md5_frame_translation(anim, frames[i], 0) : anim->constant[0].translation;
}
