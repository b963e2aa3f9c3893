// The two long lists over the picture: keys, and joints.
#include "demo/view.h"

#include "demo/view_panel.h"

#include <math.h>
#include <stdlib.h>

// -- Keys -----------------------------------------------------------------------------------

enum { MAX_COLUMNS = 3 };

// In lines: a heading with what sets it off, and what sets it off from the group before.
static const float heading_lines = 1.3f, gap_lines = 1.0f;

// Some columns of the table, each with whole groups.
typedef struct key_columns {
    int count;
    size_t begins[MAX_COLUMNS + 1];
    float lines[MAX_COLUMNS];
} key_columns;

// Lines that the group beginning at `begin` needs; `end` is where the next one begins.
static float measure_group(size_t begin, size_t *end)
{
    size_t count;
    float lines = heading_lines;
    const view_binding *const table = view_bindings(&count);
    size_t i = begin;
    do
        lines += table[i].keys != NULL ? 1.0f : 0.0f;
    while (++i < count && table[i].heading == NULL);
    *end = i;
    return lines;
}

// Fills columns of at most `most` lines, as many as it takes.
static bool split_columns(float most, key_columns *columns)
{
    size_t count, end;
    (void)view_bindings(&count);
    *columns = (key_columns){0};
    for (size_t begin = 0; begin < count; begin = end) {
        const float lines = measure_group(begin, &end);
        const int last = columns->count - 1;
        if (last >= 0 && columns->lines[last] + gap_lines + lines <= most) {
            columns->lines[last] += gap_lines + lines;
            continue;
        }
        if (columns->count == MAX_COLUMNS)
            return false;
        columns->begins[columns->count] = begin;
        columns->lines[columns->count++] = lines;
    }
    columns->begins[columns->count] = count;
    return true;
}

// Widths of the keys and of what they do, in a column.
static void measure_column(const view_font *font, size_t begin, size_t end, float *keys,
                           float *help)
{
    size_t count;
    const view_binding *const table = view_bindings(&count);
    *keys = *help = 0.0f;
    for (size_t i = begin; i < end; i++) {
        if (table[i].keys == NULL)
            continue;
        *keys = fmaxf(*keys, view_text_width(font, VIEW_TEXT, table[i].keys));
        *help = fmaxf(*help, view_text_width(font, VIEW_TEXT, table[i].help));
    }
}

static void draw_keys_column(view_state *viewer, size_t begin, size_t end, float x, float help_x,
                             float y)
{
    const float line = viewer->font.line[VIEW_TEXT];
    size_t count;
    const view_binding *const table = view_bindings(&count);
    for (size_t i = begin; i < end; i++) {
        const view_binding *const b = &table[i];
        if (b->keys == NULL)
            continue;
        if (b->heading != NULL) {
            y += i > begin ? gap_lines * line : 0.0f;
            view_draw_text(&viewer->canvas, VIEW_TEXT, x, y, 0, VIEW_ACCENT, b->heading);
            y += heading_lines * line;
        }
        view_draw_text(&viewer->canvas, VIEW_TEXT, x, y, 0, VIEW_BRIGHT, b->keys);
        view_draw_text(&viewer->canvas, VIEW_TEXT, help_x, y, 0, VIEW_PLAIN, b->help);
        y += line;
    }
}

static void draw_keys(view_state *viewer, float width, float height)
{
    const float scale = viewer->font.scale, line = viewer->font.line[VIEW_TEXT];
    const float padding = 24.0f * scale, between = 36.0f * scale, inner = 18.0f * scale;
    key_columns columns;
    float most = 1.0f;
    while (!split_columns(most, &columns))
        most += 0.1f;

    float keys[MAX_COLUMNS] = {0}, help[MAX_COLUMNS] = {0};
    view_rect box = {.width = 2.0f * padding - between, .height = most * line + 2.0f * padding};
    for (int i = 0; i < columns.count; i++) {
        measure_column(&viewer->font, columns.begins[i], columns.begins[i + 1], &keys[i], &help[i]);
        box.width += keys[i] + inner + help[i] + between;
    }
    box.x = roundf(0.5f * (width - box.width));
    box.y = roundf(0.5f * (height - box.height));
    const uint32_t first = viewer->canvas.count;
    view_draw_round_rect(&viewer->canvas, box, VIEW_RADIUS * scale, 0x12151AF6u);
    float x = box.x + padding;
    for (int i = 0; i < columns.count; i++) {
        draw_keys_column(viewer, columns.begins[i], columns.begins[i + 1], x, x + keys[i] + inner,
                         box.y + padding);
        x += keys[i] + inner + help[i] + between;
    }
    view_shrink(&viewer->canvas, first, 0.5f * width, 0.5f * height,
                fminf(width / box.width, height / box.height));
}

// -- Joints ---------------------------------------------------------------------------------

// The joints as a walk through the tree meets them, with their depths: files may list them in
// any order.
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
    // The last one stands for what has no parent.
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

static void draw_joint_rows(view_state *viewer, const joint_list *list, view_rect inside)
{
    const view_scene *const scene = &viewer->scene;
    const view_clip *const clip = view_shown_clip(scene);
    const float scale = viewer->font.scale, line = viewer->font.line[VIEW_TEXT];
    for (uint32_t i = 0; i < list->count; i++) {
        const float y = inside.y + (float)i * line - viewer->hierarchy_scroll;
        if (y < inside.y || y + line > inside.y + inside.height + 1.0f)
            continue;
        const uint32_t joint = list->joints[i];
        // What the clip does not drive is dim.
        const bool still =
            clip != NULL && clip->binding != NULL && clip->binding->tracks[joint] < 0;
        const float indent = fminf((float)list->depths[i] * 11.0f * scale, 0.6f * inside.width);
        view_draw_text(&viewer->canvas, VIEW_TEXT, inside.x + indent, y, inside.width - indent,
                       still ? VIEW_DIM : VIEW_PLAIN, scene->skeleton->joints[joint].name);
    }
}

static void draw_hierarchy(view_state *viewer, float width, float height)
{
    const float scale = viewer->font.scale, line = viewer->font.line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    const float below = viewer->layout.bar.height > 0.0f ? viewer->layout.bar.y : height;
    joint_list list = walk_joints(viewer->scene.skeleton);

    const float list_height = (float)list.count * line;
    const float room = below - 2.0f * margin - 2.0f * padding;
    const float shown = fmaxf(line, floorf(fminf(list_height, room) / line) * line);
    const float box_width = fminf(290.0f * scale, 0.5f * width);
    const view_rect box = {width - margin - box_width, margin, box_width, shown + 2.0f * padding};
    const view_rect inside = {box.x + padding, box.y + padding, box_width - 2.0f * padding, shown};
    // Whole lines, so that none is cut in two.
    const float most = fmaxf(list_height - shown, 0.0f);
    viewer->hierarchy_scroll =
        roundf(fminf(fmaxf(viewer->hierarchy_scroll, 0.0f), most) / line) * line;

    view_draw_round_rect(&viewer->canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    draw_joint_rows(viewer, &list, inside);
    if (most > 0.0f) {
        const float length = shown * shown / list_height;
        const float top = inside.y + (shown - length) * viewer->hierarchy_scroll / most;
        view_draw_round_rect(
            &viewer->canvas,
            (view_rect){box.x + box.width - 8.0f * scale, top, 4.0f * scale, length}, 2.0f * scale,
            VIEW_DIM);
    }
    viewer->layout.hierarchy = box;
    free(list.joints);
    free(list.depths);
}

void view_draw_lists(view_state *viewer, float width, float height)
{
    if (viewer->shown.hierarchy && viewer->scene.skeleton != NULL)
        draw_hierarchy(viewer, width, height);
    if (viewer->shown.help)
        draw_keys(viewer, width, height);
}
