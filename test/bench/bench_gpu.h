// Measures the time that a GPU needs for crowds, for bench_gl.c and test/long/gpu.sh, and prints it
// as a table in Markdown. A timer query measures the GPU's time of posing and drawing; on a
// software renderer it is the time of the renderer's threads. The next column is the time until
// glFinish() returns. Crowds fill 1920 x 1080 pixels, without textures and shadows, in the frames
// of one clip.
#ifndef TEST_BENCH_BENCH_GPU_H
#define TEST_BENCH_BENCH_GPU_H

#include "test/bench/bench_stage.h"

#include "render/md5gl_game.h"

#include <math.h>
#include <sys/resource.h>

enum { GPU_WIDTH = 1920, GPU_HEIGHT = 1080, GPU_ROUNDS = 9, GPU_VERTICES = 400000 };

// The representations in which characters are drawn.
typedef enum gpu_form { GPU_PALETTES, GPU_BAKED, GPU_IMPOSTORS, GPU_NUM_FORMS } gpu_form;

typedef struct gpu_crowd {
    const gl_stage *stage;
    md5gl_model *drawn;
    md5gl_baked *baked;
    md5gl_impostors *impostors;
    md5_mat34 *frames; // [frames of the clip * joints], palettes
    uint32_t count;
    uint32_t width;
    uint32_t height;
    md5_mat34 *placements, *palettes; // [count], [count * joints]
    md5gl_clip_job *jobs;             // [count]
    md5gl_impostor *pictures;         // [count]
    md5gl_frame frame;
} gpu_crowd;

// Times of one round, in milliseconds. A line of the table is the round with the median of `all`.
typedef struct gpu_times {
    double all;
    double gpu;
    double upload; // until md5gl_pose() returns
} gpu_times;

static void *gpu_array(size_t count, size_t size)
{
    void *const memory = calloc(count + 1, size);
    if (!memory)
        fail("no memory", "crowds");
    return memory;
}

static void gpu_pose_frames(gpu_crowd *crowd)
{
    const gl_stage *const stage = crowd->stage;
    const uint32_t num_joints = stage->model->skeleton.num_joints;
    const uint32_t num_frames = stage->anim->num_frames;
    md5_xform *const scratch = gpu_array(num_joints, sizeof *scratch);
    crowd->frames = gpu_array((size_t)num_frames * num_joints, sizeof *crowd->frames);
    for (uint32_t i = 0; i < num_frames; i++)
        md5_pose_palette(stage->binding, md5_sample_position_from_frames(stage->anim, i, i, 0),
                         MD5_ROOT_IN_PLACE, scratch, NULL, crowd->frames + (size_t)i * num_joints);
    free(scratch);
}

// Places the characters in a grid that fills an image of `width` x `height` pixels. Each character
// has the next frame of the clip.
static void gpu_arrange(gpu_crowd *crowd, uint32_t count, uint32_t width, uint32_t height)
{
    const gl_stage *const stage = crowd->stage;
    const uint32_t num_joints = stage->model->skeleton.num_joints;
    const uint32_t num_frames = stage->anim->num_frames;
    const md5_bounds box = stage->model->bounds;
    const float wide = 1.6f * (box.max.y - box.min.y);
    const float high = 1.2f * (box.max.z - box.min.z);
    const float shape = (float)GPU_WIDTH / (float)GPU_HEIGHT;
    const uint32_t columns = (uint32_t)ceilf(sqrtf((float)count * shape * high / wide));
    const float half = fmaxf(0.5f * (float)columns * wide, 0.5f * shape * high);
    crowd->count = count;
    crowd->width = width;
    crowd->height = height;
    crowd->placements = gpu_array(count, sizeof *crowd->placements);
    crowd->palettes = gpu_array((size_t)count * num_joints, sizeof *crowd->palettes);
    crowd->jobs = gpu_array(count, sizeof *crowd->jobs);
    crowd->pictures = gpu_array(count, sizeof *crowd->pictures);
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 at = {0, ((float)(i % columns) + 0.5f) * wide - half,
                             half / shape - ((float)(i / columns) + 0.9f) * high};
        const uint32_t frame = i % num_frames;
        crowd->placements[i] =
            md5_mat34_from_xform((md5_xform){.rotation = {.w = 1}, .translation = at});
        memcpy(crowd->palettes + (size_t)i * num_joints, crowd->frames + (size_t)frame * num_joints,
               num_joints * sizeof *crowd->palettes);
        crowd->jobs[i] = (md5gl_clip_job){.sample = md5_sample_position_from_frames(
                                              stage->anim, frame, (frame + 1) % num_frames, 0.5f)};
        crowd->pictures[i] = (md5gl_impostor){
            .rotation = {.w = 1}, .translation = at, .scale = 1, .frame = (float)frame, .shown = 1};
    }
    crowd->frame = stage_frame(stage, width, height, half);
}

static void gpu_unplace(gpu_crowd *crowd)
{
    free(crowd->placements);
    free(crowd->palettes);
    free(crowd->jobs);
    free(crowd->pictures);
}

static bool gpu_pose(const gpu_crowd *crowd, gpu_form form, md5_error *error)
{
    if (form == GPU_IMPOSTORS)
        return md5gl_pose_impostors(crowd->stage->renderer, crowd->impostors, crowd->pictures,
                                    crowd->count, error);
    const md5gl_instances instances = {
        .count = crowd->count,
        .palettes = form == GPU_PALETTES ? crowd->palettes : NULL,
        .baked = form == GPU_BAKED ? crowd->baked : NULL,
        .jobs = form == GPU_BAKED ? crowd->jobs : NULL,
        .placements = crowd->placements,
    };
    return md5gl_pose(crowd->stage->renderer, crowd->drawn, &instances, error);
}

// Draws one frame of a crowd. Measures the times of the upload, of the whole frame, and of the GPU,
// in milliseconds.
static void gpu_measure_round(const gpu_crowd *crowd, gpu_form form, uint32_t query,
                              gpu_times *times)
{
    const GladGLContext *const gl = &crowd->stage->renderer->gl;
    md5gl_renderer *const renderer = crowd->stage->renderer;
    md5_error error = {0};
    GLuint64 nanoseconds = 0;
    gl->Finish();
    const double start = bench_now();
    gl->BeginQuery(GL_TIME_ELAPSED, query);
    if (!gpu_pose(crowd, form, &error))
        fail("no room", error.message);
    times->upload = 1e3 * (bench_now() - start);
    md5gl_begin_frame(renderer, &crowd->frame);
    if (form == GPU_IMPOSTORS)
        md5gl_draw_impostors(renderer, crowd->impostors, MD5GL_LIT);
    else
        md5gl_draw_model(renderer, crowd->drawn, MD5GL_LIT);
    if (!md5gl_end_frame(renderer, &error))
        fail("drawing", error.message);
    gl->EndQuery(GL_TIME_ELAPSED);
    gl->Finish();
    times->all = 1e3 * (bench_now() - start);
    gl->GetQueryObjectui64v(query, GL_QUERY_RESULT, &nanoseconds);
    times->gpu = 1e-6 * (double)nanoseconds;
}

// Uses fewer rounds if they take long, as on a software renderer.
static gpu_times gpu_measure(const gpu_crowd *crowd, gpu_form form)
{
    const GladGLContext *const gl = &crowd->stage->renderer->gl;
    gpu_times rounds[GPU_ROUNDS];
    GLuint query;
    size_t count = 0;
    gl->GenQueries(1, &query);
    gpu_measure_round(crowd, form, query, rounds); // compiles the programs
    for (double spent = 0; count < GPU_ROUNDS && spent < 2000; spent += rounds[count++].all)
        gpu_measure_round(crowd, form, query, &rounds[count]);
    gl->DeleteQueries(1, &query);
    qsort(rounds, count, sizeof *rounds, bench_compare);
    return rounds[count / 2];
}

static void gpu_row(const char *name, double num_vertices, const gpu_times *times)
{
    printf("| %s | %.3f | %.3f | %.3f | ", name, times->gpu, times->upload, times->all);
    printf(num_vertices > 0 ? "%.1f |\n" : "– |\n", num_vertices / times->all * 1e-3);
}

// -- What is measured -----------------------------------------------------------------------------

// Measures each path with as many characters as have GPU_VERTICES vertices. The image is so small
// that almost no pixels are drawn.
static void gpu_measure_paths(gl_stage *stage, gpu_crowd *crowd)
{
    const uint32_t count = 1 + GPU_VERTICES / stage->num_vertices;
    md5_error error = {0};
    gpu_arrange(crowd, count, 16, 9);
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        char name[64];
        snprintf(name, sizeof name, "%u characters, 16 x 9, path %s", count, md5gl_path_name(path));
        if (!md5gl_has_path(stage->renderer, path)) {
            printf("| %s | there is none | | | |\n", name);
            continue;
        }
        crowd->drawn = md5gl_create_model(stage->renderer, stage->model, path, &error);
        if (!crowd->drawn)
            fail(name, error.message);
        const gpu_times times = gpu_measure(crowd, GPU_PALETTES);
        gpu_row(name, (double)count * stage->num_vertices, &times);
        md5gl_destroy_model(stage->renderer, crowd->drawn);
    }
    gpu_unplace(crowd);
}

// Creates the baked clips, and the impostors of their frames.
static void gpu_make_far(gl_stage *stage, gpu_crowd *crowd)
{
    const uint32_t num_frames = stage->anim->num_frames;
    const uint32_t num_joints = stage->model->skeleton.num_joints;
    const md5_bounds box = stage->model->bounds;
    const md5_vec3 size = md5_vec3_sub(box.max, box.min);
    const md5gl_impostor_desc desc = {
        .num_frames = num_frames,
        .center = md5_vec3_scale(md5_vec3_add(box.min, box.max), 0.5f),
        .radius = 0.6f * sqrtf(md5_vec3_dot(size, size)),
    };
    md5_error error = {0};
    md5_baked *const clip = md5_create_baked(stage->model, crowd->frames, num_frames, NULL, &error);
    crowd->drawn = md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_AUTO, &error);
    crowd->baked = clip && crowd->drawn ? md5gl_create_baked(
                       stage->renderer, stage->model, (const md5_baked *const[]){clip}, 1, &error)
                                        : NULL;
    crowd->impostors = crowd->baked ? md5gl_create_impostors(stage->renderer, &desc, &error) : NULL;
    if (!crowd->impostors)
        fail("clips and impostors", error.message);
    for (uint32_t i = 0; i < num_frames; i++) {
        if (!md5gl_draw_impostor_images(stage->renderer, crowd->impostors, crowd->drawn, i,
                                        crowd->frames + (size_t)i * num_joints, &error))
            fail("impostors", error.message);
    }
    md5_destroy_baked(clip);
}

static void gpu_measure_crowd(gl_stage *stage, gpu_crowd *crowd, uint32_t count)
{
    static const char *const forms[GPU_NUM_FORMS] = {"palettes", "baked", "impostors"};
    gpu_arrange(crowd, count, GPU_WIDTH, GPU_HEIGHT);
    for (gpu_form form = GPU_PALETTES; form < (count > 1 ? GPU_NUM_FORMS : GPU_BAKED); form++) {
        char name[64];
        snprintf(name, sizeof name, "%u characters, %s", count, forms[form]);
        const gpu_times times = gpu_measure(crowd, form);
        gpu_row(name, form == GPU_IMPOSTORS ? 0 : (double)count * stage->num_vertices, &times);
        fflush(stdout);
    }
    gpu_unplace(crowd);
}

static double gpu_milliseconds_since(const gl_stage *stage, double start)
{
    stage->renderer->gl.Finish();
    return 1e3 * (bench_now() - start);
}

// Measures the time to compile the programs, before anything else is drawn: the programs of
// palettes first, then the programs of baked clips and impostors.
static void gpu_measure_programs(gl_stage *stage, gpu_crowd *crowd)
{
    gpu_times times;
    GLuint query;
    md5_error error = {0};
    stage->renderer->gl.GenQueries(1, &query);
    gpu_arrange(crowd, 1, 16, 9);
    double start = bench_now();
    crowd->drawn = md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_AUTO, &error);
    if (!crowd->drawn)
        fail("no model", error.message);
    gpu_measure_round(crowd, GPU_PALETTES, query, &times);
    printf("| programs compiled, model uploaded, first picture | | | %.1f | |\n",
           1e3 * stage->compiled + gpu_milliseconds_since(stage, start));
    start = bench_now();
    gpu_make_far(stage, crowd);
    gpu_measure_round(crowd, GPU_BAKED, query, &times);
    gpu_measure_round(crowd, GPU_IMPOSTORS, query, &times);
    printf("| programs of clips and impostors compiled, %u frames of them made | | | %.1f | |\n",
           stage->anim->num_frames, gpu_milliseconds_since(stage, start));
    stage->renderer->gl.DeleteQueries(1, &query);
    gpu_unplace(crowd);
}

// Returns the free memory of an NVIDIA GPU in kilobytes, or 0 for other GPUs.
static GLint gpu_free_memory(const gl_stage *stage)
{
    enum { CURRENT_AVAILABLE = 0x9049 }; // GL_NVX_gpu_memory_info
    GLint kilobytes = 0;
    stage->renderer->gl.GetIntegerv(CURRENT_AVAILABLE, &kilobytes);
    (void)stage->renderer->gl.GetError();
    return kilobytes;
}

// Measures crowds of counts[num_counts] characters. Without counts, measures only the programs.
static void gpu_measure_all(gl_stage *stage, char **counts, int num_counts)
{
    const GLint before = gpu_free_memory(stage);
    open_target(stage, GPU_WIDTH, GPU_HEIGHT);
    gpu_crowd crowd = {.stage = stage};
    for (uint32_t i = 0; i < stage->model->num_meshes; i++)
        stage->num_vertices += stage->model->meshes[i].num_vertices;
    printf("| %s | GPU ms | posing, upload ms | until finished ms | million vertices/s |\n",
           md5gl_device_name(stage->renderer));
    printf("|---|---|---|---|---|\n");
    gpu_pose_frames(&crowd);
    gpu_measure_programs(stage, &crowd);
    if (num_counts > 0) {
        md5gl_model *const drawn = crowd.drawn;
        gpu_measure_paths(stage, &crowd);
        crowd.drawn = drawn;
    }
    for (int i = 0; i < num_counts; i++)
        gpu_measure_crowd(stage, &crowd, (uint32_t)strtoul(counts[i], NULL, 10));
    const md5gl_stats stats = md5gl_get_stats(stage->renderer);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("| MB of memory at most, on the GPU in all, baked clips, impostors | %.0f | %.0f | %.1f "
           "| %.1f |\n",
           1e-3 * (double)usage.ru_maxrss, 1e-3 * (double)(before - gpu_free_memory(stage)),
           1e-6 * (double)stats.baked_bytes, 1e-6 * (double)stats.impostor_bytes);
    md5gl_destroy_impostors(stage->renderer, crowd.impostors);
    md5gl_destroy_baked(stage->renderer, crowd.baked);
    md5gl_destroy_model(stage->renderer, crowd.drawn);
    free(crowd.frames);
}

#endif
