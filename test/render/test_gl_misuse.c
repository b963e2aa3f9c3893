// Errors of the caller: builds with assertions abort with a message that names the function and
// the argument.
#include "render/md5gl_look.h"
#include "test/misuse.h"
#include "test/render/test_gl_scene.h"

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST_SQUARE (gl_error_is_reported_with_function_and_argument) {
    MISUSE("md5gl_draw_model(): call it between md5gl_begin_frame()")
    md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
    MISUSE("md5gl_draw_model(): style: flags of md5gl_style")
    md5gl_draw_model(stage->renderer, stage->copy, 1u << 20);
    MISUSE("md5gl_begin_frame(): end the frame before the next")
    {
        stage_begin(stage);
        stage_begin(stage);
    }
    MISUSE("md5gl_begin_frame(): renderer, frame: not NULL")
    md5gl_begin_frame(stage->renderer, NULL);
    MISUSE("md5gl_end_frame(): begin a frame first")
    md5gl_end_frame(stage->renderer, NULL);
    MISUSE("md5gl_set_material(): mesh: an index")
    md5gl_set_material(stage->renderer, stage->copy, 0, 1, &(md5gl_material){0});
    MISUSE("md5gl_set_material(): skin: below the number")
    md5gl_set_material(stage->renderer, stage->copy, 1, 0, &(md5gl_material){0});
    MISUSE("md5gl_set_material(): renderer, model, material: not NULL")
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, NULL);
    MISUSE("md5gl_set_visible(): mesh: an index")
    md5gl_set_visible(stage->copy, 7, false);
    MISUSE("md5gl_set_num_skins(): num_skins: at least 1")
    md5gl_set_num_skins(stage->renderer, stage->copy, 0, NULL);
    MISUSE("md5gl_pose(): count: new looks need")
    md5gl_pose(stage->renderer, stage->copy, &(md5gl_instances){.count = 1}, NULL);
    MISUSE("md5gl_create_model(): path: one of md5gl_path")
    md5gl_create_model(stage->renderer, stage->model, (md5gl_path)99, NULL);
    MISUSE("md5gl_create_texture(): texels: not NULL")
    scene_texture(stage->renderer, MD5GL_TEXTURE_COLOR, 1, 1, test_null(), NULL);
    MISUSE("md5gl_create_texture(): normals: flags")
    {
        const uint8_t texel[4] = {0};
        scene_normals(stage->renderer, 1, 1, texel, 8, NULL);
    }
    MISUSE("md5gl_load_looks(): desc: with path, load and release")
    md5gl_load_looks(stage->renderer, &(md5gl_looks_desc){.path = "imp"}, NULL);
    MISUSE("md5gl_path_name(): path: one of md5gl_path")
    md5gl_path_name((md5gl_path)-1);
    MISUSE("md5gl_mesh_path(): mesh: an index")
    md5gl_mesh_path(stage->copy, 1, NULL);
    MISUSE("md5gl_capture(): mesh: an index")
    md5gl_capture(stage->renderer, stage->copy, 3, NULL, NULL, NULL, NULL, NULL);
    MISUSE("md5gl_read_pixels(): renderer, rgba: not NULL")
    md5gl_read_pixels(stage->renderer, NULL, 1, 1, NULL, NULL);
    MISUSE("md5gl_restore_state(): save the state first")
    md5gl_restore_state(stage->renderer);
    MISUSE("md5gl_save_state(): restore the saved state first")
    {
        md5gl_save_state(stage->renderer);
        md5gl_save_state(stage->renderer);
    }
    MISUSE("md5gl_get_target_names(): target: not NULL")
    md5gl_get_target_names(NULL);
    MISUSE("md5gl_destroy_model(): renderer: not NULL")
    md5gl_destroy_model(NULL, stage->copy);
    MISUSE("md5gl_draw_lines(): vertices: not NULL")
    md5gl_draw_lines(stage->renderer, NULL, 2, 1, false);
    MISUSE("md5gl_draw_casters(): renderer, draw: not NULL")
    {
        stage_begin(stage);
        md5gl_draw_casters(stage->renderer, NULL, NULL);
    }
    MISUSE("md5gl_use_shadows(): call it between")
    md5gl_use_shadows(stage->renderer, 1, 0, 0);
    MISUSE("md5gl_use_shadows(): program: one of this context")
    {
        stage_begin(stage);
        md5gl_use_shadows(stage->renderer, 0, 0, 0);
    }
    MISUSE("md5gl_resume_frame(): call it between")
    md5gl_resume_frame(stage->renderer);
    MISUSE("md5gl_shadow_glsl(): lighting: one of")
    md5gl_shadow_glsl(stage->renderer, MD5GL_NUM_LIGHTINGS, NULL);
    MISUSE("md5gl_draw_blobs(): blobs: reserved members")
    {
        stage_begin(stage);
        md5gl_draw_blobs(stage->renderer, &(md5gl_blob){.reserved = {1}}, 1);
    }
    MISUSE("md5gl_create_renderer(): opts: reserved members must be 0")
    md5gl_create_renderer(&(md5gl_opts){.reserved = {[7] = 1}}, NULL);
    MISUSE("md5gl_set_material(): material: reserved")
    STAGE_MATERIAL(stage, .reserved = {[0] = 1});
    MISUSE("md5gl_begin_frame(): frame: reserved members")
    md5gl_begin_frame(stage->renderer, &(md5gl_frame){.reserved = {[5] = 1}});
    MISUSE("md5gl_shadow_reach(): frame: reserved members")
    md5gl_shadow_reach(&(md5gl_frame){.reserved = {1}});
}

#endif
