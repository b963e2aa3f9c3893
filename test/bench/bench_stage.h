// A GL context off the screen with a model and a clip, for bench_gl.c.
#ifndef TEST_BENCH_BENCH_STAGE_H
#define TEST_BENCH_BENCH_STAGE_H

#include "test/bench/bench_table.h"

#include "render/gl_internal.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

typedef struct gl_stage {
    SDL_Window *window;
    SDL_GLContext context;
    md5gl_renderer *renderer;
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5gl_model *drawn;
    md5gl_target *target; // size: `width` x `height` pixels
    uint32_t width;
    uint32_t height;
    uint32_t num_vertices;
    double compiled; // seconds that the renderer took
} gl_stage;

static _Noreturn void fail(const char *subject, const char *detail)
{
    fprintf(stderr, "bench_gl: %s: %s\n", subject, detail);
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

static void load_stage(gl_stage *stage, const char *mesh, const char *anim)
{
    const md5gl_opts opts = {.load = load_function};
    md5_error error = {0};
    const double start = bench_now();
    stage->renderer = md5gl_create_renderer(&opts, &error);
    stage->compiled = bench_now() - start;
    if (!stage->renderer)
        fail("no renderer", error.message);
    stage->model = md5_load_model(mesh, NULL, &error);
    stage->anim = stage->model ? md5_load_anim(anim, NULL, &error) : NULL;
    stage->binding = stage->anim ? md5_bind(stage->model, stage->anim, NULL, &error) : NULL;
    if (!stage->binding)
        fail(mesh, error.message);
}

// Creates a target with one sample.
static void open_target(gl_stage *stage, uint32_t width, uint32_t height)
{
    md5_error error = {0};
    stage->width = width;
    stage->height = height;
    stage->target = md5gl_create_target(stage->renderer, width, height, 1, &error);
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

// Looks along -x: y is to the right, from -half to half, z upward.
static md5gl_frame stage_frame(const gl_stage *stage, uint32_t width, uint32_t height, float half)
{
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
    frame.clip_from_view.m[5] = (float)stage->width / (float)stage->height / half;
    frame.clip_from_view.m[10] = -1.0f / half;
    frame.clip_from_view.m[15] = 1;
    return frame;
}

#endif
