// The page of retargeting. Retargeting transfers the motion of the open model to another model, the
// target. A pair consists of a joint of the target and the joint of the open model that moves it.
// The page lists the pairs and saves the result. A change of a pair sets an option.
#include "demo/viewer/ui/retarget.h"

#include "demo/viewer/ui/card.h"
#include "demo/viewer/ui/surface.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

static const float origin_width = 6; // column of the origins, em
static const float cos_max_angle =
    0.5f; // cosine of 60 degrees, the limit of target_joint.needs_check

// Describes how the source joint of a target joint was found.
typedef enum pair_origin {
    BY_NAME, // both joints have the same name
    GUESSED,
    BY_USER,
    NOTHING, // no joint moves the joint
    NUM_ORIGINS,
} pair_origin;
static const struct {
    const char *label;
    view_color color;
} origins[NUM_ORIGINS] = {{"name", VIEW_FINE},
                          {"guessed", VIEW_AMBER},
                          {"manual", VIEW_ACCENT},
                          {"unmapped", VIEW_WRONG}};

bool view_shows_retarget(const view_retarget_page *page, const view_stage *stage)
{
    return stage->document->companions[VIEW_RETARGETED].model != NULL && !page->is_closed;
}

void view_show_retarget(view_ui *ui, view_retarget_page *page)
{
    page->is_closed = false;
    ui->docks.front = VIEW_DOCK_RIGHT;
    ui->docks.is_sheet_open = true;
    ui->docks.is_folded = ui->docks.shows_problems = false;
}

// Requests the command that sets --retarget-pairs to a text, which the command owns.
static void set_pairs(view_ui *ui,
                      char *text) // NOLINT(readability-non-const-parameter): is freed later
{
    ui_request(ui, view_set_text_command(VIEW_OPTION(retarget_pairs), text));
}

// Maps the picked joint of the target to the joint `source` of the open model. "-" means that no
// joint moves it. The pair is appended to the map, because the last pair of a joint replaces
// earlier ones.
static void set_partner(view_ui *ui, view_retarget_page *page, const view_stage *stage,
                        const char *source)
{
    const md5_joint *const targets =
        stage->document->companions[VIEW_RETARGETED].model->skeleton.joints;
    const char *const target = targets[page->picked - 1].name;
    const char *const pairs = stage->options->retarget_pairs;
    set_pairs(ui, common_format("%s;\"%s\" \"%s\"", pairs != NULL ? pairs : "", source, target));
    page->picked = 0;
    // If only one dock fits, the outliner has replaced this page for the search. Show the page
    // again.
    ui->docks.front = VIEW_DOCK_RIGHT;
}

void view_map_picked_joint(view_ui *ui, view_retarget_page *page, const view_stage *stage)
{
    const md5_skeleton *const skeleton = stage->document->scene.skeleton;
    if (page->picked > 0 && ui->selection.joint >= 0)
        set_partner(ui, page, stage, skeleton->joints[ui->selection.joint].name);
}

void view_pick_target_joint(view_ui *ui, view_retarget_page *page, const view_stage *stage,
                            size_t joint)
{
    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    if (target == NULL || joint >= target->skeleton.num_joints)
        return;
    view_show_retarget(ui, page);
    page->picked = (uint32_t)joint + 1;
    ui->selection.joint = -1;
}

// A joint of the target in the image.
typedef struct marked_joint {
    uint32_t joint; // index, or MD5_NONE
    float pixel[2]; // position in the window
} marked_joint;

// Finds the pixel of a joint of the target, in its current pose. Returns false if the joint is not
// visible in the image.
static bool find_target_pixel(const view_stage *stage, uint32_t joint, float pixel[2])
{
    const view_companion *const target = &stage->document->companions[VIEW_RETARGETED];
    const md5_vec3 bind_position = md5_mat34_translation(target->model->bind[joint]);
    const md5_mat34 world_from_bind = md5_mat34_mul(target->placement, target->palette[joint]);
    return view_find_pixel(stage, md5_mat34_point(world_from_bind, bind_position), pixel);
}

// Marks two joints of the target in the image: the picked joint, and the joint whose row is under
// the mouse, `hovered`. Returns the joint nearest to the mouse within one em, if any.
static marked_joint mark_listed_joints(const view_ui *ui, const view_retarget_page *page,
                                       uint32_t hovered)
{
    const view_stage *const stage = ui->stage;
    const md5_skeleton *const skeleton =
        &stage->document->companions[VIEW_RETARGETED].model->skeleton;
    marked_joint nearest = {.joint = MD5_NONE};
    float min_distance = ui->em; // from the mouse, pixels
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        float pixel[2];
        if (!find_target_pixel(stage, i, pixel))
            continue;
        const bool is_picked = page->picked == i + 1;
        if (is_picked || i == hovered)
            view_mark_pixel(stage, pixel, skeleton->joints[i].name);

        const float distance = hypotf(pixel[0] - ui->mouse.x, pixel[1] - ui->mouse.y);
        if (distance < min_distance) {
            min_distance = distance;
            nearest = (marked_joint){i, {pixel[0], pixel[1]}};
        }
    }
    return nearest;
}

// Marks three joints of the target in the image: the picked joint, the joint whose row is under the
// mouse (`hovered`), and the joint nearest to the mouse. A click in the image picks the nearest
// joint.
static void mark_joints(view_ui *ui, view_retarget_page *page, uint32_t hovered)
{
    const view_stage *const stage = ui->stage;
    const marked_joint nearest = mark_listed_joints(ui, page, hovered);
    ui_begin(ui, "other");
    if (nearest.joint == MD5_NONE
        || !view_contains(view_current_layout(stage).free, ui->mouse.x, ui->mouse.y))
        return;

    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    const char *const name = target->skeleton.joints[nearest.joint].name;
    view_mark_pixel(stage, nearest.pixel, name);
    if (ui_item(ui, (view_rect){ui->mouse.x, ui->mouse.y, 1, 1}, name))
        UI_COMMAND(ui, VIEW_PICK_TARGET_JOINT, .number = nearest.joint);
}

// Returns the vector between two joints in the bind pose.
static md5_vec3 bone_vector(const md5_model *model, uint32_t from, uint32_t to)
{
    return md5_vec3_sub(md5_mat34_translation(model->bind[to]),
                        md5_mat34_translation(model->bind[from]));
}

// The state of a joint of the target.
typedef struct target_joint {
    pair_origin origin;
    // True if a bone from the joint to a child needs a check: the bone of the open model that moves
    // it has a different direction. Directions are different if they include more than 60 degrees
    // in the bind poses.
    bool needs_check;
} target_joint;

// Returns how the pair of a joint of the target was found. `sources` are the joints of the open
// model.
static pair_origin find_origin(const convert_pair *pair, const md5_joint *sources,
                               const md5_joint *target)
{
    if (pair->source == MD5_NONE)
        return NOTHING;
    if (strcmp(sources[pair->source].name, target->name) == 0)
        return BY_NAME;
    return pair->is_mapped ? BY_USER : GUESSED;
}

// Returns true if the target's bone from `parent` to `child` has a different direction than the
// bone of the open model that moves it. Directions are different if they include more than 60
// degrees in the bind poses. Returns false if no bone moves it.
static bool is_bone_turned(const view_stage *stage, uint32_t parent, uint32_t child)
{
    const convert_pair *const pairs = stage->retargeting->pairs;
    const uint32_t mover = pairs[child].source;
    const uint32_t parent_mover = parent != MD5_NONE ? pairs[parent].source : MD5_NONE;
    if (mover == MD5_NONE || parent_mover == MD5_NONE)
        return false;

    const md5_model *const source = stage->document->scene.model;
    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    const md5_vec3 source_bone = bone_vector(source, parent_mover, mover);
    const md5_vec3 target_bone = bone_vector(target, parent, child);
    const float min_dot =
        cos_max_angle * md5_vec3_length(source_bone) * md5_vec3_length(target_bone);
    return md5_vec3_dot(source_bone, target_bone) < min_dot;
}

// Returns the states of all joints of the target. The caller frees the array. Adds the number of
// joints of each origin to `counts`.
static target_joint *find_target_joints(const view_stage *stage, uint32_t counts[NUM_ORIGINS])
{
    const md5_joint *const sources = stage->document->scene.model->skeleton.joints;
    const md5_skeleton *const target =
        &stage->document->companions[VIEW_RETARGETED].model->skeleton;
    target_joint *const joints = common_alloc(target->num_joints, sizeof *joints);
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const md5_joint *const joint = &target->joints[i];
        joints[i].origin = find_origin(&stage->retargeting->pairs[i], sources, joint);
        counts[joints[i].origin]++;
        if (is_bone_turned(stage, joint->parent, i))
            joints[joint->parent].needs_check = true;
    }
    return joints;
}

// Displays the number of joints of each origin. A click hides or shows the joints that were mapped
// by their names.
static void show_counts(view_ui *ui, view_retarget_page *page, const uint32_t counts[NUM_ORIGINS])
{
    char text[160];
    COMMON_TEXT(text, "%u by name, %u guessed, %u manual, %u unmapped", counts[BY_NAME],
                counts[GUESSED], counts[BY_USER], counts[NOTHING]);
    if (ui_link_pair(ui, "Joints", text))
        page->is_short = !page->is_short;
    ui_tooltip(ui, page->is_short ? "Show all joints" : "Hide joints mapped by name");
}

// Draws the row of a target's joint: the joint that moves it, its name, and the origin of the pair.
// A warning sign means that the bones have different directions.
static void draw_pair(view_ui *ui, view_rect row, uint32_t index, const target_joint *joint,
                      bool is_picked)
{
    const view_stage *const stage = ui->stage;
    const md5_joint *const sources = ui->scene->model->skeleton.joints;
    const md5_joint *const targets =
        stage->document->companions[VIEW_RETARGETED].model->skeleton.joints;
    const uint32_t mover = stage->retargeting->pairs[index].source;
    char text[160];
    if (mover == MD5_NONE)
        COMMON_TEXT(text, "(unmapped) %s", targets[index].name);
    else
        COMMON_TEXT(text, "%s \xE2\x86\x92 %s", sources[mover].name, targets[index].name);

    if (is_picked || ui_is_hot(ui))
        view_draw_rect(ui->canvas, row, is_picked ? VIEW_SELECTED : VIEW_CONTROL);
    const view_color *const origin_color = &origins[joint->origin].color;
    const char *const warning = joint->needs_check ? "\xE2\x9A\xA0 " : "";
    ui_cells cells = {
        .name = text, .count = 1, .color = VIEW_PLAIN, .colors = is_picked ? NULL : origin_color};
    COMMON_TEXT(cells.texts[0], "%s%s", warning, origins[joint->origin].label);
    ui_draw_cells(ui, row, origin_width * ui->em, &cells);
}

// Lists the joints of the target with the joints that move them. A click picks a joint. The joint
// under the mouse and the joint that moves it are marked in the image.
static void list_pairs(view_ui *ui, view_retarget_page *page)
{
    const view_stage *const stage = ui->stage;
    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    uint32_t counts[NUM_ORIGINS] = {0};
    target_joint *const joints = find_target_joints(stage, counts);
    show_counts(ui, page, counts);

    uint32_t hovered = MD5_NONE;
    ui_begin(ui, "pair");
    for (uint32_t i = 0; i < target->skeleton.num_joints; i++) {
        const bool is_omitted = page->is_short && joints[i].origin == BY_NAME;
        if (is_omitted)
            continue;
        const bool is_picked = page->picked == i + 1;
        view_rect row;
        const bool is_visible = ui_reserve_row(ui, ceilf(UI_TABLE_ROW * ui->em), &row);
        if (ui_item(ui, row, target->skeleton.joints[i].name))
            UI_COMMAND(ui, VIEW_PICK_TARGET_JOINT, .number = i);
        if (ui_is_hot(ui)) {
            hovered = i;
            // MD5_NONE becomes -1: no joint.
            ui->selection.hovered_joint = (int32_t)stage->retargeting->pairs[i].source;
        }
        if (is_visible)
            draw_pair(ui, row, i, &joints[i], is_picked);
    }
    free(joints);
    mark_joints(ui, page, hovered);
}

// Requests the command that saves a part of the result: VIEW_SAVE_CLIP, VIEW_SAVE_CLIPS or
// VIEW_SAVE_MAP.
static void save_retargeted(view_ui *ui, size_t part)
{
    UI_COMMAND(ui, VIEW_SAVE_RETARGETED, .number = part);
}

// Draws the links that affect all pairs: the alignment of the rest poses, and the reset of the
// map. Also handles their input. `pairs` is the value of --retarget-pairs. A '~' at its
// beginning means that rest poses are used as they are stored, without alignment.
static void run_mapping_links(view_ui *ui, const char *pairs)
{
    const bool is_as_stored = *pairs == '~';
    if (ui_link_pair(ui, "Rest poses", is_as_stored ? "as stored" : "aligned")) {
        const char *const prefix = is_as_stored ? "" : "~;";
        const char *const rest = is_as_stored ? pairs + 1 : pairs;
        set_pairs(ui, common_format("%s%s", prefix, rest));
    }
    if (*pairs != '\0' && ui_link_pair(ui, "", "Reset the mapping"))
        set_pairs(ui, common_copy(""));
}

// Draws the links that save the current clip, all clips, or the map of the joints. Also handles
// their input.
static void run_save_links(view_ui *ui, const view_stage *stage, const view_clip *clip)
{
    char *const target = common_stem(stage->options->retarget);
    char text[160];
    COMMON_TEXT(text, "%s_%s.md5anim", target, clip->name);
    free(target);
    if (ui_link_pair(ui, "Save as", text))
        save_retargeted(ui, VIEW_SAVE_CLIP);
    COMMON_TEXT(text, "all clips (%zu)", ui->scene->num_clips);
    if (ui_link_pair(ui, "", text))
        save_retargeted(ui, VIEW_SAVE_CLIPS);
    if (ui_link_pair(ui, "", "joint map"))
        save_retargeted(ui, VIEW_SAVE_MAP);
}

// Draws the rows of the page in the column of the inspector and handles their input.
void view_retarget_rows(view_ui *ui, view_retarget_page *page, view_card *card)
{
    static const char *const options[] = {"retarget", "retarget-map", "retarget-layout"};
    const view_stage *const stage = ui->stage;
    if (stage->retargeting->pairs == NULL) // no frame was drawn yet
        return;
    ui_begin(ui, "retarget");
    for (size_t i = 0; i < COMMON_LENGTH(options); i++)
        ui_setting(ui, card, view_find_option(options[i], strlen(options[i])));

    const char *const pairs = stage->options->retarget_pairs;
    const view_clip *const clip = view_shown_clip(ui->scene);
    run_mapping_links(ui, pairs != NULL ? pairs : "");
    if (clip != NULL)
        run_save_links(ui, stage, clip);
    if (page->saved[0] != '\0' && ui_link_pair(ui, "Saved", common_base(page->saved)))
        UI_COMMAND(ui, VIEW_OPEN_FILE, .path = common_copy(stage->options->retarget));
    if (ui_link_pair(ui, "", "Close"))
        page->is_closed = true;

    if (page->picked > 0 && ui_key(ui, VIEW_KEY_DELETE))
        set_partner(ui, page, stage, "-");
    list_pairs(ui, page);
}
