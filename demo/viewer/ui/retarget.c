// The page of a model that is retargeted: the joint of the open model that moves each of its
// joints, the origin of each pair, and saving. All changes are options.
#include "demo/viewer/ui/retarget.h"

#include "demo/viewer/ui/settings.h"
#include "demo/viewer/ui/surface.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

typedef enum pair_origin { BY_NAME, GUESSED, BY_USER, NOTHING, NUM_ORIGINS } pair_origin;
static const struct {
    const char *word;
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

static void set_pairs(view_ui *ui,
                      char *text) // NOLINT(readability-non-const-parameter): is freed later
{
    static const char name[] = "retarget-pairs";
    ui->command = view_set_command(view_find_option(name, strlen(name)), text);
}

// Maps the picked joint to a joint of the open model, or to "-". The last line of the map for a
// joint is used.
static void set_partner(view_ui *ui, view_retarget_page *page, const view_stage *stage,
                        const char *source)
{
    const md5_joint *const joints =
        stage->document->companions[VIEW_RETARGETED].model->skeleton.joints;
    const char *const pairs = stage->options->retarget_pairs;
    set_pairs(ui, common_format("%s;\"%s\" \"%s\"", pairs != NULL ? pairs : "", source,
                                joints[page->picked - 1].name));
    page->picked = 0;
    // If only one dock is visible, the search has replaced this page.
    ui->docks.front = VIEW_DOCK_RIGHT;
}

void view_map_picked_joint(view_ui *ui, view_retarget_page *page, const view_stage *stage)
{
    const md5_skeleton *const skeleton = stage->document->scene.skeleton;
    if (page->picked > 0 && ui->selected_joint >= 0)
        set_partner(ui, page, stage, skeleton->joints[ui->selected_joint].name);
}

static void pick(view_ui *ui, view_retarget_page *page, uint32_t joint)
{
    page->picked = joint + 1;
    ui->selected_joint = -1;
    ui->command.action = VIEW_FIND; // searches for its partner
}

// Marks joints of the other model in the image: the picked joint, the joint `hovered` of the list,
// and the joint nearest to the mouse, which a click picks.
static void mark_joints(view_ui *ui, view_retarget_page *page, const view_stage *stage,
                        uint32_t hovered)
{
    const view_companion *const other = &stage->document->companions[VIEW_RETARGETED];
    const md5_skeleton *const skeleton = &other->model->skeleton;
    float min_distance = ui->em;
    float at[2];
    float found[2];
    uint32_t nearest = MD5_NONE;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_mat34 posed = md5_mat34_mul(other->place, other->palette[i]);
        if (!view_find_pixel(
                stage, md5_mat34_point(posed, md5_mat34_translation(other->model->bind[i])), at))
            continue;
        if (i + 1 == page->picked || i == hovered)
            view_mark_pixel(stage, at, skeleton->joints[i].name);
        const float distance = hypotf(at[0] - ui->mouse.x, at[1] - ui->mouse.y);
        if (distance < min_distance) {
            min_distance = distance;
            nearest = i;
            memcpy(found, at, sizeof found);
        }
    }
    ui_begin(ui, "other");
    if (nearest == MD5_NONE
        || !view_contains(view_current_layout(stage).free, ui->mouse.x, ui->mouse.y))
        return;
    view_mark_pixel(stage, found, skeleton->joints[nearest].name);
    if (ui_item(ui, (view_rect){ui->mouse.x, ui->mouse.y, 1, 1}, skeleton->joints[nearest].name))
        pick(ui, page, nearest);
}

// Returns the vector between two joints in the bind pose.
static md5_vec3 bone_vector(const md5_model *model, uint32_t from, uint32_t to)
{
    return md5_vec3_sub(md5_mat34_translation(model->bind[to]),
                        md5_mat34_translation(model->bind[from]));
}

// A joint of the retargeted model.
typedef struct target_joint {
    pair_origin origin;
    // The bone to a mapped child points in another direction than the bone of the open model, by
    // more than 60 degrees in the bind poses.
    bool is_turned;
} target_joint;

// Returns how joint `index` of the target was mapped.
static pair_origin find_origin(const convert_pair *pair, const md5_joint *from,
                               const md5_joint *target)
{
    if (pair->source == MD5_NONE)
        return NOTHING;
    if (strcmp(from[pair->source].name, target->name) == 0)
        return BY_NAME;
    return pair->is_mapped ? BY_USER : GUESSED;
}

// Returns the joints of the target, to be freed, and the numbers of joints by origin.
static target_joint *find_target_joints(const view_stage *stage, uint32_t counts[NUM_ORIGINS])
{
    const md5_model *const source = stage->document->scene.model;
    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    const uint32_t count = target->skeleton.num_joints;
    const convert_pair *const pairs = stage->retargeting->pairs;
    target_joint *const joints = common_alloc(count, sizeof *joints);
    for (uint32_t i = 0; i < count; i++) {
        const md5_joint *const joint = &target->skeleton.joints[i];
        const uint32_t parent = joint->parent;
        const uint32_t by = pairs[i].source;
        const uint32_t above = parent != MD5_NONE ? pairs[parent].source : MD5_NONE;
        joints[i].origin = find_origin(&pairs[i], source->skeleton.joints, joint);
        counts[joints[i].origin]++;
        if (by == MD5_NONE || above == MD5_NONE)
            continue;
        const md5_vec3 a = bone_vector(source, above, by);
        const md5_vec3 b = bone_vector(target, parent, i);
        joints[parent].is_turned |=
            md5_vec3_dot(a, b) < 0.5f * md5_vec3_length(a) * md5_vec3_length(b);
    }
    return joints;
}

static void list_joints(view_ui *ui, view_retarget_page *page)
{
    const view_stage *const stage = ui->stage;
    const md5_model *const source = ui->scene->model;
    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    const md5_joint *const from = source->skeleton.joints;
    const md5_joint *const to = target->skeleton.joints;
    const uint32_t count = target->skeleton.num_joints;
    uint32_t counts[NUM_ORIGINS] = {0};
    target_joint *const joints = find_target_joints(stage, counts);
    uint32_t hovered = MD5_NONE;
    char text[160];
    COMMON_TEXT(text, "%u by name, %u guessed, %u manual, %u unmatched", counts[BY_NAME],
                counts[GUESSED], counts[BY_USER], counts[NOTHING]);
    if (ui_pair(ui, "Joints", text, true))
        page->is_short = !page->is_short;
    ui_tip(ui, page->is_short ? "Show all joints" : "Hide joints matched by name");
    ui_begin(ui, "pair");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t by = stage->retargeting->pairs[i].source;
        const pair_origin origin = joints[i].origin;
        const bool is_picked = page->picked == i + 1;
        ui_cells cells = {.name = text,
                          .count = 1,
                          .color = VIEW_PLAIN,
                          .colors = is_picked ? NULL : &origins[origin].color};
        view_rect row;
        if (page->is_short && origin == BY_NAME)
            continue;
        const bool is_visible = ui_reserve_row(ui, ceilf(1.6f * ui->em), &row);
        if (ui_item(ui, row, to[i].name))
            pick(ui, page, i);
        if (ui_is_hot(ui)) {
            hovered = i;
            ui->hovered_joint = (int32_t)by; // MD5_NONE becomes -1
        }
        if (!is_visible)
            continue;
        if (is_picked || ui_is_hot(ui))
            view_draw_rect(ui->canvas, row, is_picked ? VIEW_SELECTED : VIEW_CONTROL);
        if (by == MD5_NONE)
            COMMON_TEXT(text, "(unmapped) %s", to[i].name);
        else
            COMMON_TEXT(text, "%s \xE2\x86\x92 %s", from[by].name, to[i].name);
        COMMON_TEXT(cells.texts[0], "%s%s", joints[i].is_turned ? "\xE2\x9A\xA0 " : "",
                    origins[origin].word);
        ui_draw_cells(ui, row, 6 * ui->em, &cells);
    }
    free(joints);
    mark_joints(ui, page, stage, hovered);
}

static void save(view_ui *ui, size_t what)
{
    UI_COMMAND(ui, VIEW_SAVE_RETARGETED, .number = what);
}

void view_retarget_rows(view_ui *ui, view_retarget_page *page, view_card *card)
{
    const view_stage *const stage = ui->stage;
    static const char *const rows[] = {"retarget", "retarget-map", "retarget-layout"};
    const char *const given = stage->options->retarget_pairs;
    const char *const pairs = given ? given : "";
    const view_clip *const clip = view_shown_clip(ui->scene);
    const bool is_as_is = *pairs == '~';
    char text[160];
    if (stage->retargeting->pairs == NULL) // no frame was drawn yet
        return;
    ui_begin(ui, "retarget");
    for (size_t i = 0; i < COMMON_LENGTH(rows); i++)
        ui_setting(ui, card, view_find_option(rows[i], strlen(rows[i])));
    if (ui_pair(ui, "Rest poses", is_as_is ? "as stored" : "aligned", true))
        set_pairs(ui, common_format("%s%s", is_as_is ? "" : "~;", pairs + is_as_is));
    if (*pairs != '\0' && ui_pair(ui, "", "Reset the mapping", true))
        set_pairs(ui, common_copy(""));
    if (clip != NULL) {
        char *const target = common_stem(stage->options->retarget);
        COMMON_TEXT(text, "%s_%s.md5anim", target, clip->name);
        free(target);
        if (ui_pair(ui, "Save as", text, true))
            save(ui, VIEW_SAVE_CLIP);
        COMMON_TEXT(text, "all %zu clips", ui->scene->num_clips);
        if (ui_pair(ui, "", text, true))
            save(ui, VIEW_SAVE_CLIPS);
        if (ui_pair(ui, "", "joint map", true))
            save(ui, VIEW_SAVE_MAP);
    }
    if (page->saved[0] != '\0' && ui_pair(ui, "Saved", common_base(page->saved), true))
        UI_COMMAND(ui, VIEW_OPEN_FILE, .path = common_copy(stage->options->retarget));
    if (ui_pair(ui, "", "Close", true))
        page->is_closed = true;
    if (page->picked > 0 && ui_key(ui, VIEW_KEY_DELETE))
        set_partner(ui, page, stage, "-");
    list_joints(ui, page);
}
