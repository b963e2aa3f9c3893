// The docks of the window: the outliner, the inspector and the time bar.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define MACHINE "models/bobbin/bobbin.md5machine"

// Presses an item and executes its command.
static view_action press(screen *s, const char *name, float across)
{
    view_command command = item_press(&s->viewer, &s->stage, name, across, 0.5f);
    const view_action action = command.action;
    view_execute(&s->viewer, command);
    item_release(&s->viewer);
    screen_draw(s);
    return action;
}

static bool file_exists(screen *s, const char *name)
{
    return item_find(&s->viewer, &s->stage, name).width > 0.0f;
}

static int32_t find_joint(const screen *s, const char *name)
{
    return (int32_t)md5_find_joint(s->viewer.document->scene.skeleton, name);
}

#define TEST_HERE(title, file) TEST_SCREEN (title, screen_open(s, file, 1280, 900))

// -- The outliner ---------------------------------------------------------------------------

TEST_HERE (outliner_expands_the_parents_of_a_selected_joint, BOBBIN) {
    const view_rect row = item_find(&s->viewer, &s->stage, "joint/origin");
    press(s, "joint/origin", 13.0f * 1.2f / row.width);
    CHECK(!file_exists(s, "joint/tail_2"));
    s->viewer.ui.selection.joint = find_joint(s, "toe_in_r");
    screen_draw(s);
    screen_draw(s);
    const view_rect found = item_find(&s->viewer, &s->stage, "joint/toe_in_r");
    const view_rect dock = view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT];
    CHECK(found.y > dock.y && found.y + found.height < dock.y + dock.height);
}

TEST_HERE (inspector_frames_a_mesh, BOBBIN) {
    press(s, "mesh/eyes", 0.5f);
    CHECK_UINT(press(s, "page/Frame", 0.5f), VIEW_FRAME_SELECTED);
}

TEST_HERE (meshes_above_64_cannot_be_isolated, BOBBIN) {
    PERFORM(&s->viewer, VIEW_ONLY_MESH, .number = 65);
    CHECK_UINT(s->viewer.options->hidden_meshes, 0);
}

// Pressing the name selects a mesh, independent of the previous selection, and does not hide it.
// The edges of the mesh are highlighted for a while.
TEST_HERE (outliner_selects_a_mesh_by_its_name, BOBBIN) {
    s->viewer.ui.selection.joint = find_joint(s, "origin");
    CHECK_UINT(press(s, "mesh/eyes", 0.5f), VIEW_JOINT_SELECTED);
    CHECK(s->viewer.ui.selection.mesh == 1 && s->viewer.ui.selection.joint == -1);
    CHECK_UINT(s->viewer.options->hidden_meshes, 0);
    CHECK(s->stage.highlighted_mesh == 1);
    s->viewer.uptime += 0.7;
    screen_draw(s);
    CHECK(s->stage.highlighted_mesh == -1 && s->viewer.ui.selection.mesh == 1);
    press(s, "joint/origin", 0.8f);
    CHECK(s->viewer.ui.selection.mesh == -1
          && s->viewer.ui.selection.joint == find_joint(s, "origin"));
}

// The first press on a name selects and the second one frames the selection: the eyes are in the
// upper half of the body.
TEST_HERE (outliner_frames_by_a_double_click, BOBBIN) {
    STRINGS(names) = {"mesh/eyes", "material/models/bobbin/bobbin_eye"};
    const view_camera original = s->viewer.cameras.user;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        s->viewer.cameras.user = original;
        s->viewer.ui.selection.mesh = s->viewer.ui.selection.material = -1;
        screen_draw(s);
        const view_rect row = item_find(&s->viewer, &s->stage, names[i]);
        const ui_mouse mouse = {.x = row.x + 0.5f * row.width,
                                .y = row.y + 0.5f * row.height,
                                .is_pressed = true,
                                .is_double = true};
        view_execute(&s->viewer, view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &mouse));
        CHECK_THAT(s->viewer.cameras.user.distance < 0.6f * original.distance
                       && s->viewer.cameras.user.target.z > original.target.z,
                   "%s", names[i]);
    }
}

TEST_HERE (outliner_sets_morphs, MACHINE) {
    const view_morphs *const morphs = &s->viewer.document->morphs;
    const uint32_t smile = md5_find_morph_target(morphs->morph, "smile");
    press(s, "morph/smile", 0.7f);
    const float weight = morphs->requested[smile];
    CHECK(weight > 0.3f && weight < 1.0f);
    CHECK(morphs->weights[smile] >= weight);
    press(s, "morph/smile", 0.01f); // pressing its name: the default value
    CHECK_EXACT(morphs->requested[smile], 0);
}

// -- The inspector --------------------------------------------------------------------------

TEST_HERE (inspector_copies_values_in_full, BOBBIN) {
    REQUIRE(SDL_Init(SDL_INIT_VIDEO) == 0);
    const uint32_t joint = (uint32_t)find_joint(s, "forearm_l");
    s->viewer.ui.selection.joint = (int32_t)joint;
    screen_draw(s);
    view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage,
                &(ui_mouse){.key = 'c', .control = true});
    char *const text = SDL_GetClipboardText();
    const char *const line = strstr(text, "local Position\t");
    const md5_mat34 matrix = view_joint_matrix(&s->viewer.document->scene, joint, true);
    char *end = NULL;
    if (CHECK(line))
        CHECK(strtof(line + strlen("local Position\t"), &end) == matrix.m[3]);
    SDL_free(text);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

TEST_HERE (inspector_lists_every_vertex_of_a_joint, BOBBIN) {
    const md5_model *const model = s->viewer.document->scene.model;
    const uint32_t joint = (uint32_t)find_joint(s, "head");
    const float column = 13.0f * 1.6f;
    uint32_t count = 0;
    for (uint32_t j = 0; j < model->num_meshes; j++) {
        const md5_mesh *const mesh = &model->meshes[j];
        for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
            const md5_vertex *const vertex = &mesh->file_vertices[i];
            bool is_moved = false;
            for (uint32_t w = 0; w < vertex->num_weights; w++) {
                const md5_weight *const weight = &mesh->weights[vertex->first_weight + w];
                is_moved = is_moved || (weight->joint == joint && weight->bias != 0.0f);
            }
            count += is_moved;
        }
    }
    CHECK(count > 100);
    s->viewer.ui.selection.joint = (int32_t)joint;
    screen_draw(s);
    const view_rect head = item_find(&s->viewer, &s->stage, "chosen/Weights");
    const view_rect next = item_find(&s->viewer, &s->stage, "figures/bobbin");
    CHECK_NEAR((next.y - head.y) / ceilf(column), count + 2.0, 2); // including headings and a gap
}

// While the mouse is on the row of a vertex, the vertex is highlighted on the body.
TEST_HERE (inspector_highlights_the_vertex_of_a_row, BOBBIN) {
    const int32_t joint = find_joint(s, "head");
    s->viewer.ui.selection.joint = joint;
    screen_draw(s);
    const view_rect head = item_find(&s->viewer, &s->stage, "chosen/Weights");
    const ui_mouse move = {.x = head.x + 30.0f, .y = head.y + 3.0f * head.height, .is_moved = true};
    CHECK(!s->viewer.ui.selection.highlighted_point.is_set);
    CHECK_UINT(view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &move).action,
               VIEW_HANDLED);
    const view_pick *const lit = &s->viewer.ui.selection.highlighted_point;
    const md5_mesh *const mesh = &s->viewer.document->scene.model->meshes[lit->mesh];
    float weight = 0.0f;
    for (uint32_t i = mesh->first_influence[lit->vertex];
         i < mesh->first_influence[lit->vertex + 1]; i++)
        weight += mesh->influence_joints[i] == (uint32_t)joint ? mesh->influences[i].w : 0.0f;
    CHECK(lit->is_set && weight > 0.5f); // sorted by weight, largest first
    const ui_mouse away = {.x = 600, .y = 400, .is_moved = true};
    view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &away);
    CHECK(!lit->is_set);
}

TEST_HERE (inspector_measures_from_joint_to_joint, BOBBIN) {
    REQUIRE(SDL_Init(SDL_INIT_VIDEO) == 0);
    view_state *const viewer = &s->viewer;
    viewer->ui.selection.joint = find_joint(s, "hips");
    PERFORM(viewer, VIEW_MEASURE);
    screen_draw(s);
    CHECK(!file_exists(s, "two/Distance"));
    viewer->ui.selection.joint = find_joint(s, "head");
    screen_draw(s);
    press(s, "two/Distance", 0.9f);
    char *const text = SDL_GetClipboardText();
    const md5_mat34 *const joints = viewer->document->scene.joints;
    const md5_mat34 from = joints[find_joint(s, "hips")];
    const md5_mat34 to = joints[find_joint(s, "head")];
    const md5_vec3 offset = md5_vec3_sub(md5_mat34_translation(to), md5_mat34_translation(from));
    float distance = 0.0f;
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    float angle = 0.0f;
    CHECK(sscanf(text, "distance %f difference %f %f %f degrees %f", &distance, &x, &y, &z, &angle)
          == 5);
    CHECK_NEAR(distance, md5_vec3_length(offset), 1e-4);
    CHECK_NEAR(y, offset.y, 1e-4);
    CHECK(angle > 0.1f && angle < 180.0f);
    PERFORM(viewer, VIEW_CLOSE_LISTS);
    screen_draw(s);
    CHECK(!file_exists(s, "two/Distance"));
    // Two points on the surface have a distance but no angle between them.
    viewer->ui.selection.pick = (view_pick){.is_set = true, .joint = -1, .weights = {1, 0, 0}};
    viewer->ui.selection.measured =
        (view_pick){.is_set = true, .triangle = 9, .weights = {1, 0, 0}};
    view_skin(&viewer->document->scene);
    screen_draw(s);
    press(s, "two/Distance", 0.9f);
    char *const spots = SDL_GetClipboardText();
    CHECK(sscanf(spots, "distance %f difference %f %f %f", &distance, &x, &y, &z) == 4);
    CHECK_NEAR(distance, sqrtf(x * x + y * y + z * z), 1e-4);
    CHECK(strstr(spots, "degrees") == NULL);
    SDL_free(spots);
    SDL_free(text);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

// -- Curves ---------------------------------------------------------------------------------

static void enable_option(screen *s, const char *option)
{
    PERFORM(&s->viewer, view_get_toggle(view_find_option(option, strlen(option))));
    screen_draw(s);
}

TEST_HERE (curves_show_the_selected_joint, BOBBIN) {
    REQUIRE(SDL_Init(SDL_INIT_VIDEO) == 0);
    view_scene *const scene = &s->viewer.document->scene;
    enable_option(s, "curves");
    CHECK(!file_exists(s, "curves/plot")); // no joint is selected
    const uint32_t joint = (uint32_t)find_joint(s, "forearm_l");
    s->viewer.ui.selection.joint = (int32_t)joint;
    screen_draw(s);
    press(s, "curves/Quat.", 0.5f);
    press(s, "curves/Copy", 0.5f);
    char *const text = SDL_GetClipboardText();
    const char *line = strstr(text, "\n5,");
    md5_quat q = {0};
    md5_quat current;
    CHECK(strncmp(text, "frame,x,y,z,w\n0,", 16) == 0);
    CHECK(line != NULL && sscanf(line, "\n5,%f,%f,%f,%f", &q.x, &q.y, &q.z, &q.w) == 4);
    view_seek(&s->viewer.play, view_timing_anim(scene), 5.0 / view_timing_anim(scene)->frame_rate);
    view_pose(scene, &s->viewer.play);
    current = scene->pose[joint].rotation;
    CHECK_NEAR(fabsf(q.x * current.x + q.y * current.y + q.z * current.z + q.w * current.w), 1,
               1e-5);
    SDL_free(text);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

TEST_HERE (curves_set_the_time, BOBBIN) {
    const md5_anim *const anim = view_timing_anim(&s->viewer.document->scene);
    s->viewer.ui.selection.joint = find_joint(s, "head");
    enable_option(s, "curves");
    press(s, "curves/plot", 0.5f);
    const double frame_position = view_frame_position(&s->viewer.play, anim);
    CHECK_NEAR(frame_position, 0.5 * (anim->num_frames - 1), 0.51);
    CHECK_NEAR(frame_position, round(frame_position), 1e-6); // a whole frame
    screen_draw(s);
    const view_rect button = item_find(&s->viewer, &s->stage, "curves/Copy");
    const float row = ceilf(1.6f * 13.0f); // the table shows the values of that frame
    item_press_at(&s->viewer, &s->stage, button.x, button.y + 2.0f * 13.0f + 1.5f * row);
    CHECK(fabs(view_frame_position(&s->viewer.play, anim) - frame_position) < 10.0);
}

TEST_HERE (compared_joints_are_listed_by_their_distance, BOBBIN) {
    const char *const files[] = {test_path(BOBBIN), test_path("models/bobbin/walk.md5anim")};
    s->options.compare = test_path("models/bobbin/run.md5anim");
    REQUIRE(view_open(&s->viewer, files, 2, true));
    view_pose(&s->viewer.document->scene, &s->viewer.play);
    const view_compare *const compare = &s->viewer.document->compare;
    view_pose_compare(&s->viewer.document->compare, &s->viewer.document->scene, &s->viewer.play);
    enable_option(s, "curves");
    enable_option(s, "differences");
    CHECK(!s->viewer.options->shown.curves); // one at a time
    const view_peak *const peak = &compare->peaks[1];
    SCOPED_STRING label =
        common_format("compared/%s", s->viewer.document->scene.skeleton->joints[peak->joint].name);
    CHECK_UINT(press(s, label, 0.1f), VIEW_JOINT_SELECTED);
    CHECK(s->viewer.ui.selection.joint == (int32_t)peak->joint);
    float largest = 0.0f;
    for (uint32_t i = 0; i < compare->measured->num_frames; i++)
        largest = fmaxf(largest, compare->courses[i * compare->num_joints + peak->joint]);
    CHECK_EXACT(largest, peak->distance);
    CHECK_EXACT(compare->courses[peak->distance_frame * compare->num_joints + peak->joint],
                largest);
    // In a small window, the names next to the four numbers are complete.
    s->width = 640.0f;
    s->height = 480.0f;
    screen_draw(s);
    const float em = view_em(&s->viewer.drawing.font);
    const float name_width = item_find(&s->viewer, &s->stage, "compared/").width - 4 * 5.2f * em;
    CHECK(name_width > view_text_width(&s->viewer.drawing.font, VIEW_TEXT, "shoulder_r"));
    s->width = 1280.0f;
    s->height = 720.0f;
    screen_draw(s);
    press(s, "bottom/Curves", 0.5f);
    CHECK(s->viewer.options->shown.curves && !s->viewer.options->shown.differences);
}

// -- Docks ----------------------------------------------------------------------------------

TEST_HERE (docks_scroll_by_wheel_and_stay_within_their_rows, BOBBIN) {
    const view_rect row = item_find(&s->viewer, &s->stage, "joint/hips");
    const ui_mouse wheel = {.x = row.x + 30.0f, .y = row.y + 3.0f, .wheel = -3};
    CHECK_UINT(view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &wheel).action,
               VIEW_HANDLED);
    screen_draw(s);
    CHECK(item_find(&s->viewer, &s->stage, "joint/hips").y < row.y - 50.0f);
    for (int i = 0; i < 100; i++)
        view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &wheel);
    screen_draw(s);
    const view_rect dock = view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT];
    const view_scene *const scene = &s->viewer.document->scene;
    const char *const name = scene->skeleton->joints[scene->num_joints - 1].name;
    SCOPED_STRING label = common_format("joint/%s", name);
    const view_rect last = item_find(&s->viewer, &s->stage, label);
    CHECK(last.y + last.height <= dock.y + dock.height);
}

// A row that is scrolled out of its dock cannot be pressed through the item that is drawn there.
TEST_HERE (docks_clip_their_content, BOBBIN) {
    s->viewer.ui.scrolls[0].wanted = 60.0f;
    screen_draw(s);
    const view_rect field = item_find(&s->viewer, &s->stage, "search/Search");
    item_press_at(&s->viewer, &s->stage, field.x + 5.0f, field.y + 5.0f);
    CHECK_STRING(s->viewer.ui.focus.item.panel, "search");
}

TEST_HERE (docks_close_and_are_resized, BOBBIN) {
    const view_rect before = view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT];
    const float edge = before.x + before.width - 1.0f;
    item_press_at(&s->viewer, &s->stage, edge, 300.0f);
    view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage,
                &(ui_mouse){.x = edge + 100.0f, .y = 300, .is_moved = true});
    item_release(&s->viewer);
    screen_draw(s);
    CHECK_NEAR(view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT].width, before.width + 100.0f,
               3);
    press(s, "outliner/close", 0.5f);
    CHECK(!s->viewer.options->shown.hierarchy);
    CHECK(!(view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT].width > 0.0f));
    press(s, "inspector/close", 0.5f);
    CHECK(!s->viewer.options->shown.inspector);
}

TEST_HERE (docks_restore_their_size, BOBBIN) {
    const view_rect before = view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT];
    s->viewer.ui.docks.sizes[VIEW_DOCK_LEFT] = 30.0f;
    screen_draw(s);
    const view_rect wide = view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT];
    CHECK(wide.width > before.width);
    const ui_mouse twice = {
        .x = wide.x + wide.width - 1.0f, .y = 300, .is_pressed = true, .is_double = true};
    view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &twice);
    item_release(&s->viewer);
    screen_draw(s);
    CHECK(view_current_layout(&s->stage).docks[VIEW_DOCK_LEFT].width == before.width);
}

// == Context menus and tooltips ===================================================================

// -- The time bar ---------------------------------------------------------------------------
