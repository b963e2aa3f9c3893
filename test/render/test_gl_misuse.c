// Errors of the caller: builds with assertions abort with a message that names the function and
// the argument.
#include "render/md5gl_material_files.h"
#include "test/misuse.h"
#include "test/render/test_gl_scene.h"

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST_SQUARE (gl_error_is_reported_with_function_and_argument) {
    MISUSE("md5gl_draw_model(): must be called between md5gl_begin_frame()",
           md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT));
    MISUSE("md5gl_draw_model(): style: must be flags of md5gl_style",
           md5gl_draw_model(stage->renderer, stage->copy, 1u << 20));
    MISUSE("md5gl_begin_frame(): must be called after md5gl_end_frame()", {
        stage_begin(stage);
        stage_begin(stage);
    });
    MISUSE("md5gl_begin_frame(): frame: must not be NULL",
           md5gl_begin_frame(stage->renderer, NULL));
    MISUSE("md5gl_end_frame(): must be called after md5gl_begin_frame()",
           md5gl_end_frame(stage->renderer, NULL));
    MISUSE("md5gl_set_material(): mesh: must be an index",
           md5gl_set_material(stage->renderer, stage->copy, 0, 1, &(md5gl_material){0}));
    MISUSE("md5gl_set_material(): skin: must be below the number",
           md5gl_set_material(stage->renderer, stage->copy, 1, 0, &(md5gl_material){0}));
    MISUSE("md5gl_set_material(): material: must not be NULL",
           md5gl_set_material(stage->renderer, stage->copy, 0, 0, NULL));
    MISUSE("md5gl_set_visible(): mesh: must be an index", md5gl_set_visible(stage->copy, 7, false));
    MISUSE("md5gl_set_num_skins(): num_skins: must be at least 1",
           md5gl_set_num_skins(stage->renderer, stage->copy, 0, NULL));
    MISUSE("md5gl_pose(): count: must be the current number",
           md5gl_pose(stage->renderer, stage->copy, &(md5gl_instances){.count = 1}, NULL));
    MISUSE("md5gl_create_model(): path: must be a value of md5gl_path",
           md5gl_create_model(stage->renderer, stage->model, (md5gl_path)99, NULL));
    MISUSE("md5gl_create_texture(): texels: must not be NULL",
           scene_texture(stage->renderer, MD5GL_TEXTURE_COLOR, 1, 1, test_null(), NULL));
    MISUSE("md5gl_create_texture(): normals: must be flags", {
        const uint8_t texel[4] = {0};
        scene_normals(stage->renderer, 1, 1, texel, 8, NULL);
    });
    MISUSE("md5gl_load_materials(): desc: must have path, load and release",
           md5gl_load_materials(stage->renderer, &(md5gl_material_set_desc){.path = "imp"}, NULL));
    MISUSE("md5gl_path_name(): path: must be a value of md5gl_path",
           md5gl_path_name((md5gl_path)-1));
    MISUSE("md5gl_mesh_path(): mesh: must be an index", md5gl_mesh_path(stage->copy, 1, NULL));
    MISUSE("md5gl_capture(): mesh: must be an index",
           md5gl_capture(stage->renderer, stage->copy, 3, NULL, NULL, NULL, NULL, NULL));
    MISUSE("md5gl_read_pixels(): rgba: must not be NULL",
           md5gl_read_pixels(stage->renderer, NULL, 1, 1, NULL, NULL));
    MISUSE("md5gl_restore_state(): must be called after md5gl_save_state()",
           md5gl_restore_state(stage->renderer));
    MISUSE("md5gl_save_state(): must be called after md5gl_restore_state()", {
        md5gl_save_state(stage->renderer);
        md5gl_save_state(stage->renderer);
    });
    MISUSE("md5gl_get_target_names(): target: must not be NULL", md5gl_get_target_names(NULL));
    MISUSE("md5gl_destroy_model(): renderer: must not be NULL",
           md5gl_destroy_model(NULL, stage->copy));
    MISUSE("md5gl_draw_lines(): vertices: must not be NULL",
           md5gl_draw_lines(stage->renderer, NULL, 2, 1, false));
    MISUSE("md5gl_draw_casters(): draw: must not be NULL", {
        stage_begin(stage);
        md5gl_draw_casters(stage->renderer, NULL, NULL);
    });
    MISUSE("md5gl_use_shadows(): must be called between",
           md5gl_use_shadows(stage->renderer, 1, 0, 0));
    MISUSE("md5gl_use_shadows(): program: must be a program of this context", {
        stage_begin(stage);
        md5gl_use_shadows(stage->renderer, 0, 0, 0);
    });
    MISUSE("md5gl_resume_frame(): must be called between", md5gl_resume_frame(stage->renderer));
    MISUSE("md5gl_shadow_glsl(): lighting: must be a value of",
           md5gl_shadow_glsl(stage->renderer, MD5GL_NUM_LIGHTINGS, NULL));
    MISUSE("md5gl_draw_blob_shadows(): blobs: reserved members", {
        stage_begin(stage);
        md5gl_draw_blob_shadows(stage->renderer, &(md5gl_blob_shadow){.reserved = {1}}, 1);
    });
    MISUSE("md5gl_create_renderer(): opts: reserved members must be 0",
           md5gl_create_renderer(&(md5gl_opts){.reserved = {[7] = 1}}, NULL));
    MISUSE("md5gl_set_material(): material: reserved",
           STAGE_MATERIAL(stage, .reserved = {[0] = 1}));
    MISUSE("md5gl_begin_frame(): frame: reserved members",
           md5gl_begin_frame(stage->renderer, &(md5gl_frame){.reserved = {[5] = 1}}));
    MISUSE("md5gl_shadow_reach(): frame: reserved members",
           md5gl_shadow_reach(&(md5gl_frame){.reserved = {1}}));
}

// A model must not be freed before its copy on the GPU.
TEST_SQUARE (gl_freed_object_is_reported_with_function_and_argument) {
    MISUSE("md5gl: md5gl_set_visible(): (model)->model: must not have been freed", {
        md5_free_model(stage->model);
        md5gl_set_visible(stage->copy, 0, false);
    });
    MISUSE("md5gl: md5gl_create_model(): model: must not have been freed", {
        md5_free_model(stage->model);
        md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    });
}

// AddressSanitizer reports the read of the freed object itself.
#if !defined(__SANITIZE_ADDRESS__)
TEST_SQUARE (gl_destroyed_object_is_reported_with_function_and_argument) {
    MISUSE(
        "md5gl: md5gl_draw_shadows(): model: must be an object of this library that was not freed",
        {
            md5gl_destroy_model(stage->renderer, stage->copy);
            md5gl_draw_shadows(stage->renderer, stage->copy);
        });
    MISUSE("md5gl: md5gl_destroy_target(): target: must be an object of this library that was not "
           "freed",
           {
               md5gl_target *const target = md5gl_create_target(stage->renderer, 8, 8, 1, NULL);
               md5gl_destroy_target(stage->renderer, target);
               md5gl_destroy_target(stage->renderer, target);
           });
}
#endif

#endif
