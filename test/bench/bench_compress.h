// Compares the time to sample compressed clips with the time to sample the same clips uncompressed,
// for bench.c. Prints quartiles over all given clips that fit a model in their folder.
#ifndef TEST_BENCH_BENCH_COMPRESS_H
#define TEST_BENCH_BENCH_COMPRESS_H

#include "test/bench/bench_table.h"

#include "md5/md5pose.h"

#include <stdlib.h>
#include <string.h>

enum { COMPRESS_MAX_CLIPS = 256, COMPRESS_ROUNDS = 31, COMPRESS_SAMPLES = 200 };

typedef struct compress_case {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_anim *compressed;
    md5_binding *packed;
    md5_xform *pose;
} compress_case;

static bool is_in_same_folder(const char *path, const char *second_path)
{
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    return strncmp(path, second_path, length) == 0 && strchr(second_path + length, '/') == NULL;
}

static void free_compress_case(compress_case *fixture)
{
    md5_free_binding(fixture->packed);
    md5_free_anim(fixture->compressed);
    md5_free_binding(fixture->binding);
    md5_free_anim(fixture->anim);
    md5_free_model(fixture->model);
    free(fixture->pose);
}

// Returns false if the clip cannot be measured, because it has only one frame or belongs to another
// model.
static bool make_compress_case(compress_case *fixture, const char *mesh, const char *clip,
                               double tolerance)
{
    *fixture = (compress_case){.model = md5_load_model(mesh, NULL, NULL),
                               .anim = md5_load_anim(clip, NULL, NULL)};
    if (fixture->model && fixture->anim && fixture->anim->num_frames > 1)
        fixture->binding = md5_bind(fixture->model, fixture->anim, NULL, NULL);
    const md5_compress_opts opts = {.tolerance = (float)tolerance, .model = fixture->model};
    if (fixture->binding)
        fixture->compressed = md5_compress_anim(fixture->anim, &opts, NULL, NULL);
    if (fixture->compressed)
        fixture->packed = md5_bind(fixture->model, fixture->compressed, NULL, NULL);
    if (fixture->packed)
        fixture->pose = malloc(fixture->model->skeleton.num_joints * sizeof *fixture->pose);
    return fixture->pose != NULL;
}

// Returns the seconds for COMPRESS_SAMPLES samples, which are a sixtieth of a second apart.
static double time_samples(const compress_case *fixture, bool is_packed)
{
    const double start = bench_now();
    for (int i = 0; i < COMPRESS_SAMPLES; i++) {
        const md5_sample_position sample =
            md5_sample_position_at(fixture->anim, i / 60.0, MD5_WRAP_LOOP);
        if (is_packed)
            md5_sample(fixture->packed, sample, MD5_ROOT_FILE, fixture->pose);
        else
            md5_sample(fixture->binding, sample, MD5_ROOT_FILE, fixture->pose);
    }
    return bench_now() - start;
}

// Returns the median of the ratios of runs that alternate.
static double compare_samples(const compress_case *fixture)
{
    double ratios[COMPRESS_ROUNDS];
    (void)time_samples(fixture, false);
    (void)time_samples(fixture, true);
    for (int round = 0; round < COMPRESS_ROUNDS; round++) {
        const double plain = time_samples(fixture, false);
        ratios[round] = time_samples(fixture, true) / plain;
    }
    qsort(ratios, COMPRESS_ROUNDS, sizeof ratios[0], bench_compare);
    return ratios[COMPRESS_ROUNDS / 2];
}

// Compresses each clip for the model in its folder, and shows the quartiles of the ratios that
// compare_samples() returns.
static void measure_compressed(bench_table *table, int count, char **paths, double tolerance)
{
    double ratios[COMPRESS_MAX_CLIPS];
    size_t num_ratios = 0;
    char name[96];
    for (int c = 0; c < count && num_ratios < COMPRESS_MAX_CLIPS; c++) {
        for (int m = 0; m < count && strstr(paths[c], ".md5anim"); m++) {
            compress_case fixture = {0};
            const bool is_selected = strstr(paths[m], ".md5mesh")
                                     && is_in_same_folder(paths[c], paths[m])
                                     && make_compress_case(&fixture, paths[m], paths[c], tolerance);
            if (is_selected)
                ratios[num_ratios++] = compare_samples(&fixture);
            free_compress_case(&fixture);
            if (is_selected)
                break;
        }
    }
    qsort(ratios, num_ratios, sizeof ratios[0], bench_compare);
    for (size_t quartile = 1; quartile <= 3 && num_ratios > 0; quartile++) {
        snprintf(name, sizeof name, "within %g units, quartile %zu of %zu clips", tolerance,
                 quartile, num_ratios);
        bench_figure(table, name, "x", ratios[quartile * num_ratios / 4], 0);
    }
}

#endif
