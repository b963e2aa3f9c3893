// Baked clips of crowds: the choice of the members that are drawn from them, the distance of their
// vertices from skinned vertices, and the reasons for refusing to bake.
#include "test/real.h"
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

#include "demo/common/threads.h"

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define THIMBLE "models/thimble/thimble.md5mesh"
#define RUN BOBBIN " models/bobbin/run.md5anim "
#define SMALL " --resolution 120,90 --samples 1 --no-maps --no-shadow "

// -- Errors -----------------------------------------------------------------------------------

// Buffers that are large enough for any pose of a model.
typedef struct pose_memory {
    md5_xform *pose;
    md5_mat34 *joints, *palette;
    md5_vec3 *gpu, *cpu; // vertices of the largest mesh
} pose_memory;

// Returns the last entry of the table of levels. Without impostors it is the baked level.
static const view_detail *baked_level(const view_kind *kind)
{
    return &kind->levels[kind->num_levels - 1];
}

// Returns the largest distance, in units, between the vertices that the GPU draws from a baked clip
// and the vertices that the library skins from the clip itself.
static double measure_error(const gl_scene *scene, const view_kind *kind, uint32_t clip,
                            double seconds, const pose_memory *memory)
{
    const md5_binding *const binding = kind->clips[clip];
    const md5_sample_position sample =
        md5_sample_position_at(binding->anim, seconds, MD5_WRAP_LOOP);
    const md5gl_clip_job job = view_baked_job(&kind->bakes, clip, &sample);
    double max_error = 0.0;
    md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, memory->pose, memory->joints,
                     memory->palette);
    CHECK(scene_pose_baked(scene->renderer, baked_level(kind)->drawn, kind->bakes.clips, &job, NULL,
                           1, NULL));
    for (uint32_t i = 0; i < kind->model->num_meshes; i++) {
        CHECK(md5gl_capture(scene->renderer, baked_level(kind)->drawn, i, NULL, memory->gpu, NULL,
                            NULL, NULL));
        md5_skin(&kind->model->meshes[i], memory->palette, memory->cpu, NULL, NULL);
        for (uint32_t v = 0; v < kind->model->meshes[i].num_vertices; v++) {
            const double off = real_distance(memory->gpu[v], memory->cpu[v]);
            max_error = off > max_error ? off : max_error;
        }
    }
    return max_error;
}

// Returns the largest error at random times, in pixels, at the largest size at which the clip's
// members are baked.
static double measure_largest_error(const gl_scene *scene, const view_kind *kind, uint32_t clip,
                                    uint64_t *random, const pose_memory *memory)
{
    const md5_anim *const anim = kind->clips[clip]->anim;
    const double scale = kind->bakes.sizes[clip] / (2.0 * kind->sphere.radius);
    double max_error = 0.0;
    for (uint32_t frame = 0; frame + 1 < anim->num_frames; frame += 2) {
        const double seconds = (frame + test_random(random)) / anim->frame_rate;
        const double pixels = scale * measure_error(scene, kind, clip, seconds, memory);
        CHECK_THAT(pixels < 1.0, "clip %u: %.3f pixels at %.3f s", (unsigned)clip, pixels, seconds);
        max_error = pixels > max_error ? pixels : max_error;
    }
    return max_error;
}

// A member that becomes baked must not visibly jump, because these levels do not fade.
TEST_LONG (view_baked_vertices_are_within_a_pixel) {
    gl_scene scene;
    shot_viewer viewer;
    double max_error = 0.0;
    uint32_t fastest = 0;
    uint64_t random = 3;
    if (!scene_share(&scene))
        return;
    if (shot_open(&viewer, &scene, BOBBIN SMALL "--crowd 30 --crowd-baked 128")) {
        const view_kind *const kind = &viewer.state.document->crowd.kinds[0];
        const md5_model *model = kind->model;
        uint32_t largest = 0;
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            largest = mesh->num_vertices > largest ? mesh->num_vertices : largest;
        }
        const uint32_t num_joints = model->skeleton.num_joints;
        const pose_memory memory = (pose_memory){
            .pose = common_alloc(num_joints, sizeof(md5_xform)),
            .joints = common_alloc(num_joints, sizeof(md5_mat34)),
            .palette = common_alloc(num_joints, sizeof(md5_mat34)),
            .gpu = common_alloc(largest, sizeof(md5_vec3)),
            .cpu = common_alloc(largest, sizeof(md5_vec3)),
        };
        for (uint32_t i = 0; i < kind->num_clips && CHECK(kind->bakes.clips); i++) {
            const double clip_error = measure_largest_error(&scene, kind, i, &random, &memory);
            max_error = clip_error > max_error ? clip_error : max_error;
            fastest = kind->bakes.rates[i] > fastest ? kind->bakes.rates[i] : fastest;
            CHECK_EXACT(kind->bakes.sizes[i], 128);
        }
        free(memory.pose);
        free(memory.joints);
        free(memory.palette);
        free(memory.gpu);
        free(memory.cpu);
    }
    // The checks above mean something only if fast clips have more frames than slow clips, and if
    // baking has a measurable error.
    CHECK(fastest > 1);
    CHECK(max_error > 0.3);
    shot_close(&viewer);
    scene_close(&scene);
}

TEST (view_sample_positions_lie_between_baked_frames) {
    uint32_t rates[] = {1, 3};
    const view_bakes bakes = {.rates = rates};
    const md5_sample_position middle = {.frame0 = 4, .frame1 = 5, .fraction = 0.5f};
    const md5_sample_position late = {.frame0 = 4, .frame1 = 5, .fraction = 0.9375f};
    const md5_sample_position last = {.frame0 = 7, .frame1 = 7};
    md5gl_clip_job job = view_baked_job(&bakes, 0, &middle);
    CHECK(job.clip == 0 && job.sample.frame0 == 4 && job.sample.frame1 == 5);
    CHECK_EXACT(job.sample.fraction, 0.5);
    job = view_baked_job(&bakes, 1, &middle);
    CHECK(job.clip == 1 && job.sample.frame0 == 13 && job.sample.frame1 == 14);
    CHECK_NEAR(job.sample.fraction, 0.5, 1e-6);
    job = view_baked_job(&bakes, 1, &late);
    CHECK(job.sample.frame0 == 14 && job.sample.frame1 == 15);
    CHECK_NEAR(job.sample.fraction, 0.8125, 1e-6);
    job = view_baked_job(&bakes, 1, &last);
    CHECK(job.sample.frame0 == 21 && job.sample.fraction == 0.0f);
}

// -- Levels -----------------------------------------------------------------------------------

typedef struct level_counts {
    uint32_t skinned;
    uint32_t baked;
    uint32_t far;
    uint32_t faded;
    uint32_t posed;
} level_counts;

static level_counts count_drawn(shot_viewer *viewer)
{
    level_counts counts = {0};
    SCOPED_PICTURE drawn = shot_draw(viewer);
    const view_crowd *const crowd = &viewer->state.document->crowd;
    for (uint32_t i = 0; i < crowd->num_kinds; i++) {
        const view_kind *const kind = &crowd->kinds[i];
        counts.skinned += kind->num_seen;
    }
    counts.baked = crowd->num_baked;
    counts.far = crowd->num_far;
    counts.faded = crowd->num_faded;
    counts.posed = crowd->num_posed;
    CHECK_UINT(view_count_visible(crowd),
               counts.skinned + counts.baked + counts.far - counts.faded);
    return counts;
}

static level_counts count_levels(const gl_scene *scene, const char *line)
{
    SCOPED_SHOT viewer;
    level_counts counts = {0};
    if (shot_open(&viewer, scene, line))
        counts = count_drawn(&viewer);
    return counts;
}

#define FAR "--crowd 20 --camera-distance 1000 "
#define STEEP_FAR FAR "--camera-elevation-angle 80 "

// Bobbin's size is about 9 pixels here.
TEST_LONG (view_members_are_baked_by_their_size) {
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    const level_counts none = count_levels(&scene, RUN SMALL FAR);
    CHECK(none.skinned == 20 && none.posed == 20);
    CHECK(none.baked == 0 && none.far == 0);
    const level_counts large = count_levels(&scene, RUN SMALL FAR "--crowd-baked 4");
    CHECK(large.skinned == 20 && large.baked == 0);
    const level_counts small = count_levels(&scene, RUN SMALL FAR "--crowd-baked 30");
    CHECK(small.skinned == 0 && small.posed == 0);
    CHECK(small.baked == 20 && small.far == 0);
    // Impostors are the smaller level, and fade into the baked one.
    const level_counts tiny =
        count_levels(&scene, RUN SMALL FAR "--crowd-baked 30 --crowd-impostors 30");
    CHECK(tiny.baked == 0 && tiny.far == 20 && tiny.faded == 0);
    shot_viewer viewer;
    uint32_t faded = 0;
    if (shot_open(&viewer, &scene, RUN SMALL STEEP_FAR "--crowd-baked 30 --crowd-impostors 4"))
        for (int pixels = 4; pixels < 16; pixels++) {
            view_kind *const kind = &viewer.state.document->crowd.kinds[0];
            kind->levels[kind->num_levels - 1].pixels = (float)pixels; // the level of impostors
            const level_counts counts = count_drawn(&viewer);
            CHECK_UINT(counts.skinned, 0);
            CHECK_UINT(counts.baked, 20 - counts.far + counts.faded);
            faded += counts.faded;
        }
    shot_close(&viewer);
    CHECK(faded > 0);
    scene_close(&scene);
}

// Baking is the default only without an output file: a crowd that is saved is exact unless
// --crowd-baked is given.
TEST (view_large_crowds_are_baked_by_default) {
    static const struct {
        view_options options;
        float pixels;
    } cases[] = {
        {{.crowd = 1000}, 128},
        {{.crowd = 999}, 0},
        {{.crowd = 1000, .output = "x.png"}, 0},
        {{.crowd = 2, .crowd_baked = 40, .crowd_baked_given = true, .output = "x.png"}, 40},
        {{.crowd = 1000, .crowd_baked_given = true}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_document *const document = shot_load(&cases[i].options);
        if (document != NULL)
            CHECK_EXACT(document->crowd.baked_pixels, cases[i].pixels);
        view_free_document(document, NULL);
    }
}

// Machines, morph targets and dual quaternions are not baked.
TEST_LONG (view_members_that_are_not_baked_stay_skinned) {
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    const level_counts mixed = count_levels(
        &scene, "models/bobbin/bobbin.md5machine " THIMBLE SMALL FAR "--crowd-baked 60");
    CHECK(mixed.skinned == 10 && mixed.posed == 10 && mixed.baked == 10);
    const level_counts morphed =
        count_levels(&scene, RUN SMALL FAR "--crowd-baked 30 --morph smile=1");
    CHECK(morphed.skinned == 20 && morphed.baked == 0);
    const level_counts dual =
        count_levels(&scene, RUN SMALL FAR "--crowd-baked 30 --skinning dual");
    CHECK(dual.skinned == 20 && dual.baked == 0);
    scene_close(&scene);
}

// The panel shows the number of members and the memory of the baked level: 33 frames of 6666
// vertices with 8 bytes each are 1.8 MB.
TEST_SHOT (view_panel_counts_baked_members, RUN SMALL FAR "--crowd-baked 30 --panel") {
    SCOPED_PICTURE drawn = shot_draw(viewer);
    viewer->options.shown.panel = true;
    const view_stage stage = item_draw(&viewer->state, 1280.0f, 900.0f);
    CHECK_STRING(item_text(&viewer->state, &stage, "figures/Baked"), "20  \xE2\x80\xA2  1.8 MB");
}

// -- Images -----------------------------------------------------------------------------------

#define RUNNERS                                  \
    BOBBIN " models/bobbin/run.md5anim " THIMBLE \
           " models/thimble/walk.md5anim --resolution 320,240 --crowd 60 "

// The bound is meaningful: the same crowd 0.05 s later exceeds it. Shadows and all maps are on;
// baked members lack the normal map.
TEST_LONG (view_crowds_look_alike_baked) {
    static const double bound = 0.002;
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    SCOPED_PICTURE skinned = render_shot(&scene, RUNNERS "--animation-time 0.43 --crowd-baked 0");
    SCOPED_PICTURE baked = render_shot(&scene, RUNNERS "--animation-time 0.43 --crowd-baked 128");
    SCOPED_PICTURE later = render_shot(&scene, RUNNERS "--animation-time 0.48 --crowd-baked 128");
    CHECK(!shot_same(&skinned, &baked));
    const double difference = shot_difference(&baked, &skinned);
    CHECK_THAT(difference < bound, "baked clips change %.5f of the pixels", difference);
    CHECK(shot_difference(&later, &skinned) > bound);
    scene_close(&scene);
}

// Culled baked members and their shadows change no pixel.
TEST_LONG (view_baked_crowds_are_drawn_the_same_culled) {
    gl_scene scene;
    shot_viewer viewer;
    if (!scene_share(&scene))
        return;
    if (shot_open(&viewer, &scene,
                  RUNNERS "--samples 1 --crowd-baked 1000 --camera-distance 120 "
                          "--camera-elevation-angle 4")) {
        view_crowd *const crowd = &viewer.state.document->crowd;
        SCOPED_PICTURE culled = shot_draw(&viewer);
        const uint32_t num_baked = crowd->num_baked;
        crowd->culls = false;
        SCOPED_PICTURE all = shot_draw(&viewer);
        CHECK(num_baked > 0 && crowd->num_baked > num_baked);
        CHECK(shot_same(&culled, &all));
    }
    shot_close(&viewer);
    scene_close(&scene);
}

TEST_SHOT (view_hidden_meshes_are_hidden_baked, RUN SMALL FAR "--crowd-baked 30 --no-background") {
    SCOPED_PICTURE shown = shot_draw(viewer);
    view_show_meshes(viewer->state.document, UINT64_MAX);
    SCOPED_PICTURE hidden = shot_draw(viewer);
    CHECK(measure_shot_cover(&shown).fraction > 0.01);
    CHECK_EXACT(measure_shot_cover(&hidden).fraction, 0);
}

// -- Refusals ---------------------------------------------------------------------------------

// Bakes the clips again, and checks that a refusal gives one warning that contains `why`.
static bool try_to_bake(const gl_scene *scene, const view_kind *kind, size_t memory,
                        const char *why)
{
    view_log log = quiet_log;
    view_kind again = *kind;
    const view_loader loader = {NULL, scene->renderer, &log, NULL};
    const md5_threads *const threads = common_start_threads(2);
    again.num_levels = 1;
    view_add_baked(&again, 128.0f, memory, threads, &loader);
    common_stop_threads(threads);
    const view_bakes *const bakes = &again.bakes;
    const bool is_created = bakes->clips != NULL;
    CHECK_UINT(log.num_warnings, is_created ? 0 : 1);
    CHECK(is_created == (again.num_levels == 2) && is_created == (bakes->sizes != NULL));
    CHECK(view_detail_at(&again, 0, 1000.0f, true, true) == 0);
    CHECK((view_detail_at(&again, 0, 5.0f, true, true) == 1) == is_created);
    CHECK_THAT(is_created
                   || (strstr(log.warning, "bobbin is not baked: ") && strstr(log.warning, why)),
               "the warning is: %s", log.warning);
    view_free_levels(&again, scene->renderer);
    return is_created;
}

TEST_SHOT (view_bakes_reject_clips_that_do_not_match, RUN SMALL "--crowd 2") {
    const view_kind *const kind = &viewer->state.document->crowd.kinds[0];
    // Compute the memory of the clip's own frames, without the frames that baking inserts between
    // them.
    size_t num_vertices = 0;
    for (uint32_t i = 0; i < kind->model->num_meshes; i++) {
        const md5_mesh *const mesh = &kind->model->meshes[i];
        num_vertices += mesh->num_vertices;
    }
    const size_t size = 8 * num_vertices * kind->clips[0]->anim->num_frames;
    CHECK(!try_to_bake(&viewer->scene, kind, size - 1, "expected at most 1.8 MB, found 1.8 MB"));
    CHECK(try_to_bake(&viewer->scene, kind, size, ""));
    CHECK(try_to_bake(&viewer->scene, kind, 2 * size, ""));
    const uint32_t max_texels = *scene_limits(viewer->scene.renderer).max_texels;
    *scene_limits(viewer->scene.renderer).max_texels = 65536;
    CHECK(!try_to_bake(&viewer->scene, kind, 2 * size, "texels"));
    *scene_limits(viewer->scene.renderer).max_texels = max_texels;
    md5_release_geometry((md5_model *)(uintptr_t)kind->model);
    CHECK(!try_to_bake(&viewer->scene, kind, 2 * size, "released"));
}

TEST_LONG (view_bakes_survive_a_lack_of_memory) {
    test_heap heap = {0};
    const md5_allocator allocator = {test_heap_alloc, test_heap_free, &heap, 0};
    gl_scene scene;
    shot_viewer viewer;
    int num_failed = 0;
    if (!scene_open(&scene, &allocator))
        return;
    if (shot_open(&viewer, &scene, RUN SMALL "--crowd 2")) {
        const view_kind *const kind = &viewer.state.document->crowd.kinds[0];
        const size_t live = heap.live;
        for (bool is_created = false; !is_created && num_failed < 100; num_failed += !is_created) {
            heap.fail_at = heap.num_allocs + 1 + (size_t)num_failed;
            is_created = try_to_bake(&scene, kind, SIZE_MAX, "memory");
            CHECK_UINT(heap.live, live);
        }
        heap.fail_at = 0;
        CHECK(num_failed > 3 && num_failed < 100);
    }
    shot_close(&viewer);
    scene_close(&scene);
}
