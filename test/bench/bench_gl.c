// The cost of skinning in a draw: `bench_gl CSV MESH ANIM` draws a crowd with the vertex shader for
// four influences, with palettes in a texture buffer, and the same vertices in their bind pose, and
// appends the ratio of the times to CSV.
//
// Both draws differ only in skin(): vertices and their attributes, placements, instances, pixels
// and light are equal. They alternate, each followed by glFinish(). Characters stand side by side,
// some 60 pixels high, without textures and shadows; the second pair draws almost no pixels, so
// that only the cost of vertices remains.
#include "test/bench/bench_table.h"

#include "render/gl_internal.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

enum { COLUMNS = 16, ROWS = 4, CROWD = COLUMNS * ROWS, WIDTH = 1280, HEIGHT = 720, TURNS = 11 };

typedef struct gl_stage {
    SDL_Window *window;
    SDL_GLContext context;
    md5gl_renderer *renderer;
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5gl_model *drawn;
    md5gl_target *target;
} gl_stage;

static _Noreturn void fail(const char *what, const char *detail)
{
    fprintf(stderr, "bench_gl: %s: %s\n", what, detail);
    exit(1);
}

static md5gl_proc load_function(void *user, const char *name)
{
    (void)user;
    // SDL gives a function as an object's address, which C converts only by copying.
    void *const address = SDL_GL_GetProcAddress(name);
    md5gl_proc function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

// Off screen unless SDL_VIDEODRIVER is set, so that figures do not depend on a display.
static bool open_context(gl_stage *stage)
{
    SDL_setenv("SDL_VIDEODRIVER", "offscreen", 0);
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
        return false;
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    stage->window = SDL_CreateWindow("bench", 0, 0, 64, 64, SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN);
    stage->context = stage->window ? SDL_GL_CreateContext(stage->window) : NULL;
    return stage->context != NULL;
}

static void load(gl_stage *stage, const char *mesh, const char *anim)
{
    const md5gl_opts opts = {.load = load_function};
    md5_error error = {0};
    stage->renderer = md5gl_create_renderer(&opts, &error);
    if (!stage->renderer)
        fail("no renderer", error.message);
    stage->model = md5_load_model(mesh, NULL, &error);
    stage->anim = stage->model ? md5_load_anim(anim, NULL, &error) : NULL;
    stage->binding = stage->anim ? md5_bind(stage->model, stage->anim, NULL, &error) : NULL;
    if (!stage->binding)
        fail(mesh, error.message);
    stage->drawn = md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_4, &error);
    stage->target =
        stage->drawn
                && md5gli_build_variant(stage->renderer, MD5GL_PATH_CPU, MD5GL_BLEND_LINEAR, &error)
            ? md5gl_create_target(stage->renderer, WIDTH, HEIGHT, 1, &error)
            : NULL;
    if (!stage->target)
        fail("no room", error.message);
}

static void close_stage(gl_stage *stage)
{
    if (stage->renderer) {
        md5gl_destroy_target(stage->renderer, stage->target);
        md5gl_destroy_model(stage->renderer, stage->drawn);
        md5gl_destroy_renderer(stage->renderer);
    }
    md5_free_binding(stage->binding);
    md5_free_anim(stage->anim);
    md5_free_model(stage->model);
    if (stage->context)
        SDL_GL_DeleteContext(stage->context);
    if (stage->window)
        SDL_DestroyWindow(stage->window);
    SDL_Quit();
}

// -- Drawing --------------------------------------------------------------------------------------

static float cell_width(const md5_model *model)
{
    return 1.6f * (model->bounds.max.y - model->bounds.min.y);
}

static void pose(const gl_stage *stage)
{
    const uint32_t num_joints = stage->model->skeleton.num_joints;
    md5_xform *const scratch = malloc(num_joints * sizeof *scratch);
    md5_mat34 *const joints = malloc(num_joints * sizeof *joints);
    md5_mat34 *const palettes = malloc((size_t)CROWD * num_joints * sizeof *palettes);
    md5_mat34 placements[CROWD];
    md5_error error = {0};
    if (!scratch || !joints || !palettes)
        fail("no memory", "palettes");
    const float wide = cell_width(stage->model),
                high = wide * (float)(HEIGHT * COLUMNS) / (float)(WIDTH * ROWS);
    for (uint32_t i = 0; i < CROWD; i++) {
        const uint32_t row = i / COLUMNS, column = i % COLUMNS;
        const md5_moment moment = md5_moment_at(stage->anim, 0.13 * i, MD5_WRAP_LOOP);
        md5_pose_palette(stage->binding, moment, MD5_ROOT_IN_PLACE, scratch, joints,
                         palettes + (size_t)i * num_joints);
        placements[i] = md5_mat34_from_xform(
            (md5_xform){.rotation = {.w = 1},
                        .translation = {0, ((float)column + 0.5f - COLUMNS / 2) * wide,
                                        ((float)row + 0.3f - ROWS / 2) * high}});
    }
    const md5gl_instances crowd = {.count = CROWD, .palettes = palettes, .placements = placements};
    if (!md5gl_pose(stage->renderer, stage->drawn, &crowd, &error))
        fail("no room", error.message);
    free(scratch);
    free(joints);
    free(palettes);
}

// Looks along -x: y is to the right, z upward.
static md5gl_frame describe(const gl_stage *stage, uint32_t width, uint32_t height)
{
    const float half = 0.5f * (float)COLUMNS * cell_width(stage->model);
    md5gl_frame frame = {
        .target = stage->target,
        .width = width,
        .height = height,
        .no_shadows = true,
        .background = {0.2f, 0.2f, 0.2f, 1},
        .view_from_world = {{0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}},
        .tone_mapped = true,
        .light_direction = {0.7f, -0.6f, 0.9f},
        .light = {1.3f, 1.2f, 1},
        .ambient = {0.3f, 0.3f, 0.4f},
    };
    frame.clip_from_view.m[0] = 1.0f / half;
    frame.clip_from_view.m[5] = (float)WIDTH / (float)HEIGHT / half;
    frame.clip_from_view.m[10] = -1.0f / half;
    frame.clip_from_view.m[15] = 1;
    return frame;
}

static double draw(const gl_stage *stage, const md5gl_frame *frame)
{
    md5_error error = {0};
    const GladGLContext *const gl = &stage->renderer->gl;
    md5gl_begin_frame(stage->renderer, frame);
    gl->Finish();
    const double start = bench_now();
    md5gl_draw_model(stage->renderer, stage->drawn, MD5GL_LIT);
    gl->Finish();
    const double seconds = bench_now() - start;
    if (!md5gl_end_frame(stage->renderer, &error))
        fail("drawing", error.message);
    return seconds;
}

// Exchanges the skinning program with the one that draws vertices unchanged: the buffers of this
// path hold the bind pose. A second call undoes it.
static void swap_programs(const gl_stage *stage)
{
    md5gl_program(*const programs)[MD5GL_NUM_PASSES] = stage->renderer->skinned[MD5GL_BLEND_LINEAR];
    const md5gl_program skins = programs[MD5GL_SKIN_4][MD5GL_PASS_LIT];
    programs[MD5GL_SKIN_4][MD5GL_PASS_LIT] = programs[MD5GL_SKIN_POSED][MD5GL_PASS_LIT];
    programs[MD5GL_SKIN_POSED][MD5GL_PASS_LIT] = skins;
}

// -- Measuring ------------------------------------------------------------------------------------

static double median(double *values)
{
    qsort(values, TURNS, sizeof *values, bench_compare);
    return values[TURNS / 2];
}

static void measure(bench_table *table, const gl_stage *stage, uint32_t width, uint32_t height,
                    const char *where, double goal)
{
    double skinned[TURNS], placed[TURNS], ratios[TURNS];
    const md5gl_frame frame = describe(stage, width, height);
    for (int i = -2; i < TURNS; i++) { // two warm-up turns compile the shaders
        const double with = draw(stage, &frame);
        swap_programs(stage);
        const double without = draw(stage, &frame);
        swap_programs(stage);
        if (i < 0)
            continue;
        skinned[i] = with;
        placed[i] = without;
        ratios[i] = with / without;
    }
    char name[96];
    snprintf(name, sizeof name, "%d characters, %s", CROWD, where);
    bench_figure(table, name, "ms", 1e3 * median(skinned), 0);
    snprintf(name, sizeof name, "%s without skinning", where);
    bench_figure(table, name, "ms", 1e3 * median(placed), 0);
    snprintf(name, sizeof name, "%s, ratio of time with skinning", where);
    bench_figure(table, name, "x", median(ratios), goal);
}

int main(int argc, char **argv)
{
    gl_stage stage = {0};
    bench_table table = {0};
    if (argc != 4)
        fail("usage", "bench_gl CSV MESH ANIM");
    if (!open_context(&stage)) {
        printf("\ndrawing: skipped, there is no OpenGL 3.3: %s\n", SDL_GetError());
        close_stage(&stage);
        return 0;
    }
    load(&stage, argv[2], argv[3]);
    table.csv = fopen(argv[1], "a");
    if (!table.csv)
        fail("cannot write", argv[1]);
    bench_heading("drawing, 4 influences from a texture buffer");
    printf("  on %s\n", md5gl_device_name(stage.renderer));
    pose(&stage);
    measure(&table, &stage, WIDTH, HEIGHT, "1280 x 720", 1.7);
    measure(&table, &stage, 16, 9, "16 x 9", 1.7);
    close_stage(&stage);
    return fclose(table.csv) != 0;
}
