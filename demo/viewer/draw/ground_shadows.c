// Draws the shadows of the models on the ground: the shadow map, or round shadows that replace it
// on a slow computer.
#include "demo/viewer/draw/draw.h"

#include <float.h>

// Returns the bounds of the feet: the joints in the lowest 15 % of the body, except the root. They
// are empty if there are no such joints. The round shadow is placed below them.
static md5_bounds find_feet(const md5_skeleton *skeleton, const md5_mat34 *joints, md5_bounds body)
{
    const float max_z = body.min.z + 0.15f * (body.max.z - body.min.z);
    md5_bounds feet = {.min = {INFINITY, INFINITY, INFINITY},
                       .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 1; k < skeleton->num_joints; k++) {
        const md5_vec3 position = md5_mat34_translation(joints[k]);
        if (position.z < max_z)
            feet = md5_bounds_union(feet, (md5_bounds){position, position});
    }
    return feet;
}

// Returns the round shadow of a body. It is on the ground below the feet, and as wide as the body.
// It becomes faint while the body is in the air. If `joints` is NULL, it is below the middle of the
// body.
static md5gl_blob_shadow body_blob(const md5_model *model, const md5_mat34 *joints, md5_bounds body,
                                   float ground)
{
    const float height = body.max.z - body.min.z;
    const float width = fmaxf(body.max.x - body.min.x, body.max.y - body.min.y);
    md5_bounds feet = md5_bounds_from_points(NULL, 0); // empty
    if (joints != NULL)
        feet = find_feet(&model->skeleton, joints, body);
    const bool has_feet = !view_is_empty(feet);
    const md5_vec3 center = view_center(has_feet ? feet : body);
    const float relative_radius = has_feet ? 0.5f : 0.6f;
    // Altitude relative to the height of the body. On the ground it is 0, also for a flat body.
    const float altitude = (body.min.z - ground) / fmaxf(height, FLT_MIN);
    return (md5gl_blob_shadow){
        .position = {center.x, center.y, ground},
        .radius = relative_radius * width,
        .darkness = 0.6f * view_clamp(1 - 2 * altitude, 0.1f, 1),
    };
}

// Draws a round shadow below each model if the shadow map is omitted to save time. A model without
// any shadow seems to float.
static void draw_blobs(const view_stage *stage, float ground)
{
    const view_document *const document = stage->document;
    md5gl_blob_shadow blobs[1 + VIEW_NUM_COMPANIONS] = {{.radius = 0}};
    if (document->scene.model != NULL)
        blobs[0] = body_blob(document->scene.model, document->scene.joints,
                             view_scene_bounds(document), ground);
    for (uint32_t i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        const bool is_attached = companion->joint >= 0;
        if (companion->model == NULL || is_attached)
            continue;
        blobs[1 + i] = body_blob(companion->model, companion->joints,
                                 view_companion_bounds(document, i), ground);
    }
    md5gl_draw_blob_shadows(stage->renderer, blobs, 1 + VIEW_NUM_COMPANIONS);
}

// Draws round shadows below the visible members of a crowd, in batches that fit on the stack.
static void draw_crowd_blobs(const view_stage *stage, float ground)
{
    enum { BATCH_SIZE = 256 };
    const view_crowd *const crowd = &stage->document->crowd;
    md5gl_blob_shadow batch[BATCH_SIZE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const view_member *const member = &crowd->members[i];
        const md5_vec3 position = member->placement.translation;
        if (!member->is_visible)
            continue;
        if (count == BATCH_SIZE) {
            md5gl_draw_blob_shadows(stage->renderer, batch, count);
            count = 0;
        }
        batch[count++] = (md5gl_blob_shadow){
            .position = {position.x, position.y, ground},
            .radius = 0.4f * crowd->kinds[member->kind].sphere.radius,
        };
    }
    if (count > 0)
        md5gl_draw_blob_shadows(stage->renderer, batch, count);
}

void view_draw_ground_shadows(const view_stage *stage, const md5gl_frame *frame, md5_vec3 center,
                              bool transparent)
{
    if (!transparent)
        md5gl_draw_ground(stage->renderer, center,
                          3 * stage->camera->scene_radius + frame->shadow_radius);
    if (!stage->quality_level.no_shadows)
        return;
    if (view_shows_crowd(stage->document))
        draw_crowd_blobs(stage, frame->ground);
    else
        draw_blobs(stage, frame->ground);
}
