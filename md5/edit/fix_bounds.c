// Bounding boxes of a clip. Computes the box of the skinned vertices in each frame, and replaces
// the boxes of the clip if one of them differs.
#include "md5/edit/repair.h"
#include "md5/md5skin.h"

// Returns true if two boxes differ by at most 0.01 units.
static bool is_similar_box(md5_bounds a, md5_bounds b)
{
    const float tolerance = 0.01f;
    return md5_vec3_length(md5_vec3_sub(a.min, b.min)) <= tolerance
           && md5_vec3_length(md5_vec3_sub(a.max, b.max)) <= tolerance;
}

// Computes the bounding boxes of a model in all frames. Returns the number of boxes that differ
// from the boxes in the document.
static uint32_t compute_bounds(md5_repair *repair, const md5_doc *doc, const md5_model *model,
                               md5_mat34 *palette, md5_bounds *bounds)
{
    uint32_t num_changed = 0;
    for (uint32_t f = 0; f < doc->num_frames; f++) {
        const md5_sample_position sample = md5_sample_position_from_frames(repair->anim, f, f, 0);
        md5_pose_palette(repair->binding, sample, MD5_ROOT_FILE, repair->pose, NULL, palette);
        bounds[f] = md5_skin_bounds(model, palette);
        if (!doc->bounds || !is_similar_box(doc->bounds[f], bounds[f]))
            num_changed++;
    }
    return num_changed;
}

// Computes the bounding box of each frame from the skinned vertices of the model. Returns the
// number of boxes that were wrong, or MD5_NONE after a failure.
uint32_t md5_fix_bounds(md5_doc *doc, const md5_model *model, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    if (!model) {
        md5i_fail_missing(error, "model");
        return MD5_NONE;
    }

    md5_repair repair;
    if (!md5i_begin_clip(&repair, doc, model, error))
        return md5i_end_repair(&repair, doc, 0);
    if (model->max_vertices == 0) {
        MD5_FAIL(&repair.context, MD5_ERROR_MISMATCH,
                 "model has no vertices: expected at least 1, because bounds enclose vertices");
        return md5i_end_repair(&repair, doc, 0);
    }

    md5_mat34 *const palette =
        MD5_ALLOC_ARRAY(&repair.scratch, md5_mat34, model->skeleton.num_joints);
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(&repair.arena, md5_bounds, doc->num_frames);
    if (!palette || !bounds)
        return md5i_end_repair(&repair, doc, 0);

    const uint32_t count = compute_bounds(&repair, doc, model, palette, bounds);
    if (count > 0)
        doc->bounds = bounds;
    return md5i_end_repair(&repair, doc, count);
}
