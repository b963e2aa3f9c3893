// Posing of made characters, for bench.c: every joint turns and moves in every frame, which real
// clips do not do; joints hang below each other in chains of three or four, as limbs do.
#ifndef TEST_BENCH_POSE_H
#define TEST_BENCH_POSE_H

#include "md5/pose/kernels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { POSING_FRAMES = 60, POSING_CROWD = 1000, POSING_MOMENTS = 1024 };

typedef struct posing {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_transform *pose;
    md5_mat34 *joints, *palette, *palettes; // of one character, of the crowd
    md5_pose_job *jobs;
    void *scratch;
    md5_moment moments[POSING_MOMENTS]; // all over the clip
    uint32_t next_moment;
    double time;
    md5_cpu level; // of rows for one instruction set
} posing;

typedef struct made_text {
    char *bytes;
    size_t size, room;
} made_text;

__attribute__((format(printf, 2, 3))) static void add_text(made_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int added =
        vsnprintf(text->bytes + text->size, text->room - text->size, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added >= text->room - text->size)
        abort();
    text->size += (size_t)added;
}

static double random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static void add_hierarchy(made_text *mesh, made_text *anim, uint32_t num_joints, uint64_t *random)
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

static void add_frames(made_text *anim, uint32_t num_joints, uint64_t *random)
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

static void *posing_memory(size_t count, size_t size)
{
    void *const memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

static void make_posing(posing *made, uint32_t num_joints)
{
    const size_t room = (size_t)1 << 22;
    made_text mesh = {posing_memory(room, 1), 0, room};
    made_text anim = {posing_memory(room, 1), 0, room};
    uint64_t random = 1;
    md5_error error;
    add_hierarchy(&mesh, &anim, num_joints, &random);
    add_frames(&anim, num_joints, &random);
    *made = (posing){
        .model = md5_parse_model(mesh.bytes, mesh.size, NULL, &error),
        .anim = md5_parse_anim(anim.bytes, anim.size, NULL, &error),
        .level = md5_cpu_best(),
    };
    free(mesh.bytes);
    free(anim.bytes);
    made->binding =
        made->model && made->anim ? md5_bind(made->model, made->anim, NULL, &error) : NULL;
    if (!made->binding) {
        fprintf(stderr, "bench: %s\n", error.message);
        exit(1);
    }
    made->pose = posing_memory(num_joints, sizeof *made->pose);
    made->joints = posing_memory(num_joints, sizeof *made->joints);
    made->palette = posing_memory(num_joints, sizeof *made->palette);
    made->palettes = posing_memory((size_t)num_joints * POSING_CROWD, sizeof *made->palettes);
    made->jobs = posing_memory(POSING_CROWD, sizeof *made->jobs);
    for (int i = 0; i < POSING_MOMENTS; i++)
        made->moments[i] = md5_moment_at(made->anim, random_number(&random) * 100.0, MD5_WRAP_LOOP);
    for (uint32_t i = 0; i < POSING_CROWD; i++)
        made->jobs[i] = (md5_pose_job){
            .binding = made->binding,
            .moment = made->moments[i],
            .palette = made->palettes + (size_t)i * num_joints,
        };
    made->scratch = posing_memory(md5_pose_batch_scratch(made->jobs, POSING_CROWD), 1);
}

static void free_posing(posing *made)
{
    md5_free_binding(made->binding);
    md5_free_anim(made->anim);
    md5_free_model(made->model);
    free(made->pose);
    free(made->joints);
    free(made->palette);
    free(made->palettes);
    free(made->jobs);
    free(made->scratch);
}

// A sixtieth of a second later.
static md5_moment play_on(posing *made)
{
    made->time += 1.0 / 60.0;
    return md5_moment_at(made->anim, made->time, MD5_WRAP_LOOP);
}

static md5_moment seek_on(posing *made)
{
    return made->moments[made->next_moment++ % POSING_MOMENTS];
}

#endif
