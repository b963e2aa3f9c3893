// Tests that many threads can load, bind, sample and skin at the same time, with separate and with
// shared assets: the results of each thread must have the same bits as with a single thread.
// test/long/threads.sh runs this test under ThreadSanitizer.
#include "test/scoped.h"

#if !defined(__EMSCRIPTEN__) // has no threads
#include "test/load/test_asset.h"

#include <pthread.h>

enum { NUM_THREADS = 8, NUM_ROUNDS = 3, NUM_TIMES = 7 };

typedef struct pair {
    char *mesh_text, *anim_text;
    size_t mesh_size, anim_size;
    md5_model *model; // shared by all threads
    md5_anim *anim;
    md5_binding *binding;
} pair;

// All output of one pass over a pair, in order.
typedef struct result {
    unsigned char *bytes;
    size_t size, capacity;
} result;

typedef struct worker {
    const pair *work;
    pthread_t thread;
    result separate, shared; // from separate assets, and from shared assets
    bool failed;
} worker;

static void keep(result *out, const void *bytes, size_t size)
{
    if (out->capacity - out->size < size) {
        out->capacity = 2 * out->capacity + size;
        out->bytes = realloc(out->bytes, out->capacity);
        if (!out->bytes)
            abort();
    }
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void skin_mesh(const md5_mesh *mesh, const md5_mat34 *palette, result *out)
{
    const size_t count = mesh->num_vertices;
    SCOPED_ARRAY(md5_vec3, positions, count + 1);
    SCOPED_ARRAY(md5_vec3, normals, count + 1);
    SCOPED_ARRAY(md5_vec4, tangents, count + 1);
    if (!positions || !normals || !tangents)
        abort();
    md5_skin(mesh, palette, positions, normals, tangents);
    keep(out, positions, count * sizeof *positions);
    keep(out, normals, count * sizeof *normals);
    keep(out, tangents, count * sizeof *tangents);
}

static void play(const md5_binding *binding, result *out)
{
    const md5_model *const model = binding->model;
    const size_t count = model->skeleton.num_joints;
    SCOPED_ARRAY(md5_xform, pose, count);
    SCOPED_ARRAY(md5_mat34, joints, count);
    if (!pose || !joints)
        abort();
    for (int i = 0; i < NUM_TIMES; i++) {
        const double time = (i - 2) * 0.3711;
        const md5_sample_position sample =
            md5_sample_position_at(binding->anim, time, (md5_wrap)(i % 3));
        md5_sample(binding, sample, (md5_root)(i % 3), pose);
        keep(out, pose, count * sizeof *pose);
        md5_local_to_model(&model->skeleton, pose, joints);
        md5_build_palette(model, joints, joints);
        keep(out, joints, count * sizeof *joints);
        for (uint32_t mesh = 0; mesh < model->num_meshes; mesh++)
            skin_mesh(&model->meshes[mesh], joints, out);
    }
}

static bool load_and_play(const pair *work, result *out)
{
    SCOPED_MODEL model = md5_parse_model(work->mesh_text, work->mesh_size, NULL, NULL);
    SCOPED_ANIM anim = md5_parse_anim(work->anim_text, work->anim_size, NULL, NULL);
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    const bool is_equal =
        binding && asset_models_equal(model, work->model) && asset_anims_equal(anim, work->anim);
    if (binding)
        play(binding, out);
    return is_equal;
}

static void *run(void *argument)
{
    worker *const self = argument;
    for (int round = 0; round < NUM_ROUNDS; round++) {
        self->separate.size = self->shared.size = 0;
        if (!load_and_play(self->work, &self->separate))
            self->failed = true;
        play(self->work->binding, &self->shared);
    }
    return NULL;
}

static bool open_pair(pair *work, const char *mesh, const char *anim)
{
    *work = (pair){0};
    work->mesh_text = test_read_file(test_path(mesh), &work->mesh_size);
    work->anim_text = test_read_file(test_path(anim), &work->anim_size);
    if (!CHECK(work->mesh_text && work->anim_text))
        return false;
    work->model = md5_parse_model(work->mesh_text, work->mesh_size, NULL, NULL);
    work->anim = md5_parse_anim(work->anim_text, work->anim_size, NULL, NULL);
    if (!CHECK(work->model && work->anim))
        return false;
    work->binding = md5_bind(work->model, work->anim, NULL, NULL);
    return CHECK(work->binding);
}

static void close_pair(pair *work)
{
    md5_free_binding(work->binding);
    md5_free_anim(work->anim);
    md5_free_model(work->model);
    free(work->mesh_text);
    free(work->anim_text);
}

static bool is_same(const result *a, const result *b)
{
    return a->size == b->size && a->size > 0 && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// Checks that threads compute the results of a single thread, with shared and with separate
// objects. The threads run before the reference pass, so that everything that is initialized on
// first use is initialized by all of them at the same time.
static void check_pair(const char *mesh, const char *anim)
{
    worker workers[NUM_THREADS];
    result expected = {0};
    pair work;
    size_t num_started = 0;
    if (!open_pair(&work, mesh, anim)) {
        close_pair(&work);
        return;
    }
    for (; num_started < NUM_THREADS; num_started++) {
        worker *const next = &workers[num_started];
        *next = (worker){.work = &work};
        if (!CHECK(pthread_create(&next->thread, NULL, run, next) == 0))
            break;
    }
    for (size_t i = 0; i < num_started; i++)
        pthread_join(workers[i].thread, NULL);
    CHECK(load_and_play(&work, &expected));
    for (size_t i = 0; i < num_started; i++) {
        CHECK(!workers[i].failed);
        CHECK(is_same(&workers[i].separate, &expected));
        CHECK(is_same(&workers[i].shared, &expected));
        free(workers[i].separate.bytes);
        free(workers[i].shared.bytes);
    }
    free(expected.bytes);
    close_pair(&work);
}

TEST (threads_get_the_bits_of_one_thread) {
    check_pair("test/reference/data/weights.md5mesh", "test/reference/data/weights.md5anim");
    check_pair("test/reference/data/flags.md5mesh", "test/reference/data/flags.md5anim");
    check_pair("test/reference/data/roots.md5mesh", "test/reference/data/travel.md5anim");
}

TEST (threads_get_the_bits_of_one_thread_on_a_large_model) {
    check_pair("models/bobbin/bobbin.md5mesh", "models/bobbin/walk.md5anim");
}

#endif
