// The list of joints, and what is marked in the picture: a joint, with its weights as a heat map,
// and the spot that was clicked on.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/camera.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- List -----------------------------------------------------------------------------------

// Writes the joints in depth-first order, joints[num_joints], with their depths: files may list
// them in any order.
static uint32_t walk_joints(const md5_skeleton *skeleton, uint32_t *joints, uint32_t *depths)
{
    const uint32_t num_joints = skeleton->num_joints, none = UINT32_MAX;
    // The last one is the parent of root joints.
    uint32_t *const child = common_alloc(2 * ((size_t)num_joints + 1), sizeof *child);
    uint32_t *const sibling = child + num_joints + 1;
    uint32_t count = 0, depth = 0;
    memset(child, 0xFF, 2 * ((size_t)num_joints + 1) * sizeof *child);
    for (uint32_t i = num_joints; i-- > 0;) {
        const uint32_t parent = skeleton->joints[i].parent;
        const uint32_t above = parent != MD5_NONE ? parent : num_joints;
        sibling[i] = child[above];
        child[above] = i;
    }
    for (uint32_t joint = child[num_joints]; joint != none;) {
        joints[count] = joint;
        depths[count++] = depth;
        if (child[joint] != none) {
            joint = child[joint];
            depth++;
            continue;
        }
        while (joint != num_joints && sibling[joint] == none) {
            const uint32_t parent = skeleton->joints[joint].parent;
            joint = parent != MD5_NONE ? parent : num_joints;
            depth--;
        }
        joint = sibling[joint];
    }
    free(child);
    return count;
}

int32_t view_marked_joint(const view_ui *ui, const view_scene *scene)
{
    const int32_t joint = ui->hovered_joint >= 0 ? ui->hovered_joint : ui->chosen_joint;
    return joint >= 0 && (uint32_t)joint < scene->num_joints ? joint : -1;
}

static float box_width(const view_stage *stage)
{
    return fminf(290.0f * stage->font->scale, 0.5f * stage->width);
}

float view_joints_left(const view_stage *stage)
{
    return stage->width - VIEW_MARGIN * stage->font->scale - box_width(stage);
}

void view_joints_panel(view_ui *ui, const view_stage *stage, float bottom)
{
    const view_scene *const scene = &stage->document->scene;
    const md5_skeleton *const skeleton = scene->skeleton;
    const view_clip *const clip = view_shown_clip(scene);
    const float scale = stage->font->scale, line = stage->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    uint32_t *const joints = common_alloc(2 * (size_t)skeleton->num_joints, sizeof *joints);
    uint32_t *const depths = joints + skeleton->num_joints;
    const uint32_t count = walk_joints(skeleton, joints, depths);

    const float room = bottom - 2.0f * margin - 2.0f * padding;
    const float shown = fmaxf(line, floorf(fminf((float)count * line, room) / line) * line);
    const view_rect box = {view_joints_left(stage), margin, box_width(stage),
                           shown + 2.0f * padding};
    ui_list list = {
        .rows = {box.x + padding, box.y + padding, box.width - 2.0f * padding, shown},
        .count = count,
        .highlight = 6.0f * scale,
        .bar_x = box.x + box.width - 8.0f * scale,
        .hovered = SIZE_MAX,
        .pressed = SIZE_MAX,
    };
    const size_t num_rows = ui_list_room(ui, list.rows);
    const float most = count > num_rows ? (float)(count - num_rows) : 0.0f;
    ui_begin(ui, "joint");
    (void)ui_item(ui, box, "");
    if (ui->mouse.wheel != 0.0f && ui_is_panel_hot(ui)) {
        ui->hierarchy_scroll -= ui->mouse.wheel * 3.0f;
        ui->has_taken = true;
    }
    ui->hierarchy_scroll = roundf(view_clamp(ui->hierarchy_scroll, 0.0f, most));
    ui->shown_scroll = view_clamp(ui->shown_scroll, 0.0f, most);
    list.first = (size_t)roundf(ui->is_smooth ? ui->shown_scroll : ui->hierarchy_scroll);

    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    for (size_t i = list.first; i < count && i < list.first + num_rows; i++) {
        const char *const name = skeleton->joints[joints[i]].name;
        // Joints that the clip does not drive are dimmed.
        const bool is_still =
            clip != NULL && clip->binding != NULL && clip->binding->tracks[joints[i]] == MD5_NONE;
        const float indent = fminf((float)depths[i] * 11.0f * scale, 0.6f * list.rows.width);
        ui_line(ui, &list, i, (int32_t)joints[i] == view_marked_joint(ui, scene), indent,
                is_still ? VIEW_DIM : VIEW_PLAIN, name, name);
    }
    ui_scroll_bar(ui, &list);
    if (list.hovered != SIZE_MAX)
        ui->hovered_joint = (int32_t)joints[list.hovered];
    if (list.pressed != SIZE_MAX) {
        const int32_t joint = (int32_t)joints[list.pressed];
        ui->chosen_joint = joint != ui->chosen_joint ? joint : -1;
        ui_ask_action(ui, VIEW_MARKED);
    }
    free(joints);
}

// -- Heat -----------------------------------------------------------------------------------

// From blue (little) over green and yellow to red (all); weight 0 is transparent.
static void heat_color(float weight, uint8_t rgba[4])
{
    static const float stops[5][3] = {
        {40, 70, 200}, {30, 170, 220}, {70, 200, 80}, {245, 210, 60}, {235, 60, 45}};
    const float place = 4.0f * view_clamp(weight, 0.0f, 1.0f);
    const int low = place < 4.0f ? (int)place : 3;
    const float part = place - (float)low;
    for (int i = 0; i < 3; i++)
        rgba[i] = (uint8_t)(stops[low][i] + (stops[low + 1][i] - stops[low][i]) * part);
    rgba[3] = (uint8_t)(view_clamp(40.0f * weight, 0.0f, 1.0f) * 235.0f);
}

// Lines over the triangles that the joint moves.
static void draw_heat(const view_stage *stage, uint32_t joint, float spacing, float width)
{
    const md5_model *const model = stage->document->scene.model;
    // Slightly above the surface, to avoid z-fighting.
    const float lift = 0.0015f * stage->camera->scene_radius;
    view_clear_lines(stage->lines);
    if (model == NULL)
        return;
    view_skin(&stage->document->scene);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        const view_skinned *const skinned = &stage->document->scene.skinned[m];
        if (m < 64 && (stage->hidden_meshes >> m & 1) != 0)
            continue;
        float *const weights = common_alloc(mesh->num_vertices, sizeof *weights);
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++)
                if (mesh->influence_joints[i] == joint)
                    weights[v] = mesh->influences[i].w;
        for (uint32_t t = 0; t < mesh->num_triangles; t++) {
            const uint32_t *const indices = mesh->indices + 3 * (size_t)t;
            md5_vec3 corners[3];
            const float parts[3] = {weights[indices[0]], weights[indices[1]], weights[indices[2]]};
            for (uint32_t i = 0; i < 3; i++)
                corners[i] = md5_vec3_add(skinned->positions[indices[i]],
                                          md5_vec3_scale(skinned->normals[indices[i]], lift));
            if (parts[0] != 0.0f || parts[1] != 0.0f || parts[2] != 0.0f) {
                // Lines along the third side cover it, `spacing` apart.
                enum { MAX_LINES = 48 };
                const float reach = fmaxf(md5_vec3_length(md5_vec3_sub(corners[1], corners[0])),
                                          md5_vec3_length(md5_vec3_sub(corners[2], corners[0])));
                const int count = (int)view_clamp(ceilf(reach / spacing), 1.0f, MAX_LINES);
                for (int i = 0; i <= count; i++) {
                    const float part = (float)i / (float)count;
                    view_add_line(stage->lines, md5_vec3_lerp(corners[0], corners[1], part),
                                  md5_vec3_lerp(corners[0], corners[2], part), 0);
                    for (int end = 0; end < 2; end++)
                        heat_color(parts[0] + (parts[1 + end] - parts[0]) * part,
                                   stage->lines->vertices[(int)stage->lines->count - 2 + end].rgba);
                }
            }
        }
        free(weights);
    }
    if (stage->lines->count > 0)
        md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count, width,
                         false);
}

// -- In the picture -------------------------------------------------------------------------

// Half the height of the view at a position's depth, in units; 0 behind the camera.
static float half_height_at(const view_lens *lens, md5_vec3 place)
{
    const float depth = -md5_vec3_dot(md5_vec3_sub(place, lens->eye), lens->axes.back);
    return depth <= 0.0f ? 0.0f : lens->orthographic ? lens->half_y : lens->half_y * depth;
}

// The joint to draw, or -1: in a crowd there is no single pose.
static int32_t drawn_joint(const view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const bool is_posed = scene->skeleton != NULL && !view_shows_crowd(stage->document);
    return is_posed ? view_marked_joint(ui, scene) : -1;
}

void view_label_joint(const view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const int32_t joint = drawn_joint(ui, stage);
    if (joint < 0)
        return;
    const float scale = stage->font->scale, width = stage->width, height = stage->height;
    const view_lens lens = view_stage_lens(stage, width, height);
    const md5_vec3 place = md5_mat34_translation(scene->joints[joint]);
    const float half = half_height_at(&lens, place);
    if (half <= 0.0f)
        return;
    const md5_vec3 way = md5_vec3_sub(place, lens.eye);
    const float unit = 0.5f * height / half;
    const float x =
        0.5f * width * (1.0f + lens.shift_x) + md5_vec3_dot(way, lens.axes.right) * unit;
    const float y = 0.5f * height * (1.0f - lens.shift_y) - md5_vec3_dot(way, lens.axes.up) * unit;
    if (!(fabsf(x) < 1e5f && fabsf(y) < 1e5f))
        return;
    view_draw_disc(stage->canvas, x, y, 7.0f * scale, 0x12151AE0u);
    view_draw_disc(stage->canvas, x, y, 4.5f * scale, 0xF2C14EFFu);
    const char *const name = scene->skeleton->joints[joint].name;
    const float text = view_text_width(stage->font, VIEW_TEXT, name);
    const view_rect box = {x + 12.0f * scale, y - 13.0f * scale, text + 16.0f * scale,
                           26.0f * scale};
    view_draw_round_rect(stage->canvas, box, 13.0f * scale, VIEW_BOX);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 8.0f * scale, box.y + 4.0f * scale, 0,
                   VIEW_BRIGHT, name);
}

// With the weights of the vertices as heat.
static void draw_joint(const view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const int32_t joint = drawn_joint(ui, stage);
    if (joint < 0)
        return;
    const view_lens lens = view_stage_lens(stage, stage->width, stage->height);
    const float scale = stage->font->scale;
    const float half = half_height_at(&lens, view_centre(stage->document->bounds));
    const float pixel =
        half > 0.0f ? 2.0f * half / stage->height : stage->camera->scene_radius * 0.01f;
    const view_surface surface = stage->surface; // the others show the surface itself
    if (surface == VIEW_SURFACE_LIT || surface == VIEW_SURFACE_TEXTURES)
        draw_heat(stage, (uint32_t)joint, 2.0f * scale * pixel, 3.0f * scale);

    view_clear_lines(stage->lines);
    // Lines to the joint's parent and children, visible through the model.
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const uint32_t parent = scene->skeleton->joints[i].parent;
        if (parent != MD5_NONE && ((int32_t)i == joint || (int32_t)parent == joint))
            view_add_line(stage->lines, md5_mat34_translation(scene->joints[parent]),
                          md5_mat34_translation(scene->joints[i]),
                          (int32_t)i == joint ? VIEW_DIM : 0xF2C14EFFu);
    }
    if (stage->lines->count > 0)
        md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count, 2.0f * scale,
                         true);
}

void view_draw_marks(const view_ui *ui, const view_stage *stage)
{
    view_scene *const scene = &stage->document->scene;
    draw_joint(ui, stage);
    if (!stage->pick->is_set || scene->model == NULL || view_shows_crowd(stage->document))
        return;
    view_skin(scene);
    view_clear_lines(stage->lines);
    view_add_pick(stage->lines, scene, stage->pick, 0.01f * stage->camera->scene_radius);
    if (stage->measured->is_set)
        view_add_measure(stage->lines, scene, stage->pick, stage->measured,
                         0.015f * stage->camera->scene_radius);
    md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count,
                     2.0f * stage->font->scale, true);
}
