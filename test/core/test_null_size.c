// Every public function that takes a pointer and a size accepts NULL and 0. Clang's undefined
// behavior sanitizer reports NULL + 0, which test/tree/null_sizes.sh detects.
#include "test/game/entity_case.h"
#include "test/ragdoll/ragdoll_case.h"
#include "test/scoped.h"

// Texts and bytes as input. Empty input is an error, never a crash.

TEST (null_and_size_0_are_an_empty_file) {
    md5_error error = {0};
    CHECK(!md5_parse_model(NULL, 0, NULL, &error));
    CHECK(error.status != MD5_OK);
    md5_error_clear(&error);
    CHECK(!md5_parse_anim(NULL, 0, NULL, &error));
    CHECK(error.status != MD5_OK);
    md5_error_clear(&error);
    CHECK(!md5_parse_camera(NULL, 0, NULL, &error));
    CHECK(error.status != MD5_OK);
    md5_error_clear(&error);
    CHECK(!md5_parse_image(NULL, 0, NULL, &error));
    CHECK(error.status != MD5_OK);
    md5_error_clear(&error);
    CHECK(!md5_parse_machine_file(NULL, 0, NULL, &error));
    CHECK(error.status != MD5_OK);
    md5_error_clear(&error);
    SCOPED_ANIM anim = our_anim("test/reference/data/seam.md5anim");
    CHECK(!md5_parse_scales(NULL, 0, anim, NULL, &error));
    CHECK(error.status != MD5_OK);
    for (uint32_t kind = 0; kind < MD5_DOC_CAMERA + 1; kind++) {
        md5_error_clear(&error);
        CHECK(!md5_parse_doc((md5_doc_kind)kind, NULL, 0, NULL, &error));
        CHECK(error.status != MD5_OK);
    }
}

TEST (null_and_size_0_are_a_text_without_diagnostics) {
    for (uint32_t kind = 0; kind < MD5_DOC_CAMERA + 1; kind++) {
        md5_error error = {0};
        md5_check *const check =
            md5_check_doc((md5_doc_kind)kind, NULL, 0, (md5_engines){0}, NULL, &error);
        CHECK_DONE(check != NULL, error);
        CHECK_UINT(check ? check->num_diagnostics : 1, 0);
        md5_free_check(check);
    }
    CHECK(md5_check_turns(NULL, 0));
}

TEST (null_and_size_0_are_no_saved_state) {
    SCOPED_CHARACTER character =
        md5_load_character(test_path("models/tendril/tendril.md5machine"), NULL, NULL);
    REQUIRE(character);
    SCOPED_PLAYER player = md5_create_player(character->machine, NULL, NULL);
    md5_error error = {0};
    CHECK_FAILS(md5_player_restore(player, NULL, 0, &error), error, MD5_ERROR_SYNTAX);

    SCOPED_GAME game = open_entity_game("entityDef imp { \"model\" \"body\" }", NULL);
    SCOPED_ENTITY entity = load_entity(game, "imp");
    SCOPED_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    md5_error_clear(&error);
    CHECK_FAILS(md5_actor_restore(actor, NULL, 0, &error), error, MD5_ERROR_SYNTAX);
    const md5_monster_desc desc = {.entity = entity, .body = actor};
    md5_monster *const monster = md5_create_monster(&desc, NULL, NULL);
    md5_error_clear(&error);
    CHECK_FAILS(md5_monster_restore(monster, NULL, 0, &error), error, MD5_ERROR_SYNTAX);
    md5_destroy_monster(monster);

    ragdoll_case man;
    REQUIRE(open_man(&man, ""));
    const md5_ragdoll_desc falling = {.figure = man.figure};
    md5_ragdoll *const ragdoll = md5_create_ragdoll(&falling, NULL, NULL);
    md5_error_clear(&error);
    CHECK_FAILS(md5_ragdoll_restore(ragdoll, NULL, 0, &error), error, MD5_ERROR_SYNTAX);
    md5_destroy_ragdoll(ragdoll);
    close_case(&man);
}

// Texts and bytes as output. NULL and 0 request the size.

TEST (null_and_size_0_ask_for_the_size_of_a_text) {
    const md5_error failure = {.status = MD5_ERROR_SYNTAX, .line = 3, .message = "wrong"};
    char text[64];
    CHECK_UINT(md5_format_error(&failure, NULL, 0), md5_format_error(&failure, text, sizeof text));
    CHECK_UINT(md5_engine_names(3, NULL, 0), md5_engine_names(3, text, sizeof text));
    CHECK_UINT(md5_quake_image_name("skin", 1, 2, NULL, 0),
               md5_quake_image_name("skin", 1, 2, text, sizeof text));
    SCOPED_MODEL model = our_model("test/reference/data/seam.md5mesh");
    SCOPED_ANIM anim = our_anim("test/reference/data/seam.md5anim");
    SCOPED_ANIM packed = md5_compress_anim(anim, NULL, NULL, NULL);
    REQUIRE(packed);
    CHECK(md5_write_anim(packed, NULL, 0) > 0);
    SCOPED_CHARACTER character =
        md5_load_character(test_path("models/tendril/tendril.md5machine"), NULL, NULL);
    REQUIRE(character);
    SCOPED_PLAYER player = md5_create_player(character->machine, NULL, NULL);
    CHECK(md5_player_save(player, NULL, 0) > 0);
    CHECK(md5_write_machine(md5_machine_tables(character->machine), NULL, NULL, 0, NULL) > 0);
    size_t size = 0;
    SCOPED_STRING mesh = test_read_file(test_path("test/reference/data/seam.md5mesh"), &size);
    md5_doc *const doc = md5_parse_doc(MD5_DOC_MODEL, mesh, size, NULL, NULL);
    REQUIRE(doc);
    CHECK(md5_write_doc(doc, NULL, 0, NULL) > size / 2);
    md5_free_doc(doc);
}

// Arrays without elements.

static void count_items(void *user, uint32_t worker, size_t begin, size_t end)
{
    (void)worker;
    *(size_t *)user += end - begin;
}

TEST (null_and_count_0_are_an_empty_batch) {
    size_t num_items = 0;
    md5_threads_run(NULL, 0, count_items, &num_items);
    CHECK_UINT(num_items, 0);
    md5_pose_batch_scratch(NULL, 0, NULL);
    md5_pose_batch(NULL, 0, NULL, NULL);
    md5_play_batch_scratch(NULL, 0, NULL);
    md5_play_batch(NULL, 0, NULL, NULL);
    md5_pose_interpolated(NULL, 0, 0.5f, NULL);
    md5_blend_batch(NULL, 0);
    md5_skin_batch(NULL, 0, NULL);
    md5_ragdoll_advance_batch(NULL, 0, 1.0, NULL);
}

TEST (null_and_count_0_are_an_empty_pose) {
    md5_blend_poses(NULL, NULL, 0.5f, NULL, 0, NULL);
    md5_subtract_pose(NULL, NULL, 0, NULL);
    md5_add_pose(NULL, NULL, NULL, 1.0f, NULL, 0, NULL);
    md5_build_dual_palette(NULL, 0, NULL);
}

static bool is_empty(md5_bounds bounds)
{
    return bounds.min.x > bounds.max.x;
}

TEST (null_and_count_0_are_an_empty_scene) {
    const md5_ray ray = {.direction = {1, 0, 0}};
    const md5_vec3 point = {0, 0, 0};
    const md5_bounds box = {{-1, -1, -1}, {1, 1, 1}};
    const md5_vec4 plane = {1, 0, 0, 0};
    CHECK(is_empty(md5_bounds_from_points(NULL, 0)));
    CHECK(is_empty(md5_bounds_from_joints(NULL, NULL, 0)));
    md5_hit hit;
    CHECK(!md5_raycast_joints(ray, NULL, NULL, 0, &hit));
    CHECK_UINT(md5_find_nearest_joint(NULL, 0, point, NULL), MD5_NONE);
    CHECK_UINT(md5_find_nearest_joint_to_ray(NULL, 0, ray, NULL), MD5_NONE);
    CHECK_UINT(md5_cull_sphere(NULL, 0, point, 1.0f, NULL), 0);
    CHECK_UINT(md5_cull_bounds(NULL, 0, box, NULL), 0);
    CHECK_UINT(md5_cull_planes(NULL, 0, &plane, 1, NULL), 0);
    uint32_t found = MD5_NONE;
    CHECK_UINT(md5_cull_planes(&box, 1, NULL, 0, &found), 1);
    CHECK_UINT(md5_cull_ray(NULL, 0, ray, NULL), 0);
}

TEST (null_and_count_0_describe_something_empty) {
    md5_error error = {0};
    CHECK_FAILS(md5_create_squad(NULL, NULL, 0, 0, NULL, &error), error, MD5_ERROR_RANGE);
    md5_error_clear(&error);
    const md5_curve_desc curve = {.kind = MD5_CURVE_BEZIER};
    CHECK_FAILS(md5_create_curve(&curve, NULL, &error), error, MD5_ERROR_RANGE);
    md5_error_clear(&error);
    SCOPED_MODEL model = our_model("test/reference/data/seam.md5mesh");
    CHECK_FAILS(md5_create_baked(model, NULL, 0, NULL, &error), error, MD5_ERROR_RANGE);
    SCOPED_BAKED baked = md5_create_baked(model, model->bind, 1, NULL, NULL);
    REQUIRE(baked);
    md5_skin_baked(baked, 0, 0, (md5_sample_position){.wrap = MD5_WRAP_LOOP}, NULL, NULL);
    md5_error_clear(&error);
    SCOPED_MORPH morph = md5_create_morph(model, NULL, 0, NULL, &error);
    CHECK_DONE(morph != NULL, error);
    SCOPED_RETARGET retarget = md5_create_retarget(model, model, NULL, 0, NULL, &error);
    CHECK_DONE(retarget != NULL, error);
    SCOPED_GAME game = md5_create_game(NULL, 0, NULL, &error);
    CHECK_DONE(game != NULL, error);
    CHECK_UINT(md5_game_num_files(game), 0);
    CHECK(md5_game_file(game, 0) == NULL);
    const md5_weights_desc weights = {.skeleton = &model->skeleton, .bind = model->bind};
    CHECK_FAILS(md5_create_weights(&weights, NULL, &error), error, MD5_ERROR_RANGE);
}
