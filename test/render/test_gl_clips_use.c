// Models posed from clips are drawn like models posed from palettes; invalid input is refused.
#include "test/render/test_gl_clips.h"
#include "test/pose/test_made_pose.h"

#include "render/storage.h"

#include <string.h>

// -- Drawing ----------------------------------------------------------------------------------

#define SQUARE_CLIP                                   \
    CLIP_OF("2", "\"low\" -1 63 0\n\"high\" 0 0 0\n", \
            "( 0 0 0 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n", "0 -30 0 0 0 0", "0 30 5 0.4 0 0")

// A stage whose square has a clip.
typedef struct clip_stage {
    gl_stage stage;
    md5_anim *anim;
    md5_binding *binding;
    md5gl_clips *clips;
} clip_stage;

static bool open_stage(clip_stage *test)
{
    md5_error error;
    if (!scene_open_stage(&test->stage, scene_square, 1))
        return false;
    if (!md5gl_has_path(test->stage.scene.renderer, MD5GL_PATH_COMPUTE)) {
        test_skip("no compute shaders on %s", md5gl_device_name(test->stage.scene.renderer));
        scene_close_stage(&test->stage);
        return false;
    }
    test->anim = md5_parse_anim(SQUARE_CLIP, strlen(SQUARE_CLIP), NULL, &error);
    CHECK_STRING(error.message, "");
    test->binding = md5_bind(test->stage.model, test->anim, NULL, &error);
    const md5_binding *const bindings[1] = {test->binding};
    test->clips = md5gl_create_clips(test->stage.scene.renderer, bindings, 1, &error);
    CHECK_STRING(error.message, "");
    return test->clips != NULL;
}

static void close_stage(clip_stage *test)
{
    md5gl_destroy_clips(test->stage.scene.renderer, test->clips);
    md5_free_binding(test->binding);
    md5_free_anim(test->anim);
    scene_close_stage(&test->stage);
}

enum { NUM_DRAWN = 20, NUM_PALETTES = 2 * NUM_DRAWN };

// Draws NUM_DRAWN instances, posed from `palettes` or, if NULL, from the clip. Poses them within
// the frame if `inside`, otherwise before it.
static void draw_all(clip_stage *test, md5gl_model *copy, const md5_mat34 *palettes, bool inside,
                     gl_picture *picture)
{
    md5gl_renderer *const renderer = test->stage.scene.renderer;
    md5_mat34 placements[NUM_DRAWN];
    md5gl_clip_job jobs[NUM_DRAWN];
    for (int i = 0; i < NUM_DRAWN; i++) {
        jobs[i] = (md5gl_clip_job){.moment = {0, 1, 0.05f * (float)i, 0}};
        placements[i] = scene_moved(-5.0f * (float)i, 30.0f - 3.0f * (float)i, (float)i);
    }
    if (inside)
        md5gl_begin_frame(renderer, &test->stage.frame);
    CHECK(palettes
              ? md5gl_pose_models(renderer, copy, palettes, placements, NUM_DRAWN, NULL)
              : md5gl_pose_clips(renderer, copy, test->clips, jobs, placements, NUM_DRAWN, NULL));
    if (!inside)
        md5gl_begin_frame(renderer, &test->stage.frame);
    md5gl_draw_posed(renderer, copy, MD5GL_LIT | MD5GL_WIREFRAME);
    scene_finish(&test->stage.scene, &test->stage.frame, picture);
}

static void check_palettes(const clip_stage *test, const md5_mat34 *palettes)
{
    for (int i = 0; i < NUM_DRAWN; i++) {
        md5_mat34 joints[2], palette[2];
        md5_transform scratch[2];
        const md5_moment moment = {0, 1, 0.05f * (float)i, 0};
        md5_pose_palette(test->binding, &moment, MD5_ROOT_FILE, scratch, joints, palette);
        for (int k = 0; k < 24; k++)
            CHECK_NEAR(palettes[2 * i + k / 12].m[k % 12], palette[k / 12].m[k % 12], 60 * 1e-5);
    }
}

static unsigned count_lit(const gl_picture *picture)
{
    unsigned lit = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++)
            lit += picture->rgba[y][x][0] > 100;
    }
    return lit;
}

// On every path, in one batch and in several: the same picture as from palettes.
TEST (gl_clips_are_drawn_as_palettes_are) {
    clip_stage test;
    gl_picture expected, picture;
    md5_mat34 palettes[NUM_PALETTES];
    if (!open_stage(&test))
        return;
    md5gl_renderer *const renderer = test.stage.scene.renderer;
    const uint32_t most_texels = renderer->max_texels;
    const uint64_t most_block = renderer->max_block;
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_STORAGE; path++) {
        if (path == MD5GL_PATH_CPU || !md5gl_has_path(renderer, (md5gl_path)path))
            continue;
        md5gl_model *const copy =
            md5gl_create_model(renderer, test.stage.model, (md5gl_path)path, NULL);
        for (int limit = 0; limit < 3; limit++) {
            memset(palettes, 0, sizeof palettes);
            renderer->max_texels = limit == 1 ? 8 * 6 : most_texels;     // eight palettes
            renderer->max_block = limit == 2 ? 10 * 2 * 48 : most_block; // ten
            if (copy->storage && limit == 2) {
                copy->storage->batch_capacity = 16;
                copy->storage->stale = true; // the commands hold the size of a full batch
            }
            draw_all(&test, copy, NULL, limit == 0, &picture);
            CHECK_UINT(copy->num_batches, limit == 1 && !copy->storage ? 3 : limit == 2 ? 2 : 1);
            CHECK(md5gl_read_palettes(renderer, copy, palettes, NULL));
            check_palettes(&test, palettes);
            draw_all(&test, copy, palettes, limit == 1, &expected);
            CHECK(count_lit(&picture) > 1500);
            CHECK(memcmp(&expected, &picture, sizeof expected) == 0);
        }
        renderer->max_texels = most_texels;
        renderer->max_block = most_block;
        md5gl_destroy_model(renderer, copy);
    }
    close_stage(&test);
}

TEST (gl_clips_reset_state) {
    clip_stage test;
    gl_picture picture;
    if (!open_stage(&test))
        return;
    const GladGLContext *const gl = &test.stage.scene.renderer->gl;
    draw_all(&test, test.stage.copy, NULL, true, &picture);
    const md5gl_clip_job job = {.moment = {0, 1, 0.5f, 0}};
    for (int i = 0; i < 2; i++) {
        for (GLuint k = 0; k < MD5GL_NUM_STORAGE_BINDINGS; k++) {
            GLint bound = -1;
            gl->GetIntegeri_v(0x90D3, k, &bound); // GL_SHADER_STORAGE_BUFFER_BINDING
            CHECK(bound == 0);
        }
        static const GLenum names[] = {GL_CURRENT_PROGRAM, GL_ARRAY_BUFFER_BINDING,
                                       GL_TEXTURE_BUFFER, 0x90D3};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            GLint bound = -1;
            gl->GetIntegerv(names[k], &bound);
            CHECK(bound == 0);
        }
        CHECK(md5gl_pose_clips(test.stage.scene.renderer, test.stage.copy, test.clips, &job, NULL,
                               1, NULL));
    }
    close_stage(&test);
}

// The shaders compile in a context of an earlier version with the extensions, which is stricter.
TEST (gl_clips_compile_without_opengl_4_3) {
    gl_picture picture;
    clip_stage test;
    if (!open_stage(&test))
        return;
    md5gl_renderer *const renderer = test.stage.scene.renderer;
    const char *const heading = renderer->new_glsl_heading;
    md5gl_destroy_clips(renderer, test.clips);
    renderer->new_glsl_heading = md5gl_extension_heading;
    const md5_binding *const bindings[1] = {test.binding};
    md5_error error;
    test.clips = md5gl_create_clips(renderer, bindings, 1, &error);
    if (CHECK_STRING(error.message, "")) {
        draw_all(&test, test.stage.copy, NULL, true, &picture);
        CHECK(count_lit(&picture) > 1500);
    }
    renderer->new_glsl_heading = heading;
    close_stage(&test);
}

// -- Refusals ---------------------------------------------------------------------------------

static bool fails_to_pose(clip_stage *test, md5gl_model *copy, md5gl_clip_job job, uint32_t count,
                          md5_status status, const char *text)
{
    md5_error error;
    const md5gl_clip_job jobs[2] = {{.moment = {0, 1, 0.5f, 0}}, job};
    const md5gl_clip_job valid = {.moment = {0, 1, 0.5f, 0}};
    CHECK(md5gl_pose_clips(test->stage.scene.renderer, copy, test->clips, &valid, NULL, 1, NULL)
          || md5gl_mesh_path(copy, 0) == MD5GL_PATH_CPU);
    return CHECK(!md5gl_pose_clips(test->stage.scene.renderer, copy, test->clips, jobs, NULL, count,
                                   &error))
           && CHECK_UINT(error.status, status) && CHECK(strstr(error.message, text))
           && CHECK_UINT(copy->num_batches, 0);
}

TEST (gl_clips_refuse_invalid_jobs) {
    clip_stage test;
    if (!open_stage(&test))
        return;
    md5gl_renderer *const renderer = test.stage.scene.renderer;
    md5gl_model *const copy = test.stage.copy;
    const md5_moment moment = {0, 1, 0.5f, 0};
    const md5gl_clip_job two[2] = {{.moment = moment}, {.moment = moment}};
    md5_error error;
    fails_to_pose(&test, copy, (md5gl_clip_job){.clip = 1}, 2, MD5_ERROR_RANGE, "character 1");
    fails_to_pose(&test, copy, (md5gl_clip_job){.moment = {2, 1, 0, 0}}, 2, MD5_ERROR_RANGE,
                  "frame");
    fails_to_pose(&test, copy, (md5gl_clip_job){.moment = {0, 2, 0, 0}}, 2, MD5_ERROR_RANGE,
                  "frame");
    fails_to_pose(&test, copy, (md5gl_clip_job){.moment = moment, .root = (md5_root)3}, 2,
                  MD5_ERROR_RANGE, "root");

    md5gl_model *const on_cpu =
        md5gl_create_model(renderer, test.stage.model, MD5GL_PATH_CPU, NULL);
    fails_to_pose(&test, on_cpu, (md5gl_clip_job){.moment = moment}, 2, MD5_ERROR_GPU, "mesh 0");
    md5_mat34 palettes[2] = {scene_identity, scene_identity};
    CHECK(md5gl_pose_models(renderer, on_cpu, palettes, NULL, 1, NULL));
    CHECK(!md5gl_read_palettes(renderer, on_cpu, palettes, &error));
    CHECK(error.status == MD5_ERROR_GPU && strstr(error.message, "CPU"));
    md5gl_destroy_model(renderer, on_cpu);

    const uint32_t most_texels = renderer->max_texels;
    const uint64_t most_block = renderer->max_block;
    renderer->max_texels = 5; // less than two joints' six rows
    CHECK(!md5gl_pose_clips(renderer, copy, test.clips, NULL, NULL, 0, NULL));
    renderer->max_texels = most_texels;
    renderer->max_block = 95; // less than two joints' 96 bytes
    CHECK(!md5gl_pose_clips(renderer, copy, test.clips, NULL, NULL, 0, NULL));
    CHECK(!md5gl_pose_clips(renderer, copy, test.clips, two, NULL, 2, &error));
    CHECK(strstr(error.message, "2 characters"));
    renderer->max_block = most_block;
    CHECK(md5gl_pose_clips(renderer, copy, test.clips, NULL, NULL, 0,
                           NULL)); // a count of 0 is valid

    md5_model *const other = scene_square();
    md5gl_model *const other_copy = md5gl_create_model(renderer, other, MD5GL_PATH_AUTO, NULL);
    CHECK(!md5gl_pose_clips(renderer, other_copy, test.clips, NULL, NULL, 0, &error));
    CHECK_UINT(error.status, MD5_ERROR_MISMATCH);
    md5gl_destroy_model(renderer, other_copy);
    md5_free_model(other);
    close_stage(&test);
}

TEST (gl_clips_refuse_what_exceeds_limits) {
    uint64_t random = 3;
    clip_stage test;
    made_pose chance;
    if (!open_stage(&test))
        return;
    md5gl_renderer *const renderer = test.stage.scene.renderer;
    make_pose(&chance, 30, MADE_MISSING, 1.0, 1.0, &random);
    const md5_binding *const two_models[2] = {test.binding, chance.binding};
    const md5_binding *const chance_alone[1] = {chance.binding};
    clips_are_refused(renderer, two_models, 2, MD5_ERROR_MISMATCH, "clip 1");
    clips_are_refused(renderer, two_models, 0, MD5_ERROR_RANGE, "no clips");
    const uint32_t most_memory = renderer->max_group_memory;
    const uint64_t most_block = renderer->max_block;
    renderer->max_group_memory = 30 * 32; // enough for the model's joints, not for those in between
    clips_are_refused(renderer, chance_alone, 1, MD5_ERROR_GPU, "30 joints");
    renderer->max_group_memory = 30 * 32 - 1;
    clips_are_refused(renderer, chance_alone, 1, MD5_ERROR_GPU, "29 joints");
    renderer->max_group_memory = most_memory;
    renderer->max_block = 30 * 48;
    clips_are_refused(renderer, chance_alone, 1, MD5_ERROR_GPU, "1440 bytes");
    renderer->max_block = 16;
    clips_are_refused(renderer, chance_alone, 1, MD5_ERROR_GPU, "too many joints");
    renderer->max_block = most_block;
    renderer->has_compute = false;
    clips_are_refused(renderer, chance_alone, 1, MD5_ERROR_GPU, "4.3");
    renderer->has_compute = true;
    md5gl_destroy_clips(renderer, NULL);
    free_pose(&chance);
    close_stage(&test);
}

TEST (gl_clips_allocate_and_free_through_the_allocator) {
    uint64_t random = 3;
    gl_scene context;
    made_pose chance;
    if (!clips_open(&context))
        return;
    md5gl_renderer *const renderer = context.renderer;
    const md5_allocator own = renderer->allocator;
    make_pose(&chance, 12, MADE_MISSING, 1.0, 1.0, &random);
    const md5_binding *const bindings[1] = {chance.binding};
    const md5gl_clip_job jobs[1] = {{0}};
    md5gl_clips *clips = NULL;
    for (size_t fail_at = 1; !clips && fail_at < 100; fail_at++) {
        md5_error error;
        test_heap heap = {.fail_at = fail_at};
        renderer->allocator = (md5_allocator){test_heap_alloc, test_heap_free, &heap};
        clips = md5gl_create_clips(renderer, bindings, 1, &error);
        CHECK_UINT(error.status, clips ? MD5_OK : MD5_ERROR_MEMORY);
        heap.fail_at = 0;
        md5gl_model *const copy = md5gl_create_model(renderer, &chance.model, MD5GL_PATH_4, NULL);
        if (clips) {
            heap.fail_at = heap.num_allocs + 1;
            CHECK(!md5gl_pose_clips(renderer, copy, clips, jobs, NULL, 1, &error));
            CHECK_UINT(error.status, MD5_ERROR_MEMORY);
            CHECK(md5gl_pose_clips(renderer, copy, clips, jobs, NULL, 1, &error));
        }
        md5gl_destroy_model(renderer, copy);
        md5gl_destroy_clips(renderer, clips);
        CHECK_UINT(heap.live, 0);
        CHECK_UINT(heap.live_bytes, 0);
    }
    CHECK(clips != NULL);
    renderer->allocator = own;
    free_pose(&chance);
    scene_close(&context);
}
