// Mistakes of the caller: builds with assertions abort with a message that names the function and
// the argument.
#include "test/mistake.h"
#include "test/render/test_gl_scene.h"

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static md5gl_renderer *renderer_of(const void *context)
{
    return ((const gl_stage *)context)->scene.renderer;
}

static md5gl_model *model_of(const void *context)
{
    return ((const gl_stage *)context)->copy;
}

static void draw_outside_of_a_frame(const void *context)
{
    md5gl_draw_model(renderer_of(context), model_of(context), MD5GL_LIT);
}

static void draw_in_an_unknown_style(const void *context)
{
    md5gl_draw_model(renderer_of(context), model_of(context), 1u << 20);
}

static void begin_twice(const void *context)
{
    const gl_stage *const stage = context;
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
}

static void end_twice(const void *context)
{
    (void)md5gl_end_frame(renderer_of(context), NULL);
}

static void begin_without_a_frame(const void *context)
{
    md5gl_begin_frame(renderer_of(context), NULL);
}

static void set_material_of_no_mesh(const void *context)
{
    md5gl_set_material(model_of(context), 0, 1, &(md5gl_material){0});
}

static void set_material_of_no_skin(const void *context)
{
    md5gl_set_material(model_of(context), 1, 0, &(md5gl_material){0});
}

static void set_no_material(const void *context)
{
    md5gl_set_material(model_of(context), 0, 0, NULL);
}

static void hide_no_mesh(const void *context)
{
    md5gl_set_visible(model_of(context), 7, false);
}

static void set_no_skins(const void *context)
{
    (void)md5gl_set_num_skins(renderer_of(context), model_of(context), 0, NULL);
}

static void pose_nothing(const void *context)
{
    (void)md5gl_pose(renderer_of(context), model_of(context), &(md5gl_instances){.count = 1}, NULL);
}

static void create_on_no_path(const void *context)
{
    const gl_stage *const stage = context;
    (void)md5gl_create_model(stage->scene.renderer, stage->model, (md5gl_path)99, NULL);
}

static void create_an_empty_texture(const void *context)
{
    (void)scene_texture(renderer_of(context), MD5GL_TEXTURE_COLOR, 1, 1, test_null(), NULL);
}

static void create_normals_of_an_unknown_kind(const void *context)
{
    const uint8_t texel[4] = {0};
    (void)scene_normals(renderer_of(context), 1, 1, texel, 8, NULL);
}

static void name_no_path(const void *context)
{
    (void)context;
    (void)md5gl_path_name((md5gl_path)-1);
}

static void ask_for_no_meshes_path(const void *context)
{
    (void)md5gl_mesh_path(model_of(context), 1, NULL);
}

static void capture_no_mesh(const void *context)
{
    (void)md5gl_capture(renderer_of(context), model_of(context), 3, NULL, NULL, NULL, NULL, NULL);
}

static void read_into_nothing(const void *context)
{
    (void)md5gl_read_pixels(renderer_of(context), NULL, 1, 1, NULL, NULL);
}

static void restore_what_is_not_saved(const void *context)
{
    md5gl_restore_state(renderer_of(context));
}

static void save_twice(const void *context)
{
    md5gl_save_state(renderer_of(context));
    md5gl_save_state(renderer_of(context));
}

static void name_no_target(const void *context)
{
    (void)context;
    (void)md5gl_get_target_names(NULL);
}

static void destroy_without_a_renderer(const void *context)
{
    md5gl_destroy_model(NULL, model_of(context));
}

static void draw_no_lines(const void *context)
{
    md5gl_draw_lines(renderer_of(context), NULL, 2, 1.0f, false);
}

static void create_with_a_reserved_member(const void *context)
{
    (void)context;
    (void)md5gl_create_renderer(&(md5gl_opts){.reserved = {[7] = 1}}, NULL);
}

static void set_material_with_a_reserved_member(const void *context)
{
    md5gl_set_material(model_of(context), 0, 0, &(md5gl_material){.reserved = {[0] = 1}});
}

static void begin_frame_with_a_reserved_member(const void *context)
{
    md5gl_begin_frame(renderer_of(context), &(md5gl_frame){.reserved = {[5] = 1}});
}

static void measure_shadows_with_a_reserved_member(const void *context)
{
    (void)context;
    (void)md5gl_shadow_reach(&(md5gl_frame){.reserved = {1}});
}

TEST_STAGE (gl_mistake_is_reported_with_function_and_argument, scene_square, 1) {
    static const struct {
        void (*make)(const void *context);
        const char *function, *argument;
    } mistakes[] = {
        {draw_outside_of_a_frame, "md5gl_draw_model()", "call it between md5gl_begin_frame()"},
        {draw_in_an_unknown_style, "md5gl_draw_model()", "style: flags of md5gl_style"},
        {begin_twice, "md5gl_begin_frame()", "end the frame before the next"},
        {begin_without_a_frame, "md5gl_begin_frame()", "renderer, frame: not NULL"},
        {end_twice, "md5gl_end_frame()", "begin a frame first"},
        {set_material_of_no_mesh, "md5gl_set_material()", "mesh: an index"},
        {set_material_of_no_skin, "md5gl_set_material()", "skin: below the number"},
        {set_no_material, "md5gl_set_material()", "model, material: not NULL"},
        {hide_no_mesh, "md5gl_set_visible()", "mesh: an index"},
        {set_no_skins, "md5gl_set_num_skins()", "num_skins: at least 1"},
        {pose_nothing, "md5gl_pose()", "count: new looks need"},
        {create_on_no_path, "md5gl_create_model()", "path: one of md5gl_path"},
        {create_an_empty_texture, "md5gl_create_texture()", "texels: not NULL"},
        {create_normals_of_an_unknown_kind, "md5gl_create_texture()", "normals: flags"},
        {name_no_path, "md5gl_path_name()", "path: one of md5gl_path"},
        {ask_for_no_meshes_path, "md5gl_mesh_path()", "mesh: an index"},
        {capture_no_mesh, "md5gl_capture()", "mesh: an index"},
        {read_into_nothing, "md5gl_read_pixels()", "renderer, rgba: not NULL"},
        {restore_what_is_not_saved, "md5gl_restore_state()", "save the state first"},
        {save_twice, "md5gl_save_state()", "restore the saved state first"},
        {name_no_target, "md5gl_get_target_names()", "target: not NULL"},
        {destroy_without_a_renderer, "md5gl_destroy_model()", "renderer: not NULL"},
        {draw_no_lines, "md5gl_draw_lines()", "vertices: not NULL"},
        {create_with_a_reserved_member, "md5gl_create_renderer()",
         "opts: reserved members must be 0"},
        {set_material_with_a_reserved_member, "md5gl_set_material()", "material: reserved"},
        {begin_frame_with_a_reserved_member, "md5gl_begin_frame()", "frame: reserved members"},
        {measure_shadows_with_a_reserved_member, "md5gl_shadow_reach()", "frame: reserved members"},
    };
    EACH (mistake, mistakes) {
        const char *const message = test_message_of(mistake->make, stage);
        CHECK(strstr(message, mistake->function) != NULL);
        CHECK(strstr(message, mistake->argument) != NULL);
    }
}

#endif
