// Compresses: looks for budgets of joints with which the measured error is within the tolerance, at
// least bytes. Errors of joints add up along a path, but rarely all in one direction, so that the
// budgets that hold are found by trying: each attempt gives more to joints below which the error is
// small, and less to those on the path to a larger one.
#include "md5/compress/file.h"
#include "md5/compress/tracks.h"
#include "md5/core/assert.h"
#include "md5/core/axes.h"
#include "md5/core/math.h"

#include <string.h>

enum { ATTEMPTS = 10, SCALINGS = 6, MOST_HALVINGS = 24 };

typedef struct compressing {
    md5_arena *arena;
    const md5_anim *anim;
    md5_packed_track *tracks;
    md5_skin_reach reach;
    md5_measuring scratch;
    float *best;      // [joints] budgets of the smallest attempt that holds
    size_t num_bytes; // of that
    double tolerance;
    md5_packed packed; // of the last attempt
    double error;
} compressing;

static bool try_budgets(compressing *job, md5_arena_mark mark)
{
    md5i_arena_rewind(job->arena, mark);
    TRY(md5i_pack_tracks(job->arena, job->anim, job->tracks, job->reach.reach, job->reach.budgets,
                         &job->packed));
    job->error = md5i_measure_packed(job->anim, &job->packed, job->reach.own, &job->scratch);
    return true;
}

static size_t size_of(const md5_packed *packed)
{
    return packed->num_bytes;
}

static void keep_if_best(compressing *job)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    const size_t size = size_of(&job->packed);
    if (!(job->error <= job->tolerance) || (job->num_bytes > 0 && size >= job->num_bytes))
        return;
    job->num_bytes = size;
    memcpy(job->best, job->reach.budgets, num_joints * sizeof *job->best);
}

// A part of the way from 1 to a factor, of quotients only: pow() differs between platforms.
static double part_of(double factor, double part)
{
    return factor > 1.0 ? 1.0 + (factor - 1.0) * part : 1.0 / (1.0 + (1.0 / factor - 1.0) * part);
}

// Largest errors of joints become those of all below them; a budget changes by what is missing to
// the tolerance, or is beyond it. `speed` falls, since steps are powers of two: a small change of a
// budget may double an error.
static void adapt_budgets(compressing *job, double speed)
{
    const md5_skeleton *const skeleton = &job->anim->skeleton;
    double *const errors = job->scratch.errors;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        if (parent >= 0 && errors[joint] > errors[parent])
            errors[parent] = errors[joint];
        const double least = job->tolerance * 0.125, error = errors[joint];
        const double change = job->tolerance / (error > least ? error : least);
        const double limited = change > 0.125 ? change : 0.125;
        job->reach.budgets[joint] *= (float)part_of(limited * 0.97, speed);
    }
}

// Steps in between: all budgets by the same factor, until the tolerance holds.
static bool scale_all(compressing *job, md5_arena_mark mark)
{
    for (int i = 0; i < SCALINGS; i++) {
        for (uint32_t joint = 0; joint < job->anim->skeleton.num_joints; joint++)
            job->reach.budgets[joint] *= 0.93f;
        TRY(try_budgets(job, mark));
        keep_if_best(job);
    }
    return true;
}

static bool fail_tolerance(const compressing *job, double least)
{
    return md5i_fail(job->arena->context, MD5_ERROR_RANGE, 0, 0,
                     "a tolerance of %g units cannot be kept: the least error is %g",
                     job->tolerance, least);
}

// If no attempt held: finer steps for all.
static bool refine(compressing *job, md5_arena_mark mark)
{
    double least = job->error;
    for (int i = 0; i < MOST_HALVINGS && job->num_bytes == 0; i++) {
        for (uint32_t joint = 0; joint < job->anim->skeleton.num_joints; joint++)
            job->reach.budgets[joint] *= 0.5f;
        TRY(try_budgets(job, mark));
        keep_if_best(job);
        least = job->error < least ? job->error : least;
    }
    return job->num_bytes > 0 || fail_tolerance(job, least);
}

static bool find_budgets(compressing *job, md5_arena_mark mark)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        job->reach.budgets[joint] *= (float)job->tolerance;
    for (int i = 0; i < ATTEMPTS; i++) {
        TRY(try_budgets(job, mark));
        keep_if_best(job);
        adapt_budgets(job, 1.0 / (1.0 + 0.25 * i));
    }
    TRY(scale_all(job, mark) && refine(job, mark));
    memcpy(job->reach.budgets, job->best, num_joints * sizeof *job->best);
    return try_budgets(job, mark);
}

static bool check_anim(md5_context *context, const md5_anim *anim)
{
    if (anim->packed)
        return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0, "the animation is compressed already");
    if (anim->parents_unknown)
        return md5i_fail(context, MD5_ERROR_VERSION, 0, 0,
                         "animations of version 6 store no hierarchy and cannot be compressed");
    if (anim->skeleton.num_joints == 0 || anim->skeleton.num_joints > MD5_PACKED_JOINTS)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "%u joints cannot be compressed: 1 to %u can",
                         (unsigned)anim->skeleton.num_joints, (unsigned)MD5_PACKED_JOINTS);
    return true;
}

static bool check_tolerance(md5_context *context, const md5_anim *anim, double *tolerance)
{
    if (!(*tolerance >= 0.0 && *tolerance <= 1e9))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "a tolerance of %g units: expected 0 to 1e9", *tolerance);
    if (*tolerance == 0.0)
        *tolerance = 0.01 * (double)md5_scale_of(&anim->skeleton);
    return true;
}

static md5_anim *compress(compressing *job, const md5_compress_opts *options)
{
    md5_arena *const arena = job->arena;
    const md5_anim *const anim = job->anim;
    if (!check_anim(arena->context, anim) || !check_tolerance(arena->context, anim, &job->tolerance)
        || !md5i_find_reach(arena, anim, options, &job->reach)
        || !md5i_begin_measuring(arena, anim->skeleton.num_joints, &job->scratch))
        return NULL;
    job->tracks = md5i_take_tracks(arena, anim);
    job->best = (float *)md5i_arena_room(arena, anim->skeleton.num_joints, sizeof *job->best);
    if (!job->tracks || !job->best || !find_budgets(job, md5i_arena_here(arena)))
        return NULL;
    const md5_anim source = {
        .skeleton = anim->skeleton,
        .num_frames = anim->num_frames,
        .frame_rate = anim->frame_rate,
        .tolerance = (float)job->tolerance,
        .max_error = (float)job->error,
    };
    return md5i_packed_create(arena->context, &source, anim->base_frame[0].translation,
                              &job->packed);
}

md5_anim *md5_compress_anim(const md5_anim *anim, const md5_compress_opts *compress_opts,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT_RESERVED(compress_opts);
    MD5_ASSERT_OPTS(opts);
    const md5_compress_opts defaults = {0};
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    const md5_compress_opts *const options = compress_opts ? compress_opts : &defaults;
    compressing job = {.arena = &arena, .anim = anim, .tolerance = (double)options->tolerance};
    md5_anim *const compressed = compress(&job, options);
    md5i_arena_free(&arena);
    return compressed;
}
