// Edits of space: they scale, rotate and mirror a model, clip or camera animation.
//
// An edit maps a point p to scale * rotation * p. If it mirrors, it negates y first. p then becomes
// scale * rotation * Y * p, where Y is the matrix of this reflection.
//
// Joints store transforms relative to their parents. Therefore only joints without a parent and
// data in model space are rotated. All other joints rotate with their parents. Scaling and
// mirroring apply to every joint. A rotation R is mirrored as Y R Y. Y R alone would be a
// reflection, which a quaternion cannot store.
#include "md5/edit/repair.h"

// The transform from the old to the new model space.
typedef struct space_map {
    md5_mat34 matrix; // scale * rotation, or scale * rotation * Y
    md5_quat rotation;
    float scale;
    bool is_mirrored;
    bool has_rotation;
} space_map;

// Returns the matrix of a rotation. Elements that are nearly whole numbers are rounded to them, so
// that rotations by 90 degrees are exact.
static md5_mat34 rounded_rotation_matrix(md5_quat rotation)
{
    md5_mat34 matrix = md5_mat34_from_xform((md5_xform){.rotation = rotation});
    for (uint32_t i = 0; i < 12; i++) {
        const float rounded = rintf(matrix.m[i]);
        if (fabsf(matrix.m[i] - rounded) < 1e-6f)
            matrix.m[i] = rounded;
    }
    return matrix;
}

// Returns true if a matrix of 3 rows and 4 columns is the identity.
static bool is_identity_matrix(const md5_mat34 *matrix)
{
    for (uint32_t i = 0; i < 12; i++) {
        const bool is_diagonal = i % 5 == 0;
        if (matrix->m[i] != (is_diagonal ? 1 : 0))
            return false;
    }
    return true;
}

// Multiplies the matrix of a rotation by the scale of a map. If the map mirrors, also multiplies it
// by the reflection Y, which negates the column of y.
static md5_mat34 scaled_map_matrix(const space_map *map, const md5_mat34 *rotation)
{
    md5_mat34 matrix = *rotation;
    for (uint32_t i = 0; i < 12; i++) {
        const bool is_y_column = i % 4 == 1;
        const bool is_negated = map->is_mirrored && is_y_column;
        matrix.m[i] *= is_negated ? -map->scale : map->scale;
    }
    return matrix;
}

// Creates the map of an edit. A scale of 0 in the edit means 1. Returns false and sets the error if
// the scale or the rotation is out of range.
static bool create_map(md5_repair *repair, const md5_space_edit *edit, space_map *map)
{
    *map = (space_map){.rotation = md5_quat_from_euler(edit->rotation),
                       .scale = edit->scale == 0 ? 1 : edit->scale,
                       .is_mirrored = edit->is_mirrored};
    if (!(map->scale >= 1e-6f && map->scale <= 1e6f))
        return MD5_FAIL(&repair->context, MD5_ERROR_RANGE,
                        "scale is out of range: expected 1e-6 to 1e6, found %g", map->scale);
    if (!isfinite(map->rotation.w))
        return MD5_FAIL(&repair->context, MD5_ERROR_RANGE,
                        "invalid rotation: expected finite angles, found %g %g %g",
                        edit->rotation.pitch, edit->rotation.yaw, edit->rotation.roll);

    const md5_mat34 rotation_matrix = rounded_rotation_matrix(map->rotation);
    map->has_rotation = !is_identity_matrix(&rotation_matrix);
    map->matrix = scaled_map_matrix(map, &rotation_matrix);
    return true;
}

// Scales and mirrors a vector, without the rotation of the map.
static md5_vec3 map_offset(const space_map *map, md5_vec3 v)
{
    const float y = map->is_mirrored ? 0 - v.y : v.y; // never -0
    return md5_vec3_scale((md5_vec3){v.x, y, v.z}, map->scale);
}

// Maps the transform of a joint in place. The transform consists of the position, and of x, y and z
// of the rotation's quaternion. It is in model space, or relative to a parent that the map rotates.
// w is computed only if the map rotates the joint itself, because rounding would otherwise change
// the numbers of the file.
static void map_joint(const space_map *map, bool is_in_model_space, md5_vec3 *position,
                      md5_vec3 *rotation)
{
    // The reflection of y in Y R Y reverses the rotations about x and z.
    const md5_vec3 old_xyz = *rotation;
    const md5_vec3 xyz =
        map->is_mirrored ? (md5_vec3){0 - old_xyz.x, old_xyz.y, 0 - old_xyz.z} : old_xyz;

    const bool is_rotated = is_in_model_space && map->has_rotation;
    if (!is_rotated) {
        *position = map_offset(map, *position);
        *rotation = xyz;
        return;
    }
    const md5_quat q = md5_quat_from_xyz(xyz.x, xyz.y, xyz.z);
    *position = md5_mat34_point(map->matrix, *position);
    *rotation = md5_quat_to_xyz(md5_quat_mul(map->rotation, q));
}

// Sets partners[joints] to the mirror partner of each joint, which is the joint whose mirror image
// it becomes. Without mirroring, each joint is its own partner. Returns false and sets the error if
// a partner is out of range, or if two joints have the same partner.
static bool read_partners(md5_repair *repair, const md5_space_edit *edit, const md5_doc *doc,
                          uint32_t *partners)
{
    const bool has_partners = edit->is_mirrored && edit->partners;
    bool *const is_partner = MD5_ALLOC_ZEROED(&repair->scratch, bool, doc->num_joints);
    TRY(partners && is_partner);

    for (uint32_t j = 0; j < doc->num_joints; j++) {
        const uint32_t partner = has_partners ? edit->partners[j] : j;
        if (partner >= doc->num_joints)
            return MD5_FAIL(&repair->context, MD5_ERROR_RANGE,
                            "mirror partner of joint %u is out of range: expected a joint index "
                            "below %u, found %u",
                            j, doc->num_joints, partner);
        if (is_partner[partner])
            return MD5_FAIL(&repair->context, MD5_ERROR_RANGE,
                            "mirror partner of joint %u is a duplicate: joint %u is also the "
                            "partner of another joint",
                            j, partner);
        is_partner[partner] = true;
        partners[j] = partner;
    }
    return true;
}

// Converts a joint and its frames to the new space, in place.
static void map_joint_frames(const space_map *map, const md5_doc *doc, md5_doc_joint *joint)
{
    const bool is_in_model_space = doc->kind == MD5_DOC_MODEL || joint->parent == MD5_NONE;
    const uint32_t num_frames = joint->track.flags > 0 ? doc->num_frames : 0;
    // Map the frames before the base frame. Components without a flag are read from the base frame,
    // which must still be in the old space then.
    for (size_t f = 0; f < num_frames; f++) {
        float *const numbers = doc->numbers + f * doc->num_components + joint->track.first;
        md5_joint_components all = md5i_read_components(joint, numbers);
        map_joint(map, is_in_model_space, &all.pair[0], &all.pair[1]);
        md5i_write_components(&all, joint->track.flags, numbers);
    }
    map_joint(map, is_in_model_space, &joint->position, &joint->rotation);
}

// Maps the weights of all meshes to the new space, in place. A reflection turns the front of each
// triangle to the back. The vertex order of all triangles is then reversed.
static bool map_meshes(md5_repair *repair, const space_map *map, md5_doc *doc)
{
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        md5_doc_mesh *const mesh = &doc->meshes[m];
        for (uint32_t w = 0; w < mesh->num_weights; w++)
            mesh->weights[w].offset = map_offset(map, mesh->weights[w].offset);
        if (map->is_mirrored)
            TRY(md5i_flip_triangles(repair, mesh));
    }
    return true;
}

// Replaces the bounding boxes of all frames, if a clip has them, by mapped copies.
static bool map_bounds(md5_repair *repair, const space_map *map, md5_doc *doc)
{
    if (!doc->bounds)
        return true;
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(&repair->arena, md5_bounds, doc->num_frames);
    TRY(bounds);
    for (uint32_t f = 0; f < doc->num_frames; f++)
        bounds[f] = md5_bounds_transform(doc->bounds[f], map->matrix);
    doc->bounds = bounds;
    return true;
}

// Maps the joints, meshes and bounding boxes of a model or clip to the new space. If the edit
// mirrors and has mirror partners, it also exchanges partners, such as the left and the right hand.
// Replaces *doc only if nothing fails. Otherwise returns false and sets the error.
static bool map_joints(md5_repair *repair, const md5_space_edit *edit, const space_map *map,
                       md5_doc *doc)
{
    md5_doc to;
    uint32_t *const partners = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, doc->num_joints);
    TRY(read_partners(repair, edit, doc, partners));

    // Joint j gets the transforms, frames and weights of its partner, which are mirrored below.
    // Thus the left hand moves like the mirror image of the right hand. Each joint keeps its name.
    //
    // The map rotates a root in model space. Then a clip that animates only x of the root's
    // position or rotation also changes y and z, so the root gets flags for all three components.
    TRY(md5i_rearrange_joints(repair, doc, partners, doc->num_joints, map->has_rotation, &to));

    for (uint32_t j = 0; j < to.num_joints; j++) {
        to.joints[j].name = doc->joints[j].name;
        map_joint_frames(map, &to, &to.joints[j]);
    }

    TRY(map_meshes(repair, map, &to));
    TRY(map_bounds(repair, map, &to));
    *doc = to;
    return true;
}

// Replaces the views of a camera animation, including those at cuts, by mapped copies. Returns
// false if memory runs out.
static bool map_views(md5_repair *repair, const space_map *map, md5_doc *doc)
{
    md5_camera_view *const views = (md5_camera_view *)md5i_arena_copy(
        &repair->arena, doc->views, doc->num_frames, sizeof *views);
    md5_cut_view *const cuts = (md5_cut_view *)md5i_arena_copy(&repair->arena, doc->cut_views,
                                                               doc->num_cut_views, sizeof *cuts);
    TRY(views && cuts);

    for (uint32_t i = 0; i < doc->num_frames; i++) {
        md5_vec3 xyz = md5_quat_to_xyz(views[i].rotation);
        map_joint(map, true, &views[i].position, &xyz);
        views[i].rotation = (md5_quat){xyz.x, xyz.y, xyz.z, 0}; // w is not written
    }

    for (uint32_t i = 0; i < doc->num_cut_views; i++) {
        md5_vec3 xyz = md5_quat_to_xyz(cuts[i].rotation);
        map_joint(map, true, &cuts[i].position, &xyz);
        cuts[i].rotation = md5_quat_from_xyz(xyz.x, xyz.y, xyz.z);
    }

    doc->views = views;
    doc->cut_views = cuts;
    return true;
}

// Scales, rotates, moves or mirrors a document. Returns the number of changed joints, or of frames
// of a camera, or MD5_NONE after a failure.
uint32_t md5_edit_space(md5_doc *doc, const md5_space_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    md5_repair repair;
    space_map map;
    if (!md5i_begin_repair(&repair, doc, doc->kind, error) || !create_map(&repair, edit, &map))
        return md5i_end_repair(&repair, doc, 0);
    const bool is_identity = map.scale == 1 && !map.has_rotation && !map.is_mirrored;
    if (is_identity)
        return md5i_end_repair(&repair, doc, 0);

    if (doc->kind == MD5_DOC_CAMERA) {
        const bool is_mapped = map_views(&repair, &map, doc);
        return md5i_end_repair(&repair, doc, is_mapped ? doc->num_frames : 0);
    }
    const bool is_mapped = map_joints(&repair, edit, &map, doc);
    return md5i_end_repair(&repair, doc, is_mapped ? doc->num_joints : 0);
}
