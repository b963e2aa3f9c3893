// Posing of synthetic characters, for bench.c: every joint rotates and moves in every frame, unlike
// in real clips; joints form chains of three or four, as limbs do.
#ifndef TEST_BENCH_BENCH_POSE_H
#define TEST_BENCH_BENCH_POSE_H

#include "test/bench/bench_measure.h"
#include "test/pose/with_kernels.h"

#include "md5/core/compiler.h"
#include "md5/pose/kernels.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// The palettes of POSING_CROWD characters of 71 joints (3.4 MB) fit into a third-level cache; the
// palettes of POSING_MANY characters (34 MB) must be written to memory.
enum {
    POSING_FRAMES = 60,
    POSING_CROWD = 1000,
    POSING_MANY = 10000,
    POSING_BUFFER = 32,
    NUM_SAMPLE_POSITIONS = 1024
};

typedef struct posing {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_xform *pose;
    md5_mat34 *joints;   // one character
    md5_mat34 *palette;  // one character
    md5_mat34 *palettes; // the crowd
    md5_mat34 *buffer;   // POSING_BUFFER characters
    md5_pose_job *jobs;
    void *scratch;
    md5_sample_position samples[NUM_SAMPLE_POSITIONS]; // spread over the clip
    uint32_t next_sample;
    double time;
    md5_xform *layer, *mixed; // another pose, and a result
    float *mask;
} posing;

typedef struct generated_text {
    char *bytes;
    size_t size, capacity;
} generated_text;

MD5_PRINTF(2, 3) static void add_text(generated_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int added =
        vsnprintf(text->bytes + text->size, text->capacity - text->size, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added >= text->capacity - text->size)
        abort();
    text->size += (size_t)added;
}

static double random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static void add_hierarchy(generated_text *mesh, generated_text *anim, uint32_t num_joints,
                          uint64_t *random)
{
    add_text(mesh, "MD5Version 10\nnumJoints %u\nnumMeshes 0\njoints {\n", num_joints);
    add_text(anim,
             "MD5Version 10\nnumFrames %d\nnumJoints %u\nframeRate 24\n"
             "numAnimatedComponents %u\nhierarchy {\n",
             POSING_FRAMES, num_joints, 6 * num_joints);
    for (uint32_t i = 0; i < num_joints; i++) {
        int parent = (int)i - 1;
        if (i > 0 && random_number(random) > 0.72)
            parent = (int)(random_number(random) * i);
        add_text(mesh, "\"j%u\" %d ( %f %f %f ) ( %f %f %f )\n", i, parent, random_number(random),
                 random_number(random), random_number(random), random_number(random) - 0.5,
                 random_number(random) - 0.5, random_number(random) - 0.5);
        add_text(anim, "\"j%u\" %d 63 %u\n", i, parent, 6 * i);
    }
    add_text(mesh, "}\n");
    add_text(anim, "}\n");
}

static void add_frames(generated_text *anim, uint32_t num_joints, uint64_t *random)
{
    add_text(anim, "bounds {\n");
    for (int frame = 0; frame < POSING_FRAMES; frame++)
        add_text(anim, "( 0 0 0 ) ( 1 1 1 )\n");
    add_text(anim, "}\nbaseframe {\n");
    for (uint32_t i = 0; i < num_joints; i++)
        add_text(anim, "( 0 0 0 ) ( 0 0 0 )\n");
    add_text(anim, "}\n");
    for (int frame = 0; frame < POSING_FRAMES; frame++) {
        add_text(anim, "frame %d {\n", frame);
        for (uint32_t i = 0; i < 6 * num_joints; i++)
            add_text(anim, " %f", random_number(random) - 0.5);
        add_text(anim, "\n}\n");
    }
}

// Zeroed memory at the beginning of a cache line, like the arrays of an engine.
static void *posing_memory(size_t count, size_t size)
{
    enum { LINE = 64 };
    const size_t bytes = (count * size + LINE - 1) / LINE * LINE;
    void *const memory = aligned_alloc(LINE, bytes);
    if (!memory)
        abort();
    memset(memory, 0, bytes);
    return memory;
}

// Generates a model of `num_joints` joints and a clip for it, and allocates all outputs.
static void make_posing(posing *posed, uint32_t num_joints)
{
    const size_t capacity = (size_t)1 << 22;
    generated_text mesh = {posing_memory(capacity, 1), 0, capacity};
    generated_text anim = {posing_memory(capacity, 1), 0, capacity};
    uint64_t random = 1;
    md5_error error = {0};
    add_hierarchy(&mesh, &anim, num_joints, &random);
    add_frames(&anim, num_joints, &random);
    *posed = (posing){
        .model = md5_parse_model(mesh.bytes, mesh.size, NULL, &error),
        .anim = md5_parse_anim(anim.bytes, anim.size, NULL, &error),
    };
    free(mesh.bytes);
    free(anim.bytes);
    posed->binding =
        posed->model && posed->anim ? md5_bind(posed->model, posed->anim, NULL, &error) : NULL;
    if (!posed->binding) {
        fprintf(stderr, "bench: %s\n", error.message);
        exit(1);
    }
    posed->pose = posing_memory(num_joints, sizeof *posed->pose);
    posed->joints = posing_memory(num_joints, sizeof *posed->joints);
    posed->palette = posing_memory(num_joints, sizeof *posed->palette);
    posed->palettes = posing_memory((size_t)num_joints * POSING_MANY, sizeof *posed->palettes);
    posed->buffer = posing_memory((size_t)num_joints * POSING_BUFFER, sizeof *posed->buffer);
    posed->jobs = posing_memory(POSING_MANY, sizeof *posed->jobs);
    for (int i = 0; i < NUM_SAMPLE_POSITIONS; i++)
        posed->samples[i] =
            md5_sample_position_at(posed->anim, random_number(&random) * 100.0, MD5_WRAP_LOOP);
    for (uint32_t i = 0; i < POSING_MANY; i++)
        posed->jobs[i] = (md5_pose_job){
            .binding = posed->binding,
            .sample = posed->samples[i % NUM_SAMPLE_POSITIONS],
            .palette = posed->palettes + (size_t)i * num_joints,
        };
    posed->scratch = posing_memory(md5_pose_batch_scratch(posed->jobs, POSING_CROWD, NULL), 1);
    posed->layer = posing_memory(num_joints, sizeof *posed->layer);
    posed->mixed = posing_memory(num_joints, sizeof *posed->mixed);
    posed->mask = posing_memory(num_joints, sizeof *posed->mask);
    md5_sample(posed->binding, posed->samples[0], MD5_ROOT_FILE, posed->pose);
    md5_sample(posed->binding, posed->samples[1], MD5_ROOT_FILE, posed->layer);
    // The weights of a mask of the upper body: 0, then a few values in between, then 1.
    for (uint32_t i = 0; i < num_joints; i++)
        posed->mask[i] = fminf(1.0f, fmaxf(0.0f, ((float)i - 0.4f * (float)num_joints) / 8.0f));
}

static void free_posing(posing *posed)
{
    md5_free_binding(posed->binding);
    md5_free_anim(posed->anim);
    md5_free_model(posed->model);
    free(posed->pose);
    free(posed->joints);
    free(posed->palette);
    free(posed->palettes);
    free(posed->buffer);
    free(posed->jobs);
    free(posed->scratch);
    free(posed->layer);
    free(posed->mixed);
    free(posed->mask);
}

// Advances by 1/60 second.
static md5_sample_position play_on(posing *posed)
{
    posed->time += 1.0 / 60.0;
    return md5_sample_position_at(posed->anim, posed->time, MD5_WRAP_LOOP);
}

static md5_sample_position seek_on(posing *posed)
{
    return posed->samples[posed->next_sample++ % NUM_SAMPLE_POSITIONS];
}

// -- The work of each row -------------------------------------------------------------------------

static uint64_t matrix_checksum(const md5_mat34 *matrix)
{
    return matrix->m[0] > 0.0f;
}

static uint64_t work_play(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    const md5_sample_position sample = play_on(posed);
    pose_palette_with(md5i_get_pose_kernels(level), posed->binding, &sample, MD5_ROOT_FILE,
                      posed->pose, posed->joints, posed->palette);
    return matrix_checksum(posed->palette);
}

static uint64_t work_seek(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    const md5_sample_position sample = seek_on(posed);
    pose_palette_with(md5i_get_pose_kernels(level), posed->binding, &sample, MD5_ROOT_FILE,
                      posed->pose, posed->joints, posed->palette);
    return matrix_checksum(posed->palette);
}

static uint64_t work_sample(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    const md5_sample_position sample = play_on(posed);
    sample_with(md5i_get_pose_kernels(level), posed->binding, &sample, MD5_ROOT_FILE, posed->pose);
    return posed->pose[0].rotation.x > 0.0f;
}

static uint64_t work_sample_cubic(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    md5_sample_position sample = play_on(posed);
    sample.interpolation = MD5_INTERPOLATE_CUBIC;
    (void)level;
    md5_sample(posed->binding, sample, MD5_ROOT_FILE, posed->mixed);
    return posed->mixed[0].rotation.x > 0.0f;
}

static uint64_t work_compose(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    md5i_get_pose_kernels(level)->finish(&posed->model->skeleton, NULL, posed->pose, posed->joints,
                                         NULL);
    return matrix_checksum(posed->joints);
}

static uint64_t work_multiply(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    md5i_get_pose_kernels(level)->multiply(posed->model->skeleton.num_joints, posed->joints,
                                           posed->model->inverse_bind, posed->palette);
    return matrix_checksum(posed->palette);
}

static uint64_t work_finish(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    md5i_get_pose_kernels(level)->finish(&posed->model->skeleton, posed->model->inverse_bind,
                                         posed->pose, posed->joints, posed->palette);
    return matrix_checksum(posed->palette);
}

static uint64_t combine(const posing *posed, md5_cpu level, md5_combine_kind kind,
                        const float *mask, float weight)
{
    md5i_combine_kernels[level](&(md5_combine_job){.kind = kind,
                                                   .a = posed->pose,
                                                   .b = posed->layer,
                                                   .out = posed->mixed,
                                                   .joint_weights = mask,
                                                   .weight = weight,
                                                   .count = posed->model->skeleton.num_joints});
    return posed->mixed[0].rotation.x > 0.0f;
}

static uint64_t work_blend(void *fixture, md5_cpu level)
{
    return combine(fixture, level, MD5_BLEND, NULL, 0.3f);
}

static uint64_t work_blend_nlerp(void *fixture, md5_cpu level)
{
    return combine(fixture, level, MD5_BLEND_NLERP, NULL, 0.3f);
}

static uint64_t work_blend_masked(void *fixture, md5_cpu level)
{
    return combine(fixture, level, MD5_BLEND, ((const posing *)fixture)->mask, 0.7f);
}

static uint64_t work_add(void *fixture, md5_cpu level)
{
    return combine(fixture, level, MD5_ADD, NULL, 0.6f);
}

static uint64_t work_crowd(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    md5i_pose_batch_with(md5i_get_pose_kernels(level), posed->jobs, POSING_CROWD, posed->scratch);
    return matrix_checksum(posed->palettes);
}

// Poses jobs as an engine would whose palettes are not to be written in small pieces: a few at a
// time into a buffer that fits into the cache, which is then copied.
static void pose_through_buffer(const md5_pose_kernels *kernels, const md5_pose_job *jobs,
                                size_t count, md5_mat34 *buffer, void *scratch)
{
    md5_pose_job near[POSING_BUFFER];
    const size_t num_joints = count > 0 ? jobs[0].binding->skeleton->num_joints : 0;
    for (size_t begin = 0; begin < count; begin += POSING_BUFFER) {
        const size_t some = count - begin < POSING_BUFFER ? count - begin : POSING_BUFFER;
        for (size_t i = 0; i < some; i++) {
            near[i] = jobs[begin + i];
            near[i].palette = buffer + i * num_joints;
        }
        md5i_pose_batch_with(kernels, near, some, scratch);
        memcpy(jobs[begin].palette, buffer, some * num_joints * sizeof *buffer);
    }
}

static uint64_t work_many(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    pose_through_buffer(md5i_get_pose_kernels(level), posed->jobs, POSING_MANY, posed->buffer,
                        posed->scratch);
    return matrix_checksum(posed->palettes);
}

// Measures the time that would remain if posing took no time: writes the memory of the results,
// bypassing the caches.
static uint64_t work_fill(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    (void)level;
    memset(posed->palettes, 0,
           (size_t)posed->model->skeleton.num_joints * POSING_MANY * sizeof *posed->palettes);
    return matrix_checksum(posed->palettes);
}

static uint64_t work_many_straight(void *fixture, md5_cpu level)
{
    posing *const posed = fixture;
    md5i_pose_batch_with(md5i_get_pose_kernels(level), posed->jobs, POSING_MANY, posed->scratch);
    return matrix_checksum(posed->palettes);
}

// -- Threads --------------------------------------------------------------------------------------

enum { THREAD_POSES = 40000, THREAD_TRIES = 9, MANY_TRIES = 36, MAX_THREADS = 64 };

typedef struct crowd_part {
    const md5_pose_job *jobs;
    size_t count;
    md5_mat34 *buffer; // NULL: directly to the palettes
    void *scratch;
    int num_rounds;
} crowd_part;

static void *pose_part(void *fixture)
{
    const crowd_part *const part = fixture;
    for (int round = 0; round < part->num_rounds; round++) {
        if (part->buffer)
            pose_through_buffer(MD5_POSE_KERNELS(AVX512), part->jobs, part->count, part->buffer,
                                part->scratch);
        else
            md5_pose_batch(part->jobs, part->count, NULL, part->scratch);
    }
    return NULL;
}

// Seconds for posing the first `count` jobs once, divided among the threads: the fastest of several
// tries.
static double time_threads(posing *posed, size_t count, unsigned num_threads)
{
    crowd_part parts[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    // A memory-bound try is short and is repeated more often, so that one of them falls between
    // other loads of the machine.
    const int num_rounds = count == POSING_MANY ? 1 : (int)(THREAD_POSES / count);
    const int num_tries = count == POSING_MANY ? MANY_TRIES : THREAD_TRIES;
    const uint32_t num_joints = posed->model->skeleton.num_joints;
    for (unsigned i = 0; i < num_threads; i++) {
        const size_t begin = count * i / num_threads;
        const size_t end = count * (i + 1) / num_threads;
        parts[i] = (crowd_part){posed->jobs + begin, end - begin, NULL, NULL, num_rounds};
        if (count == POSING_MANY)
            parts[i].buffer = posing_memory((size_t)POSING_BUFFER * num_joints, sizeof(md5_mat34));
        parts[i].scratch = posing_memory(md5_pose_batch_scratch(posed->jobs, count, NULL), 1);
    }
    double best = 1e30;
    for (int try = 0; try < num_tries; try++) {
        const double start = bench_now();
        for (unsigned i = 0; i < num_threads; i++) {
            if (pthread_create(&threads[i], NULL, pose_part, &parts[i]) != 0)
                exit(1);
        }
        for (unsigned i = 0; i < num_threads; i++)
            pthread_join(threads[i], NULL);
        const double seconds = bench_now() - start;
        best = seconds < best ? seconds : best;
    }
    for (unsigned i = 0; i < num_threads; i++) {
        free(parts[i].scratch);
        free(parts[i].buffer);
    }
    return best / num_rounds;
}

#endif
