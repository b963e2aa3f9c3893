// The page of a model that is retargeted: which joint of the shown one moves each of its joints,
// how that is known, and what is saved of it. All that it changes are options.
#include "demo/viewer/ui/ui.h"

typedef enum pair_origin { BY_NAME, GUESSED, BY_USER, NOTHING, NUM_ORIGINS } pair_origin;
static const struct {
    const char *word;
    view_color color;
} origins[NUM_ORIGINS] = {{"name", VIEW_FINE},
                          {"guessed", VIEW_AMBER},
                          {"manual", VIEW_ACCENT},
                          {"unmapped", VIEW_WRONG}};

void view_show_retarget(view_ui *ui)
{
    ui->retarget.is_closed = false;
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

// Of two lines of the map for one joint the last one counts.
static void set_partner(view_ui *ui, const view_stage *stage, const char *source)
{
    const md5_joint *const joints = stage->document->companions[0].model->skeleton.joints;
    const char *const pairs = stage->options->retarget_pairs;
    set_pairs(ui, common_format("%s;\"%s\" \"%s\"", pairs != NULL ? pairs : "", source,
                                joints[ui->retarget.picked - 1].name));
    ui->retarget.picked = 0;
    ui->docks.front = VIEW_DOCK_RIGHT; // where one dock is shown the search has taken the place
}

void view_take_partner(view_ui *ui, const view_stage *stage)
{
    const md5_skeleton *const skeleton = stage->document->scene.skeleton;
    if (ui->retarget.picked > 0 && ui->selected_joint >= 0)
        set_partner(ui, stage, skeleton->joints[ui->selected_joint].name);
}

static void pick(view_ui *ui, uint32_t joint)
{
    ui->retarget.picked = joint + 1;
    ui->selected_joint = -1;
    ui->command.action = VIEW_FIND; // its partner
}

// Marks joints of the other model in the picture: the one that is picked, or below the mouse in the
// list; and the one nearest to the mouse, which a click picks.
static void mark_joints(view_ui *ui, const view_stage *stage, uint32_t hovered)
{
    const view_companion *const other = &stage->document->companions[0];
    const md5_skeleton *const skeleton = &other->model->skeleton;
    float least = ui->em;
    float at[2];
    float found[2];
    uint32_t nearest = MD5_NONE;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_mat34 posed = md5_mat34_mul(other->place, other->palette[i]);
        if (!view_find_pixel(
                stage, md5_mat34_point(posed, md5_mat34_translation(other->model->bind[i])), at))
            continue;
        if (i + 1 == ui->retarget.picked || i == hovered)
            view_mark_pixel(stage, at, skeleton->joints[i].name);
        const float away = hypotf(at[0] - ui->mouse.x, at[1] - ui->mouse.y);
        if (away < least) {
            least = away;
            nearest = i;
            memcpy(found, at, sizeof found);
        }
    }
    ui_begin(ui, "other");
    if (nearest == MD5_NONE || !view_contains(view_layout_of(stage).free, ui->mouse.x, ui->mouse.y))
        return;
    view_mark_pixel(stage, found, skeleton->joints[nearest].name);
    if (ui_item(ui, (view_rect){ui->mouse.x, ui->mouse.y, 1, 1}, skeleton->joints[nearest].name))
        pick(ui, nearest);
}

static md5_vec3 bone(const md5_model *model, uint32_t from, uint32_t to)
{
    return md5_vec3_sub(md5_mat34_translation(model->bind[to]),
                        md5_mat34_translation(model->bind[from]));
}

static void list_joints(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    view_retarget_page *const page = &ui->retarget;
    const md5_model *const source = ui->scene->model;
    const md5_model *const target = stage->document->companions[0].model;
    const md5_joint *const from = source->skeleton.joints;
    const md5_joint *const to = target->skeleton.joints;
    const uint32_t count = target->skeleton.num_joints;
    struct {
        pair_origin origin;
        bool is_turned; // the bone to one that is moved, by more than 60 degrees in the bind poses
    } *const facts = common_alloc(count, sizeof *facts);
    uint32_t counts[NUM_ORIGINS] = {0};
    uint32_t hovered = MD5_NONE;
    char text[160];
    for (uint32_t i = 0; i < count; i++) {
        const convert_pair *const pair = &stage->retargeting->pairs[i];
        const uint32_t by = pair->source;
        const uint32_t parent = to[i].parent;
        const uint32_t above =
            parent != MD5_NONE ? stage->retargeting->pairs[parent].source : MD5_NONE;
        facts[i].origin = by == MD5_NONE                           ? NOTHING
                          : strcmp(from[by].name, to[i].name) == 0 ? BY_NAME
                          : pair->is_mapped                        ? BY_USER
                                                                   : GUESSED;
        counts[facts[i].origin]++;
        if (by == MD5_NONE || above == MD5_NONE)
            continue;
        const md5_vec3 a = bone(source, above, by);
        const md5_vec3 b = bone(target, parent, i);
        facts[parent].is_turned |=
            md5_vec3_dot(a, b) < 0.5f * md5_vec3_length(a) * md5_vec3_length(b);
    }
    COMMON_TEXT(text, "%u by name, %u guessed, %u manual, %u unmatched", counts[BY_NAME],
                counts[GUESSED], counts[BY_USER], counts[NOTHING]);
    if (ui_pair(ui, "Joints", text, true))
        page->is_short = !page->is_short;
    ui_tip(ui, page->is_short ? "Show all joints" : "Hide joints matched by name");
    ui_begin(ui, "pair");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t by = stage->retargeting->pairs[i].source;
        const pair_origin origin = facts[i].origin;
        ui_cells cells = {.name = text,
                          .count = 1,
                          .color = VIEW_PLAIN,
                          .colors = page->picked == i + 1 ? NULL : &origins[origin].color};
        view_rect row;
        if (page->is_short && origin == BY_NAME)
            continue;
        const bool is_seen = ui_take_row(ui, ceilf(1.6f * ui->em), &row);
        if (ui_item(ui, row, to[i].name))
            pick(ui, i);
        if (ui_is_hot(ui)) {
            hovered = i;
            ui->hovered_joint = (int32_t)by; // none is -1
        }
        if (!is_seen)
            continue;
        if (page->picked == i + 1 || ui_is_hot(ui))
            view_draw_rect(ui->canvas, row, page->picked == i + 1 ? VIEW_SELECTED : VIEW_CONTROL);
        if (by == MD5_NONE)
            COMMON_TEXT(text, "(unmapped) %s", to[i].name);
        else
            COMMON_TEXT(text, "%s \xE2\x86\x92 %s", from[by].name, to[i].name);
        COMMON_TEXT(cells.texts[0], "%s%s", facts[i].is_turned ? "\xE2\x9A\xA0 " : "",
                    origins[origin].word);
        ui_draw_cells(ui, row, 6 * ui->em, &cells);
    }
    free(facts);
    mark_joints(ui, stage, hovered);
}

static void save(view_ui *ui, size_t what)
{
    UI_ASK(ui, VIEW_SAVE_RETARGETED, .number = what);
}

void view_retarget_rows(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    static const char *const rows[] = {"retarget", "retarget-map", "retarget-layout"};
    view_retarget_page *const page = &ui->retarget;
    const char *const given = stage->options->retarget_pairs;
    const char *const pairs = given ? given : "";
    const view_clip *const clip = view_shown_clip(ui->scene);
    const bool is_as_is = *pairs == '~';
    char text[160];
    if (stage->retargeting->pairs == NULL) // nothing was drawn yet
        return;
    ui_begin(ui, "retarget");
    for (size_t i = 0; i < COMMON_LENGTH(rows); i++)
        ui_setting(ui, view_find_option(rows[i], strlen(rows[i])));
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
        UI_ASK(ui, VIEW_OPEN_FILE, .path = common_copy(stage->options->retarget));
    if (ui_pair(ui, "", "Close", true))
        page->is_closed = true;
    if (page->picked > 0 && ui_key(ui, VIEW_KEY_DELETE))
        set_partner(ui, stage, "-");
    list_joints(ui);
}
