// The outliner: meshes, clips, states, materials, morphs and joints as one tree with a search.
#include "demo/viewer/ui/ui.h"

// == Marked joints ========================================================================

int32_t view_marked_joint(const view_ui *ui, const view_scene *scene)
{
    const int32_t joint = ui->hovered_joint >= 0 ? ui->hovered_joint : ui->selected_joint;
    return joint >= 0 && (uint32_t)joint < scene->num_joints ? joint : -1;
}

void view_forget_rows(view_ui *ui)
{
    memset(ui->scrolls, 0, sizeof ui->scrolls);
    view_clear_retargeting(ui->retarget.made);
    ui->retarget = (view_retarget_page){.made = ui->retarget.made};
    ui->measured_from = ui->selected_material = ui->selected_mesh = -1;
    ui->lit.is_set = false;
    ui->lit_end = 0;
    ui->textures.facts.of = NULL;
    ui->problems.shown = 0;
    ui->curves.anim = NULL;
    memset(ui->folded_joints, 0, sizeof ui->folded_joints);
    ui->open_layers = 0;
    ui->filter[0] = '\0';
    ui->revealed_joint = -1;
}

// == Rows =================================================================================

typedef enum row_sign {
    SIGN_NONE,
    SIGN_FOLDED,
    SIGN_OPEN,
    SIGN_EYE,
    SIGN_SHUT,
    SIGN_PLAYS,
    SIGN_PAUSED,
    SIGN_STARTS, // below the mouse
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
    const char *name, *label, *text; // label: NULL: the name; text: at the right, or NULL
    uint32_t depth;
    row_sign sign;
    view_color color; // 0: plain
    bool is_selected;
} tree_row;

// What a press has met.
typedef enum row_part { PART_NONE, PART_SIGN, PART_NAME } row_part;

static row_part show_row(view_ui *ui, const tree_row *of)
{
    const float em = ui->em;
    const float padding = 0.7f * em;
    view_rect row;
    const bool is_seen = ui_take_row(ui, ceilf(1.6f * em), &row);
    // Deep trees stay in sight.
    const float indent = padding + fminf((float)of->depth * em, 0.5f * row.width);
    const float name = row.x + indent + 1.3f * em;
    const float right = row.x + row.width - padding;
    const char *const right_text = of->text != NULL ? of->text : "";
    const float room = right - name - 4 * ui->scale - ui_text_width(ui, right_text);
    const bool is_pressed = ui_item(ui, row, of->label != NULL ? of->label : of->name);
    ui_tip_cut(ui, of->name, room);
    if (is_seen && !ui->is_event) {
        const bool is_hot = ui_is_hot(ui);
        const float y = ui_text_top(ui, row);
        if (of->is_selected || is_hot)
            view_draw_rect(ui->canvas, row, of->is_selected ? VIEW_SELECTED : VIEW_CONTROL);
        const row_sign sign = is_hot && of->sign == SIGN_STARTS ? SIGN_PAUSED : of->sign;
        ui_text_in(ui, (view_rect){row.x + indent, row.y, em, row.height},
                   of->is_selected ? VIEW_BRIGHT : signs[sign].color, signs[sign].text);
        const view_color bright = of->is_selected || is_hot ? VIEW_BRIGHT
                                  : of->color != 0          ? of->color
                                                            : VIEW_PLAIN;
        ui_text(ui, name, y, fmaxf(room, em), bright, of->name);
        ui_text_left_of(ui, right, y, of->is_selected || is_hot ? VIEW_PLAIN : VIEW_DIM,
                        right_text);
    }
    if (!is_pressed)
        return PART_NONE;
    return of->sign != SIGN_NONE && ui->mouse.x < name ? PART_SIGN : PART_NAME;
}

static bool is_found(const view_ui *ui, const char *name)
{
    return common_contains(name, ui->filter);
}

// Whether the rows of a section are listed. With a search those that are found are, also in a
// section that is folded.
static bool opens(view_ui *ui, ui_section_number number, const char *title, uint32_t count,
                  uint32_t num_found)
{
    char text[24];
    if (count == 0 || num_found == 0)
        return false;
    if (ui->is_headless)
        return true;
    COMMON_TEXT(text, "%u", num_found);
    const bool is_open = ui_section(ui, number, title, text);
    return is_open || ui->filter[0] != '\0';
}

// == Sections =============================================================================

// The first mesh that has the same material.
static uint32_t first_with(const md5_model *model, uint32_t mesh)
{
    uint32_t first = 0;
    while (strcmp(model->meshes[first].shader, model->meshes[mesh].shader) != 0)
        first++;
    return first;
}

// What a press on a name asks for: the second one of two frames what the first has selected.
static void mark(view_ui *ui)
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
    mark(ui);
}

static void list_meshes(view_ui *ui)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t count = model != NULL ? model->num_meshes : 0;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++)
        num_found += is_found(ui, model->meshes[i].name);
    ui_begin(ui, "mesh");
    if (!opens(ui, UI_SECTION_MESHES, "Meshes", count, num_found))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        char number[16], vertices[16];
        const bool is_hidden = view_is_hidden(ui->stage->hidden_meshes, i);
        if (!is_found(ui, mesh->name))
            continue;
        COMMON_TEXT(number, "Mesh %u", i);
        COMMON_TEXT(vertices, "%u", mesh->num_vertices);
        const char *const name = mesh->name[0] != '\0' ? mesh->name : number;
        const int32_t material = i < VIEW_MAX_MATERIALS ? (int32_t)first_with(model, i) : -2;
        const bool is_selected =
            ui->selected_mesh == (int32_t)i || material == ui->selected_material;
        const row_part part = show_row(ui, &(tree_row){.name = name,
                                                       .text = vertices,
                                                       .sign = is_hidden ? SIGN_SHUT : SIGN_EYE,
                                                       .color = is_hidden ? VIEW_DIM : 0,
                                                       .is_selected = is_selected});
        if (part == PART_SIGN)
            UI_ASK(ui, ui->mouse.alt ? VIEW_ONLY_MESH : VIEW_HIDE_MESH, .number = i);
        else if (part == PART_NAME) {
            view_select_mesh(ui, ui->stage->now, i);
            mark(ui);
        }
        ui_context(ui, VIEW_ON_MESH, i, i + 1, name, NULL);
    }
}

// For fingers: a picture of each clip with its name.
static void list_clip_tiles(view_ui *ui)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    ui_grid grid = {0};
    view_rect box;
    ui_begin(ui, "clip");
    for (size_t i = 0; i < ui->scene->num_clips; i++) {
        const view_clip *const clip = &ui->scene->clips[i];
        const bool is_seen = ui_next_tile(ui, &grid, 7 * ui->em, 8.5f * ui->em, &box);
        if (ui_clip_tile(ui, box, i, clip == shown, is_seen))
            UI_ASK(ui, VIEW_OPEN_CLIP, .number = i);
        ui_context(ui, VIEW_ON_CLIP, i, 0, clip->name, clip->path);
    }
}

static void list_clips(view_ui *ui)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    const bool can_select = view_mode_of(ui->stage->document) == VIEW_MODE_CLIPS;
    const size_t count = can_select ? ui->scene->num_clips : 0;
    uint32_t num_found = 0;
    for (size_t i = 0; i < count; i++)
        num_found += is_found(ui, ui->scene->clips[i].name);
    ui_begin(ui, "clip");
    if (!opens(ui, UI_SECTION_CLIPS, "Clips", (uint32_t)count, num_found))
        return;
    for (size_t i = 0; i < count; i++) {
        const view_clip *const clip = &ui->scene->clips[i];
        const bool is_shown = clip == shown;
        char seconds[24];
        if (!is_found(ui, clip->name))
            continue;
        COMMON_TEXT(seconds, "%.2f s", clip->anim->duration);
        const row_part part =
            show_row(ui, &(tree_row){.name = clip->name,
                                     .text = seconds,
                                     .sign = !is_shown                  ? SIGN_STARTS
                                             : ui->stage->play->playing ? SIGN_PLAYS
                                                                        : SIGN_PAUSED,
                                     .is_selected = is_shown});
        if (part != PART_NONE)
            UI_ASK(ui, VIEW_OPEN_CLIP, .number = i);
        if (part == PART_SIGN)
            ui->command.item = 1;
        if (is_shown && part == PART_SIGN)
            ui->command.action = VIEW_PLAY;
        else if (part == PART_NAME && ui->mouse.is_double)
            ui->command.action = VIEW_FRAME_ALL;
        ui_context(ui, VIEW_ON_CLIP, i, 0, clip->name, clip->path);
    }
}

static bool is_layer_found(const view_ui *ui, const md5_layer_desc *layer)
{
    bool has_found = is_found(ui, layer->name);
    for (uint32_t k = 0; k < layer->num_states; k++)
        has_found = has_found || is_found(ui, layer->states[k].name);
    return has_found;
}

// Layers with what plays in them, which are folded at first, and their states.
static void list_layers(view_ui *ui)
{
    const view_machine *const machine = &ui->scene->machine;
    const md5_machine_desc *const desc = machine->desc;
    const bool is_searched = ui->filter[0] != '\0';
    const bool shows_graph = view_shows_graph(ui->stage);
    uint32_t num_found = 0;
    if (view_mode_of(ui->stage->document) != VIEW_MODE_MACHINE)
        return;
    for (uint32_t i = 0; i < desc->num_layers; i++)
        num_found += is_layer_found(ui, &desc->layers[i]);
    ui_begin(ui, "layer");
    if (!opens(ui, UI_SECTION_LAYERS, "Layers", desc->num_layers, num_found))
        return;
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const md5_layer_desc *const layer = &desc->layers[i];
        const md5_layer_status status = md5_player_layer(machine->player, i);
        const char *const state = layer->states[status.state].name;
        const uint64_t bit = i < 64 ? (uint64_t)1 << i : 0;
        const bool is_open = is_searched || (ui->open_layers & bit) != 0;
        char text[160];
        if (status.from != MD5_NONE)
            COMMON_TEXT(text, "%s \xE2\x86\x92 %s", layer->states[status.from].name, state);
        else
            COMMON_TEXT(text, "%s", state);
        if (!is_layer_found(ui, layer))
            continue;
        const row_part part =
            show_row(ui, &(tree_row){.name = layer->name,
                                     .text = text,
                                     .sign = is_open ? SIGN_OPEN : SIGN_FOLDED,
                                     .color = status.from != MD5_NONE ? VIEW_AMBER : 0,
                                     .is_selected = shows_graph && ui->graph.layer == i});
        if (part == PART_SIGN)
            ui->open_layers ^= bit;
        else if (part == PART_NAME) {
            ui->graph.layer = i;
            ui->graph.zoom = 0;
        }
        for (uint32_t k = 0; k < layer->num_states && is_open; k++) {
            const char *const name = layer->states[k].name;
            char label[192];
            if (!is_found(ui, name))
                continue;
            COMMON_TEXT(label, "%s/%s", layer->name, name);
            if (show_row(ui, &(tree_row){.label = label,
                                         .name = name,
                                         .depth = 1,
                                         .sign = k == status.state ? SIGN_PLAYS : SIGN_NONE,
                                         .is_selected = k == status.state})
                != PART_NONE)
                UI_ASK(ui, VIEW_GO_TO_STATE, .number = i, .item = k);
            ui_context(ui, VIEW_ON_STATE, i, k, name, NULL);
        }
    }
    for (uint32_t i = 0; i < desc->num_slots; i++) { // and what one-shots show
        const md5_one_shot_status one_shot = md5_player_one_shot(machine->player, i);
        const char *const clip = one_shot.weight > 0 ? desc->clips[one_shot.clip].name : NULL;
        if (is_found(ui, desc->slots[i].name))
            show_row(ui, &(tree_row){.name = desc->slots[i].name, .text = clip});
    }
}

// == Joints ===============================================================================

// The joints in depth-first order, since files may list them in any order, how deep each is, and
// with how many below it. For the caller to free: one block.
typedef struct joint_tree {
    uint32_t *joints;
    uint32_t *depths;
    uint32_t *sizes;
} joint_tree;

static joint_tree order_joints(const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    uint32_t *const block = common_alloc(4 * (size_t)count + 1, sizeof *block);
    const joint_tree tree = {block, block + count, block + 2 * (size_t)count};
    uint32_t *const places = block + 3 * (size_t)count; // of the next child of each, and root
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        tree.sizes[joint]++;
        if (parent != MD5_NONE)
            tree.sizes[parent] += tree.sizes[joint];
    }
    for (uint32_t i = 0; i < count; i++) { // siblings are in the order of their numbers
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        uint32_t *const place = &places[parent != MD5_NONE ? parent : count];
        tree.depths[joint] = parent != MD5_NONE ? tree.depths[parent] + 1 : 0;
        tree.joints[*place] = joint;
        places[joint] = *place + 1;
        *place += tree.sizes[joint];
    }
    return tree;
}

static bool is_folded(const view_ui *ui, uint32_t joint)
{
    return joint < UI_MAX_FOLDED && (ui->folded_joints[joint / 64] >> (joint % 64) & 1) != 0;
}

// What a joint lies in is unfolded.
static void unfold_to(view_ui *ui, const md5_skeleton *skeleton, uint32_t joint)
{
    for (joint = skeleton->joints[joint].parent; joint != MD5_NONE;
         joint = skeleton->joints[joint].parent)
        if (joint < UI_MAX_FOLDED)
            ui->folded_joints[joint / 64] &= ~((uint64_t)1 << (joint % 64));
}

static void list_joints(view_ui *ui)
{
    const md5_skeleton *const skeleton = ui->scene->skeleton;
    const view_clip *const clip = view_shown_clip(ui->scene);
    const bool is_searched = ui->filter[0] != '\0';
    const uint32_t count = skeleton != NULL ? skeleton->num_joints : 0;
    if (count == 0)
        return;
    const joint_tree tree = order_joints(skeleton);
    // Those that are found, and the ways to them: of the rest nothing is listed.
    bool *const listed = common_alloc(count, sizeof *listed);
    uint32_t num_found = 0;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const bool is_hit = is_found(ui, skeleton->joints[joint].name);
        num_found += is_hit;
        listed[joint] = listed[joint] || is_hit;
        if (parent != MD5_NONE && listed[joint])
            listed[parent] = true;
    }
    const int32_t marked = view_marked_joint(ui, ui->scene);
    // One that was selected elsewhere comes into sight.
    const bool is_new = !ui->is_event && ui->revealed_joint != ui->selected_joint;
    if (is_new && ui->selected_joint >= 0 && (uint32_t)ui->selected_joint < count)
        unfold_to(ui, skeleton, (uint32_t)ui->selected_joint);
    if (!ui->is_event)
        ui->revealed_joint = ui->selected_joint;
    ui_begin(ui, "joint");
    const bool is_open = opens(ui, UI_SECTION_JOINTS, "Joints", count, num_found);
    ui_scroll *const scroll = ui->column->scroll;
    const view_rect area = ui->column->area;
    const float shown = ui->is_smooth ? scroll->shown : scroll->wanted;
    for (uint32_t i = 0; i < count && is_open; i++) {
        const uint32_t joint = tree.joints[i];
        const char *const name = skeleton->joints[joint].name;
        const bool has_children = tree.sizes[joint] > 1;
        const bool is_shut = !is_searched && is_folded(ui, joint);
        // Joints that the clip does not drive are dimmed.
        const bool is_still =
            clip != NULL && clip->binding != NULL && clip->binding->tracks[joint] == MD5_NONE;
        const float top = ui->column->y - area.y + shown;
        if (is_new && (int32_t)joint == ui->selected_joint
            && (top < scroll->wanted || top > scroll->wanted + 0.9f * area.height))
            scroll->wanted = fmaxf(top - 0.4f * area.height, 0);
        if (listed[joint]) {
            const row_part part =
                show_row(ui, &(tree_row){.name = name,
                                         .depth = tree.depths[joint],
                                         .sign = !has_children ? SIGN_NONE
                                                 : is_shut     ? SIGN_FOLDED
                                                               : SIGN_OPEN,
                                         .color = is_still ? VIEW_DIM : 0,
                                         .is_selected = (int32_t)joint == marked});
            if (ui->mouse.is_moved && ui_is_hot(ui))
                ui->hovered_joint = (int32_t)joint;
            if (ui_context(ui, VIEW_ON_JOINT, joint, 0, name, NULL)) {
                ui->selected_joint = ui->revealed_joint = (int32_t)joint;
                ui->command.action = VIEW_MARKED;
            }
            if (part == PART_SIGN && joint < UI_MAX_FOLDED) {
                ui->folded_joints[joint / 64] ^= (uint64_t)1 << (joint % 64);
            } else if (part != PART_NONE) {
                ui->selected_joint = ui->revealed_joint = (int32_t)joint; // it is in sight
                mark(ui);
            }
        }
        if (is_shut)
            i += tree.sizes[joint] - 1;
    }
    free(listed);
    free(tree.joints);
}

// == Materials and morph targets ==========================================================

// By the last part of their names. A click selects one: its meshes are lit in their list, and the
// inspector shows it.
static void list_materials(view_ui *ui)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t all = model != NULL ? model->num_meshes : 0;
    const uint32_t count = all < VIEW_MAX_MATERIALS ? all : VIEW_MAX_MATERIALS;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++)
        num_found += first_with(model, i) == i && is_found(ui, model->meshes[i].shader);
    ui_begin(ui, "material");
    if (!opens(ui, UI_SECTION_MATERIAL_LIST, "Materials", count, num_found))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const char *const name = model->meshes[i].shader;
        const bool is_selected = ui->selected_material == (int32_t)i;
        if (first_with(model, i) != i || !is_found(ui, name))
            continue;
        if (show_row(ui, &(tree_row){.label = name,
                                     .name = name[0] != '\0' ? common_base(name) : "none",
                                     .is_selected = is_selected})
            != PART_NONE)
            view_select_material(ui, i);
    }
}

// With their weights: sliders set what --morph does, the figures are with what a machine adds.
static void list_morphs(view_ui *ui)
{
    const view_document *const document = ui->stage->document;
    const view_morphs *const morphs = &document->morphs;
    const uint32_t count = morphs->morph != NULL ? morphs->morph->num_targets : 0;
    const float em = ui->em;
    const float usual = 0;
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++)
        num_found += is_found(ui, morphs->morph->targets[i].name);
    ui_begin(ui, "morph");
    if (!opens(ui, UI_SECTION_MORPHS, "Morph targets", count, num_found))
        return;
    ui->label_width = 7 * em;
    ui->value_width = 4 * em;
    for (uint32_t i = 0; i < count; i++) {
        const char *const name = morphs->morph->targets[i].name;
        char text[32];
        if (!is_found(ui, name))
            continue;
        ui_take_row(ui, ceilf(1.85f * em), &ui->space);
        ui->space.x += 0.7f * em;
        ui->space.width -= 1.4f * em;
        view_format_number(text, sizeof text, morphs->weights[i], 2, false);
        if (ui_slider(ui, name, VIEW_PLAIN, text, VIEW_BRIGHT, 0, 1, &usual, &morphs->asked[i]))
            view_drive_morphs(morphs, document->scene.machine.player, morphs->reported,
                              morphs->weights);
    }
}

// == The dock =============================================================================

// Selects the first joint or else mesh that is found, rather one that is called so; else shows the
// first clip.
static void take_found(view_ui *ui)
{
    int32_t best = -1;
    ui->focus.panel = NULL;
    for (uint32_t i = 0; i < ui->scene->num_joints; i++) {
        const char *const name = ui->scene->skeleton->joints[i].name;
        if (strcmp(name, ui->filter) == 0 || (best < 0 && is_found(ui, name)))
            best = (int32_t)i;
    }
    for (uint32_t i = 0; i < view_count_meshes(ui->scene); i++) {
        const char *const name = ui->scene->model->meshes[i].name;
        if (best < 0 ? is_found(ui, name)
                     : strcmp(name, ui->filter) == 0
                           && strcmp(ui->scene->skeleton->joints[best].name, name) != 0) {
            view_select_mesh(ui, ui->stage->now, i);
            ui->command.action = VIEW_MARKED;
            ui->filter[0] = '\0';
            return;
        }
    }
    if (best >= 0) {
        ui->selected_joint = best;
        ui->command.action = VIEW_MARKED;
        ui->filter[0] = '\0';
    }
    for (size_t i = 0; i < ui->scene->num_clips && best < 0; i++)
        if (is_found(ui, ui->scene->clips[i].name)) {
            UI_ASK(ui, VIEW_OPEN_CLIP, .number = i);
            best = 0;
        }
}

void view_outliner(view_ui *ui, view_rect area)
{
    const float gap = 0.7f * ui->em;
    const view_rect head = view_cut(&area, VIEW_AT_TOP, ceilf(1.7f * ui->em) + gap);
    const view_rect field = {head.x + gap, head.y + 0.5f * gap, head.width - 2 * gap,
                             head.height - gap};
    const bool was_typing = ui->focus.panel != NULL && strcmp(ui->focus.panel, "search") == 0;
    ui_begin(ui, "search");
    ui_field(ui, field, "Search joints, meshes, clips", ui->filter, sizeof ui->filter);
    if (was_typing && ui->mouse.key != 0 && ui->focus.panel == NULL) // Esc
        ui->filter[0] = '\0';
    if (was_typing && ui->filter[0] != '\0' && ui_key(ui, VIEW_KEY_RETURN))
        take_found(ui);
    ui_column column;
    ui_begin(ui, "tree");
    ui_begin_column(ui, &column, area, &ui->scrolls[VIEW_DOCK_LEFT]);
    const bool is_part = view_layout_of(ui->stage).is_phone && ui->filter[0] == '\0';
    const bool has_clips = !is_part || !ui->docks.is_second[VIEW_DOCK_LEFT];
    ui->is_headless = is_part && has_clips;
    if (!ui->is_headless)
        list_meshes(ui);
    if (has_clips) {
        if (ui->is_headless && view_mode_of(ui->stage->document) == VIEW_MODE_CLIPS)
            list_clip_tiles(ui);
        else
            list_clips(ui);
        list_layers(ui);
    }
    if (!ui->is_headless) {
        list_materials(ui);
        list_morphs(ui);
        list_joints(ui);
    }
    ui_end_column(ui);
}
