// Palettes that the GPU computes from clips, read back, against md5_pose_batch() on the CPU.
#include "test/render/test_gl_clips.h"
#include "test/pose/test_made_pose.h"

#include "render/gl_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Tolerance between GPU and CPU: absolute for the elements of a rotation, for a translation
// relative to the larger of the model's diagonal and the largest translation.
#define AGREEMENT 1e-5

bool clips_open(gl_scene *scene)
{
    if (!scene_open(scene, NULL))
        return false;
    if (md5gl_has_path(scene->renderer, MD5GL_PATH_COMPUTE))
        return true;
    test_skip("no compute shaders on %s", md5gl_device_name(scene->renderer));
    scene_close(scene);
    return false;
}

void clips_are_refused(md5gl_renderer *renderer, const md5_binding *const *bindings, uint32_t count,
                       md5_status status, const char *text)
{
    md5_error error;
    CHECK(md5gl_create_clips(renderer, bindings, count, &error) == NULL);
    CHECK_UINT(error.status, status);
    test_check(strstr(error.message, text), __FILE__, __LINE__, "\"%s\" has no \"%s\"",
               error.message, text);
}

// -- Agreement --------------------------------------------------------------------------------

static double farthest(const md5_mat34 *palettes, size_t count)
{
    double far = 1e-3;
    for (size_t i = 0; i < count; i++) {
        for (int row = 0; row < 3; row++)
            far = fmax(far, fabs((double)palettes[i].m[4 * row + 3]));
    }
    return far;
}

// Returns the diagonal of the model's bounds.
static double size_of(const md5_model *model)
{
    const md5_vec3 low = model->bounds.min, high = model->bounds.max;
    const double x = high.x - low.x, y = high.y - low.y, z = high.z - low.z;
    return low.x > high.x ? 0.0 : sqrt(x * x + y * y + z * z);
}

static void check_agreement(const md5_mat34 *cpu, const md5_mat34 *gpu, size_t count, double size,
                            const char *name)
{
    double rotation = 0.0, translation = 0.0;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 12; k++) {
            const double off = fabs((double)cpu[i].m[k] - (double)gpu[i].m[k]);
            double *const largest = k % 4 == 3 ? &translation : &rotation;
            *largest = off <= *largest ? *largest : off; // keeps NaN
        }
    }
    test_check(rotation <= AGREEMENT && translation <= AGREEMENT * size, __FILE__, __LINE__,
               "%s: rotations are off by %g, translations by %g of %g", name, rotation, translation,
               size);
}

// A crowd: characters that take the clips in turn, with random times and kinds of root motion.
typedef struct crowd {
    uint32_t count;
    md5gl_clip_job *jobs;
    md5_pose_job *cpu_jobs;
    md5_mat34 *cpu, *gpu; // palettes
    void *scratch;
} crowd;

static crowd make_crowd(const md5_binding *const *bindings, uint32_t num_clips, uint32_t count,
                        uint64_t *random)
{
    const size_t num_joints = bindings[0]->model->skeleton.num_joints;
    crowd group = {.count = count};
    group.jobs = calloc(count, sizeof *group.jobs);
    group.cpu_jobs = calloc(count, sizeof *group.cpu_jobs);
    group.cpu = calloc(count * num_joints, sizeof *group.cpu);
    group.gpu = calloc(count * num_joints, sizeof *group.gpu);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t clip = i % num_clips;
        const md5_anim *const anim = bindings[clip]->anim;
        const double time = (4.0 * test_random(random) - 1.0) * (anim->duration + 0.1);
        const md5_moment moment =
            i % 4 == 3 ? make_moment(anim, random) : md5_moment_at(anim, time, (md5_wrap)(i % 3));
        const md5_root root = (md5_root)(test_random_u32(random) % 3);
        group.jobs[i] = (md5gl_clip_job){.clip = clip, .moment = moment, .root = root};
        group.cpu_jobs[i] = (md5_pose_job){.binding = bindings[clip],
                                           .moment = moment,
                                           .root = root,
                                           .palette = group.cpu + i * num_joints};
    }
    group.scratch = malloc(md5_pose_batch_scratch(group.cpu_jobs, count, NULL));
    md5_pose_batch(group.cpu_jobs, count, NULL, group.scratch);
    return group;
}

static void free_crowd(crowd *group)
{
    free(group->jobs);
    free(group->cpu_jobs);
    free(group->cpu);
    free(group->gpu);
    free(group->scratch);
}

// Recomputes the palettes through the clip's own hierarchy; the clip must have all of the model's
// joints. If a binding attaches a joint to another one, it must first undo the joints in between,
// which loses precision; the GPU does not.
static void pose_by_clip(crowd *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const md5_pose_job *const job = &group->cpu_jobs[i];
        const md5_skeleton *const skeleton = &job->binding->anim->skeleton;
        md5_transform *const pose = calloc(skeleton->num_joints, sizeof *pose);
        md5_mat34 *const joints = calloc(skeleton->num_joints, sizeof *joints);
        md5_sample_anim(job->binding->anim, &job->moment, job->root, pose);
        md5_local_to_model(skeleton, pose, joints);
        for (uint32_t joint = 0; joint < job->binding->skeleton->num_joints; joint++)
            job->palette[joint] = md5_mat34_mul(joints[job->binding->tracks[joint]],
                                                job->binding->inverse_bind[joint]);
        free(pose);
        free(joints);
    }
}

// Compares the palettes of a crowd that plays all of these clips. `change` may be NULL; it may
// replace the CPU's palettes.
static void check_clips(gl_scene *scene, const md5_binding *const *bindings, uint32_t num_clips,
                        uint32_t count, void (*change)(crowd *), const char *name, uint64_t *random)
{
    md5_error error;
    const md5_model *const model = bindings[0]->model;
    crowd group = make_crowd(bindings, num_clips, count, random);
    if (change)
        change(&group);
    const size_t num_matrices = (size_t)count * model->skeleton.num_joints;
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, MD5GL_PATH_EXACT, &error);
    md5gl_clips *const clips =
        copy ? md5gl_create_clips(scene->renderer, bindings, num_clips, &error) : NULL;
    const bool posed =
        clips && md5gl_pose_clips(scene->renderer, copy, clips, group.jobs, NULL, count, &error)
        && md5gl_read_palettes(scene->renderer, copy, group.gpu, &error);
    if (test_check(posed, __FILE__, __LINE__, "%s: %s", name, error.message))
        check_agreement(group.cpu, group.gpu, num_matrices,
                        fmax(size_of(model), farthest(group.cpu, num_matrices)), name);
    md5gl_destroy_clips(scene->renderer, clips);
    md5gl_destroy_model(scene->renderer, copy);
    free_crowd(&group);
}

// -- Random and manual skeletons --------------------------------------------------------------

// The clip's joints are in any order, missing, extra or attached to others; rotations are random.
TEST (gl_clips_agree_with_the_cpu_on_any_skeleton) {
    static const uint32_t counts[] = {1, 2, 31, 33, 71, 150};
    uint64_t random = 21;
    gl_scene scene;
    if (!clips_open(&scene))
        return;
    for (int i = 0; i < 6; i++) {
        for (int pairing = 0; pairing < MADE_PAIRINGS; pairing++) {
            made_pose posed;
            char name[64];
            make_pose(&posed, counts[i], (made_pairing)pairing, 0.7, 0.4, &random);
            const md5_binding *const bindings[1] = {posed.binding};
            snprintf(name, sizeof name, "%u joints, pairing %d", (unsigned)counts[i], pairing);
            check_clips(&scene, bindings, 1, 40, pairing == MADE_PARENTS ? pose_by_clip : NULL,
                        name, &random);
            free_pose(&posed);
        }
    }
    scene_close(&scene);
}

#define STILL "( 1 2 3 ) ( 0.3 0.1 -0.2 )\n"

// Special cases of md5_bind(): two joints attached through the same two joints that only the clip
// has, the first of which is its root and moves; joints whose hierarchies contradict each other; a
// joint that is a root in the clip, and one that the clip lacks.
TEST (gl_clips_attach_joints_as_a_binding_does) {
    static const struct {
        const char *model, *clip;
    } cases[] = {
        {MODEL_OF("3", "\"top\" -1 ( 1 0 2 ) ( 0.1 0 0.4 )\n\"left\" 0 ( 5 0 2 ) ( 0 0.6 0 )\n"
                       "\"right\" 0 ( 5 4 2 ) ( 0 0 0.3 )\n"),
         CLIP_OF("4", "\"ground\" -1 63 0\n\"sway\" 0 0 0\n\"left\" 1 0 0\n\"right\" 1 0 0\n",
                 STILL STILL STILL STILL, "1 2 3 0.1 0.2 0.3", "9 8 7 -0.4 0.5 0.1")},
        {MODEL_OF("3", "\"a\" -1 ( 1 0 2 ) ( 0.1 0 0.4 )\n\"b\" 0 ( 5 0 2 ) ( 0 0.6 0 )\n"
                       "\"c\" 1 ( 5 4 2 ) ( 0 0 0.3 )\n"),
         CLIP_OF("3", "\"a\" -1 63 0\n\"c\" 0 0 0\n\"b\" 1 0 0\n", STILL STILL STILL,
                 "1 2 3 0.1 0.2 0.3", "9 8 7 -0.4 0.5 0.1")},
        {MODEL_OF("4", "\"a\" -1 ( 1 0 2 ) ( 0.1 0 0.4 )\n\"b\" 0 ( 5 0 2 ) ( 0 0.6 0 )\n"
                       "\"c\" 1 ( 5 4 2 ) ( 0 0 0.3 )\n\"d\" 2 ( 5 4 9 ) ( 0 0.2 0.3 )\n"),
         CLIP_OF("3", "\"a\" -1 63 0\n\"d\" 0 0 0\n\"b\" -1 0 0\n", STILL STILL STILL,
                 "1 2 3 0.1 0.2 0.3", "9 8 7 -0.4 0.5 0.1")},
    };
    uint64_t random = 8;
    gl_scene scene;
    if (!clips_open(&scene))
        return;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        md5_error error;
        md5_model *const model =
            md5_parse_model(cases[i].model, strlen(cases[i].model), NULL, &error);
        CHECK_STRING(error.message, "");
        md5_anim *const anim = md5_parse_anim(cases[i].clip, strlen(cases[i].clip), NULL, &error);
        CHECK_STRING(error.message, "");
        md5_binding *const binding = md5_bind(model, anim, NULL, &error);
        CHECK(binding && binding->num_rebases > 0);
        const md5_binding *const bindings[1] = {binding};
        check_clips(&scene, bindings, 1, 30, NULL, "manual", &random);
        md5_free_binding(binding);
        md5_free_anim(anim);
        md5_free_model(model);
    }
    scene_close(&scene);
}

// At most 32 joints that only the clip has may lie between a joint and its parent.
TEST (gl_clips_refuse_too_many_joints_in_between) {
    char hierarchy[4096] = "", base[4096] = "", clip[10000];
    const char *const model_text =
        MODEL_OF("2", "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"b\" 0 ( 0 0 0 ) ( 0 0 0 )\n");
    gl_scene scene;
    if (!clips_open(&scene))
        return;
    md5_error error;
    md5_model *const model = md5_parse_model(model_text, strlen(model_text), NULL, &error);
    for (int num_between = 32; num_between <= 33; num_between++) {
        size_t used = 0;
        for (int i = 0; i < num_between + 2; i++) {
            const char *const name = i == 0 ? "a" : i == num_between + 1 ? "b" : "between";
            used += (size_t)snprintf(hierarchy + used, sizeof hierarchy - used, "\"%s\" %d %d 0\n",
                                     name, i - 1, i == 0 ? 63 : 0);
            memcpy(base + (size_t)i * strlen(STILL), STILL, sizeof STILL);
        }
        snprintf(clip, sizeof clip, CLIP_OF("%d", "%s", "%s", "1 2 3 0.1 0.2 0.3", "4 5 6 0 0 0"),
                 num_between + 2, hierarchy, base);
        md5_anim *const anim = md5_parse_anim(clip, strlen(clip), NULL, &error);
        CHECK_STRING(error.message, "");
        md5_binding *const binding = md5_bind(model, anim, NULL, &error);
        const md5_binding *const bindings[1] = {binding};
        uint64_t random = 1;
        if (num_between == 32)
            check_clips(&scene, bindings, 1, 20, pose_by_clip, "32 in between", &random);
        else
            clips_are_refused(scene.renderer, bindings, 1, MD5_ERROR_GPU, "more than 32 joints");
        md5_free_binding(binding);
        md5_free_anim(anim);
    }
    md5_free_model(model);
    scene_close(&scene);
}

// -- Files ------------------------------------------------------------------------------------

typedef struct loaded {
    md5_model *model;
    md5_anim *anims[6];
    md5_binding *bindings[6];
    uint32_t count;
} loaded;

static loaded load(const char *folder, const char *mesh, const char *const clips[6])
{
    char path[1024];
    md5_error error;
    loaded asset = {0};
    snprintf(path, sizeof path, "%s/%s", folder, mesh);
    asset.model = md5_load_model(path, NULL, &error);
    test_check(asset.model != NULL, __FILE__, __LINE__, "%s: %s", path, error.message);
    for (; asset.count < 6 && clips[asset.count]; asset.count++) {
        snprintf(path, sizeof path, "%s/%s", folder, clips[asset.count]);
        asset.anims[asset.count] = md5_load_anim(path, NULL, &error);
        test_check(asset.anims[asset.count] != NULL, __FILE__, __LINE__, "%s: %s", path,
                   error.message);
        asset.bindings[asset.count] = md5_bind(asset.model, asset.anims[asset.count], NULL, &error);
        test_check(asset.bindings[asset.count] != NULL, __FILE__, __LINE__, "%s: %s", path,
                   error.message);
    }
    return asset;
}

static void unload(loaded *asset)
{
    for (uint32_t i = 0; i < asset->count; i++) {
        md5_free_binding(asset->bindings[i]);
        md5_free_anim(asset->anims[i]);
    }
    md5_free_model(asset->model);
}

typedef struct model_files {
    const char *mesh, *clips[6];
} model_files;

static void check_files(const char *folder, const model_files *files, size_t count)
{
    uint64_t random = 5;
    gl_scene scene;
    if (!clips_open(&scene))
        return;
    for (size_t i = 0; i < count; i++) {
        loaded asset = load(folder, files[i].mesh, files[i].clips);
        const md5_binding *bindings[6];
        for (uint32_t k = 0; k < asset.count; k++)
            bindings[k] = asset.bindings[k];
        check_clips(&scene, bindings, asset.count, 60, NULL, files[i].mesh, &random);
        unload(&asset);
    }
    scene_close(&scene);
}

TEST (gl_clips_agree_with_the_cpu_on_our_models) {
    static const model_files files[] = {
        {"bobbin/bobbin.md5mesh",
         {"bobbin/walk.md5anim", "bobbin/dance.md5anim", "bobbin/stand.md5anim",
          "bobbin/jump.md5anim", "bobbin/get_up.md5anim"}},
        {"spindle/spindle.md5mesh", {"bobbin/dance.md5anim", "bobbin/run.md5anim"}},
        {"thimble/thimble.md5mesh", {"thimble/trot.md5anim", "thimble/fold.md5anim"}},
        {"tendril/tendril.md5mesh", {"tendril/lash.md5anim", "tendril/curl.md5anim"}},
        {"lantern/lantern.md5mesh", {"lantern/swing.md5anim"}},
        {"zoo/weights.md5mesh", {"zoo/weights.md5anim"}},
        {"zoo/half_turn.md5mesh", {"zoo/half_turn.md5anim", "zoo/one_frame.md5anim"}},
        {"zoo/fewer_joints.md5mesh",
         {"zoo/fewer_joints.md5anim", "zoo/travels.md5anim", "zoo/base_frame.md5anim"}},
        {"zoo/flags.md5mesh", {"zoo/flags.md5anim"}},
        {"zoo/chain.md5mesh", {"zoo/chain.md5anim"}},
    };
    check_files(test_path("models"), files, sizeof files / sizeof files[0]);
}

TEST (gl_clips_agree_with_the_cpu_on_the_corpus) {
    static const model_files files[] = {
        {"stromar/stromar.md5mesh", {"stromar/s_forward.md5anim", "stromar/s_taunt.md5anim"}},
        {"frankie/Frankie.md5mesh",
         {"frankie/Frankie_Run.md5anim", "frankie/Frankie_Kick.md5anim"}},
        {"redeclipse/drone/mesh.md5mesh",
         {"redeclipse/drone/forward.md5anim", "redeclipse/drone/death.md5anim",
          "redeclipse/drone/idle.md5anim"}},
        {"redeclipse/actors/player/hud_hands.md5mesh",
         {"redeclipse/actors/player/hud_rifle-reload.md5anim"}},
        {"redeclipse/props/flag/mesh.md5mesh", {"redeclipse/props/flag/anim.md5anim"}},
        {"cube2/ffflag/ffflag.md5mesh", {"cube2/ffflag/ffflag.md5anim"}},
        {"terasology/lasr/queen.md5mesh", {"terasology/lasr/queenWalk.md5anim"}},
        {"terasology/redElephantrook.md5mesh", {"terasology/redElephantrookWalk.md5anim"}},
        {"terasology/gooeysquests/skeleton.md5mesh", // 429 joints
         {"terasology/gooeysquests/skeletonStand.md5anim"}},
    };
    char folder[1024];
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    snprintf(folder, sizeof folder, "%s/corpus", test_corpus());
    check_files(folder, files, sizeof files / sizeof files[0]);
}
