// The list of joints, and the marked joint in the picture, with its weights as a heat map.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/camera.h"

#include <math.h>
#include <stdlib.h>

// -- List -----------------------------------------------------------------------------------

// The joints in depth-first order with their depths: files may list them in any order.
typedef struct joint_list {
    uint32_t *joints, *depths;
    uint32_t count;
} joint_list;

static joint_list walk_joints(const md5_skeleton *skeleton)
{
    const uint32_t num_joints = skeleton->num_joints, none = UINT32_MAX;
    joint_list list = {
        .joints = common_alloc(num_joints, sizeof *list.joints),
        .depths = common_alloc(num_joints, sizeof *list.depths),
    };
    // The last one is the parent of root joints.
    uint32_t *child = common_alloc(num_joints + 1, sizeof *child);
    uint32_t *sibling = common_alloc(num_joints + 1, sizeof *sibling);
    for (uint32_t i = 0; i <= num_joints; i++)
        child[i] = sibling[i] = none;
    for (uint32_t i = num_joints; i-- > 0;) {
        const int32_t parent = skeleton->joints[i].parent;
        const uint32_t above = parent >= 0 ? (uint32_t)parent : num_joints;
        sibling[i] = child[above];
        child[above] = i;
    }

    uint32_t depth = 0;
    for (uint32_t at = child[num_joints]; at != none;) {
        list.joints[list.count] = at;
        list.depths[list.count++] = depth;
        if (child[at] != none) {
            at = child[at];
            depth++;
            continue;
        }
        while (at != none && sibling[at] == none) {
            const int32_t parent = skeleton->joints[at].parent;
            at = parent >= 0 ? (uint32_t)parent : none;
            depth--;
        }
        at = at != none ? sibling[at] : none;
    }
    free(child);
    free(sibling);
    return list;
}

int32_t view_marked_joint(const view_ui *ui, const view_scene *scene)
{
    const int32_t joint = ui->hovered_joint >= 0 ? ui->hovered_joint : ui->chosen_joint;
    return joint >= 0 && (uint32_t)joint < scene->num_joints ? joint : -1;
}

// Whole lines, so that none is cut.
static float scroll_of(const view_ui *ui, float line)
{
    return ui->is_smooth ? roundf(ui->shown_scroll / line) * line : ui->hierarchy_scroll;
}

bool view_follow_lists(view_ui *ui, float line, float share)
{
    const float way = ui->hierarchy_scroll - ui->shown_scroll;
    ui->is_smooth = true;
    ui->shown_scroll += way * share;
    if (fabsf(way) > 0.5f * line)
        return true;
    ui->shown_scroll = ui->hierarchy_scroll;
    return false;
}

static void joint_rows(view_ui *ui, const view_stage *stage, const joint_list *list,
                       view_rect inside)
{
    const view_scene *const scene = &stage->document->scene;
    const view_clip *const clip = view_shown_clip(scene);
    const float scale = stage->font->scale, line = stage->font->line[VIEW_TEXT];
    const float scroll = scroll_of(ui, line);
    for (uint32_t i = 0; i < list->count; i++) {
        const float y = inside.y + (float)i * line - scroll;
        if (y < inside.y || y + line > inside.y + inside.height + 1.0f)
            continue;
        const uint32_t joint = list->joints[i];
        // Joints that the clip does not drive are dimmed.
        const bool still =
            clip != NULL && clip->binding != NULL && clip->binding->tracks[joint] < 0;
        const bool marked = (int32_t)joint == view_marked_joint(ui, scene);
        if (marked)
            view_draw_round_rect(
                stage->canvas,
                (view_rect){inside.x - 6.0f * scale, y, inside.width + 6.0f * scale, line},
                4.0f * scale, 0x33507FFFu);
        const float indent = fminf((float)list->depths[i] * 11.0f * scale, 0.6f * inside.width);
        view_draw_text(stage->canvas, VIEW_TEXT, inside.x + indent, y, inside.width - indent,
                       marked  ? VIEW_BRIGHT
                       : still ? VIEW_DIM
                               : VIEW_PLAIN,
                       scene->skeleton->joints[joint].name);
        const view_rect row = {inside.x, y, inside.width, line};
        if (ui_item(ui, row, scene->skeleton->joints[joint].name)) {
            ui->chosen_joint = (int32_t)joint != ui->chosen_joint ? (int32_t)joint : -1;
            ui_ask(ui, (view_command){.action = VIEW_MARKED});
        }
        if (ui->mouse.is_moved && ui_is_hot(ui))
            ui->hovered_joint = (int32_t)joint;
    }
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
    const float scale = stage->font->scale, line = stage->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    joint_list list = walk_joints(stage->document->scene.skeleton);

    const float list_height = (float)list.count * line;
    const float room = bottom - 2.0f * margin - 2.0f * padding;
    const float shown = fmaxf(line, floorf(fminf(list_height, room) / line) * line);
    const view_rect box = {view_joints_left(stage), margin, box_width(stage),
                           shown + 2.0f * padding};
    const view_rect inside = {box.x + padding, box.y + padding, box.width - 2.0f * padding, shown};
    const float most = fmaxf(list_height - shown, 0.0f);
    ui_begin(ui, "joint");
    (void)ui_item(ui, box, "");
    if (ui->mouse.wheel != 0.0f && ui_is_panel_hot(ui)) {
        ui->hierarchy_scroll -= ui->mouse.wheel * 3.0f * line;
        ui->has_taken = true;
    }
    ui->hierarchy_scroll = roundf(fminf(fmaxf(ui->hierarchy_scroll, 0.0f), most) / line) * line;
    ui->shown_scroll = fminf(fmaxf(ui->shown_scroll, 0.0f), most);

    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    joint_rows(ui, stage, &list, inside);
    if (most > 0.0f) {
        const float length = shown * shown / list_height;
        const float top = inside.y + (shown - length) * scroll_of(ui, line) / most;
        view_draw_round_rect(
            stage->canvas,
            (view_rect){box.x + box.width - 8.0f * scale, top, 4.0f * scale, length}, 2.0f * scale,
            VIEW_DIM);
    }
    free(list.joints);
    free(list.depths);
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

// For each vertex, the sum of its weights on the joint. Returns whether any is not 0.
static bool weigh_vertices(const md5_mesh *mesh, uint32_t joint, float *weights)
{
    bool any = false;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        weights[v] = 0.0f;
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++)
            if (mesh->influence_joints[i] == joint)
                weights[v] = mesh->influences[i].w;
        any = any || weights[v] != 0.0f;
    }
    return any;
}

static void add_colored_line(view_lines *lines, const md5_vec3 ends[2], const float weights[2])
{
    view_add_line(lines, ends[0], ends[1], 0);
    for (uint32_t i = 0; i < 2; i++)
        heat_color(weights[i], lines->vertices[lines->count - 2 + i].rgba);
}

static md5_vec3 mix(md5_vec3 a, md5_vec3 b, float part)
{
    return md5_vec3_add(a, md5_vec3_scale(md5_vec3_sub(b, a), part));
}

// Covers a triangle with lines along its third side, `spacing` apart.
static void fill_triangle(view_lines *lines, const md5_vec3 corners[3], const float weights[3],
                          float spacing)
{
    enum { MOST = 48 };
    const float reach = fmaxf(md5_vec3_length(md5_vec3_sub(corners[1], corners[0])),
                              md5_vec3_length(md5_vec3_sub(corners[2], corners[0])));
    const int count = (int)view_clamp(ceilf(reach / spacing), 1.0f, MOST);
    for (int i = 0; i <= count; i++) {
        const float part = (float)i / (float)count;
        const md5_vec3 ends[2] = {mix(corners[0], corners[1], part),
                                  mix(corners[0], corners[2], part)};
        const float of_ends[2] = {weights[0] + (weights[1] - weights[0]) * part,
                                  weights[0] + (weights[2] - weights[0]) * part};
        add_colored_line(lines, ends, of_ends);
    }
}

static void add_heat(const view_stage *stage, uint32_t mesh_number, const float *weights,
                     float spacing)
{
    const md5_mesh *const mesh = &stage->document->scene.model->meshes[mesh_number];
    const view_skinned *const skinned = &stage->document->scene.skinned[mesh_number];
    // Slightly above the surface, to avoid z-fighting.
    const float lift = 0.0015f * stage->camera->scene_radius;
    for (uint32_t t = 0; t < mesh->num_triangles; t++) {
        md5_vec3 corners[3];
        float of_corners[3];
        bool any = false;
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t v = mesh->indices[3 * (size_t)t + i];
            corners[i] =
                md5_vec3_add(skinned->positions[v], md5_vec3_scale(skinned->normals[v], lift));
            of_corners[i] = weights[v];
            any = any || weights[v] != 0.0f;
        }
        if (any)
            fill_triangle(stage->lines, corners, of_corners, spacing);
    }
}

static void draw_heat(const view_stage *stage, uint32_t joint, float spacing, float width)
{
    const md5_model *const model = stage->document->scene.model;
    view_clear_lines(stage->lines);
    if (model == NULL)
        return;
    view_skin(&stage->document->scene);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        float *weights = common_alloc(model->meshes[i].num_vertices, sizeof *weights);
        const bool hidden = i < 64 && (stage->hidden_meshes >> i & 1) != 0;
        if (!hidden && weigh_vertices(&model->meshes[i], joint, weights))
            add_heat(stage, i, weights, spacing);
        free(weights);
    }
    if (stage->lines->count > 0)
        md5gl_draw_lines(stage->renderer, stage->lines->vertices,
                         stage->lines->count, width, false);
}

// -- In the picture -------------------------------------------------------------------------

// Half the height of the view at a position's depth, in units; 0 behind the camera.
static float half_height_at(const view_lens *lens, md5_vec3 place)
{
    const float depth = -md5_vec3_dot(md5_vec3_sub(place, lens->eye), lens->axes.back);
    return depth <= 0.0f ? 0.0f : lens->orthographic ? lens->half_y : lens->half_y * depth;
}

// The joint's name beside it, and the joint as a disc.
static void draw_label(const view_stage *stage, const view_lens *lens, md5_vec3 place,
                       const char *name)
{
    const float width = stage->width, height = stage->height;
    const float scale = stage->font->scale, half = half_height_at(lens, place);
    if (half <= 0.0f)
        return;
    const md5_vec3 way = md5_vec3_sub(place, lens->eye);
    const float unit = 0.5f * height / half;
    const float x =
        0.5f * width * (1.0f + lens->shift_x) + md5_vec3_dot(way, lens->axes.right) * unit;
    const float y =
        0.5f * height * (1.0f - lens->shift_y) - md5_vec3_dot(way, lens->axes.up) * unit;
    if (!(fabsf(x) < 1e5f && fabsf(y) < 1e5f))
        return;
    view_draw_disc(stage->canvas, x, y, 7.0f * scale, 0x12151AE0u);
    view_draw_disc(stage->canvas, x, y, 4.5f * scale, 0xF2C14EFFu);
    const float text = view_text_width(stage->font, VIEW_TEXT, name);
    const view_rect box = {x + 12.0f * scale, y - 13.0f * scale, text + 16.0f * scale,
                           26.0f * scale};
    view_draw_round_rect(stage->canvas, box, 13.0f * scale, VIEW_BOX);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 8.0f * scale, box.y + 4.0f * scale, 0,
                   VIEW_BRIGHT, name);
}

// Lines to the joint's parent and children, visible through the model.
static void add_bones(view_lines *lines, const view_scene *scene, int32_t joint)
{
    const md5_joint *const joints = scene->skeleton->joints;
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const int32_t parent = joints[i].parent;
        if (parent >= 0 && ((int32_t)i == joint || parent == joint))
            view_add_line(lines, md5_mat34_translation(scene->joints[parent]),
                          md5_mat34_translation(scene->joints[i]),
                          (int32_t)i == joint ? 0x8A93A1FFu : 0xF2C14EFFu);
    }
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
    const view_lens lens = view_stage_lens(stage, stage->width, stage->height);
    draw_label(stage, &lens, md5_mat34_translation(scene->joints[joint]),
               scene->skeleton->joints[joint].name);
}

void view_draw_joint(const view_ui *ui, const view_stage *stage)
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
    add_bones(stage->lines, scene, joint);
    if (stage->lines->count > 0)
        md5gl_draw_lines(stage->renderer, stage->lines->vertices,
                         stage->lines->count, 2.0f * scale, true);
}
