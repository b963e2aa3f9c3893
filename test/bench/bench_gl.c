// The cost of skinning in a draw: `bench_gl CSV MESH ANIM` draws a crowd with the vertex shader for
// four influences, with palettes in a texture buffer, and the same vertices in their bind pose, and
// appends the ratio of the times to CSV.
//
// Both draws differ only in skin(): vertices and their attributes, placements, instances, pixels
// and light are equal. They alternate, each followed by glFinish(). Characters stand side by side,
// some 60 pixels high, without textures and shadows; the second pair draws almost no pixels, so
// that only the cost of vertices remains. `bench_gl --gpu MESH ANIM [CHARACTERS...]` prints the
// table of bench_gpu.h.
#include "test/bench/bench_gpu.h"

enum { COLUMNS = 16, ROWS = 4, CROWD = COLUMNS * ROWS, WIDTH = 1280, HEIGHT = 720, ROUNDS = 11 };

static void load(gl_stage *stage)
{
    md5_error error = {0};
    stage->drawn = md5gl_create_model(stage->renderer, stage->model, MD5GL_PATH_4, &error);
    if (!stage->drawn
        || !md5gli_build_variant(stage->renderer, MD5GL_PATH_CPU, MD5GL_BLEND_LINEAR, &error))
        fail("no room", error.message);
    open_target(stage, WIDTH, HEIGHT);
}

// -- Drawing --------------------------------------------------------------------------------------

static float cell_width(const md5_model *model)
{
    return 1.6f * (model->bounds.max.y - model->bounds.min.y);
}

// Poses the crowd in rows and columns. Each character is at another time of the clip.
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
    const float wide = cell_width(stage->model);
    const float high = wide * (float)(HEIGHT * COLUMNS) / (float)(WIDTH * ROWS);
    for (uint32_t i = 0; i < CROWD; i++) {
        const uint32_t row = i / COLUMNS;
        const uint32_t column = i % COLUMNS;
        const md5_sample_position sample =
            md5_sample_position_at(stage->anim, 0.13 * i, MD5_WRAP_LOOP);
        md5_pose_palette(stage->binding, sample, MD5_ROOT_IN_PLACE, scratch, joints,
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
    qsort(values, ROUNDS, sizeof *values, bench_compare);
    return values[ROUNDS / 2];
}

// Measures frames of the crowd with skinning, and frames with programs that do not skin, in turn.
// Shows both times and their ratio, which has a goal.
static void measure(bench_table *table, const gl_stage *stage, uint32_t width, uint32_t height,
                    const char *where, double goal)
{
    double skinned[ROUNDS];
    double placed[ROUNDS];
    double ratios[ROUNDS];
    const float half = 0.5f * (float)COLUMNS * cell_width(stage->model);
    const md5gl_frame frame = stage_frame(stage, width, height, half);
    for (int i = -2; i < ROUNDS; i++) { // two warm-up turns compile the shaders
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
    const bool is_gpu = argc > 3 && strcmp(argv[1], "--gpu") == 0;
    if (argc < 4 || (argc > 4 && !is_gpu))
        fail("usage", "bench_gl CSV MESH ANIM, bench_gl --gpu MESH ANIM [CHARACTERS...]");
    if (!open_context(&stage)) {
        printf("\ndrawing: skipped, there is no OpenGL 3.3: %s\n", SDL_GetError());
        close_stage(&stage);
        return 0;
    }
    load_stage(&stage, argv[2], argv[3]);
    if (is_gpu) {
        gpu_measure_all(&stage, argv + 4, argc - 4);
        close_stage(&stage);
        return 0;
    }
    load(&stage);
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
