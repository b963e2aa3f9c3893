// Loads the parts of a scene, and converts the vertices of MD5 to the form of other formats.
//
// An MD5 vertex has one position per weight. In most other formats a vertex has one position and a
// few slots, each with a joint and its weight. The weights and the position of a vertex that cannot
// be converted exactly (inexact_vertex) are fitted to the clips, and the remaining error is
// measured. The main structure is fitter.
#include "demo/convert/assets.h"

// Limit of a clip, in joints times frames. A small file may contain many joints that do not move,
// but writers store a pose of each joint in every frame.
enum { MAX_POSES = 1 << 25 };

// For md5_load_opts.warn: reports a warning of the library as a note.
static void print_warning(void *user, const md5_error *warning)
{
    char text[600];
    md5_format_error(warning, text, sizeof text);
    convert_note(user, "%s", text);
}

// Binds a clip to the model or, without a model, to the skeleton. Returns NULL on failure.
static md5_binding *bind_clip(const convert_assets *assets, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error)
{
    if (assets->model)
        return md5_bind(assets->model, anim, opts, error);
    return md5_bind_skeleton(assets->skeleton, assets->rest, anim, opts, error);
}

// Called after the last clip of `assets` could not be bound. If --force is given and the clip
// belongs to another model, removes the clip with a note and returns true. Otherwise returns false,
// and the error remains.
static bool skip_unbound_clip(const convert_job *job, convert_assets *assets, md5_error *error)
{
    const bool is_for_different_model = assets->model && error->status == MD5_ERROR_MISMATCH;
    if (!is_for_different_model || !job->is_forced)
        return false;
    const convert_clip *const clip = &assets->clips[assets->num_clips - 1];
    convert_note(job, "skipped clip %s: %s", clip->name, error->message);
    md5_error_clear(error);
    md5_free_anim(clip->anim);
    assets->num_clips--;
    return true;
}

// Loads a clip and binds it. If the scene has no model, the joints of the first clip are the
// skeleton, in the pose of its base frame. With --force, a clip of another model is skipped.
static bool load_clip(const convert_job *job, const convert_part *part, convert_assets *assets,
                      md5_error *error)
{
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name,
                                .warn = print_warning,
                                .warn_user = (void *)(uintptr_t)job,
                                .allow_partial_binding = true};
    md5_anim *const anim = md5_parse_anim(part->bytes, part->size, &opts, error);
    if (!anim)
        return false;

    convert_clip *const clip = COMMON_ADD_ITEM(assets->clips, assets->num_clips);
    *clip = (convert_clip){.part = part, .name = part->name, .anim = anim};
    if (!assets->skeleton) {
        assets->skeleton = &anim->skeleton;
        assets->rest = anim->base_frame;
    }
    clip->binding = bind_clip(assets, anim, &opts, error);
    if (!clip->binding)
        return skip_unbound_clip(job, assets, error);

    const uint32_t num_joints = assets->skeleton->num_joints;
    if ((uint64_t)anim->num_frames * num_joints > MAX_POSES)
        return convert_fail(error, MD5_ERROR_RANGE, opts.file_name,
                            "clip is too large: %u frames of %u joints exceed %d joint transforms; "
                            "use --range to select frames",
                            anim->num_frames, num_joints, MAX_POSES);
    return true;
}

// Loads the models of all morph targets. *count receives the number of sources[] whose models the
// caller must free, also after an error. Returns false on failure.
static bool load_target_models(const convert_scene *scene, md5_morph_source *sources,
                               uint32_t *count, md5_error *error)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        const convert_part *const part = &scene->parts[i];
        if (part->kind != CONVERT_TARGET)
            continue;
        md5_model *const model = convert_parse_model(part, error);
        if (!model)
            return false;
        sources[*count] = (md5_morph_source){.name = part->name, .model = model};
        ++*count;
    }
    return true;
}

// Loads all morph targets. One structure contains their differences from the model.
static bool load_targets(const convert_scene *scene, convert_assets *assets, md5_error *error)
{
    md5_morph_source *const sources = common_alloc(scene->num_parts, sizeof *sources);
    uint32_t count = 0;
    bool is_read = load_target_models(scene, sources, &count, error);
    if (is_read && count > 0) {
        assets->morph = md5_create_morph(assets->model, sources, count, NULL, error);
        is_read = assets->morph;
    }
    for (uint32_t i = 0; i < count; i++)
        md5_free_model((md5_model *)(uintptr_t)sources[i].model);
    free(sources);
    return is_read;
}

// Loads the parts of a scene with the library. They are the model, the clips, and the morph
// targets. Binds the clips to the model.
bool convert_load_assets(const convert_job *job, const convert_scene *scene, convert_assets *assets,
                         md5_error *error)
{
    *assets = (convert_assets){0};
    const convert_part *const model = convert_find_model(scene);
    if (model) {
        assets->model = convert_parse_model(model, error);
        if (!assets->model)
            return false;
        assets->skeleton = &assets->model->skeleton;
        assets->rest = assets->model->bind_local;
    }
    for (size_t i = 0; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        if (part->kind == CONVERT_CLIP
            && !(convert_can_continue(job, error) && load_clip(job, part, assets, error)))
            return false;
    }
    return load_targets(scene, assets, error);
}

// Frees the assets of a scene. Bindings are freed before models and clips, because they refer to
// both.
void convert_free_assets(convert_assets *assets)
{
    for (size_t i = 0; i < assets->num_clips; i++)
        md5_free_binding(assets->clips[i].binding);
    for (size_t i = 0; i < assets->num_clips; i++)
        md5_free_anim(assets->clips[i].anim);
    if (assets->skins) {
        for (uint32_t i = 0; i < assets->model->num_meshes; i++) {
            free(assets->skins[i].joints);
            free(assets->skins[i].weights);
            free(assets->skins[i].positions);
        }
    }
    free(assets->skins);
    md5_destroy_morph(assets->morph);
    md5_free_model(assets->model);
    free(assets->clips);
}

// Calls a function with the palette of each frame of each clip, or of each `stride`-th frame.
void convert_visit_frames(const convert_assets *assets, uint32_t stride, convert_visit_fn *visit,
                          void *user)
{
    const uint32_t num_joints = assets->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    for (size_t clip = 0; clip < assets->num_clips; clip++) {
        const md5_anim *const anim = assets->clips[clip].anim;
        for (uint32_t frame = 0; frame < anim->num_frames; frame += stride) {
            md5_pose_palette(assets->clips[clip].binding,
                             md5_sample_position_from_frames(anim, frame, frame, 0), MD5_ROOT_FILE,
                             pose, NULL, palette);
            visit(user, clip, frame, palette);
        }
    }
    free(palette);
    free(pose);
}

// -- Skins ----------------------------------------------------------------------------------------

static const double max_samples = 1e8;     // inexact vertices times the frames they are compared in
static const double min_curvature = 1e-30; // avoids a division by 0
enum {
    MAX_SLOTS = 16,                             // influences per vertex
    MAX_SUMS = MAX_SLOTS * (MAX_SLOTS + 1) / 2, // elements of the lower triangle of a matrix
    FIRST_POINT_SUM = 6,                        // sums[] before it: a triangle of 3 x 3 elements
    NUM_SWEEPS = 64                             // over the unknowns of a least-squares problem
};

// A vertex that the format of the output cannot store exactly. In the pass FIT_WEIGHTS, `sums` are
// sums over all frames of products of the joints' errors. In the pass FIT_POINTS, they are the
// normal equations of the position.
typedef struct inexact_vertex {
    const md5_mesh *mesh;
    uint32_t mesh_index;
    uint32_t index;
    uint32_t num_kept;  // number of used slots
    bool exceeds_slots; // the vertex has more influences than slots
    uint32_t *joints;   // [slots] joints in the converted skin
    float *weights;     // [slots] weights in the converted skin
    md5_vec3 *position; // position in the converted skin, bind pose
    double sums[MAX_SUMS];
} inexact_vertex;

// State of converting all vertices of a model. Each pass visits the frames of all clips. The passes
// fit the weights, then fit the positions, and finally measure the error.
typedef struct fitter {
    const md5_model *model;
    uint32_t slots;
    float size; // size of the model
    inexact_vertex *vertices;
    size_t num_vertices;
    size_t num_frames;
    enum { FIT_WEIGHTS, FIT_POINTS, MEASURE } pass;
    convert_largest_error largest;
} fitter;

// Returns an element of a symmetric matrix; sums[] contains its lower triangle.
static double element(const inexact_vertex *v, uint32_t row, uint32_t column)
{
    if (row >= column)
        return v->sums[row * (row + 1) / 2 + column];
    return v->sums[column * (column + 1) / 2 + row];
}

static double dot(md5_vec3 a, md5_vec3 b)
{
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

// Returns matrix * (x, y, z, w). The point of an influence is already multiplied by its weight w.
static md5_vec3 transform_influence(const md5_mat34 *matrix, md5_vec4 v)
{
    const float *const m = matrix->m;
    return (md5_vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3] * v.w,
                      m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7] * v.w,
                      m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11] * v.w};
}

// -- Initial influences ---------------------------------------------------------------------------

// Copies the positive weights of a vertex to its slots, at most as many as there are slots. The
// influences are sorted, so these are the largest weights. Returns their sum.
static double select_weights(const fitter *fit, inexact_vertex *v, uint32_t first, uint32_t end)
{
    const md5_mesh *const mesh = v->mesh;
    double sum = 0;
    for (uint32_t i = first; i < end && v->num_kept < fit->slots; i++) {
        const float weight = mesh->influences[i].w;
        if (!(weight > 0))
            continue;
        v->joints[v->num_kept] = mesh->influence_joints[i];
        v->weights[v->num_kept++] = weight;
        sum += weight;
    }
    return sum;
}

// Returns true if all weights of a vertex have the same point in the bind pose and their sum is 1.
// MD5 also permits a different point for each weight, which other formats cannot store.
static bool has_exact_weights(const fitter *fit, const inexact_vertex *v, uint32_t first,
                              uint32_t end)
{
    const float max_distance = 1e-5f * fit->size; // rounding errors of files
    double sum = 0;
    for (uint32_t i = first; i < end; i++) {
        const md5_vec4 in = v->mesh->influences[i];
        const md5_vec3 gap =
            md5_vec3_sub((md5_vec3){in.x, in.y, in.z}, md5_vec3_scale(*v->position, in.w));
        if (in.w < 0 || md5_vec3_length(gap) > max_distance)
            return false;
        sum += in.w;
    }
    return !(fabs(sum - 1) > 1e-5);
}

// Selects the largest weights of a vertex and scales their sum to 1. A vertex without a positive
// weight is attached to the joint of its first influence, or to joint 0. Returns true if the vertex
// is not exact afterwards.
static bool pack_vertex(const fitter *fit, inexact_vertex *v)
{
    const md5_mesh *const mesh = v->mesh;
    const uint32_t first = mesh->first_influence[v->index];
    const uint32_t end = mesh->first_influence[v->index + 1];
    double sum = select_weights(fit, v, first, end);
    if (v->num_kept == 0) {
        v->joints[0] = first < end ? mesh->influence_joints[first] : 0;
        v->weights[v->num_kept++] = 1;
        sum = 1;
    }
    for (uint32_t i = 0; i < v->num_kept; i++)
        v->weights[i] = (float)(v->weights[i] / sum);

    v->exceeds_slots = end - first > fit->slots;
    return v->exceeds_slots || !has_exact_weights(fit, v, first, end);
}

// Sorts the influences by descending weight. Slots without weight get joint 0. Adjusts the weights
// so that their sum is exactly 1 in floats.
static void finish_vertex(uint32_t *joints, float *weights, uint32_t slots)
{
    const float min_weight = 1e-7f;        // smaller weights are rounding errors
    for (uint32_t i = 1; i < slots; i++) { // insertion sort
        for (uint32_t k = i; k > 0 && weights[k] > weights[k - 1]; k--) {
            const float weight = weights[k];
            const uint32_t joint = joints[k];
            weights[k] = weights[k - 1];
            joints[k] = joints[k - 1];
            weights[k - 1] = weight;
            joints[k - 1] = joint;
        }
    }

    double sum = 0;
    for (uint32_t i = 0; i < slots; i++) {
        if (!(weights[i] > min_weight)) {
            weights[i] = 0;
            joints[i] = 0;
        }
        sum += weights[i];
    }

    weights[0] = (float)(weights[0] + (1 - sum));
}

// -- Weights by least squares ---------------------------------------------------------------------
//
// Let e_k be the vector from the vertex in MD5 to the position that joint k alone produces. Because
// the weights sum to 1, the error is |sum w_k e_k|. The sum to minimize over all frames is w^T E w,
// in which E_kl is the sum of e_k . e_l.

// Returns the weight that is moved from slot l to slot k in one step of Newton's method. The step
// minimizes the error
//
//     w^T E w
//
// Neither weight becomes negative. `regularization` weights the squared differences of the fitted
// weights from the weights of the file.
static double find_weight_step(const inexact_vertex *v, const double *fitted, uint32_t k,
                               uint32_t l, double regularization)
{
    const float *const weights = v->weights;
    double slope = regularization * (fitted[l] - weights[l] - fitted[k] + weights[k]);
    for (uint32_t i = 0; i < v->num_kept; i++)
        slope += (element(v, l, i) - element(v, k, i)) * fitted[i];
    const double curvature =
        element(v, k, k) + element(v, l, l) - 2 * element(v, k, l) + 2 * regularization;
    return fmin(fmax(slope / curvature, -fitted[k]), fitted[l]);
}

// Replaces the weights of a vertex by weights that minimize its error in the frames of all clips.
// Each step changes two weights by opposite amounts, so that the sum stays 1. The clips may not
// determine all weights. A small regularization keeps such weights near those of the file.
static void fit_weights(const fitter *fit, const inexact_vertex *v)
{
    const double size = fit->size;
    const double regularization = (double)fit->num_frames * 1e-5 * size * size + min_curvature;
    double fitted[MAX_SLOTS];
    for (uint32_t k = 0; k < v->num_kept; k++)
        fitted[k] = v->weights[k];

    for (int sweep = 0; sweep < NUM_SWEEPS; sweep++) {
        for (uint32_t k = 1; k < v->num_kept; k++) {
            for (uint32_t l = 0; l < k; l++) {
                const double step = find_weight_step(v, fitted, k, l, regularization);
                fitted[k] += step;
                fitted[l] -= step;
            }
        }
    }

    for (uint32_t k = 0; k < v->num_kept; k++)
        v->weights[k] = (float)fitted[k];
}

// -- Points by least squares ----------------------------------------------------------------------

// Moves the vertices of the skin in the bind pose, so that they are near to the vertices in MD5 in
// all frames. For each frame, let
//
//     A = the 3 * 3 part of the blended joint matrices of the vertex
//     e = the vector from its current position to the position in MD5
//     m = the unknown move of the vertex in the bind pose
//
// The best move minimizes the sum of |A m - e|^2 over all frames. It is the solution of
//
//     (sum of A^T A) m = sum of A^T e
//
// The sums of a vertex are 9 numbers: the lower triangle of A^T A (6 numbers), then A^T e.

// Moves a vertex in the bind pose to the position that minimizes its error in the frames of all
// clips. Solves the equations for one coordinate at a time (Gauss-Seidel). This converges fast,
// because the columns of blended rotations are nearly orthogonal. A small regularization prefers
// short moves.
static void fit_point(const fitter *fit, const inexact_vertex *v)
{
    double move[3] = {0, 0, 0};
    for (int sweep = 0; sweep < NUM_SWEEPS; sweep++) {
        for (uint32_t k = 0; k < 3u; k++) {
            double remainder = v->sums[FIRST_POINT_SUM + k];
            for (uint32_t l = 0; l < 3u; l++) {
                if (l != k)
                    remainder -= element(v, k, l) * move[l];
            }
            move[k] =
                remainder / (element(v, k, k) + 1e-6 * (double)fit->num_frames + min_curvature);
        }
    }
    *v->position =
        md5_vec3_add(*v->position, (md5_vec3){(float)move[0], (float)move[1], (float)move[2]});
}

// -- The error ------------------------------------------------------------------------------------

void convert_update_largest_error(convert_largest_error *largest, convert_largest_error error)
{
    if (error.distance > largest->distance)
        *largest = error;
}

// Returns a distance as a fraction of the model's size.
static double relative_size(const md5_model *model, double distance)
{
    const double size = md5_vec3_length(md5_vec3_sub(model->bounds.max, model->bounds.min));
    return model->max_vertices > 0 && size > 0 ? distance / size : 0;
}

// Reports the largest distance between a vertex of the MD5 skin and the same vertex of the written
// skin. Returns false if the distance is visible.
bool convert_note_largest_error(const convert_job *job, const convert_assets *assets,
                                const convert_largest_error *largest)
{
    const double max_invisible_fraction = 0.01; // fraction of the model's size
    const double fraction = relative_size(assets->model, largest->distance);
    const bool is_visible = fraction > max_invisible_fraction;
    convert_note(job,
                 "largest difference from the MD5 skin in these clips: %.3g units (%.3g %% of the "
                 "model's size) at vertex %u of mesh %u in frame %u of %s%s",
                 largest->distance, 100 * fraction, largest->vertex, largest->mesh, largest->frame,
                 assets->clips[largest->clip].name,
                 is_visible ? "; the difference is visible" : "");
    return !is_visible;
}

// Returns the position of a vertex in MD5, with all influences.
static md5_vec3 exact_position(const inexact_vertex *v, const md5_mat34 *palette)
{
    const md5_mesh *const mesh = v->mesh;
    const uint32_t end = mesh->first_influence[v->index + 1];
    md5_vec3 position = {0, 0, 0};
    for (uint32_t i = mesh->first_influence[v->index]; i < end; i++)
        position = md5_vec3_add(position, transform_influence(&palette[mesh->influence_joints[i]],
                                                              mesh->influences[i]));
    return position;
}

// Computes the error e_k for each joint of the skin, as defined above. Returns the vector from the
// vertex in the converted skin to the vertex in MD5.
static md5_vec3 find_errors(const inexact_vertex *v, const md5_mat34 *palette,
                            md5_vec3 errors[MAX_SLOTS])
{
    const md5_vec3 target = exact_position(v, palette);
    md5_vec3 gap = {0, 0, 0};
    for (uint32_t k = 0; k < v->num_kept; k++) {
        const md5_mat34 *const joint = &palette[v->joints[k]];
        errors[k] = md5_vec3_sub(md5_mat34_point(*joint, *v->position), target);
        gap = md5_vec3_sub(gap, md5_vec3_scale(errors[k], v->weights[k]));
    }
    return gap;
}

// Adds one frame to the matrix E of the least-squares problem that fit_weights() solves. E_kl is
// the sum of e_k . e_l over all frames, and errors[k] is e_k in this frame. E is symmetric, so
// v->sums contains only its lower triangle by rows.
static void add_weight_sums(inexact_vertex *v, const md5_vec3 errors[MAX_SLOTS])
{
    double *sum = v->sums;
    for (uint32_t k = 0; k < v->num_kept; k++) {
        for (uint32_t l = 0; l <= k; l++)
            *sum++ += dot(errors[k], errors[l]);
    }
}

// Adds one frame to the sums of the equations that fit_point() solves; A and e are defined there.
// `gap` is e. v->sums contains the lower triangle of A^T A by rows (00, 10, 11, 20, 21, 22),
// followed by the three components of A^T e.
static void add_point_sums(inexact_vertex *v, const md5_mat34 *palette, md5_vec3 gap)
{
    double *sum = v->sums;
    md5_vec3 columns[3] = {{0, 0, 0}}; // columns of the blended matrix A
    for (uint32_t k = 0; k < v->num_kept; k++) {
        const float *const m = palette[v->joints[k]].m;
        for (int c = 0; c < 3; c++) {
            const md5_vec3 column = {m[c], m[4 + c], m[8 + c]};
            columns[c] = md5_vec3_add(columns[c], md5_vec3_scale(column, v->weights[k]));
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l <= k; l++)
            *sum++ += dot(columns[k], columns[l]);
        v->sums[FIRST_POINT_SUM + k] += dot(columns[k], gap);
    }
}

// Adds one frame to the sums of the current pass or, in the pass MEASURE, measures the error. It is
// a callback for convert_visit_frames().
static void sum_frame(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    fitter *const fit = user;
    if (fit->pass == FIT_WEIGHTS)
        fit->num_frames++;
    for (size_t i = 0; i < fit->num_vertices; i++) {
        inexact_vertex *const v = &fit->vertices[i];
        md5_vec3 errors[MAX_SLOTS];
        const md5_vec3 gap = find_errors(v, palette, errors);
        if (fit->pass == FIT_WEIGHTS)
            add_weight_sums(v, errors);
        else if (fit->pass == FIT_POINTS)
            add_point_sums(v, palette, gap);
        else
            convert_update_largest_error(&fit->largest,
                                         (convert_largest_error){md5_vec3_length(gap), clip, frame,
                                                                 v->mesh_index, v->index});
    }
}

// Returns an upper limit of the error of a vertex in any pose whose joints only rotate about their
// positions in the bind pose. md5_pack_loss() computes this limit for packed weights. This function
// uses the fitted weights and the fitted position.
static double error_limit(const fitter *fit, const inexact_vertex *v)
{
    const md5_mesh *const mesh = v->mesh;
    double sum = 0;
    double bound = 0;
    for (uint32_t i = mesh->first_influence[v->index]; i < mesh->first_influence[v->index + 1];
         i++) {
        const md5_vec4 in = mesh->influences[i];
        const uint32_t joint = mesh->influence_joints[i];
        const md5_vec3 origin = md5_mat34_translation(fit->model->bind[joint]);
        float weight = 0;
        for (uint32_t k = 0; k < fit->slots; k++) {
            if (v->joints[k] == joint)
                weight += v->weights[k];
        }
        const md5_vec3 exact =
            md5_vec3_sub((md5_vec3){in.x, in.y, in.z}, md5_vec3_scale(origin, in.w));
        const md5_vec3 fitted = md5_vec3_sub(*v->position, origin);
        bound += md5_vec3_length(md5_vec3_sub(exact, md5_vec3_scale(fitted, weight)));
        sum += in.w;
    }

    return bound + fabs(sum - 1) * fit->size;
}

// Reports the vertices that the format cannot store exactly. `num_exceeding` of them have more than
// fit->slots influences, and are reported separately.
static void note_inexact_vertices(const convert_job *job, const fitter *fit, size_t num_exceeding)
{
    const size_t num_inexact = fit->num_vertices - num_exceeding;
    if (num_exceeding > 0)
        convert_note(job, "%zu %s more than %u influences%s", num_exceeding,
                     common_noun(num_exceeding, "vertex has", "vertices have"), fit->slots,
                     fit->num_frames > 0 ? "; their weights were fitted to the clips" : "");
    if (num_inexact > 0)
        convert_note(job,
                     "the format cannot store the weights of %zu %s exactly: the weighted "
                     "positions differ, a weight is negative, or the weights do not sum to 1",
                     num_inexact, common_noun(num_inexact, "vertex", "vertices"));
}

// Reports the number of inexact vertices, the largest error in the clips, and an upper limit of the
// error in other poses.
static void note_losses(const convert_job *job, const convert_assets *assets, const fitter *fit)
{
    const uint32_t max_slots = 16;
    size_t num_exceeding = 0;
    double limit = 0;
    for (size_t i = 0; i < fit->num_vertices; i++) {
        inexact_vertex *const vertex = &fit->vertices[i];
        num_exceeding += vertex->exceeds_slots;
        limit = fmax(limit, error_limit(fit, vertex));
    }
    note_inexact_vertices(job, fit, num_exceeding);

    const bool is_visible =
        fit->largest.distance > 0 && !convert_note_largest_error(job, assets, &fit->largest);
    const bool can_add_slots = num_exceeding > 0 && fit->slots < max_slots;
    if (is_visible && !job->is_fitted)
        convert_note(job, can_add_slots ? "use --fit or a larger value of --influences to reduce "
                                          "the difference"
                                        : "use --fit to reduce the difference");
    convert_note(
        job,
        "upper limit of the difference in any other pose: %.3g units (%.3g %% of the model's size)",
        limit, 100 * relative_size(fit->model, limit));
}

// -- All steps ------------------------------------------------------------------------------------

// Reduces each vertex of a mesh to at most fit->slots influences. Vertices that are not exact
// afterwards are added to fit->vertices, so that they can be fitted to the clips.
static void pack_mesh(fitter *fit, uint32_t mesh_index, convert_skin *skin)
{
    const md5_mesh *const mesh = &fit->model->meshes[mesh_index];
    const size_t count = mesh->num_vertices;
    *skin = (convert_skin){
        .slots = fit->slots,
        .joints = common_alloc(count * fit->slots, sizeof(uint32_t)),
        .weights = common_alloc(count * fit->slots, sizeof(float)),
        .positions = common_alloc(count, sizeof(md5_vec3)),
    };

    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        inexact_vertex v = {.mesh = mesh,
                            .mesh_index = mesh_index,
                            .index = i,
                            .joints = skin->joints + (size_t)i * fit->slots,
                            .weights = skin->weights + (size_t)i * fit->slots,
                            .position = &skin->positions[i]};
        *v.position = mesh->positions[i];
        if (!pack_vertex(fit, &v)) {
            finish_vertex(v.joints, v.weights, fit->slots);
            continue;
        }
        *COMMON_ADD_ITEM(fit->vertices, fit->num_vertices) = v;
    }
}

// Returns the step between the frames to which vertices are fitted. The step limits the time to
// seconds, even for thousands of inexact vertices in thousands of frames.
static uint32_t select_stride(const convert_job *job, const convert_assets *assets,
                              const fitter *fit)
{
    size_t num_frames = 0;
    for (size_t i = 0; i < assets->num_clips; i++)
        num_frames += assets->clips[i].anim->num_frames;
    const uint32_t stride =
        1 + (uint32_t)((double)fit->num_vertices * (double)num_frames / max_samples);
    if (stride > 1)
        convert_note(job, "only one of every %u frames is compared, to limit the time", stride);
    return stride;
}

// Fits the weights of the inexact vertices. With --fit, also fits their positions. Then measures
// their errors. Each of these passes visits the frames of all clips.
static void fit_vertices(const convert_job *job, const convert_assets *assets, fitter *fit)
{
    const uint32_t stride = select_stride(job, assets, fit);
    convert_visit_frames(assets, stride, sum_frame, fit);
    for (size_t i = 0; i < fit->num_vertices; i++) {
        inexact_vertex *const v = &fit->vertices[i];
        if (fit->num_frames > 0 && (v->exceeds_slots || job->is_fitted))
            fit_weights(fit, v);
        finish_vertex(v->joints, v->weights, fit->slots);
        v->num_kept = fit->slots;
        memset(v->sums, 0, sizeof v->sums);
    }

    if (fit->num_frames > 0 && job->is_fitted) {
        fit->pass = FIT_POINTS;
        convert_visit_frames(assets, stride, sum_frame, fit);
        for (size_t i = 0; i < fit->num_vertices; i++)
            fit_point(fit, &fit->vertices[i]);
    }

    fit->pass = MEASURE;
    convert_visit_frames(assets, stride, sum_frame, fit);
    note_losses(job, assets, fit);
}

// Reduces all vertices to `slots` influences. First, each vertex keeps its largest weights. Then
// the weights of the vertices that this changed are fitted to the poses of all clips.
void convert_make_skins(const convert_job *job, convert_assets *assets, uint32_t slots)
{
    const md5_model *const model = assets->model;
    if (!model)
        return;

    if (slots > 4)
        convert_note(job,
                     "the file has more than 4 influences per vertex, but three.js and some other "
                     "programs use only the first 4; use --influences 4 for these programs");
    fitter fit = {.model = model, .slots = slots};
    if (model->max_vertices > 0)
        fit.size = md5_vec3_length(md5_vec3_sub(model->bounds.max, model->bounds.min));
    assets->skins = common_alloc(model->num_meshes, sizeof *assets->skins);
    for (uint32_t i = 0; i < model->num_meshes; i++)
        pack_mesh(&fit, i, &assets->skins[i]);

    if (fit.num_vertices > 0)
        fit_vertices(job, assets, &fit);
    free(fit.vertices);
}

// Gives vertices without positive weights the full weight in the first slot. Returns their number.
// weights[] is the first weight of the mesh; the weights of vertices are `stride` bytes apart.
static uint32_t fill_empty_weights(uint8_t *weights, uint32_t num_vertices, size_t stride)
{
    uint32_t num_unweighted = 0;
    for (uint32_t v = 0; v < num_vertices; v++) {
        if (weights[v * stride] > 0)
            continue;
        weights[v * stride] = UINT8_MAX;
        num_unweighted++;
    }
    return num_unweighted;
}

// Returns the number of vertices with more influences than slots.
static uint32_t count_reduced_vertices(const md5_mesh *mesh, uint32_t slots)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const uint32_t num_influences = mesh->first_influence[v + 1] - mesh->first_influence[v];
        count += num_influences > slots;
    }
    return count;
}

// Packs the influences of a mesh: `slots` joints and `slots` weights per vertex. Vertices without
// positive weights get the full weight in the first slot. Returns their number, or UINT32_MAX if
// the joints do not fit into bytes.
static uint32_t pack_mesh_bytes(const convert_job *job, const md5_model *model, uint32_t mesh_index,
                                uint32_t slots, uint8_t *packed)
{
    const md5_mesh *const mesh = &model->meshes[mesh_index];
    const size_t stride = 2 * (size_t)slots;
    const md5_pack_job pack = {.mesh = mesh,
                               .slots = slots,
                               .format = MD5_PACK_BYTES,
                               .joints = packed,
                               .weights = packed + slots,
                               .joint_stride = stride,
                               .weight_stride = stride};
    if (model->skeleton.num_joints > 256 || !md5_pack_influences(&pack))
        return UINT32_MAX;

    const uint32_t num_reduced = count_reduced_vertices(mesh, slots);
    if (num_reduced > 0)
        convert_note(job,
                     "mesh %u: weights of %u of %u vertices were reduced to %u influences "
                     "(from up to %u); this moves vertices by at most %.3g units in any pose",
                     mesh_index, num_reduced, mesh->num_vertices, slots, mesh->max_influences,
                     md5_pack_loss(model, mesh_index, slots, NULL));
    return fill_empty_weights(packed + slots, mesh->num_vertices, stride);
}

// Packs the influences of all vertices as bytes, for formats that store them in this way. Each
// vertex has `slots` joints, then `slots` weights. Returns NULL if a joint index does not fit in a
// byte.
uint8_t *convert_pack_bytes(const convert_job *job, const md5_model *model, uint32_t slots)
{
    const size_t stride = 2 * (size_t)slots;
    size_t num_vertices = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++)
        num_vertices += model->meshes[m].num_vertices;

    uint8_t *const packed = common_alloc(num_vertices + 1, stride);
    uint8_t *next = packed;
    size_t num_unweighted = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const uint32_t count = pack_mesh_bytes(job, model, m, slots, next);
        if (count == UINT32_MAX) {
            free(packed);
            return NULL;
        }
        num_unweighted += count;
        next += model->meshes[m].num_vertices * stride;
    }

    if (num_unweighted > 0)
        convert_note(job,
                     "attached %zu %s without positive weights to the first joint; use md5tool fix "
                     "--weights to give them weights",
                     num_unweighted, common_noun(num_unweighted, "vertex", "vertices"));
    return packed;
}
