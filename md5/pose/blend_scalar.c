// Blends two poses in plain C, for builds without SIMD. The results have the same bits as those of
// the wide kernels, whose code is ten times larger.
#include "md5/core/slerp.h"
#include "md5/pose/kernels.h"

// Blends two poses by slerp or nlerp. The order of operations is the order of the SIMD kernels, so
// that the results have the same bits.
void md5i_blend_scalar(const md5_combine_job *poses)
{
    const bool is_nlerp = poses->kind == MD5_BLEND_NLERP;
    for (uint32_t i = 0; i < poses->count; i++) {
        const md5_xform a = poses->a[i];
        const md5_xform b = poses->b[i];
        const float *const joint_weights = poses->joint_weights;
        const float t = joint_weights ? poses->weight * joint_weights[i] : poses->weight;
        md5_xform *const out = &poses->out[i];

        // Weights of 0 and 1 copy a transform exactly.
        *out = t >= 1 ? b : a;
        if (!(t > 0 && t < 1))
            continue;

        const md5_slerp_weights weights = md5i_slerp_weights_at(t);
        const md5_nlerp_weights sums = md5_nlerp_weights_at(t);
        const md5_quat p = a.rotation;
        const md5_quat q = b.rotation;
        const float cosine = (p.x * q.x + p.z * q.z) + (p.y * q.y + p.w * q.w);
        out->rotation = is_nlerp ? md5_nlerp_by_cosine(&sums, cosine, p, q)
                                 : md5_slerp_by_cosine(&weights, cosine, p, q);

        const md5_vec3 v = a.translation;
        const md5_vec3 w = b.translation;
        out->translation.x = v.x - (v.x * t - w.x * t);
        out->translation.y = v.y - (v.y * t - w.y * t);
        out->translation.z = v.z - (v.z * t - w.z * t);
        out->pad = a.pad - (a.pad * t - b.pad * t);
    }
}
