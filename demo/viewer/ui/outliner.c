// The outliner in the left dock: meshes, clips, layers with states, materials, morph targets and
// joints as one tree, filtered by a search text.
#include "demo/viewer/ui/outliner.h"

#include "demo/viewer/ui/graph.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// == Marked joints ========================================================================

int32_t view_marked_joint(const view_ui *ui, const view_scene *scene)
{
    const int32_t joint = ui->hovered_joint >= 0 ? ui->hovered_joint : ui->selected_joint;
    return joint >= 0 && (uint32_t)joint < scene->num_joints ? joint : -1;
}

// == Rows =================================================================================

static const float sign_width = 1.3f; // em

typedef enum row_sign {
    SIGN_NONE,
    SIGN_FOLDED,
    SIGN_OPEN,
    SIGN_EYE,
    SIGN_SHUT,
    SIGN_PLAYS,
    SIGN_PAUSED,
    SIGN_STARTS, // SIGN_PAUSED while the mouse is over the row, else nothing
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

typedef struct tree_row {
    const char *name;
    const char *label; // of the item; NULL: `name`
    const char *text;  // at the right, or NULL
    uint32_t depth;
    row_sign sign;
    view_color color; // 0: plain
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

// Returns the width of the space for the name of a row, which begins at `name_left`.
static float name_space(const view_ui *ui, const tree_row *item, view_rect row, float name_left)
{
    const float right = row.x + row.width - UI_PADDING * ui->em;
    const char *const right_text = item->text != NULL ? item->text : "";
    return right - name_left - 4 * ui->scale - ui_text_width(ui, right_text);
}

// Draws a row of the tree. The name begins at `name_left`.
static void draw_row(view_ui *ui, const tree_row *item, view_rect row, float indent,
                     float name_left)
{
    const float em = ui->em;
    const bool is_hot = ui_is_hot(ui);
    const bool is_bright = item->is_selected || is_hot;
    const float y = ui_text_top(ui, row);
    const float right = row.x + row.width - UI_PADDING * em;
    const char *const right_text = item->text != NULL ? item->text : "";
    if (is_bright)
        view_draw_rect(ui->canvas, row, item->is_selected ? VIEW_SELECTED : VIEW_CONTROL);

    const row_sign sign = is_hot && item->sign == SIGN_STARTS ? SIGN_PAUSED : item->sign;
    ui_text_in(ui, (view_rect){row.x + indent, row.y, em, row.height},
               item->is_selected ? VIEW_BRIGHT : signs[sign].color, signs[sign].text);
    ui_text(ui, name_left, y, fmaxf(name_space(ui, item, row, name_left), em),
            row_color(item, is_hot), item->name);
    ui_text_left_of(ui, right, y, is_bright ? VIEW_PLAIN : VIEW_DIM, right_text);
}

// Displays a row of the tree. Returns the part that was pressed.
static row_part show_row(view_ui *ui, const tree_row *item)
{
    const float em = ui->em;
    view_rect row;
    const bool is_visible = ui_reserve_row(ui, ceilf(UI_TABLE_ROW * em), &row);
    // The indent is limited, so that deep trees remain visible.
    const float indent = UI_PADDING * em + fminf((float)item->depth * em, 0.5f * row.width);
    const float name_left = row.x + indent + sign_width * em;

    const bool is_pressed = ui_item(ui, row, item->label != NULL ? item->label : item->name);
    ui_tip_cut(ui, item->name, name_space(ui, item, row, name_left));
    if (is_visible && !ui->is_event)
        draw_row(ui, item, row, indent, name_left);
    if (!is_pressed)
        return PART_NONE;
    return item->sign != SIGN_NONE && ui->mouse.x < name_left ? PART_SIGN : PART_NAME;
}

// Returns true if a name matches the search text.
static bool is_found(const view_outliner *outliner, const char *name)
{
    return common_contains(name, outliner->filter);
}

// Displays the header of a section. Returns true if its rows are listed: the section is open or a
// search text is set, and `num_found` rows match.
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

// Returns the first mesh with the same material.
static uint32_t first_with(const md5_model *model, uint32_t mesh)
{
    uint32_t first = 0;
    while (strcmp(model->meshes[first].shader, model->meshes[mesh].shader) != 0)
        first++;
    return first;
}

// Requests the command for a click on a name: selects the item, or shows it in the view on a double
// click.
static void request_selection(view_ui *ui)
{
    ui->command.action = ui->mouse.is_double ? VIEW_FRAME_SELECTED : VIEW_MARKED;
}

void view_select_mesh(view_ui *ui, double now, uint32_t mesh)
{
    ui->selected_mesh = (int32_t)mesh;
    ui->selected_joint = ui->selected_material = -1;
    ui->lit_end = now + 0.6;
    ui->docks.front = VIEW_DOCK_RIGHT;
    ui->docks.is_second[VIEW_DOCK_RIGHT] = false;
}

void view_select_material(view_ui *ui, uint32_t mesh)
{
    ui->selected_material = (int32_t)first_with(ui->scene->model, mesh);
    ui->selected_mesh = -1;
    request_selection(ui);
}

// Returns true if a mesh is selected, or has the selected material.
static bool is_mesh_selected(const view_ui *ui, const md5_model *model, uint32_t mesh)
{
    if (ui->selected_mesh == (int32_t)mesh)
        return true;
    if (ui->selected_material < 0 || mesh >= VIEW_MAX_MATERIALS)
        return false;
    return first_with(model, mesh) == (uint32_t)ui->selected_material;
}

// Displays the row of a mesh and handles clicks on it. A click on the eye hides the mesh or, with
// Alt, all other meshes.
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
        view_select_mesh(ui, ui->stage->now, index);
        request_selection(ui);
    }
    ui_context(ui, VIEW_ON_MESH, index, index + 1, name, NULL);
}

static void list_meshes(view_ui *ui, const view_outliner *outliner)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t count = model != NULL ? model->num_meshes : 0;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++)
        num_found += is_found(outliner, model->meshes[i].name);

    ui_begin(ui, "mesh");
    if (!show_section_header(ui, outliner, UI_SECTION_MESHES, "Meshes", count, num_found))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (is_found(outliner, model->meshes[i].name))
            show_mesh(ui, model, i);
}

// Displays the clips as images with names, for touch screens.
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

// Returns the sign of a clip.
static row_sign clip_sign(const view_ui *ui, bool is_shown)
{
    if (!is_shown)
        return SIGN_STARTS;
    return ui->stage->play->playing ? SIGN_PLAYS : SIGN_PAUSED;
}

// Displays the row of a clip and handles clicks on it: a click shows the clip, a double click also
// moves the camera to the model, and a click on the sign of the shown clip stops or plays it.
static void show_clip(view_ui *ui, size_t index, bool is_shown)
{
    const view_clip *const clip = &ui->scene->clips[index];
    char seconds[24];
    COMMON_TEXT(seconds, "%.2f s", clip->anim->duration);
    const row_part part = show_row(ui, &(tree_row){.name = clip->name,
                                                   .text = seconds,
                                                   .sign = clip_sign(ui, is_shown),
                                                   .is_selected = is_shown});
    if (part != PART_NONE)
        UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = index, .item = part == PART_SIGN);
    if (is_shown && part == PART_SIGN)
        ui->command.action = VIEW_PLAY;
    else if (part == PART_NAME && ui->mouse.is_double)
        ui->command.action = VIEW_FRAME_ALL;
    ui_context(ui, VIEW_ON_CLIP, index, 0, clip->name, clip->path);
}

static void list_clips(view_ui *ui, const view_outliner *outliner)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    const bool can_select = view_mode_of(ui->stage->document) == VIEW_MODE_CLIPS;
    const size_t count = can_select ? ui->scene->num_clips : 0;
    uint32_t num_found = 0;
    for (size_t i = 0; i < count; i++)
        num_found += is_found(outliner, ui->scene->clips[i].name);

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

// Displays the states of a layer.
static void list_states(view_ui *ui, const view_outliner *outliner, const md5_layer_desc *layer,
                        uint32_t layer_index, uint32_t active)
{
    for (uint32_t k = 0; k < layer->num_states; k++) {
        const char *const name = layer->states[k].name;
        char label[192];
        if (!is_found(outliner, name))
            continue;
        COMMON_TEXT(label, "%s/%s", layer->name, name);
        const row_part part = show_row(ui, &(tree_row){.label = label,
                                                       .name = name,
                                                       .depth = 1,
                                                       .sign = k == active ? SIGN_PLAYS : SIGN_NONE,
                                                       .is_selected = k == active});
        if (part != PART_NONE)
            UI_COMMAND(ui, VIEW_GO_TO_STATE, .number = layer_index, .item = k);
        ui_context(ui, VIEW_ON_STATE, layer_index, k, name, NULL);
    }
}

// Displays the row of a layer with its active state or, during a transition, both states. Below it
// are all states if the layer is unfolded. A click on the name shows the layer in the state graph.
static void show_layer(view_ui *ui, view_outliner *outliner, view_graph_view *graph, uint32_t index)
{
    const view_machine *const machine = &ui->scene->machine;
    const md5_layer_desc *const layer = &machine->desc->layers[index];
    const md5_layer_status status = md5_player_layer(machine->player, index);
    const char *const state = layer->states[status.state].name;
    const bool is_changing = status.from != MD5_NONE;
    const bool is_searched = outliner->filter[0] != '\0';
    const uint64_t bit = index < 64 ? (uint64_t)1 << index : 0; // further layers remain folded
    const bool is_open = is_searched || (outliner->open_layers & bit) != 0;
    char text[160];
    if (is_changing)
        COMMON_TEXT(text, "%s \xE2\x86\x92 %s", layer->states[status.from].name, state);
    else
        COMMON_TEXT(text, "%s", state);

    const row_part part = show_row(
        ui, &(tree_row){.name = layer->name,
                        .text = text,
                        .sign = is_open ? SIGN_OPEN : SIGN_FOLDED,
                        .color = is_changing ? VIEW_AMBER : 0,
                        .is_selected = view_shows_graph(ui->stage) && graph->layer == index});
    if (part == PART_SIGN)
        outliner->open_layers ^= bit;
    else if (part == PART_NAME)
        view_select_layer(graph, index);
    if (is_open)
        list_states(ui, outliner, layer, index, status.state);
}

// Displays the layers of a state machine with their active states and, if they are unfolded, all
// states; then the one-shot slots.
static void list_layers(view_ui *ui, view_outliner *outliner, view_graph_view *graph)
{
    const view_machine *const machine = &ui->scene->machine;
    const md5_machine_desc *const desc = machine->desc;
    if (view_mode_of(ui->stage->document) != VIEW_MODE_MACHINE)
        return;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < desc->num_layers; i++)
        num_found += is_layer_found(outliner, &desc->layers[i]);

    ui_begin(ui, "layer");
    if (!show_section_header(ui, outliner, UI_SECTION_LAYERS, "Layers", desc->num_layers,
                             num_found))
        return;
    for (uint32_t i = 0; i < desc->num_layers; i++)
        if (is_layer_found(outliner, &desc->layers[i]))
            show_layer(ui, outliner, graph, i);
    for (uint32_t i = 0; i < desc->num_slots; i++) {
        const char *const slot = desc->slots[i].name;
        const md5_one_shot_status one_shot = md5_player_one_shot(machine->player, i);
        const char *const clip = one_shot.weight > 0 ? desc->clips[one_shot.clip].name : NULL;
        if (is_found(outliner, slot))
            show_row(ui, &(tree_row){.name = slot, .text = clip});
    }
}

// == Joints ===============================================================================

// The joints in depth-first order: files may list them in any order.
typedef struct joint_tree {
    uint32_t *joints; // also the memory block of the other arrays; freed by the caller
    uint32_t *depths; // number of ancestors, by joint
    uint32_t *sizes;  // number of joints in the subtree, by joint
} joint_tree;

// Orders the joints depth-first. First the sizes of the subtrees are computed, from the leaves to
// the root; then each joint is stored at the next free index of its parent's subtree.
static joint_tree order_joints(const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    uint32_t *const block = common_alloc(4 * (size_t)count + 1, sizeof *block);
    const joint_tree tree = {block, block + count, block + 2 * (size_t)count};
    uint32_t *const next = block + 3 * (size_t)count; // index for the next child; [count]: root

    // `order` has parents before children.
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        tree.sizes[joint]++;
        if (parent != MD5_NONE)
            tree.sizes[parent] += tree.sizes[joint];
    }

    for (uint32_t i = 0; i < count; i++) { // siblings remain in the order of the file
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        uint32_t *const index = &next[parent != MD5_NONE ? parent : count];
        tree.depths[joint] = parent != MD5_NONE ? tree.depths[parent] + 1 : 0;
        tree.joints[*index] = joint;
        next[joint] = *index + 1;
        *index += tree.sizes[joint];
    }
    return tree;
}

static bool is_folded(const view_outliner *outliner, uint32_t joint)
{
    return joint < VIEW_MAX_FOLDED
           && (outliner->folded_joints[joint / 64] >> (joint % 64) & 1) != 0;
}

// Unfolds the ancestors of a joint.
static void unfold_to(view_outliner *outliner, const md5_skeleton *skeleton, uint32_t joint)
{
    for (joint = skeleton->joints[joint].parent; joint != MD5_NONE;
         joint = skeleton->joints[joint].parent)
        if (joint < VIEW_MAX_FOLDED)
            outliner->folded_joints[joint / 64] &= ~((uint64_t)1 << (joint % 64));
}

// Marks the joints that match the search text, and their ancestors. Returns the number of matches.
static uint32_t find_joints(const view_outliner *outliner, const md5_skeleton *skeleton,
                            bool *listed)
{
    uint32_t num_found = 0;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const bool is_hit = is_found(outliner, skeleton->joints[joint].name);
        num_found += is_hit;
        listed[joint] = listed[joint] || is_hit;
        if (parent != MD5_NONE && listed[joint])
            listed[parent] = true;
    }
    return num_found;
}

// Scrolls the column if the next row is not visible.
static void scroll_to_next_row(const view_ui *ui, float shown)
{
    ui_scroll *const scroll = ui->column->scroll;
    const view_rect area = ui->column->area;
    const float top = ui->column->y - area.y + shown;
    if (top < scroll->wanted || top > scroll->wanted + 0.9f * area.height)
        scroll->wanted = fmaxf(top - 0.4f * area.height, 0);
}

// Displays the row of a joint and handles clicks on it. Joints that the clip does not animate are
// dim.
static void show_joint(view_ui *ui, view_outliner *outliner, const joint_tree *tree, uint32_t joint,
                       bool is_shut, bool is_selected)
{
    const view_clip *const clip = view_shown_clip(ui->scene);
    const char *const name = ui->scene->skeleton->joints[joint].name;
    const bool has_binding = clip != NULL && clip->binding != NULL;
    const bool is_still = has_binding && clip->binding->tracks[joint] == MD5_NONE;
    row_sign sign = SIGN_NONE;
    if (tree->sizes[joint] > 1)
        sign = is_shut ? SIGN_FOLDED : SIGN_OPEN;
    const row_part part = show_row(ui, &(tree_row){.name = name,
                                                   .depth = tree->depths[joint],
                                                   .sign = sign,
                                                   .color = is_still ? VIEW_DIM : 0,
                                                   .is_selected = is_selected});

    if (ui->mouse.is_moved && ui_is_hot(ui))
        ui->hovered_joint = (int32_t)joint;
    if (ui_context(ui, VIEW_ON_JOINT, joint, 0, name, NULL)) {
        ui->selected_joint = outliner->revealed_joint = (int32_t)joint;
        ui->command.action = VIEW_MARKED;
    }
    if (part == PART_SIGN && joint < VIEW_MAX_FOLDED) {
        outliner->folded_joints[joint / 64] ^= (uint64_t)1 << (joint % 64);
    } else if (part != PART_NONE) {
        ui->selected_joint = outliner->revealed_joint = (int32_t)joint; // its row is visible
        request_selection(ui);
    }
}

// Returns true if a joint was selected outside of the outliner since the last frame, so that its
// row must be scrolled into view. Unfolds its ancestors.
static bool reveal_selected_joint(const view_ui *ui, view_outliner *outliner)
{
    const md5_skeleton *const skeleton = ui->scene->skeleton;
    const int32_t selected = ui->selected_joint;
    if (ui->is_event || outliner->revealed_joint == selected)
        return false;
    outliner->revealed_joint = selected;
    if (selected < 0 || (uint32_t)selected >= skeleton->num_joints)
        return false;
    unfold_to(outliner, skeleton, (uint32_t)selected);
    return true;
}

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
    const bool is_open =
        show_section_header(ui, outliner, UI_SECTION_JOINTS, "Joints", count, num_found);
    const bool is_searched = outliner->filter[0] != '\0';
    const int32_t marked = view_marked_joint(ui, ui->scene);
    const float shown = ui->is_smooth ? ui->column->scroll->shown : ui->column->scroll->wanted;
    for (uint32_t i = 0; i < count && is_open; i++) {
        const uint32_t joint = tree.joints[i];
        const bool is_shut = !is_searched && is_folded(outliner, joint);
        if (reveals && (int32_t)joint == ui->selected_joint)
            scroll_to_next_row(ui, shown);
        if (listed[joint])
            show_joint(ui, outliner, &tree, joint, is_shut, (int32_t)joint == marked);
        if (is_shut)
            i += tree.sizes[joint] - 1; // skips its descendants
    }
    free(listed);
    free(tree.joints);
}

// == Materials and morph targets ==========================================================

// Displays the materials by the last part of their names. A click selects a material: the list of
// meshes highlights its meshes, and the inspector shows it.
static void list_materials(view_ui *ui, const view_outliner *outliner)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t num_meshes = model != NULL ? model->num_meshes : 0;
    const uint32_t count = num_meshes < VIEW_MAX_MATERIALS ? num_meshes : VIEW_MAX_MATERIALS;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++)
        num_found += first_with(model, i) == i && is_found(outliner, model->meshes[i].shader);

    ui_begin(ui, "material");
    if (!show_section_header(ui, outliner, UI_SECTION_MATERIAL_LIST, "Materials", count, num_found))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const char *const name = model->meshes[i].shader;
        if (first_with(model, i) != i || !is_found(outliner, name))
            continue;
        const tree_row row = {.label = name,
                              .name = name[0] != '\0' ? common_base(name) : "none",
                              .is_selected = ui->selected_material == (int32_t)i};
        if (show_row(ui, &row) != PART_NONE)
            view_select_material(ui, i);
    }
}

// Displays the slider of a morph target.
static void show_morph(view_ui *ui, const view_morphs *morphs, uint32_t index)
{
    const view_document *const document = ui->stage->document;
    const float em = ui->em;
    const float usual = 0;
    ui_reserve_row(ui, ceilf(UI_FIELD_HEIGHT * em), &ui->space);
    ui->space.x += UI_PADDING * em;
    ui->space.width -= 2 * UI_PADDING * em;

    char text[32];
    view_format_number(text, sizeof text, morphs->weights[index], 2, false);
    if (ui_slider(ui, morphs->morph->targets[index].name, VIEW_PLAIN, text, VIEW_BRIGHT, 0, 1,
                  &usual, &morphs->asked[index]))
        view_drive_morphs(morphs, document->scene.machine.player, morphs->reported,
                          morphs->weights);
}

// Displays the morph targets with sliders for --morph. The numbers are the final weights, which
// include those of the state machine.
static void list_morphs(view_ui *ui, const view_outliner *outliner)
{
    const view_morphs *const morphs = &ui->stage->document->morphs;
    const uint32_t count = morphs->morph != NULL ? morphs->morph->num_targets : 0;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++)
        num_found += is_found(outliner, morphs->morph->targets[i].name);

    ui_begin(ui, "morph");
    if (!show_section_header(ui, outliner, UI_SECTION_MORPHS, "Morph targets", count, num_found))
        return;
    ui->label_width = 7 * ui->em;
    ui->value_width = 4 * ui->em;
    for (uint32_t i = 0; i < count; i++)
        if (is_found(outliner, morphs->morph->targets[i].name))
            show_morph(ui, morphs, i);
}

// == The dock =============================================================================

// Opens the first clip that matches the search text.
static void open_found_clip(view_ui *ui, const view_outliner *outliner)
{
    for (size_t i = 0; i < ui->scene->num_clips; i++) {
        if (is_found(outliner, ui->scene->clips[i].name)) {
            UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = i);
            return;
        }
    }
}

// Returns the joint that the search text names, or the first joint whose name contains it, or -1.
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

// Returns the first mesh that matches the search text, or only one with exactly this name, or -1.
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

// Selects the joint that the search text names, or the first joint or mesh that matches it. A mesh
// with exactly this name is preferred to a joint that only contains it. If nothing matches, opens
// the first matching clip.
static void open_found(view_ui *ui, view_outliner *outliner)
{
    const view_scene *const scene = ui->scene;
    const int32_t joint = find_joint(scene, outliner);
    const bool is_exact_joint =
        joint >= 0 && strcmp(scene->skeleton->joints[joint].name, outliner->filter) == 0;
    int32_t mesh = -1;
    if (!is_exact_joint)
        mesh = find_mesh(scene, outliner, joint >= 0);
    ui->focus.panel = NULL;
    if (mesh < 0 && joint < 0) {
        open_found_clip(ui, outliner);
        return;
    }

    if (mesh >= 0)
        view_select_mesh(ui, ui->stage->now, (uint32_t)mesh);
    else
        ui->selected_joint = joint;
    ui->command.action = VIEW_MARKED;
    outliner->filter[0] = '\0';
}

// The search field. Enter opens the first match, and Escape clears the field.
static void run_search_field(view_ui *ui, view_outliner *outliner, view_rect row)
{
    const float gap = UI_PADDING * ui->em;
    const view_rect field = {row.x + gap, row.y + 0.5f * gap, row.width - 2 * gap,
                             row.height - gap};
    const bool was_typing = ui->focus.panel != NULL && strcmp(ui->focus.panel, "search") == 0;
    ui_begin(ui, "search");
    ui_field(ui, field, "Search joints, meshes, clips", outliner->filter, sizeof outliner->filter);

    const bool is_escape = ui->mouse.key != 0 && ui->focus.panel == NULL;
    if (was_typing && is_escape)
        outliner->filter[0] = '\0';
    if (was_typing && outliner->filter[0] != '\0' && ui_key(ui, VIEW_KEY_RETURN))
        open_found(ui, outliner);
}

void view_outliner_panel(view_ui *ui, view_outliner *outliner, view_graph_view *graph,
                         view_rect area)
{
    const float search_height = ceilf(1.7f * ui->em) + UI_PADDING * ui->em;
    run_search_field(ui, outliner, view_cut(&area, VIEW_AT_TOP, search_height));

    // On a phone the clips and layers are a tab of their own. A search lists all sections.
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
        if (has_tabs && view_mode_of(ui->stage->document) == VIEW_MODE_CLIPS)
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
