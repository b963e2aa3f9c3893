// Entities: loading by name, materials, heads and attachments.
#include "test/real.h"
#include "test/game/entity_case.h"
#include "test/misuse.h"
#include "test/scoped.h"

static void check_vector(md5_vec3 v, double x, double y, double z)
{
    CHECK_VEC3(v, x, y, z, 1e-4);
}

TEST (entities_have_model_clips_and_materials) {
    SCOPED_GAME game = open_entity_game(
        "entityDef imp { \"model\" \"body\" \"skin\" \"red\" }\n"
        "skin red { skin scarlet } material skin { { map a } } material scarlet { { map b } }",
        NULL);
    SCOPED_ENTITY imp = load_entity(game, "Imp");
    CHECK_STRING(imp->def->decl->name, "imp");
    CHECK_STRING(imp->model_def->decl->name, "body");
    CHECK_UINT(imp->num_clips, 7);
    CHECK_STRING(imp->clips[0].anim->name, "walk");
    CHECK(imp->clips[0].anims[0] == imp->clips[4].anims[0]); // a shared file, loaded once
    CHECK_UINT(imp->clips[5].num_files, 2);
    CHECK_STRING(imp->materials[0], "scarlet");
    CHECK_EXACT(imp->masks[MD5_CHANNEL_TORSO][SPINE], 1);
    CHECK_EXACT(imp->masks[MD5_CHANNEL_TORSO][NECK], 0);
    CHECK_EXACT(imp->masks[MD5_CHANNEL_ALL][LID], 1);
    CHECK_UINT(imp->num_parts, 0);
    CHECK_UINT(imp->num_warnings, 0);
    CHECK(imp->size > 0);
    md5_free_entity(NULL);
}

// "shader" has precedence over the skin, but does not replace a material that draws nothing.
TEST (shaders_replace_skins) {
    md5_game *const game =
        open_entity_game("entityDef a { \"model\" \"body\" \"shader\" \"glass\" }\n"
                         "entityDef b { \"model\" \"head.md5mesh\" }\n"
                         "material glass { { map g } } material skin { { map a } }",
                         NULL);
    md5_entity *const a = load_entity(game, "a");
    md5_entity *const b = load_entity(game, "b");
    CHECK_STRING(a->materials[0], "glass");
    CHECK(!b->model_def && !b->skin);
    CHECK_UINT(b->num_clips, 0);
    md5_free_entity(a);
    md5_free_entity(b);
    md5_destroy_game(game);
    SCOPED_GAME empty = open_entity_game(
        "entityDef a { \"model\" \"body\" \"shader\" \"glass\" } material skin { noshadows }",
        NULL);
    SCOPED_ENTITY hidden = load_entity(empty, "a");
    CHECK_STRING(hidden->materials[0], "skin");
}

TEST (entities_can_be_named_by_models_and_files) {
    SCOPED_GAME game = open_entity_game("", NULL);
    SCOPED_ENTITY body = load_entity(game, "body");
    SCOPED_ENTITY file = load_entity(game, "head.md5mesh");
    CHECK(!body->def && body->model_def);
    CHECK(!file->def && !file->model_def);
    CHECK_UINT(file->model->skeleton.num_joints, 3);
    SCOPED_ACTOR actor = md5_create_actor(file, NULL, NULL);
    md5_xform pose[3];
    md5_actor_pose(actor, pose, NULL, NULL);
    check_vector(pose[1].translation, 2.0, 0.0, 0.0);
}

static void check_failure(const char *text, md5_status status, const char *location,
                          const char *message)
{
    char shown[600];
    md5_error error = {0};
    SCOPED_GAME game = open_entity_game(text, NULL);
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, NULL));
    CHECK_FAILS(md5_load_entity(game, "e", NULL, &error), error, status);
    md5_format_error(&error, shown, sizeof shown);
    CHECK_THAT(strstr(shown, location) == shown && strstr(shown, message), "%s", shown);
}

TEST (entities_that_cannot_be_shown_are_errors) {
    check_failure("", MD5_ERROR_MISMATCH, "error: ",
                  "unknown model 'e': expected an entityDef, a modelDef or a .md5mesh file");
    check_failure("\nentityDef e { \"health\" \"1\" }", MD5_ERROR_MISMATCH, "def/b.def:2:1: ",
                  "entityDef 'e' has no key \"model\": expected the name of a modelDef");
    check_failure("entityDef e { \"model\" \"a.lwo\" }", MD5_ERROR_MISMATCH, "def/b.def:1:1: ",
                  "unknown model 'a.lwo': expected a modelDef or a .md5mesh file");
    check_failure("entityDef e { \"model\" \"m\" } model m { wrong }", MD5_ERROR_MISMATCH,
                  "def/b.def:1:", "model 'm' is invalid: see the warning before this message");
    check_failure("entityDef e { \"model\" \"m\" } model m { offset ( 0 0 0 ) }",
                  MD5_ERROR_MISMATCH, "def/b.def:1:", "model 'm' has no mesh");
    check_failure("entityDef e { \"model\" \"nobody.md5mesh\" }", MD5_ERROR_IO,
                  "nobody.md5mesh: ", "file not found in the folders and archives of the game");
}

TEST (clips_that_do_not_fit_cannot_be_played) {
    game_log log = {.count = 0};
    SCOPED_GAME game = open_entity_game(
        "model m { mesh body.md5mesh anim alien other.md5anim anim walk walk.md5anim\n"
        "anim pair other.md5anim , other.md5anim }",
        &log);
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL)); // the engine ends with an error
    SCOPED_ENTITY entity = load_entity(game, "m");
    CHECK_UINT(entity->num_warnings, 1);
    CHECK_UINT(entity->clips[0].num_files, 0);
    CHECK_UINT(entity->clips[1].num_files, 1);
    CHECK_UINT(entity->clips[2].num_files, 0);
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    CHECK(!md5_actor_play(actor, MD5_CHANNEL_ALL, 0, MD5_ACTOR_ONCE, 0, 0));
    CHECK(md5_actor_play(actor, MD5_CHANNEL_ALL, 1, MD5_ACTOR_ONCE, 0, 0));
}

// Material parameters come from the keys of the entityDef, including inherited keys, or are the
// engine's defaults.
TEST (entities_have_parms_of_materials) {
    static const float usual[12] = {1, 1, 1, 1};
    static const float expected[12] = {0.5f, 0.25f, 0, 1, [7] = -2.5f, [11] = 3};
    SCOPED_GAME game = open_entity_game(
        "entityDef base { \"model\" \"body\" \"ShaderParm11\" \"3\" }\n"
        "entityDef e { \"inherit\" \"base\" \"_color\" \".5 .25 0\" \"shaderParm7\" \"-2.5\" }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "e");
    SCOPED_ENTITY body = load_entity(game, "body");
    CHECK_BYTES(entity->parms, expected, sizeof expected);
    CHECK_BYTES(body->parms, usual, sizeof usual);
}

// -- Parts ----------------------------------------------------------------------------------------

#define WITH_HEAD "entityDef e { \"model\" \"body\" \"def_head\" \"face\" \"head_joint\" \"NECK\"\n"

// The head is at its joint, with the axes of the entity, and follows the joint.
TEST (heads_follow_their_joint) {
    SCOPED_GAME game = open_entity_game(WITH_HEAD "}", NULL);
    SCOPED_ENTITY entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 1);
    const md5_entity_part *const head = &entity->parts[0];
    CHECK_STRING(head->key, "def_head");
    CHECK_STRING(head->entity->model_def->decl->name, "face");
    CHECK_UINT(head->joint, NECK);
    md5_mat34 joints[ENTITY_JOINTS];
    md5_local_to_model(&entity->model->skeleton, entity->model->bind_local, joints);
    check_vector(md5_entity_part_placement(head, joints).translation, 0.0, 0.0, 25.0);
    // A quarter turn of the neck to the left turns the head.
    md5_xform pose[ENTITY_JOINTS];
    memcpy(pose, entity->model->bind_local, sizeof pose);
    const md5_vec3 up = {0, 0, 1};
    const md5_vec3 x = {1, 0, 0};
    pose[NECK].rotation = md5_quat_from_axis_angle(up, 1.57079633f);
    md5_local_to_model(&entity->model->skeleton, pose, joints);
    check_vector(md5_quat_rotate(md5_entity_part_placement(head, joints).rotation, x), 0.0, 1.0,
                 0.0);
}

TEST (joints_of_heads_are_copied) {
    SCOPED_GAME game = open_entity_game(
        WITH_HEAD "\"copy_joint_world lid\" \"tooth\" \"copy_joint Spine\" \"Jaw\" "
                  "\"copy_joint neck\" \"\" }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "e");
    const md5_entity_part *const head = &entity->parts[0];
    CHECK_UINT(head->num_copies, 2);
    CHECK_UINT(head->copies[0].to, 1);
    md5_mat34 joints[ENTITY_JOINTS];
    md5_xform pose[3];
    memcpy(pose, head->entity->model->bind_local, sizeof pose);
    md5_local_to_model(&entity->model->skeleton, entity->model->bind_local, joints);
    md5_entity_part_copy_joints(head, entity->model->bind_local, joints, pose);
    // The jaw is 10 above the top, like the spine above the root. The tooth is at the lid: 1 above
    // the neck, to which the head is attached.
    check_vector(pose[1].translation, 0.0, 0.0, 10.0);
    check_vector(pose[2].translation, 0.0, 0.0, -9);
}

// `origin` is in the space of the entity, `angles` (pitch, yaw, roll) are in the space of the
// joint.
TEST (attachments_are_placed_at_their_joint) {
    SCOPED_GAME game = open_entity_game(
        "entityDef e { \"model\" \"body\" \"def_attach_gun\" \"gun\" \"def_attach\" \"\" }\n"
        "entityDef gun { \"model\" \"head.md5mesh\" \"joint\" \"spine\" \"origin\" \"1 2 -3\"\n"
        "\"angles\" \"0 90 0\" \"def_attach\" \"gun\" }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 1);
    CHECK_UINT(entity->parts[0].entity->num_parts, 0);
    const md5_entity_part *const gun = &entity->parts[0];
    md5_mat34 joints[ENTITY_JOINTS];
    md5_local_to_model(&entity->model->skeleton, entity->model->bind_local, joints);
    const md5_xform placement = md5_entity_part_placement(gun, joints);
    check_vector(placement.translation, 1.0, 2.0, 12.0);
    const md5_vec3 x = {1, 0, 0};
    check_vector(md5_quat_rotate(placement.rotation, x), 0.0, 1.0, 0.0);
    // The gun copies no joints.
    md5_entity_part_copy_joints(gun, entity->model->bind_local, joints,
                                (md5_xform *)(uintptr_t)gun->entity->model->bind_local);
}

// Each of the three angles rotates one axis to another, as idAngles::ToMat3() does.
TEST (attachments_are_rotated_by_three_angles) {
    static const struct {
        const char *angles;
        md5_vec3 from, to;
    } rows[] = {
        {"90 0 0", {1, 0, 0}, {0, 0, -1}},
        {"0 90 0", {1, 0, 0}, {0, 1, 0}},
        {"0 0 90", {0, 1, 0}, {0, 0, 1}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "entityDef e { \"model\" \"body\" \"def_attach\" \"gun\" }\n"
                 "entityDef gun { \"model\" \"head.md5mesh\" \"joint\" \"spine\"\n"
                 "\"angles\" \"%s\" }",
                 rows[i].angles);
        SCOPED_GAME game = open_entity_game(text, NULL);
        SCOPED_ENTITY entity = load_entity(game, "e");
        REQUIRE(entity && entity->num_parts == 1);
        md5_mat34 joints[ENTITY_JOINTS];
        md5_local_to_model(&entity->model->skeleton, entity->model->bind_local, joints);
        const md5_xform placement = md5_entity_part_placement(&entity->parts[0], joints);
        const md5_vec3 to = rows[i].to;
        check_vector(md5_quat_rotate(placement.rotation, rows[i].from), to.x, to.y, to.z);
    }
}

static void add_warning(void *user, const md5_error *warning)
{
    game_log *const log = user;
    const size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s:%u: %s\n", warning->file, warning->line,
             warning->message);
    log->count++;
}

static void check_warned(const char *text, const char *line)
{
    game_log log = {.count = 0};
    const md5_load_opts opts = {.warn = add_warning, .warn_user = &log};
    SCOPED_GAME game = open_entity_game(text, NULL);
    SCOPED_ENTITY entity = md5_load_entity(game, "e", &opts, NULL);
    CHECK(entity);
    CHECK_UINT(entity ? entity->num_warnings : 0, 1);
    has_logged(&log, line);
}

TEST (parts_that_cannot_be_attached_are_omitted) {
    check_warned(
        "entityDef e { \"model\" \"body\" \"def_head\" \"face\" \"head_joint\" \"horn\" }",
        "def/b.def:1: Joint 'horn' not found for 'head_joint' on 'e': Doom 3 ends the map");
    check_warned("entityDef e { \"model\" \"body\" \"def_head\" \"face\" }",
                 "def/b.def:1: Joint '' not found for 'head_joint' on 'e': Doom 3 ends the map");
    check_warned("entityDef e { \"model\" \"body\" \"def_head\" \"no\" \"head_joint\" \"neck\" }",
                 "def/b.def:1: key 'def_head': cannot load model 'no': unknown model 'no': "
                 "expected an entityDef, a "
                 "modelDef or a .md5mesh file");
    check_warned("entityDef e { \"model\" \"body\" \"def_attach\" \"g\" }\nentityDef g { }",
                 "def/b.def:1: key 'def_attach': cannot load entity 'g': entityDef 'g' has no key "
                 "\"model\": expected the "
                 "name of a modelDef");
    check_warned(
        "entityDef e { \"model\" \"body\" \"def_attach\" \"g\" }\n"
        "entityDef g { \"model\" \"face\" \"joint\" \"tail\" }",
        "def/b.def:1: Joint 'tail' not found for attaching 'g' on 'e': Doom 3 ends the map");
    check_warned(WITH_HEAD "\"copy_joint horn\" \"jaw\" }",
                 "def/b.def:2: Unknown copy_joint 'horn' on entity 'e'");
    check_warned(WITH_HEAD "\"copy_joint neck\" \"horn\" }",
                 "def/b.def:2: Unknown copy_joint 'horn' on head of entity 'e'");
}

TEST (undeclared_skins_and_clips_are_reported) {
    check_warned("entityDef e { \"model\" \"body\"\n \"skin\" \"blue\" }",
                 "def/b.def:2: Unknown skin 'blue'");
    check_warned("entityDef e { \"model\" \"body\"\n\n \"anim\" \"fly\" }",
                 "def/b.def:3: Unknown anim 'fly' of model 'body'");
}

// Checks only the keys of an entity, without its clips: each key is reported once, at its line, for
// any number of heirs.
TEST (keys_with_unknown_names_are_found_without_loading) {
    game_log log = {.count = 0};
    SCOPED_GAME game =
        open_entity_game("entityDef e { \"model\" \"body\"\n"
                         "\"skin\" \"blue\"\n"
                         "\"anim\" \"fly\"\n"
                         "\"def_head\" \"none\"\n"
                         "\"head_joint\" \"horn\"\n"
                         "\"def_attach\" \"nobody\"\n"
                         "\"def_attach2\" \"lamp\"\n"
                         "\"def_attach3\" \"gun\" }\n"
                         "entityDef lamp { \"model\" \"a.lwo\" \"joint\" \"neck\" }\n"
                         "entityDef gun { \"model\" \"face\" \"joint\" \"tail\" }\n"
                         "entityDef heir { \"inherit\" \"e\" }\n"
                         "entityDef fine { \"model\" \"body\" \"anim\" \"walk\" "
                         "\"def_head\" \"face\" \"head_joint\" \"NECK\" }",
                         &log);
    CHECK(md5_game_check_entity_keys(game, "heir", NULL));
    CHECK(md5_game_check_entity_keys(game, "fine", NULL));
    CHECK(md5_game_check_entity_keys(game, "nobody", NULL));
    CHECK_UINT(log.count, 0);
    CHECK(md5_game_check_entity_keys(game, "e", NULL));
    CHECK_UINT(log.count, 7);
    has_logged(&log, "def/b.def:2: Unknown skin 'blue'");
    has_logged(&log, "def/b.def:3: Unknown anim 'fly' of model 'body'");
    has_logged(&log, "def/b.def:4: key 'def_head': unknown model 'none': "
                     "expected a modelDef or an .md5mesh file");
    has_logged(&log,
               "def/b.def:5: Joint 'horn' not found for 'head_joint' on 'e': Doom 3 ends the map");
    has_logged(&log, "def/b.def:6: Unknown entityDef 'nobody' to attach: Doom 3 ends the map");
    has_logged(&log, "def/b.def:7: key 'def_attach2': entity 'lamp' has the unknown model 'a.lwo': "
                     "expected a modelDef or an .md5mesh file");
    has_logged(
        &log,
        "def/b.def:8: Joint 'tail' not found for attaching 'gun' on 'e': Doom 3 ends the map");
}

// -- Memory and errors ----------------------------------------------------------------------------

TEST (entities_survive_failure_of_every_load) {
    SCOPED_GAME game = open_entity_game(
        WITH_HEAD "\"copy_joint neck\" \"jaw\" \"def_attach\" \"gun\" \"skin\" \"s\" }\n"
                  "entityDef gun { \"model\" \"head.md5mesh\" \"joint\" \"spine\" }",
        NULL);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_ENTITY entity = md5_load_entity(game, "e", &failure.opts, &failure.error);
        CHECK(entity ? entity->num_parts == 2 : failure.error.status == MD5_ERROR_MEMORY);
    }
}

// The same for the memory of the game, which contains the declarations of entities.
TEST (games_of_entities_survive_failure_of_every_allocation) {
    enum { COUNT = 16 };
    static game_text texts[COUNT];
    for (size_t i = 0; i < num_entity_files; i++)
        texts[i] = entity_files[i];
    texts[num_entity_files] = (game_text){
        "def/b.def", WITH_HEAD "\"def_attach\" \"gun\" \"skin\" \"s\" \"shader\" \"glass\" }\n"
                               "entityDef gun { \"model\" \"head.md5mesh\" \"joint\" \"spine\" }"};
    const md5_game_path search_path = make_game_path(texts, num_entity_files + 1, false);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_GAME game = md5_create_game(&search_path, 1, &failure.opts, &failure.error);
        SCOPED_ENTITY entity = game ? md5_load_entity(game, "e", NULL, &failure.error) : NULL;
        CHECK(entity ? entity->num_parts == 2 : failure.error.status == MD5_ERROR_MEMORY);
    }
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST (entities_assert_their_arguments) {
    SCOPED_GAME game = md5_create_game(NULL, 0, NULL, NULL);
    const md5_entity_part part = {.num_copies = 0};
    MISUSE("md5_load_entity(): name: must not be NULL",
           md5_load_entity(game, test_null(), NULL, NULL));
    MISUSE("md5_entity_part_placement(): part: must not be NULL",
           md5_entity_part_placement(test_null(), NULL));
    MISUSE("md5_entity_part_copy_joints(): poses: must not be NULL",
           md5_entity_part_copy_joints(&part, test_null(), NULL, NULL));
}

#endif

// -- Parts ----------------------------------------------------------------------------------------

// Trees of parts, the pose in which parts are attached, and entities in different axes.

// -- Trees ----------------------------------------------------------------------------------------

TEST (attachments_have_attachments) {
    SCOPED_GAME game = open_entity_game(
        "entityDef e { \"model\" \"body\" \"def_attach\" \"rider\" }\n"
        "entityDef rider { \"model\" \"body\" \"joint\" \"spine\" \"def_head\" \"face\"\n"
        "\"head_joint\" \"neck\" \"def_attach\" \"gun\" }\n"
        "entityDef gun { \"model\" \"face\" \"joint\" \"lid\" \"offsetModel\" \"0 0 5\" }",
        NULL);
    SCOPED_ENTITY entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 1);
    const md5_entity *const rider = entity->parts[0].entity;
    CHECK_UINT(rider->num_parts, 2);
    CHECK_STRING(rider->parts[0].key, "def_head");
    const md5_entity_part *const gun = &rider->parts[1];
    CHECK_STRING(gun->entity->def->decl->name, "gun");
    CHECK_UINT(gun->entity->num_parts, 0);
    // The lid of the bind pose is at z 26; the model of the gun is 5 above its origin.
    md5_mat34 joints[ENTITY_JOINTS];
    md5_local_to_model(&rider->model->skeleton, rider->model->bind_local, joints);
    check_vector(md5_entity_part_placement(gun, joints).translation, 0.0, 0.0, 31.0);
    CHECK_UINT(entity->num_warnings, 0);
}

TEST (entities_are_not_attached_to_themselves) {
    game_log log = {.count = 0};
    SCOPED_GAME game = open_entity_game(
        "entityDef e { \"model\" \"body\" \"def_attach\" \"f\" }\n"
        "entityDef f { \"model\" \"body\" \"joint\" \"spine\" \"def_attach\" \"E\" }",
        &log);
    SCOPED_ENTITY entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 1);
    CHECK_UINT(entity->parts[0].entity->num_parts, 0);
    CHECK_UINT(entity->num_warnings, 1);
}

static uint32_t count_parts(const md5_entity *entity)
{
    const md5_entity *tree[MD5_MAX_ENTITY_PARTS + 1] = {entity};
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < tree[i]->num_parts && count <= MD5_MAX_ENTITY_PARTS; k++)
            tree[count++] = tree[i]->parts[k].entity;
    }
    return count - 1;
}

// Each entity attaches the next entity twice: 2^20 parts if all were loaded.
TEST (trees_of_parts_are_limited) {
    enum { DEPTH = 20 };
    SCOPED_TEXT text = {0};
    for (int i = 0; i < DEPTH; i++)
        test_append(&text,
                    "entityDef e%d { \"model\" \"body\" \"joint\" \"spine\"\n"
                    "\"def_attach1\" \"e%d\" \"def_attach2\" \"e%d\" }\n",
                    i, i + 1, i + 1);
    SCOPED_GAME game = open_entity_game(text.bytes, NULL);
    SCOPED_ENTITY entity = load_entity(game, "e0");
    CHECK_UINT(count_parts(entity), MD5_MAX_ENTITY_PARTS);
}

// Failed keys count too, because each of them reads its files again.
TEST (keys_of_parts_that_fail_are_limited) {
    enum { COUNT = 1000 };
    SCOPED_TEXT text = {0};
    test_append(&text, "entityDef e { \"model\" \"body\"\n");
    for (int i = 0; i < COUNT; i++)
        test_append(&text, "\"def_attach%d\" \"lost%d\"\n", i, i);
    test_append(&text, "}");
    game_log log = {.count = 0};
    SCOPED_GAME game = open_entity_game(text.bytes, &log);
    SCOPED_ENTITY entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 0);
    CHECK_UINT(entity->num_warnings, MD5_MAX_ENTITY_PARTS);
}

TEST (trees_of_parts_survive_failure_of_every_load) {
    SCOPED_GAME game = open_entity_game(
        "model posed { inherit body anim ik_pose lift.md5anim }\n"
        "entityDef e { \"model\" \"posed\" \"def_attach\" \"f\" \"def_head\" \"face\"\n"
        "\"head_joint\" \"neck\" }\n"
        "entityDef f { \"model\" \"posed\" \"joint\" \"spine\" \"def_attach\" \"g\" }\n"
        "entityDef g { \"model\" \"face\" \"joint\" \"lid\" }",
        NULL);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_ENTITY entity = md5_load_entity(game, "e", &failure.opts, &failure.error);
        CHECK(entity ? count_parts(entity) == 3 : failure.error.status == MD5_ERROR_MEMORY);
    }
}

// -- Attach pose ----------------------------------------------------------------------------------

// In the base frame the spine is rotated by 90 degrees to the left; in the first frame it is not.
static const char tilt_anim[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 4\nframeRate 10\n"
    "numAnimatedComponents 1\nhierarchy {\n\"root\" -1 0 0\n\"spine\" 0 32 0\n\"neck\" 1 0 0\n"
    "\"lid\" 2 0 0\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 7 0 0 ) ( 0 0 0 )\n"
    "( 0 0 10 ) ( 0 0 -0.70710678 )\n( 0 0 10 ) ( 0 0 0 )\n( 0 0 1 ) ( 0 0 0 )\n}\n"
    "frame 0 {\n0\n}\n";

static md5_game *open_tilted(const char *text)
{
    enum { MAX = 16 };
    static game_text texts[MAX];
    for (size_t i = 0; i < num_entity_files; i++)
        texts[i] = entity_files[i];
    texts[num_entity_files] = (game_text){"tilt.md5anim", tilt_anim};
    texts[num_entity_files + 1] = (game_text){"def/b.def", text};
    return open_texts(texts, num_entity_files + 2, NULL);
}

// In the attach pose a head has the axes of the entity; an attachment has the axes of its joint.
TEST (parts_are_attached_in_the_pose_ik_pose) {
    SCOPED_GAME game = open_tilted(
        "model tilted { mesh body.md5mesh anim walk walk.md5anim anim ik_pose other.md5anim\n"
        "anim ik_pose2 tilt.md5anim }\n"
        "entityDef e { \"model\" \"tilted\" \"def_attach\" \"gun\" \"def_head\" \"face\"\n"
        "\"head_joint\" \"spine\" }\n"
        "entityDef gun { \"model\" \"face\" \"joint\" \"spine\" \"origin\" \"1 0 0\" }");
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_LENIENT, NULL)); // other.md5anim does not fit
    const md5_vec3 x = {1, 0, 0};
    SCOPED_ENTITY entity = load_entity(game, "e");
    CHECK_UINT(entity->num_parts, 2);
    const md5_xform head = entity->parts[0].offset;
    const md5_xform gun = entity->parts[1].offset;
    check_vector(head.translation, 0.0, 0.0, 0.0);
    check_vector(md5_quat_rotate(head.rotation, x), 0.0, -1, 0.0);
    check_vector(gun.translation, 0.0, -1, 0.0);
    check_vector(md5_quat_rotate(gun.rotation, x), 1.0, 0.0, 0.0);
}

// Poses remain finite for all values in declarations.
TEST (offsets_are_limited) {
    SCOPED_GAME game =
        open_tilted("model far { mesh body.md5mesh offset ( 1e30 -1e39 5 ) }\n"
                    "entityDef e { \"model\" \"far\" \"offsetModel\" \"7 1e38 -1e38\" }");
    SCOPED_ENTITY entity = load_entity(game, "e");
    check_vector(entity->offset, 1e9, -1e9, 5.0);
    check_vector(entity->model_offset, 7.0, 1e9, -1e9);
}

// -- Axes -----------------------------------------------------------------------------------------

// Writes the positions of a point of each joint and of the gun, and the root motion.
static void pose_points(md5_game *game, const md5_load_opts *opts, const char *clip,
                        md5_vec3 inside, md5_vec3 points[ENTITY_JOINTS + 2])
{
    SCOPED_ENTITY entity = md5_load_entity(game, "e", opts, NULL);
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    md5_xform pose[ENTITY_JOINTS];
    md5_mat34 joints[ENTITY_JOINTS];
    md5_actor_set_in_place(actor, strcmp(clip, "turn") == 0);
    CHECK(md5_actor_play(actor, MD5_CHANNEL_ALL, md5_actor_choose(actor, NULL, clip),
                         MD5_ACTOR_CYCLE, 0, 0));
    md5_actor_advance(actor, 130, NULL, NULL);
    md5_actor_pose(actor, pose, joints, NULL);
    for (int i = 0; i < ENTITY_JOINTS; i++)
        points[i] = md5_mat34_point(joints[i], inside);
    const md5_xform gun = md5_entity_part_placement(&entity->parts[0], joints);
    points[ENTITY_JOINTS] = md5_xform_point(gun, inside);
    points[ENTITY_JOINTS + 1] = md5_actor_root_motion(actor).translation;
}

// The results in all axes are the converted results of id's axes.
TEST (entities_are_loaded_in_other_axes) {
    STRINGS(clips) = {"walk", "turn"};
    SCOPED_GAME game =
        open_tilted("entityDef e { \"model\" \"body\" \"def_attach\" \"gun\" }\n"
                    "entityDef gun { \"model\" \"face\" \"joint\" \"spine\" \"origin\" \"1 2 3\"\n"
                    "\"angles\" \"10 20 30\" \"offsetModel\" \"0 5 6\" }");
    const md5_vec3 inside = {1, 2, 4};
    md5_vec3 expected[ENTITY_JOINTS + 2], points[ENTITY_JOINTS + 2];
    for (md5_axes axes = MD5_AXES_ID; axes <= MD5_AXES_BLENDER; axes = (md5_axes)(axes + 1)) {
        for (size_t j = 0; j < COUNT_OF(clips); j++) {
            const md5_load_opts opts = {.axes = axes, .scale = 0.5f};
            const md5_mat34 to_axes = md5_mat34_from_axes(axes, opts.scale);
            pose_points(game, NULL, clips[j], inside, expected);
            pose_points(game, &opts, clips[j], md5_mat34_point(to_axes, inside), points);
            for (int i = 0; i < ENTITY_JOINTS + 2; i++) {
                const md5_vec3 p = md5_mat34_point(to_axes, expected[i]);
                check_vector(points[i], p.x, p.y, p.z);
            }
        }
    }
}

// -- Declarations ---------------------------------------------------------------------------------

// entityDefs, rule by rule.

static md5_game *open_entities(const char *text, game_log *log)
{
    static game_text file;
    file = (game_text){"def/all.def", text};
    return open_texts(&file, 1, log);
}

static const md5_entity_def *find_entity(md5_game *game, const char *name)
{
    md5_error error = {0};
    const md5_entity_def *const def = md5_game_entity_def(game, name, &error);
    CHECK(def);
    CHECK_UINT(error.status, MD5_OK);
    return def;
}

// All keys in order, as "name=value ".
static void check_keys(const md5_entity_def *def, const char *expected)
{
    char keys[512] = "";
    for (uint32_t i = 0; i < def->num_keys; i++) {
        const md5_entity_key *const key = &def->keys[i];
        const size_t used = strlen(keys);
        snprintf(keys + used, sizeof keys - used, "%s=%s ", key->name, key->value);
    }
    CHECK_STRING(keys, expected);
}

TEST (entities_have_keys_in_order) {
    SCOPED_GAME game =
        open_entities("entityDef Imp { \"model\" \"m\" \"health\" 75 \"Bones\" \"a b\" }", NULL);
    const md5_entity_def *const imp = find_entity(game, "IMP");
    check_keys(imp, "model=m health=75 Bones=a b classname=imp ");
    CHECK_STRING(md5_entity_def_value(imp, "MODEL"), "m");
    CHECK(!md5_entity_def_value(imp, "mode") && !md5_entity_def_value(imp, "modell"));
    CHECK_UINT(imp->decl->state, MD5_DECL_PARSED);
    CHECK(md5_game_entity_def(game, "imp", NULL) == imp);
    CHECK(!md5_game_entity_def(game, "nobody", NULL));
}

TEST (entities_list_keys_of_a_prefix) {
    SCOPED_GAME game = open_entities(
        "entityDef e { \"def_attach2\" b \"x\" \"0\" \"Def_Attach\" a \"def_attac\" c }", NULL);
    const md5_entity_def *const def = find_entity(game, "e");
    const md5_entity_key *const first = md5_entity_def_next_key(def, "def_attach", NULL);
    const md5_entity_key *const second = md5_entity_def_next_key(def, "def_attach", first);
    CHECK_STRING(first->value, "b");
    CHECK_STRING(second->value, "a");
    CHECK(!md5_entity_def_next_key(def, "def_attach", second));
}

TEST (the_last_of_two_keys_counts) {
    game_log log;
    SCOPED_GAME game = open_entities("entityDef e { \"A\" \"1\"\n\"b\" \"2\"\n\"a\" \"3\" }", &log);
    check_keys(find_entity(game, "e"), "A=3 b=2 classname=e ");
    has_logged(&log, "def/all.def:3: key 'a' already defined");
    CHECK_UINT(log.count, 1);
}

// A key that an entity declares hides the same key of its parents, and a parent hides the keys of
// its own parents and of later parents. Names are compared without regard to case.
TEST (own_keys_precede_those_of_parents) {
    SCOPED_GAME game =
        open_entities("entityDef child { \"inherit\" \"first\" \"own\" \"1\" \"Inherit2\" "
                      "\"second\" \"x\" \"c\" }\n"
                      "entityDef first { \"x\" \"f\" \"y\" \"f\" \"inherit\" \"old\" }\n"
                      "entityDef second { \"y\" \"s\" \"z\" \"s\" \"v\" \"s\" }\n"
                      "entityDef old { \"X\" \"o\" \"z\" \"o\" }\n",
                      NULL);
    const md5_entity_def *const child = find_entity(game, "child");
    check_keys(child, "own=1 x=c classname=child y=f z=o v=s ");
    CHECK_STRING(child->keys[4].decl->name, "old");
    check_keys(find_entity(game, "first"), "x=f y=f classname=first z=o ");
    check_keys(find_entity(game, "second"), "y=s z=s v=s classname=second ");
}

// "classname" is the name of the entity, even if its text contains another value.
TEST (classname_of_an_entity_is_its_name) {
    SCOPED_GAME game = open_entities("entityDef e { \"ClassName\" \"other\" \"k\" \"v\" }", NULL);
    check_keys(find_entity(game, "e"), "ClassName=e k=v ");
}

TEST (unknown_parents_are_warnings) {
    game_log log;
    SCOPED_GAME game = open_entities(
        "entityDef e {\n\"inherit\" \"Nobody\"\n\"k\" \"v\" }\nentityDef f { }", &log);
    check_keys(find_entity(game, "e"), "k=v classname=e ");
    has_logged(&log, "def/all.def:3: Unknown entityDef 'Nobody' inherited by 'e'");
}

static void check_defaulted(const char *text, const char *line)
{
    game_log log;
    SCOPED_GAME game = open_entities(text, &log);
    const md5_entity_def *const def = find_entity(game, "e");
    CHECK_UINT(def->decl->state, MD5_DECL_DEFAULTED);
    check_keys(def, "DEFAULTED=1 classname=e ");
    has_logged(&log, line);
}

TEST (errors_default_an_entity) {
    check_defaulted("entityDef e { \"a\" \"1\"\nmodel \"m\" }",
                    "def/all.def:2: Expected quoted string, but found 'model'");
    check_defaulted("entityDef e { 'a' \"1\" }",
                    "def/all.def:1: Expected quoted string, but found 'a'");
    check_defaulted("entityDef e { 5 \"1\" }",
                    "def/all.def:1: Expected quoted string, but found '5'");
    check_defaulted("entityDef e { \"inherit\" \"f\" \"a\"",
                    "def/all.def:1: Unexpected end of file");
}

// An entity inherits the key that marks a defaulted parent.
TEST (entities_inherit_the_mark_of_defaulted_parents) {
    SCOPED_GAME game =
        open_entities("entityDef e { \"inherit\" \"bad\" } entityDef bad { wrong }", NULL);
    check_keys(find_entity(game, "e"), "classname=e DEFAULTED=1 ");
    CHECK_UINT(find_entity(game, "e")->decl->state, MD5_DECL_PARSED);
}

TEST (entities_that_inherit_themselves_end) {
    game_log log;
    SCOPED_GAME game =
        open_entities("entityDef a { \"inherit\" \"b\" \"k\" \"a\" } entityDef b { \"inherit\" "
                      "\"a\" \"l\" \"b\" }\n"
                      "entityDef c { \"inherit\" \"c\" \"inherit2\" \"a\" \"inherit3\" \"b\" }",
                      &log);
    check_keys(find_entity(game, "c"), "classname=c k=a l=b ");
    check_keys(find_entity(game, "a"), "k=a classname=a l=b ");
    check_keys(find_entity(game, "b"), "l=b classname=b k=a ");
    CHECK_UINT(log.count, 0);
}

// A long chain of ancestors: each entity inherits the two entities before it, and therefore all
// entities before it.
TEST (long_chains_of_ancestors_take_linear_time) {
    enum { COUNT = 50000 };
    SCOPED_TEXT text = {0};
    for (int i = COUNT; i > 0; i--)
        test_append(&text,
                    "entityDef e%d { \"inherit\" \"e%d\" \"inherit2\" \"e%d\" \"k%d\" \"1\" }\n", i,
                    i - 1, i > 1 ? i - 2 : 0, i);
    test_append(&text, "entityDef e0 { \"last\" \"7\" }");
    SCOPED_GAME game = open_entities(text.bytes, NULL);
    const md5_entity_def *const def = find_entity(game, "e50000");
    CHECK_UINT(def->num_keys, COUNT + 2);
    CHECK_STRING(md5_entity_def_value(def, "last"), "7");
}

// Entities that inherit each other in a circle are checked in linear memory. With a copy of the
// inherited keys they would use 24 bytes times the square of their number, 96 times the limit.
// With sanitizers, 20000 entities would take 29 seconds.
TEST (checking_entities_takes_linear_memory) {
    enum { COUNT = 4000, MAX_BYTES = 1000 };
    SCOPED_TEXT text = {0};
    char name[16];
    for (int i = 0; i < COUNT; i++)
        test_append(&text, "entityDef e%d { \"inherit\" \"e%d\" \"k%d\" \"1\" }\n", i,
                    (i + 1) % COUNT, i);
    const game_text file = {"def/all.def", text.bytes};
    const md5_game_path search_path = make_game_path(&file, 1, false);
    const md5_load_opts opts = {.allocator = {.limit = (size_t)COUNT * MAX_BYTES}};
    md5_error error = {0};
    SCOPED_GAME game = md5_create_game(&search_path, 1, &opts, &error);
    if (game) {
        for (int i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "e%d", i);
            if (!md5_game_check_entity_def(game, name, &error))
                break;
        }
    }
    CHECK_UINT(error.status, MD5_OK);
    const md5_decl *const decl = game ? md5_find_decl(game, MD5_DECL_ENTITY, name) : NULL;
    CHECK(decl && decl->state == MD5_DECL_PARSED);
    CHECK(md5_game_check_entity_def(game, "nobody", NULL));
}

TEST (entities_survive_failure_of_every_allocation) {
    static const game_text texts[] = {
        {"def/all.def", "entityDef e { \"inherit\" \"f\" \"a\" \"b\" \"a\" \"c\" }\n"
                        "entityDef f { \"inherit\" \"g\" \"d\" \"e\" } entityDef g { bad }"},
    };
    const md5_game_path search_path = make_game_path(texts, 1, false);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_GAME game = md5_create_game(&search_path, 1, &failure.opts, &failure.error);
        const bool is_strict =
            game && md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, &failure.error);
        const md5_entity_def *const def =
            is_strict ? md5_game_entity_def(game, "e", &failure.error) : NULL;
        CHECK(def ? def->num_keys == 4 : failure.error.status == MD5_ERROR_MEMORY);
        // A failure does not leave a partial result: when memory is available again, the entity is
        // complete.
        if (is_strict && !def)
            check_keys(find_entity(game, "e"), "a=c classname=e d=e DEFAULTED=1 ");
    }
}

// The declarations of the golden folder, which the original engine has parsed.
TEST (entities_of_the_golden_folder_inherit) {
    SCOPED_GAME game =
        open_entities("entityDef base_thing { \"spawnclass\" \"idAnimated\" \"health\" \"10\" "
                      "\"model\" \"m_base\" }\n"
                      "entityDef thing { \"inherit\" \"base_thing\" \"health\" \"20\" \"inherit2\" "
                      "\"other_thing\" }\n"
                      "entityDef other_thing { \"skin\" \"s/simple\" \"health\" \"99\" }\n",
                      NULL);
    const md5_entity_def *const thing = find_entity(game, "thing");
    CHECK_STRING(md5_entity_def_value(thing, "health"), "20");
    CHECK_STRING(md5_entity_def_value(thing, "model"), "m_base");
    CHECK_STRING(md5_entity_def_value(thing, "skin"), "s/simple");
    CHECK_STRING(md5_entity_def_value(thing, "classname"), "thing");
    CHECK(!md5_entity_def_next_key(thing, "inherit", NULL));
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST (entity_functions_assert_their_arguments) {
    const md5_entity_def none = {.num_keys = 0};
    MISUSE("md5_game_entity_def(): name: must not be NULL", {
        md5_game *const game = md5_create_game(NULL, 0, NULL, NULL);
        md5_game_entity_def(game, test_null(), NULL);
    });
    MISUSE("md5_entity_def_value(): def: must not be NULL", md5_entity_def_value(test_null(), "a"));
    MISUSE("md5_entity_def_next_key(): key: must be a key of this entityDef", {
        const md5_entity_key foreign_key = {.name = "a"};
        md5_entity_def_next_key(&none, "a", &foreign_key);
    });
}

#endif
