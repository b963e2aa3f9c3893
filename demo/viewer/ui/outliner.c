// The outliner in the left dock. It lists the meshes, clips, layers with states, materials, morph
// targets and joints of the document. A search text filters the rows.
#include "demo/viewer/ui/outliner.h"

#include "demo/viewer/ui/graph.h"
#include "demo/viewer/ui/ui_tile.h"
#include "demo/viewer/ui/window_layout.h"

// == Marked joints ========================================================================

int32_t view_marked_joint(const view_ui *ui, const view_scene *scene)
{
    const view_selection *const selection = &ui->selection;
    const bool is_hovered = selection->hovered_joint >= 0;
    const int32_t joint = is_hovered ? selection->hovered_joint : selection->joint;
    const bool exists = joint >= 0 && (uint32_t)joint < scene->num_joints;
    return exists ? joint : -1;
}

// == Rows =================================================================================

static const float sign_width = 1.3f; // em

// The sign at the left of a row. It shows the state of the object, and a click on it changes this
// state.
typedef enum row_sign {
    SIGN_NONE,
    SIGN_FOLDED, // the children of the row are hidden
    SIGN_OPEN,   // the children of the row are listed
    SIGN_EYE,    // a visible mesh
    SIGN_SHUT,   // a hidden mesh
    SIGN_PLAYS,  // the displayed clip or the active state
    SIGN_PAUSED, // the displayed clip while the playback is paused
    SIGN_STARTS, // another clip: the same icon as SIGN_PAUSED, only while the mouse is over the row
} row_sign;

static const struct {
    const char *text;
    view_color color;
} signs[] = {
    [SIGN_NONE] = {"", 0},
    [SIGN_FOLDED] = {UI_SIGN_FOLDED, VIEW_DIM},
    [SIGN_OPEN] = {UI_SIGN_OPEN, VIEW_DIM},
    [SIGN_EYE] = {"\xE2\x97\x89", VIEW_ACCENT},
    [SIGN_SHUT] = {"\xE2\x80\x94", VIEW_DIM},
    [SIGN_PLAYS] = {"\xE2\x96\xB6", VIEW_ACCENT},
    [SIGN_PAUSED] = {"\xE2\x96\xB6", VIEW_DIM},
    [SIGN_STARTS] = {"", 0},
};

// The content of a row of the outliner.
typedef struct tree_row {
    const char *name;
    const char *label; // label of the item; NULL: `name`
    const char *text;  // text at the right end, or NULL
    uint32_t depth;    // indent, levels
    row_sign sign;
    view_color color; // color of the name; 0: VIEW_PLAIN
    bool is_selected;
} tree_row;

// The part of a row that was pressed.
typedef enum row_part { PART_NONE, PART_SIGN, PART_NAME } row_part;

// Returns the color of the name of a row.
static view_color row_color(const tree_row *row, bool is_hot)
{
    if (row->is_selected || is_hot)
        return VIEW_BRIGHT;
    return row->color != 0 ? row->color : VIEW_PLAIN;
}

// Returns the width that is available for the name of a row, in pixels. The name begins at the x
// coordinate `name_left` and ends before the text at the right end. `row` is the rectangle of the
// row.
static float name_space(const view_ui *ui, const tree_row *item, view_rect row, float name_left)
{
    const float gap = 4 * ui->scale;
    const float right = row.x + row.width - UI_PADDING * ui->em;
    const char *const right_text = item->text != NULL ? item->text : "";
    return right - name_left - gap - ui_text_width(ui, right_text);
}

// Draws a row in the rectangle `row`. The sign is `indent` pixels right of its left edge. The name
// begins at the x coordinate `name_left`.
static void draw_row(view_ui *ui, const tree_row *item, view_rect row, float indent,
                     float name_left)
{
    const float em = ui->em;
    const bool is_hot = ui_is_hot(ui);
    const bool is_bright = item->is_selected || is_hot;
    if (is_bright)
        view_draw_rect(ui->canvas, row, item->is_selected ? VIEW_SELECTED : VIEW_CONTROL);

    const row_sign sign = is_hot && item->sign == SIGN_STARTS ? SIGN_PAUSED : item->sign;
    const view_rect sign_box = {row.x + indent, row.y, em, row.height};
    const view_color sign_color = item->is_selected ? VIEW_BRIGHT : signs[sign].color;
    ui_text_in(ui, sign_box, sign_color, signs[sign].text);

    const float y = ui_text_top(ui, row);
    const float name_width = fmaxf(name_space(ui, item, row, name_left), em);
    ui_text(ui, name_left, y, name_width, row_color(item, is_hot), item->name);

    const float right = row.x + row.width - UI_PADDING * em;
    const char *const right_text = item->text != NULL ? item->text : "";
    ui_right_aligned_text(ui, right, y, is_bright ? VIEW_PLAIN : VIEW_DIM, right_text);
}

// Adds the next row and returns the part that was pressed: the sign, the name, or PART_NONE. In a
// row without a sign, the whole row counts as the name.
static row_part show_row(view_ui *ui, const tree_row *item)
{
    const float em = ui->em;
    view_rect row;
    const bool is_visible = ui_reserve_row(ui, ceilf(UI_TABLE_ROW * em), &row);
    // In a deep tree, the indent would move the names out of the dock. Therefore it is limited.
    const float indent = UI_PADDING * em + fminf((float)item->depth * em, 0.5f * row.width);
    const float name_left = row.x + indent + sign_width * em;

    const char *const label = item->label != NULL ? item->label : item->name;
    const bool is_pressed = ui_item(ui, row, label);
    ui_tooltip_if_wider(ui, item->name, name_space(ui, item, row, name_left));
    if (is_visible && !ui->is_event)
        draw_row(ui, item, row, indent, name_left);
    if (!is_pressed)
        return PART_NONE;
    const bool is_on_sign = item->sign != SIGN_NONE && ui->mouse.x < name_left;
    return is_on_sign ? PART_SIGN : PART_NAME;
}

// Returns true if a name matches the search text.
static bool is_found(const view_outliner *outliner, const char *name)
{
    return common_contains(name, outliner->filter);
}

// Displays the header of a section with `count` rows, of which `num_found` match the search text. A
// section without matches is omitted. Returns true if the caller must list the rows. This is the
// case if the section is open, if there is a search text, or if a tab of a phone displays only this
// section.
static bool show_section_header(view_ui *ui, const view_outliner *outliner,
                                ui_section_number number, const char *title, uint32_t count,
                                uint32_t num_found)
{
    char text[24];
    if (count == 0 || num_found == 0)
        return false;
    if (outliner->lists_section)
        return true;
    COMMON_TEXT(text, "%u", num_found);
    const bool is_open = ui_section(ui, number, title, text);
    return is_open || outliner->filter[0] != '\0';
}

// == Sections =============================================================================

// Returns the first mesh with the same material as `mesh`. Several meshes can have the same
// material. The index of the first mesh identifies it.
static uint32_t first_mesh_with_material(const md5_model *model, uint32_t mesh)
{
    uint32_t first = 0;
    while (strcmp(model->meshes[first].shader, model->meshes[mesh].shader) != 0)
        first++;
    return first;
}

// Requests the command after a click has selected an object. After a double click, the camera also
// moves to the object.
static void request_selection(view_ui *ui)
{
    UI_COMMAND(ui, ui->mouse.is_double ? VIEW_FRAME_SELECTED : VIEW_JOINT_SELECTED);
}

// Selects a mesh, and highlights it in the image for a short time. Ends the selection of a joint
// or material, because the inspector shows one page at a time. Brings the inspector to the front
// if the window shows only one dock.
void view_select_mesh(view_ui *ui, double uptime, uint32_t mesh)
{
    const double highlight_seconds = 0.6;
    ui->selection.mesh = (int32_t)mesh;
    ui->selection.joint = ui->selection.material = -1;
    ui->selection.highlight_end = uptime + highlight_seconds;
    ui->docks.front = VIEW_DOCK_RIGHT;
    ui->docks.is_second[VIEW_DOCK_RIGHT] = false;
}

void view_select_material(view_ui *ui, uint32_t mesh)
{
    ui->selection.material = (int32_t)first_mesh_with_material(ui->scene->model, mesh);
    ui->selection.mesh = -1;
    request_selection(ui);
}

// Returns true if a mesh is selected, or if its material is selected.
static bool is_mesh_selected(const view_ui *ui, const md5_model *model, uint32_t mesh)
{
    if (ui->selection.mesh == (int32_t)mesh)
        return true;
    if (ui->selection.material < 0 || mesh >= VIEW_MAX_MATERIALS)
        return false;
    return first_mesh_with_material(model, mesh) == (uint32_t)ui->selection.material;
}

// Adds the row of a mesh. A click on the eye hides or shows the mesh or, with Alt, all other
// meshes.
static void show_mesh(view_ui *ui, const md5_model *model, uint32_t index)
{
    const md5_mesh *const mesh = &model->meshes[index];
    char number[16];
    char vertices[16];
    COMMON_TEXT(number, "Mesh %u", index);
    COMMON_TEXT(vertices, "%u", mesh->num_vertices);
    const char *const name = mesh->name[0] != '\0' ? mesh->name : number;
    tree_row row = {.name = name,
                    .text = vertices,
                    .sign = SIGN_EYE,
                    .is_selected = is_mesh_selected(ui, model, index)};
    if (view_is_hidden(ui->stage->hidden_meshes, index)) {
        row.sign = SIGN_SHUT;
        row.color = VIEW_DIM;
    }

    const row_part part = show_row(ui, &row);
    if (part == PART_SIGN) {
        UI_COMMAND(ui, ui->mouse.alt ? VIEW_ONLY_MESH : VIEW_HIDE_MESH, .number = index);
    } else if (part == PART_NAME) {
        view_select_mesh(ui, ui->stage->uptime, index);
        request_selection(ui);
    }
    ui_context(ui, VIEW_ON_MESH, index, index + 1, name, NULL);
}

// Displays the section of the meshes. Shows only the meshes whose names contain the search text,
// and their number in the header.
static void list_meshes(view_ui *ui, const view_outliner *outliner)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t count = model != NULL ? model->num_meshes : 0;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_found(outliner, model->meshes[i].name))
            num_found++;
    }

    ui_begin(ui, "mesh");
    if (!show_section_header(ui, outliner, UI_SECTION_MESHES, "Meshes", count, num_found))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (is_found(outliner, model->meshes[i].name))
            show_mesh(ui, model, i);
    }
}

// Displays the clips as a grid of images with names. On a touch screen, images are easier to press
// than rows of text.
static void list_clip_tiles(view_ui *ui)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    ui_grid grid = {0};
    view_rect box;
    ui_begin(ui, "clip");
    for (size_t i = 0; i < ui->scene->num_clips; i++) {
        const view_clip *const clip = &ui->scene->clips[i];
        const bool is_visible = ui_next_tile(ui, &grid, 7 * ui->em, 8.5f * ui->em, &box);
        if (ui_clip_tile(ui, box, i, clip == shown, is_visible))
            UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = i);
        ui_context(ui, VIEW_ON_CLIP, i, 0, clip->name, clip->path);
    }
}

// Returns the sign of a clip. `is_shown` is true if the clip is displayed in the image.
static row_sign clip_sign(const view_ui *ui, bool is_shown)
{
    if (!is_shown)
        return SIGN_STARTS;
    return ui->stage->play->playing ? SIGN_PLAYS : SIGN_PAUSED;
}

// Adds the row of a clip. A click on the name displays the clip. A double click also moves the
// camera to the model. A click on the sign plays the clip, or pauses it if it is already displayed.
static void show_clip(view_ui *ui, size_t index, bool is_shown)
{
    const view_clip *const clip = &ui->scene->clips[index];
    char seconds[24];
    COMMON_TEXT(seconds, "%.2f s", clip->anim->duration);
    const tree_row row = {.name = clip->name,
                          .text = seconds,
                          .sign = clip_sign(ui, is_shown),
                          .is_selected = is_shown};
    const row_part part = show_row(ui, &row);
    const bool is_sign = part == PART_SIGN;
    const bool is_name = part == PART_NAME;
    if (is_sign && is_shown)
        UI_COMMAND(ui, VIEW_PLAY);
    else if (is_name && ui->mouse.is_double)
        UI_COMMAND(ui, VIEW_FRAME_ALL);
    else if (is_sign || is_name)
        UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = index, .item = is_sign); // item 1: also play
    ui_context(ui, VIEW_ON_CLIP, index, 0, clip->name, clip->path);
}

// Adds the section of the clips. A state machine and a crowd select their clips themselves, so they
// do not have this section.
static void list_clips(view_ui *ui, const view_outliner *outliner)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    const bool can_select = view_get_mode(ui->stage->document) == VIEW_MODE_CLIPS;
    const size_t count = can_select ? ui->scene->num_clips : 0;
    uint32_t num_found = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_found(outliner, ui->scene->clips[i].name))
            num_found++;
    }

    ui_begin(ui, "clip");
    if (!show_section_header(ui, outliner, UI_SECTION_CLIPS, "Clips", (uint32_t)count, num_found))
        return;
    for (size_t i = 0; i < count; i++) {
        const view_clip *const clip = &ui->scene->clips[i];
        if (is_found(outliner, clip->name))
            show_clip(ui, i, clip == shown);
    }
}

// Returns true if the name of a layer or of one of its states matches the search text.
static bool is_layer_found(const view_outliner *outliner, const md5_layer_desc *layer)
{
    bool has_found = is_found(outliner, layer->name);
    for (uint32_t k = 0; k < layer->num_states; k++)
        has_found = has_found || is_found(outliner, layer->states[k].name);
    return has_found;
}

// Adds the rows of a layer's states that match the search text. A click activates a state. `active`
// is the index of the active state.
static void list_states(view_ui *ui, const view_outliner *outliner, const md5_layer_desc *layer,
                        uint32_t layer_index, uint32_t active)
{
    for (uint32_t i = 0; i < layer->num_states; i++) {
        const char *const name = layer->states[i].name;
        if (!is_found(outliner, name))
            continue;
        const bool is_active = i == active;
        char label[192];
        COMMON_TEXT(label, "%s/%s", layer->name, name);
        const tree_row row = {.label = label,
                              .name = name,
                              .depth = 1,
                              .sign = is_active ? SIGN_PLAYS : SIGN_NONE,
                              .is_selected = is_active};
        if (show_row(ui, &row) != PART_NONE)
            UI_COMMAND(ui, VIEW_GO_TO_STATE, .number = layer_index, .item = i);
        ui_context(ui, VIEW_ON_STATE, layer_index, i, name, NULL);
    }
}

// Writes the active state of a layer. During a transition, writes the previous and the active
// state.
static void describe_layer_state(const md5_layer_desc *layer, const md5_layer_status *status,
                                 char text[160])
{
    const char *const state = layer->states[status->state].name;
    if (status->from == MD5_NONE)
        snprintf(text, 160, "%s", state);
    else
        snprintf(text, 160, "%s \xE2\x86\x92 %s", layer->states[status->from].name, state);
}

// Adds the row of a layer, which also displays its active state. If the layer is unfolded, the rows
// of its states follow. A click on the sign folds or unfolds the layer. A click on the name selects
// the layer in the state graph.
static void show_layer(view_ui *ui, view_outliner *outliner, view_graph_view *graph, uint32_t index)
{
    const view_machine *const machine = &ui->scene->machine;
    const md5_layer_desc *const layer = &machine->desc->layers[index];
    const md5_layer_status status = md5_player_layer(machine->player, index);
    const bool is_changing = status.from != MD5_NONE;
    const bool is_in_graph = view_shows_graph(ui->stage) && graph->layer == index;

    // Each layer has one bit, so layers from 64 on remain folded. During a search, all layers are
    // unfolded.
    const uint64_t bit = index < 64 ? (uint64_t)1 << index : 0;
    const bool is_searched = outliner->filter[0] != '\0';
    const bool is_open = is_searched || (outliner->open_layers & bit) != 0;

    char text[160];
    describe_layer_state(layer, &status, text);
    const tree_row row = {.name = layer->name,
                          .text = text,
                          .sign = is_open ? SIGN_OPEN : SIGN_FOLDED,
                          .color = is_changing ? VIEW_AMBER : 0,
                          .is_selected = is_in_graph};
    const row_part part = show_row(ui, &row);
    if (part == PART_SIGN)
        outliner->open_layers ^= bit;
    else if (part == PART_NAME)
        view_select_layer(graph, index);
    if (is_open)
        list_states(ui, outliner, layer, index, status.state);
}

// Adds the rows of a state machine's slots. A slot plays one-shot clips in addition to the layers.
// Its row displays the clip that is playing.
static void list_slots(view_ui *ui, const view_outliner *outliner)
{
    const view_machine *const machine = &ui->scene->machine;
    const md5_machine_desc *const desc = machine->desc;
    for (uint32_t i = 0; i < desc->num_slots; i++) {
        const char *const slot = desc->slots[i].name;
        if (!is_found(outliner, slot))
            continue;
        const md5_one_shot_status one_shot = md5_player_one_shot(machine->player, i);
        const bool is_playing = one_shot.weight > 0;
        const char *const clip = is_playing ? desc->clips[one_shot.clip].name : NULL;
        show_row(ui, &(tree_row){.name = slot, .text = clip});
    }
}

// Adds the section of the layers of a state machine, with its slots.
static void list_layers(view_ui *ui, view_outliner *outliner, view_graph_view *graph)
{
    if (view_get_mode(ui->stage->document) != VIEW_MODE_MACHINE)
        return;
    const md5_machine_desc *const desc = ui->scene->machine.desc;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        if (is_layer_found(outliner, &desc->layers[i]))
            num_found++;
    }

    ui_begin(ui, "layer");
    if (!show_section_header(ui, outliner, UI_SECTION_LAYERS, "Layers", desc->num_layers,
                             num_found))
        return;
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        if (is_layer_found(outliner, &desc->layers[i]))
            show_layer(ui, outliner, graph, i);
    }
    list_slots(ui, outliner);
}

// == Joints ===============================================================================

// The joints in depth-first order, in which a tree lists them. The order of joints in a file is
// arbitrary.
typedef struct joint_tree {
    uint32_t *joints; // in depth-first order; also the memory block of all arrays, to be freed
    uint32_t *depths; // number of ancestors, by joint
    uint32_t *sizes;  // number of joints in the subtree, including its root, by joint
} joint_tree;

// Sets sizes[joint] to the number of joints in the subtree of each joint, including the joint
// itself. All elements must be 0 before.
static void count_subtrees(const md5_skeleton *skeleton, uint32_t *sizes)
{
    // skeleton->order contains parents before their children. In reverse order, the size of a
    // subtree is complete before it is added to the parent.
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        sizes[joint]++;
        if (parent != MD5_NONE)
            sizes[parent] += sizes[joint];
    }
}

// Returns the joints in depth-first order. Siblings keep the order of the file. The caller frees
// `joints`.
static joint_tree order_joints(const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    uint32_t *const block = common_alloc(4 * (size_t)count + 1, sizeof *block);
    const joint_tree tree = {
        .joints = block, .depths = block + count, .sizes = block + 2 * (size_t)count};
    count_subtrees(skeleton, tree.sizes);

    // next[joint] is the index in tree.joints for the next child of a joint, and next[count] for
    // the next root. A joint takes the next index of its parent. Its children begin at the
    // following index, and its next sibling begins after its subtree.
    uint32_t *const next = block + 3 * (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const bool is_root = parent == MD5_NONE;
        uint32_t *const next_sibling = &next[is_root ? count : parent];
        const uint32_t index = *next_sibling;
        tree.joints[index] = joint;
        tree.depths[joint] = is_root ? 0 : tree.depths[parent] + 1;
        next[joint] = index + 1;
        *next_sibling = index + tree.sizes[joint];
    }
    return tree;
}

// Returns the bit of a joint in its element of view_outliner.folded_joints.
static uint64_t fold_bit(uint32_t joint)
{
    return (uint64_t)1 << (joint % 64);
}

// Returns true if the descendants of a joint are hidden because its row is folded.
static bool is_folded(const view_outliner *outliner, uint32_t joint)
{
    return joint < VIEW_MAX_FOLDED && (outliner->folded_joints[joint / 64] & fold_bit(joint)) != 0;
}

// Unfolds the ancestors of a joint, so that its row is listed.
static void unfold_ancestors(view_outliner *outliner, const md5_skeleton *skeleton, uint32_t joint)
{
    uint32_t ancestor = skeleton->joints[joint].parent;
    while (ancestor != MD5_NONE) {
        if (ancestor < VIEW_MAX_FOLDED)
            outliner->folded_joints[ancestor / 64] &= ~fold_bit(ancestor);
        ancestor = skeleton->joints[ancestor].parent;
    }
}

// Sets listed[joint] for all joints that match the search text, and for their ancestors, so that
// the tree remains connected. All elements must be false before. Returns the number of matches.
static uint32_t find_joints(const view_outliner *outliner, const md5_skeleton *skeleton,
                            bool *listed)
{
    // Children come before their parents in this order, so that a mark reaches all ancestors.
    uint32_t num_found = 0;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const bool is_hit = is_found(outliner, skeleton->joints[joint].name);
        if (is_hit)
            num_found++;
        listed[joint] = listed[joint] || is_hit;
        if (parent != MD5_NONE && listed[joint])
            listed[parent] = true;
    }
    return num_found;
}

// Scrolls the column so that its next row is visible. `shown` is the scroll position at which the
// column is displayed, in pixels.
static void scroll_to_next_row(const view_ui *ui, float shown)
{
    ui_scroll *const scroll = ui->column->scroll;
    const view_rect area = ui->column->area;
    const float row_top = ui->column->y - area.y + shown; // from the top of the first row
    const bool is_above = row_top < scroll->wanted;
    const bool is_below = row_top > scroll->wanted + 0.9f * area.height;
    if (is_above || is_below)
        scroll->wanted = fmaxf(row_top - 0.4f * area.height, 0);
}

// Selects the joint whose row was pressed. This row is visible, so reveal_selected_joint() must not
// scroll to it.
static void select_joint(view_ui *ui, view_outliner *outliner, uint32_t joint)
{
    ui->selection.joint = (int32_t)joint;
    outliner->revealed_joint = (int32_t)joint;
}

// Adds the row of a joint. A click on the sign folds or unfolds the joint. A click on the name
// selects it. Joints that the clip does not animate are dim. `is_shut` is true if the descendants
// of the joint are hidden.
static void show_joint(view_ui *ui, view_outliner *outliner, const joint_tree *tree, uint32_t joint,
                       bool is_shut, bool is_selected)
{
    const view_clip *const clip = view_shown_clip(ui->scene);
    const char *const name = ui->scene->skeleton->joints[joint].name;
    const bool has_binding = clip != NULL && clip->binding != NULL;
    const bool is_still = has_binding && clip->binding->tracks[joint] == MD5_NONE;
    const bool has_children = tree->sizes[joint] > 1;
    row_sign sign = SIGN_NONE;
    if (has_children)
        sign = is_shut ? SIGN_FOLDED : SIGN_OPEN;
    const tree_row row = {.name = name,
                          .depth = tree->depths[joint],
                          .sign = sign,
                          .color = is_still ? VIEW_DIM : 0,
                          .is_selected = is_selected};
    const row_part part = show_row(ui, &row);

    if (ui->mouse.is_moved && ui_is_hot(ui))
        ui->selection.hovered_joint = (int32_t)joint;
    if (ui_context(ui, VIEW_ON_JOINT, joint, 0, name, NULL)) {
        select_joint(ui, outliner, joint);
        UI_COMMAND(ui, VIEW_JOINT_SELECTED);
    }
    if (part == PART_SIGN && joint < VIEW_MAX_FOLDED) {
        outliner->folded_joints[joint / 64] ^= fold_bit(joint);
    } else if (part != PART_NONE) {
        select_joint(ui, outliner, joint);
        request_selection(ui);
    }
}

// Returns true if a joint was selected outside of the outliner since the last frame. The outliner
// must then scroll to its row. Also unfolds the ancestors of the joint.
static bool reveal_selected_joint(const view_ui *ui, view_outliner *outliner)
{
    const md5_skeleton *const skeleton = ui->scene->skeleton;
    const int32_t selected = ui->selection.joint;
    if (ui->is_event || outliner->revealed_joint == selected)
        return false;
    outliner->revealed_joint = selected;
    if (selected < 0 || (uint32_t)selected >= skeleton->num_joints)
        return false;
    unfold_ancestors(outliner, skeleton, (uint32_t)selected);
    return true;
}

// Adds the rows of all joints whose ancestors are unfolded. During a search, adds the rows of the
// joints for which `listed` is true. If `reveals` is true, scrolls to the selected joint.
static void list_joint_rows(view_ui *ui, view_outliner *outliner, const joint_tree *tree,
                            const bool *listed, bool reveals)
{
    const uint32_t count = ui->scene->skeleton->num_joints;
    const bool is_searched = outliner->filter[0] != '\0';
    const int32_t marked = view_marked_joint(ui, ui->scene);
    const float shown = ui->is_smooth ? ui->column->scroll->shown : ui->column->scroll->wanted;
    uint32_t i = 0; // index in the tree
    while (i < count) {
        const uint32_t joint = tree->joints[i];
        const bool is_shut = !is_searched && is_folded(outliner, joint);
        if (reveals && (int32_t)joint == ui->selection.joint)
            scroll_to_next_row(ui, shown);
        if (listed[joint])
            show_joint(ui, outliner, tree, joint, is_shut, (int32_t)joint == marked);
        i += is_shut ? tree->sizes[joint] : 1; // skip the descendants of a folded joint
    }
}

// Draws the section of the joints as a tree and handles its input.
static void list_joints(view_ui *ui, view_outliner *outliner)
{
    const md5_skeleton *const skeleton = ui->scene->skeleton;
    const uint32_t count = skeleton != NULL ? skeleton->num_joints : 0;
    if (count == 0)
        return;
    const joint_tree tree = order_joints(skeleton);
    bool *const listed = common_alloc(count, sizeof *listed);
    const uint32_t num_found = find_joints(outliner, skeleton, listed);
    const bool reveals = reveal_selected_joint(ui, outliner);

    ui_begin(ui, "joint");
    if (show_section_header(ui, outliner, UI_SECTION_JOINTS, "Joints", count, num_found))
        list_joint_rows(ui, outliner, &tree, listed, reveals);
    free(listed);
    free(tree.joints);
}

// == Materials and morph targets ==========================================================

// Returns true if the list contains the row for the material of a mesh. The name of the material
// must match the search text. Only the first mesh with the material has a row, so that the list
// contains each material once.
static bool is_material_listed(const view_outliner *outliner, const md5_model *model, uint32_t mesh)
{
    return first_mesh_with_material(model, mesh) == mesh
           && is_found(outliner, model->meshes[mesh].shader);
}

// Adds the section of the materials. A row displays the last part of the material's name. A click
// selects the material. Its meshes are then highlighted in the list, and the inspector displays it.
static void list_materials(view_ui *ui, const view_outliner *outliner)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t num_meshes = model != NULL ? model->num_meshes : 0;
    const uint32_t count = num_meshes < VIEW_MAX_MATERIALS ? num_meshes : VIEW_MAX_MATERIALS;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_material_listed(outliner, model, i))
            num_found++;
    }

    ui_begin(ui, "material");
    if (!show_section_header(ui, outliner, UI_SECTION_MATERIAL_LIST, "Materials", count, num_found))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_material_listed(outliner, model, i))
            continue;
        const char *const name = model->meshes[i].shader;
        const tree_row row = {.label = name,
                              .name = name[0] != '\0' ? common_base(name) : "none",
                              .is_selected = ui->selection.material == (int32_t)i};
        if (show_row(ui, &row) != PART_NONE)
            view_select_material(ui, i);
    }
}

// Adds the row of a morph target. The slider sets the weight that the user requests. The number is
// the resulting weight.
static void show_morph(view_ui *ui, const view_morphs *morphs, uint32_t index)
{
    const view_document *const document = ui->stage->document;
    const float em = ui->em;
    const float default_weight = 0;
    ui_reserve_row(ui, ceilf(UI_FIELD_HEIGHT * em), &ui->space);
    ui->space.x += UI_PADDING * em;
    ui->space.width -= 2 * UI_PADDING * em;

    char text[32];
    view_format_number(text, sizeof text, morphs->weights[index], 2, false);
    if (ui_slider(ui, morphs->morph->targets[index].name, VIEW_PLAIN, text, VIEW_BRIGHT, 0, 1,
                  &default_weight, &morphs->requested[index]))
        view_drive_morphs(morphs, document->scene.machine.player, morphs->reported,
                          morphs->weights);
}

// Adds the section of the morph targets. The sliders set --morph. The numbers are the resulting
// weights, which also include the weights of the state machine.
static void list_morphs(view_ui *ui, const view_outliner *outliner)
{
    const view_morphs *const morphs = &ui->stage->document->morphs;
    const uint32_t count = morphs->morph != NULL ? morphs->morph->num_targets : 0;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_found(outliner, morphs->morph->targets[i].name))
            num_found++;
    }

    ui_begin(ui, "morph");
    if (!show_section_header(ui, outliner, UI_SECTION_MORPHS, "Morph targets", count, num_found))
        return;
    ui->label_width = 7 * ui->em;
    ui->value_width = 4 * ui->em;
    for (uint32_t i = 0; i < count; i++) {
        if (is_found(outliner, morphs->morph->targets[i].name))
            show_morph(ui, morphs, i);
    }
}

// == The dock =============================================================================

// Requests the command that displays the first clip whose name contains the search text.
static void open_found_clip(view_ui *ui, const view_outliner *outliner)
{
    for (size_t i = 0; i < ui->scene->num_clips; i++) {
        if (is_found(outliner, ui->scene->clips[i].name)) {
            UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = i);
            return;
        }
    }
}

// Returns the joint whose name is equal to the search text. Otherwise returns the first joint whose
// name contains it, or -1.
static int32_t find_joint(const view_scene *scene, const view_outliner *outliner)
{
    const uint32_t num_joints = scene->skeleton != NULL ? scene->num_joints : 0;
    int32_t found = -1;
    for (uint32_t i = 0; i < num_joints; i++) {
        const char *const name = scene->skeleton->joints[i].name;
        const bool is_exact = strcmp(name, outliner->filter) == 0;
        if (is_exact || (found < 0 && is_found(outliner, name)))
            found = (int32_t)i;
    }
    return found;
}

// Returns the first mesh whose name contains the search text. If `is_exact` is true, the name must
// be equal to it. Returns -1 if there is no such mesh.
static int32_t find_mesh(const view_scene *scene, const view_outliner *outliner, bool is_exact)
{
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const char *const name = scene->model->meshes[i].name;
        const bool is_match =
            is_exact ? strcmp(name, outliner->filter) == 0 : is_found(outliner, name);
        if (is_match)
            return (int32_t)i;
    }
    return -1;
}

// Selects the best match of the search text. Prefers joints and meshes with exactly this name to
// those whose names contain the text. Among equal matches, prefers joints to meshes. If there is
// none, displays the first clip whose name contains the text.
static void open_found(view_ui *ui, view_outliner *outliner)
{
    const view_scene *const scene = ui->scene;
    const int32_t joint = find_joint(scene, outliner);
    const bool is_exact_joint =
        joint >= 0 && strcmp(scene->skeleton->joints[joint].name, outliner->filter) == 0;
    int32_t mesh = -1;
    if (!is_exact_joint)
        mesh = find_mesh(scene, outliner, joint >= 0);
    ui->focus.item.panel = NULL;
    if (mesh < 0 && joint < 0) {
        open_found_clip(ui, outliner);
        return;
    }

    if (mesh >= 0)
        view_select_mesh(ui, ui->stage->uptime, (uint32_t)mesh);
    else
        ui->selection.joint = joint;
    UI_COMMAND(ui, VIEW_JOINT_SELECTED);
    outliner->filter[0] = '\0';
}

// Draws the search field in `row` and handles its input. Enter selects the best match and clears
// the field. Escape clears the field.
static void run_search_field(view_ui *ui, view_outliner *outliner, view_rect row)
{
    const float gap = UI_PADDING * ui->em;
    const view_rect field = {row.x + gap, row.y + 0.5f * gap, row.width - 2 * gap,
                             row.height - gap};
    const bool was_typing =
        ui->focus.item.panel != NULL && strcmp(ui->focus.item.panel, "search") == 0;
    ui_begin(ui, "search");
    ui_field(ui, field, "Search joints, meshes, clips", outliner->filter, sizeof outliner->filter);

    const bool is_escape = ui->mouse.key != 0 && ui->focus.item.panel == NULL; // it ended the focus
    if (was_typing && is_escape)
        outliner->filter[0] = '\0';
    if (was_typing && outliner->filter[0] != '\0' && ui_key(ui, VIEW_KEY_RETURN))
        open_found(ui, outliner);
}

// Draws the outliner and handles its input. On a phone, it displays either only the clips,
// without headers, or all other sections.
void view_outliner_panel(view_ui *ui, view_outliner *outliner, view_graph_view *graph,
                         view_rect area)
{
    const float search_height = ceilf(1.7f * ui->em) + UI_PADDING * ui->em;
    run_search_field(ui, outliner, view_cut(&area, VIEW_AT_TOP, search_height));

    // On a phone the clips and layers are in a separate tab. A search ignores the tabs and displays
    // the sections of both.
    const bool has_tabs = view_current_layout(ui->stage).is_phone && outliner->filter[0] == '\0';
    const bool lists_clips = !has_tabs || !ui->docks.is_second[VIEW_DOCK_LEFT];
    const bool lists_model = !has_tabs || !lists_clips;
    outliner->lists_section = has_tabs && lists_clips;

    ui_column column;
    ui_begin(ui, "tree");
    ui_begin_column(ui, &column, area, &ui->scrolls[VIEW_DOCK_LEFT]);
    if (lists_model)
        list_meshes(ui, outliner);
    if (lists_clips) {
        if (has_tabs && view_get_mode(ui->stage->document) == VIEW_MODE_CLIPS)
            list_clip_tiles(ui);
        else
            list_clips(ui, outliner);
        list_layers(ui, outliner, graph);
    }
    if (lists_model) {
        list_materials(ui, outliner);
        list_morphs(ui, outliner);
        list_joints(ui, outliner);
    }
    ui_end_column(ui);
}
