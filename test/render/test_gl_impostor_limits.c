// Impostor sets: refused descriptions, memory use, and the GL state that they leave.
#include "test/scoped.h"
#include "test/render/test_gl_values.h"

static void check_refused(md5gl_renderer *renderer, const md5gl_impostor_desc *desc,
                          md5_status status, const char *expected_message)
{
    md5_error error = {0};
    CHECK(md5gl_create_impostors(renderer, desc, &error) == NULL);
    CHECK_THAT(error.status == status && strstr(error.message, expected_message),
               "status %d, %s (expected %s)", error.status, error.message, expected_message);
    CHECK(md5gl_create_impostors(renderer, desc, NULL) == NULL);
}

TEST_UNSHARED_SCENE (gl_impostors_refuse_what_cannot_be) {
    const md5gl_impostor_desc good = {.num_frames = 1, .radius = 1};
    md5gl_impostor_desc bad[9];
    for (int i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].num_frames = 0;
    bad[1].radius = 0;
    bad[2].radius = NAN;
    bad[3].center.y = INFINITY;
    bad[4].num_around = 65;
    bad[5].num_above = UINT32_MAX;
    bad[6].lowest = 1;
    bad[7].texels = 48;
    bad[8].texels = 1024;
    STRINGS(texts) = {"list of impostor frames is empty: expected at least 1",
                      "expected a finite center and a finite radius above 0",
                      "expected a finite center and a finite radius above 0",
                      "expected a finite center and a finite radius above 0",
                      "directions, found 65 and 2",
                      "too many impostor views: expected at most",
                      "expected -pi/2 <= lowest <= highest <= pi/2, found 1 and",
                      "texels, found 48",
                      "texels, found 1024"};
    for (int i = 0; i < 9; i++)
        check_refused(scene->renderer, &bad[i], MD5_ERROR_RANGE, texts[i]);
    bad[0] = good;
    bad[0].num_frames = UINT32_MAX;
    check_refused(scene->renderer, &bad[0], MD5_ERROR_GPU, "GL_MAX_TEXTURE_SIZE");
    bad[0].num_frames = 4;
    bad[0].gpu_limit = 1000;
    check_refused(scene->renderer, &bad[0], MD5_ERROR_MEMORY, "limit is 1000");
}

TEST_UNSHARED_SCENE (gl_impostors_accept_numbers_up_to_their_limits) {
    const md5gl_impostor_desc usual = {
        .num_frames = 1, .radius = 1, .num_around = 4, .num_above = 1, .texels = 8};
    md5gl_impostor_desc limits[5] = {usual, usual, usual, usual, usual};
    limits[0].num_around = 64;
    limits[1].num_above = 16;
    limits[2].texels = 512;
    limits[3].lowest = -1.5708f;
    limits[4].highest = 1.5708f;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        md5_error error = {0};
        md5gl_impostors *const impostors =
            md5gl_create_impostors(scene->renderer, &limits[i], &error);
        CHECK_DONE(impostors, error);
        md5gl_destroy_impostors(scene->renderer, impostors);
    }
    limits[0].num_around++;
    limits[1].num_above++;
    limits[2].texels *= 2;
    limits[3].lowest = nextafterf(-1.5708f, -2.0f);
    limits[4].highest = nextafterf(1.5708f, 2.0f);
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        check_refused(scene->renderer, &limits[i], MD5_ERROR_RANGE, "expected");
    md5gl_impostor_desc small = usual;
    small.texels = 4;
    check_refused(scene->renderer, &small, MD5_ERROR_RANGE, "from 8 to 512 texels, found 4");
}

// Creates as many frames as fit into a square of blocks, and then fails with one more.
TEST_UNSHARED_SCENE (gl_impostors_fill_the_largest_texture) {
    // A frame has 5 pictures in 3 columns and 2 rows. The limit of the texture size is lowered to
    // 64 blocks of 24 texels, so that the texture is small.
    const uint32_t limit = *scene_limits(scene->renderer).max_texture_size;
    *scene_limits(scene->renderer).max_texture_size = 64 * 3 * 8;
    md5gl_impostor_desc desc = {
        .num_frames = 64 * 64, .radius = 1, .num_around = 4, .num_above = 1, .texels = 8};
    md5gl_impostors *const impostors = md5gl_create_impostors(scene->renderer, &desc, NULL);
    CHECK(impostors);
    // A frame has 6 cells of 8 x 8 texels. Each texel has 4 bytes of color and 4 bytes of surface.
    CHECK_UINT(md5gl_get_stats(scene->renderer).impostor_bytes,
               (uint64_t)desc.num_frames * 6 * 8 * 8 * 8);
    CHECK_UINT(md5gl_get_stats(scene->renderer).num_impostor_images, (uint64_t)desc.num_frames * 5);
    md5gl_destroy_impostors(scene->renderer, impostors);
    CHECK_UINT(md5gl_get_stats(scene->renderer).impostor_bytes, 0);
    desc.num_frames++;
    check_refused(scene->renderer, &desc, MD5_ERROR_GPU, "GL_MAX_TEXTURE_SIZE is 1536");
    *scene_limits(scene->renderer).max_texture_size = limit;
    md5gl_destroy_impostors(scene->renderer, NULL);
}

TEST_SQUARE (gl_impostors_need_pictures_of_their_frames) {
    md5_error error = {0};
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_impostor_desc desc = {.num_frames = 3, .radius = 30};
    md5gl_impostors *const impostors = md5gl_create_impostors(renderer, &desc, &error);
    CHECK_SAYS(
        md5gl_draw_impostor_images(renderer, impostors, stage->copy, 3, scene_identities, &error),
        error, MD5_ERROR_RANGE,
        "impostor frame is out of range: expected an index below 3, found 3");
    CHECK(
        md5gl_draw_impostor_images(renderer, impostors, stage->copy, 1, scene_identities, &error));
    static const struct {
        float frame;
        bool has_pictures;
    } cases[] = {{1, true},     {1.4f, true}, {0.6f, true}, {0, false},       {2, false},
                 {2.2f, false}, {-1, false},  {NAN, false}, {INFINITY, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const md5gl_impostor instance = {
            .rotation = {0, 0, 0, 1}, .scale = 1, .frame = cases[i].frame, .shown = 1};
        const bool posed = md5gl_pose_impostors(renderer, impostors, &instance, 1, &error);
        CHECK(posed == cases[i].has_pictures);
        CHECK(posed || error.status == MD5_ERROR_RANGE);
    }
    CHECK(md5gl_pose_impostors(renderer, impostors, NULL, 0, &error));
    md5gl_destroy_impostors(renderer, impostors);
}

// Many instances, with shadows: nothing remains bound, and OpenGL reports no error. All have the
// same position and cover few pixels, because software rendering draws every one.
TEST_STAGE (gl_impostors_leave_the_state_and_draw_many, scene_square, 4) {
    enum { COUNT = 200 };
    gl_picture single;
    gl_picture many;
    md5gl_renderer *const renderer = stage->renderer;
    SCOPED md5gl_impostor *const instances = malloc(COUNT * sizeof *instances);
    for (int i = 0; i < COUNT; i++)
        instances[i] = (md5gl_impostor){.rotation = {0, 0, 0, 1}, .scale = 0.05f, .shown = 1};
    stage->frame.casters = (md5_bounds){{-20, -20, -20}, {20, 20, 20}};
    stage->frame.ground = -20;
    const md5gl_impostor_desc desc = {.num_frames = 1, .radius = 30};
    md5gl_impostors *const impostors = md5gl_create_impostors(renderer, &desc, NULL);
    values_are_defaults(&stage->scene, "creating impostors");
    CHECK(md5gl_draw_impostor_images(renderer, impostors, stage->copy, 0, scene_identities, NULL));
    values_are_defaults(&stage->scene, "drawing pictures");
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        CHECK(md5gl_pose_impostors(renderer, impostors, instances, i == 0 ? 1 : COUNT, NULL));
        md5gl_draw_impostor_shadows(renderer, impostors);
        md5gl_draw_impostors(renderer, impostors, MD5GL_LIT | MD5GL_UNTEXTURED);
        stage_finish(stage, i == 0 ? &single : &many);
    }
    values_are_defaults(&stage->scene, "drawing impostors");
    CHECK(picture_at(&single, 0, 0)[0] > 30);
    CHECK(abs(picture_at(&single, 0, 0)[0] - picture_at(&many, 0, 0)[0]) < 12);
    md5gl_destroy_impostors(renderer, impostors);
}

// An allocator that fails after `left` allocations.
typedef struct failing_heap {
    int left;
} failing_heap;

static void *failing_alloc(void *user, size_t size)
{
    failing_heap *const heap = user;
    return heap->left-- > 0 ? malloc(size) : NULL;
}

static void failing_free(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

TEST (gl_impostors_survive_failing_allocations) {
    failing_heap heap = {1000000};
    const md5_allocator allocator = {failing_alloc, failing_free, &heap, 0};
    const md5gl_impostor_desc desc = {.num_frames = 1, .radius = 30};
    md5_error error = {0};
    gl_scene scene;
    if (!scene_open(&scene, &allocator))
        return;
    SCOPED_MODEL model = scene_square();
    md5gl_model *const copy = md5gl_create_model(scene.renderer, model, MD5GL_PATH_AUTO, NULL);
    md5gl_impostors *impostors = NULL;
    for (int i = 0; i < 20 && !impostors; i++) {
        heap.left = i;
        impostors = md5gl_create_impostors(scene.renderer, &desc, &error);
        CHECK(impostors || error.status == MD5_ERROR_MEMORY);
    }
    CHECK(impostors);
    heap.left = 0;
    CHECK_FAILS(
        md5gl_draw_impostor_images(scene.renderer, impostors, copy, 0, scene_identities, &error),
        error, MD5_ERROR_MEMORY);
    heap.left = 1000000;
    md5gl_destroy_impostors(scene.renderer, impostors);
    md5gl_destroy_model(scene.renderer, copy);
    scene_close(&scene);
}
