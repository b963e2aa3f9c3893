// Retargeting in the window: the pairs of joints from guesses, from a map file and from the user,
// and the saved clips and maps.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/stage.h"

// Opens a screen with Bobbin and a folder with another body: Spindle, whose forearms and tail have
// other names.
static bool open(screen *s)
{
    static const char *const names[][2] = {{"\"forearm_", "\"lowerarm_"},
                                           {"\"tail_1\"", "\"rump\""}};
    size_t size;
    if (!screen_open(s, "models/bobbin/bobbin.md5mesh", 1280, 720))
        return false;
    s->folder = folder_make();
    SCOPED_STRING text = test_read_file(test_path("models/spindle/spindle.md5mesh"), &size);
    SCOPED_STRING target_path = common_alloc(2, size);
    size_t used = 0;
    for (const char *c = text; c < text + size;) {
        size_t k = 0;
        while (k < 2 && strncmp(c, names[k][0], strlen(names[k][0])) != 0)
            k++;
        const size_t length = k < 2 ? strlen(names[k][1]) : 1;
        memcpy(target_path + used, k < 2 ? names[k][1] : c, length);
        used += length;
        c += k < 2 ? strlen(names[k][0]) : 1;
    }
    folder_write(s->folder, "other.md5mesh", target_path, used);
    return true;
}

static void set(screen *s, const char *name, const char *text)
{
    const size_t number = (size_t)(view_find_option(name, strlen(name)) - view_option_rows);
    PERFORM(&s->viewer, VIEW_SET, .number = number, .path = common_copy(text));
    view_store_step(&s->viewer);
}

static void show_clip(screen *s, const char *name)
{
    view_scene *const scene = &s->viewer.document->scene;
    for (size_t i = 0; i < scene->num_clips; i++) {
        if (strcmp(scene->clips[i].name, name) == 0)
            view_change_clip(&s->viewer, i);
    }
}

static void draw(screen *s)
{
    md5gl_target *const target = md5gl_create_target(s->viewer.renderer, 64, 48, 1, NULL);
    CHECK(view_draw(&s->viewer, target, 64, 48, VIEW_OMIT_INTERFACE, NULL));
    md5gl_destroy_target(s->viewer.renderer, target);
    screen_draw(s);
}

static const md5_skeleton *target_skeleton(const screen *s)
{
    return &s->viewer.document->companions[VIEW_RETARGETED].model->skeleton;
}

// Returns the rotation of the other body's joint from its bind pose, 0 to 1.
static float joint_rotation(screen *s, const char *joint)
{
    const uint32_t i = md5_find_joint(target_skeleton(s), joint);
    draw(s);
    const view_companion *const body = &s->viewer.document->companions[VIEW_RETARGETED];
    const md5_quat a = body->pose[i].rotation;
    const md5_quat b = body->model->bind_local[i].rotation;
    return 1.0f - fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

// Returns the name of the joint that drives a joint of the other body, or "".
static const char *find_partner(screen *s, const char *joint)
{
    draw(s);
    const convert_pair *const pair =
        &s->viewer.panels.retarget.displayed->pairs[md5_find_joint(target_skeleton(s), joint)];
    return pair->source == MD5_NONE ? ""
                                    : s->viewer.document->scene.skeleton->joints[pair->source].name;
}

static void press(screen *s, const char *item)
{
    view_command command = item_press(&s->viewer, &s->stage, item, 0.3f, 0.5f);
    s->viewer.uptime += 2;
    view_execute(&s->viewer, command);
    (void)item_release(&s->viewer);
    view_store_step(&s->viewer);
    draw(s);
}

// The retargeted bind pose must not contain anything of the clip that was played before.
TEST_SCREEN (view_retarget_of_the_bind_pose_is_the_bind_pose, open(s)) {
    SCOPED_STRING target_path = common_join(s->folder, "other.md5mesh");
    set(s, "retarget", target_path);
    show_clip(s, "dance");
    view_scene *const scene = &s->viewer.document->scene;
    s->viewer.play.time = 1.0;
    view_pose(scene, &s->viewer.play);
    const float posed = joint_rotation(s, "upperarm_r");
    CHECK(posed > 1e-2f);
    PERFORM(&s->viewer, VIEW_BIND_POSE);
    view_pose(scene, &s->viewer.play);
    CHECK(joint_rotation(s, "upperarm_r") < 1e-2f * posed);
}

static void begin(screen *s)
{
    SCOPED_STRING target_path = common_join(s->folder, "other.md5mesh");
    view_store_step(&s->viewer);
    set(s, "retarget", target_path);
    show_clip(s, "walk");
    s->viewer.play.time = 0.4;
    draw(s);
}

TEST_SCREEN (view_retargets_by_a_map_and_reports_its_errors, open(s)) {
    SCOPED_STRING map = common_join(s->folder, "own.map");
    folder_write_text(s->folder, "own.map",
                      "# none has a fin\n- head\nfin head\nhead \"no head\"\n");
    begin(s);
    CHECK(joint_rotation(s, "head") > 1e-6f);
    const uint32_t before = s->viewer.log.num_warnings; // the model has no textures
    set(s, "retarget-map", map);
    show_clip(s, "walk");
    s->viewer.play.time = 0.4;
    CHECK(joint_rotation(s, "head") < 1e-6f && joint_rotation(s, "neck") > 1e-5f);
    CHECK_UINT(s->viewer.log.num_warnings, before + 2);
    CHECK(
        strstr(s->viewer.log.warning, "own.map:4: unknown joint: the model has no joint 'no head'")
        != NULL);
}

// Two actions fix a pair: one on its row, and one on the joint in the outliner. Each is a step of
// undo.
TEST_SCREEN (view_retarget_page_fixes_pairs, open(s)) {
    begin(s);
    CHECK_STRING(find_partner(s, "lowerarm_l"), "forearm_l"); // guessed
    CHECK_STRING(find_partner(s, "rump"), "");
    s->viewer.panels.retarget.is_short = true; // otherwise the list must be scrolled
    CHECK(item_find(&s->viewer, &s->stage, "pair/head").width == 0);
    press(s, "pair/rump");
    press(s, "joint/tail_1");
    CHECK_STRING(find_partner(s, "rump"), "tail_1");
    CHECK(joint_rotation(s, "rump") > 1e-6f);
    press(s, "pair/lowerarm_l");
    const ui_mouse gone = {.key = VIEW_KEY_DELETE};
    s->viewer.ui.focus.item.panel = NULL;
    view_execute(&s->viewer, view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &gone));
    CHECK_STRING(find_partner(s, "lowerarm_l"), "");
    CHECK_STRING(find_partner(s, "rump"), "tail_1");
    view_store_step(&s->viewer);
    PERFORM(&s->viewer, VIEW_UNDO);
    CHECK_STRING(find_partner(s, "lowerarm_l"), "forearm_l");
    PERFORM(&s->viewer, VIEW_UNDO);
    CHECK_STRING(find_partner(s, "rump"), "");
    CHECK(s->viewer.document->companions[VIEW_RETARGETED].model);
}

// If no pair can be guessed, the user makes the pairs.
TEST_SCREEN (view_retargets_from_no_pairs, open(s)) {
    set(s, "retarget", test_path("models/zoo/triangle.md5mesh"));
    REQUIRE(s->viewer.document->companions[VIEW_RETARGETED].model);
    draw(s);
    press(s, "pair/root");
    press(s, "joint/tail_1");
    CHECK_STRING(find_partner(s, "root"), "tail_1");
}

static void save(screen *s, size_t number)
{
    PERFORM(&s->viewer, VIEW_SAVE_RETARGETED, .number = number);
    for (int i = 0; view_update_export(&s->viewer) && s->viewer.jobs.conversion != NULL
                    && CHECK(i < MAX_WAITS);
         i++)
        view_sleep(0.001);
}

// The saved clip equals the displayed one, and the result of md5tool convert with the saved map.
TEST_SCREEN (view_retargeted_clips_are_saved_as_shown, open(s)) {
    begin(s);
    set(s, "retarget-pairs", "\"tail_1\" \"rump\";- head;~");
    show_clip(s, "walk");
    draw(s);
    folder_write_text(s->folder, "other_walk.md5anim",
                      ""); // an existing file, which is not replaced
    save(s, VIEW_SAVE_CLIP);
    save(s, VIEW_SAVE_MAP);
    SCOPED_STRING path = common_join(s->folder, "other_walk-1.md5anim");
    SCOPED_STRING map = common_join(s->folder, "bobbin-other.map");
    SCOPED_STRING again = common_join(s->folder, "again.md5anim");
    const view_companion *const body = &s->viewer.document->companions[VIEW_RETARGETED];
    const char *const inputs[] = {test_path("models/bobbin/walk.md5anim")};
    const char *const both[] = {inputs[0], s->viewer.document->scene.path};
    const convert_job job = {.inputs = both,
                             .num_inputs = 2,
                             .output = again,
                             .target = s->viewer.options->retarget,
                             .map = map};
    md5_error error;
    CHECK(convert_files(&job, &error));
    size_t sizes[2];
    SCOPED_STRING saved = test_read_file(path, &sizes[0]);
    SCOPED_STRING converted = test_read_file(again, &sizes[1]);
    CHECK(sizes[0] == sizes[1] && sizes[0] > 0 && memcmp(saved, converted, sizes[0]) == 0);
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    md5_binding *const binding = md5_bind(body->model, anim, NULL, NULL);
    const uint32_t count = body->model->skeleton.num_joints;
    SCOPED md5_mat34 *const shown = common_alloc(count, sizeof *shown), *const alone = common_alloc(
                                                                            count, sizeof *alone);
    SCOPED md5_xform *const pose = common_alloc(count, sizeof *pose);
    float max_distance = 0;
    s->viewer.play.wrap = MD5_WRAP_CLAMP; // the last frame differs from the first
    for (uint32_t frame = 0; frame < (anim != NULL && binding != NULL ? anim->num_frames : 0);
         frame++) {
        s->viewer.play.time = frame / (double)anim->frame_rate;
        draw(s);
        md5_local_to_model(&body->model->skeleton, body->pose, shown);
        md5_sample(binding, (md5_sample_position){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE,
                   pose);
        md5_local_to_model(&body->model->skeleton, pose, alone);
        for (uint32_t i = 0; i < count; i++)
            max_distance = fmaxf(max_distance, view_distance(md5_mat34_translation(shown[i]),
                                                             md5_mat34_translation(alone[i])));
    }
    CHECK_NEAR(max_distance, 0, 1e-4f * view_size(body->model->bounds));
    CHECK(binding);
    md5_free_binding(binding);
    md5_free_anim(anim);
}

TEST_SCREEN (view_retargets_all_clips, open(s)) {
    begin(s);
    save(s, VIEW_SAVE_CLIPS);
    common_list files = common_list_folder(s->folder, ".md5anim");
    CHECK_UINT(files.count, s->viewer.document->scene.num_clips);
    common_free_list(&files);
}

// Saves one clip and all clips of a monster in a game folder, whose files are in an archive. They
// equal the result of md5tool convert for copies of these files.
TEST_SCREEN (view_clips_in_games_are_saved_for_another_body, open(s)) {
    SCOPED char *const address =
        view_make_address(test_path("models/game/base"), "monster_bobbin_watchman", NULL);
    SCOPED char *const target_path = common_join(s->folder, "other.md5mesh");
    const char *const paths[] = {address};
    REQUIRE(view_open(&s->viewer, paths, 1, true));
    begin(s);
    const view_scene *const scene = &s->viewer.document->scene;
    CHECK(scene->library != NULL && s->viewer.panels.retarget.displayed->binding != NULL);
    save(s, VIEW_SAVE_CLIP);
    CHECK_STRING(s->viewer.log.error, "");
    SCOPED char *const path = common_join(s->folder, "other_walk.md5anim");
    SCOPED char *const again = common_join(s->folder, "again.md5anim");
    common_list copies = {0};
    for (int i = 0; i < 2; i++) {
        size_t size;
        view_address address_parts;
        CHECK(view_read_address(i == 0 ? scene->clips[scene->clip].path : address, &address_parts));
        const char *const name =
            i == 0 ? address_parts.name : scene->entity.entity->model_def->mesh;
        SCOPED char *const bytes =
            view_copy_file(md5_game_files(scene->library->game), name, &size, NULL);
        folder_write(s->folder, i == 0 ? "copy.md5anim" : "copy.md5mesh", bytes, size);
        common_add(&copies, common_join(s->folder, i == 0 ? "copy.md5anim" : "copy.md5mesh"));
        view_free_address(&address_parts);
    }
    const convert_job job = {.inputs = (const char *const *)copies.names,
                             .num_inputs = 2,
                             .output = again,
                             .target = target_path};
    md5_error error;
    CHECK(convert_files(&job, &error));
    size_t sizes[2];
    SCOPED char *const saved = test_read_file(path, &sizes[0]);
    SCOPED char *const converted = test_read_file(again, &sizes[1]);
    CHECK(sizes[0] == sizes[1] && sizes[0] > 0 && memcmp(saved, converted, sizes[0]) == 0);
    save(s, VIEW_SAVE_CLIPS);
    common_list all = common_list_folder(s->folder, ".md5anim");
    // Three more files are the copy, its conversion and the first saved clip.
    CHECK_UINT(all.count, scene->num_clips + 3);
    common_free_list(&all);
    common_free_list(&copies);
}

// The other models of a crowd do not become clips of the remaining model, and undo restores them.
TEST_SCREEN (view_crowd_of_several_models_can_be_undone, open(s)) {
    const char *const files[] = {test_path("models/bobbin/bobbin.md5mesh"),
                                 test_path("models/thimble/thimble.md5mesh")};
    s->viewer.options->crowd = 3;
    CHECK(view_open(&s->viewer, files, 2, true));
    view_store_step(&s->viewer);
    SCOPED_STRING target_path = common_join(s->folder, "other.md5mesh");
    set(s, "retarget", target_path);
    set(s, "crowd", "");
    CHECK_STRING(s->viewer.log.error, "");
    CHECK(!view_shows_crowd(s->viewer.document));
    CHECK(s->viewer.document->companions[VIEW_RETARGETED].retarget != NULL);
    SCOPED_STRING line = view_command_line(&s->viewer);
    CHECK(strstr(line, "thimble") == NULL);
    view_show_step(&s->viewer, s->viewer.undo.step - 1);
    CHECK_UINT(s->viewer.document->crowd.num_kinds, 2);
}

// A map with an unknown name causes a warning about that name, and not about missing similarity.
TEST_SCREEN (view_retarget_reports_the_wrong_pair, open(s)) {
    SCOPED_STRING target_path = common_join(s->folder, "other.md5mesh");
    set(s, "retarget", target_path);
    set(s, "retarget-pairs", "\"nobody\" \"head\"");
    CHECK(view_reload(&s->viewer));
    CHECK_THAT(strstr(s->viewer.log.warning, "nobody") != NULL, "%s", s->viewer.log.warning);
}

// Sends a key or a text within the delay of typed values.
static void type_quickly(screen *s, int32_t key, const char *text)
{
    const ui_mouse event = {.key = key, .text = text};
    s->stage = view_build_stage(&s->viewer, s->width, s->height);
    view_execute(&s->viewer, view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event));
    screen_draw(s);
}

static void click_quickly(screen *s, const char *item)
{
    s->stage = view_build_stage(&s->viewer, s->width, s->height);
    view_execute(&s->viewer, item_press(&s->viewer, &s->stage, item, 0.5f, 0.5f));
    item_release(&s->viewer);
    screen_draw(s);
}

// Enter on a card sets its value, and also a value that was typed outside of the card just before.
TEST_SCREEN (view_values_that_are_due_in_one_event_are_both_set, open(s)) {
    SCOPED_STRING target_path = common_join(s->folder, "other.md5mesh");
    set(s, "retarget", target_path);
    const view_option *const joint = view_find_option("joint", strlen("joint"));
    PERFORM(&s->viewer, VIEW_ASK, .number = view_option_index(joint));
    draw(s);
    click_quickly(s, "retarget/none");
    type_quickly(s, 0, "missing.map");
    click_quickly(s, "card/none");
    type_quickly(s, 0, "hea");
    type_quickly(s, VIEW_KEY_RETURN, NULL);
    s->viewer.uptime += 10.0;
    view_update_files(&s->viewer);
    CHECK_STRING(s->options.joint, "head");
    CHECK_THAT(strstr(s->viewer.log.error, "missing.map") != NULL, "%s", s->viewer.log.error);
}
