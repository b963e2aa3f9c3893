// Vertices as other formats can skin them, and what is lost.
#include "demo/convert/loss.h"

#include "demo/convert/space.h"

#include <stdlib.h>

static const double max_looks = 1e8; // at vertices, in frames
enum { MAX_SLOTS = 16, MAX_SUMS = MAX_SLOTS * (MAX_SLOTS + 1) / 2 };

// A vertex that is not exact, with sums over frames: while weights are fitted, of products of the
// kept joints' errors; while its point is fitted, the normal equations of that.
typedef struct loose_vertex {
    uint32_t mesh, index, num_kept;
    bool has_more; // influences than slots
    double sums[MAX_SUMS];
} loose_vertex;

typedef struct fitter {
    const convert_assets *assets;
    convert_skin *skins;
    uint32_t slots;
    double size; // of the model
    loose_vertex *vertices;
    size_t num_vertices, num_frames;
    uint32_t stride; // frames from one that is looked at to the next
    double worst;    // error, in units, and where it is
    uint32_t worst_mesh, worst_vertex, worst_frame;
    size_t worst_clip;
} fitter;

// m * (point, w)
static convert_vec moved(const md5_mat34 *m, convert_vec p, double w)
{
    double out[3];
    for (int row = 0; row < 3; row++) {
        const float *const r = &m->m[4 * row];
        out[row] = (double)r[0] * p.x + (double)r[1] * p.y + (double)r[2] * p.z + (double)r[3] * w;
    }
    return (convert_vec){out[0], out[1], out[2]};
}

// Where MD5 has a vertex.
static convert_vec exact(const md5_mesh *mesh, uint32_t index, const md5_mat34 *palette)
{
    convert_vec sum = {0.0, 0.0, 0.0};
    for (uint32_t i = mesh->first_influence[index]; i < mesh->first_influence[index + 1]; i++) {
        const md5_vec4 in = mesh->influences[i];
        const convert_vec point = {(double)in.x, (double)in.y, (double)in.z};
        sum = convert_add(sum, moved(&palette[mesh->influence_joints[i]], point, (double)in.w));
    }
    return sum;
}

// -- The first choice -----------------------------------------------------------------------------

// The largest weights, scaled. Without a positive one the joint of the largest alone, or joint 0.
// Returns whether the vertex is not exact: then it is one to fit or measure.
static bool pack_vertex(const fitter *fit, uint32_t mesh_index, uint32_t index, loose_vertex *out)
{
    const md5_mesh *const mesh = &fit->assets->model->meshes[mesh_index];
    convert_skin *const skin = &fit->skins[mesh_index];
    uint32_t *const joints = skin->joints + (size_t)index * fit->slots;
    float *const weights = skin->weights + (size_t)index * fit->slots;
    const uint32_t first = mesh->first_influence[index], end = mesh->first_influence[index + 1];
    const convert_vec position = convert_from_vec3(mesh->positions[index]);
    const double least = 1e-5 * fit->size; // what files round
    double sum = 0.0, kept = 0.0;
    bool is_off = first == end;
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        const md5_vec4 in = mesh->influences[i];
        const double bias = (double)in.w;
        const convert_vec point = {(double)in.x, (double)in.y, (double)in.z};
        const convert_vec gap = convert_sub(point, convert_times(position, bias));
        is_off |= bias < 0.0 || convert_dot(gap, gap) > least * least;
        sum += bias;
        if (bias > 0.0 && count < fit->slots) {
            joints[count] = mesh->influence_joints[i];
            weights[count++] = in.w;
            kept += bias;
        }
    }
    if (count == 0) {
        joints[0] = first < end ? mesh->influence_joints[first] : 0;
        weights[count++] = 1.0f;
        kept = 1.0;
    }
    for (uint32_t i = 0; i < count; i++)
        weights[i] = (float)((double)weights[i] / kept);
    *out = (loose_vertex){.mesh = mesh_index, .index = index, .num_kept = count};
    out->has_more = end - first > fit->slots;
    return is_off || out->has_more || fabs(sum - 1.0) > 1e-5;
}

// Largest first, sum 1 in floats, and no joint where the weight is 0.
static void finish_vertex(uint32_t *joints, float *weights, uint32_t slots)
{
    for (uint32_t i = 1; i < slots; i++)
        for (uint32_t k = i; k > 0 && weights[k] > weights[k - 1]; k--) {
            const float weight = weights[k];
            const uint32_t joint = joints[k];
            weights[k] = weights[k - 1], joints[k] = joints[k - 1];
            weights[k - 1] = weight, joints[k - 1] = joint;
        }
    double sum = 0.0;
    for (uint32_t i = 0; i < slots; i++) {
        if (!(weights[i] > 1e-7f))
            weights[i] = 0.0f, joints[i] = 0;
        sum += (double)weights[i];
    }
    weights[0] = (float)((double)weights[0] + (1.0 - sum));
}

// -- Weights by least squares ---------------------------------------------------------------------
//
// With e_k the distance from where joint k alone takes the point to where MD5 has the vertex, the
// error is |sum w_k e_k|, as the weights sum to 1. So the sums to minimise are w^T E w, with E_kl
// the sum of e_k . e_l over frames.

static void add_errors(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    (void)clip, (void)frame;
    fitter *const fit = user;
    fit->num_frames++;
    for (size_t i = 0; i < fit->num_vertices; i++) {
        loose_vertex *const v = &fit->vertices[i];
        const convert_skin *const skin = &fit->skins[v->mesh];
        const convert_vec point = convert_from_vec3(skin->positions[v->index]);
        const convert_vec target = exact(&fit->assets->model->meshes[v->mesh], v->index, palette);
        convert_vec errors[MAX_SLOTS];
        double *sum = v->sums;
        for (uint32_t k = 0; k < v->num_kept; k++) {
            const uint32_t joint = skin->joints[(size_t)v->index * fit->slots + k];
            errors[k] = convert_sub(moved(&palette[joint], point, 1.0), target);
            for (uint32_t l = 0; l <= k; l++)
                *sum++ += convert_dot(errors[k], errors[l]);
        }
    }
}

// Solves matrix[n][n] x = right for a symmetric positive definite matrix, which it uses up.
static void solve(double matrix[MAX_SLOTS][MAX_SLOTS], uint32_t n, double *right)
{
    for (uint32_t i = 0; i < n; i++) { // Cholesky, with forward substitution
        for (uint32_t j = 0; j <= i; j++) {
            double sum = matrix[i][j];
            for (uint32_t k = 0; k < j; k++)
                sum -= matrix[i][k] * matrix[j][k];
            matrix[i][j] = i == j ? sqrt(sum > 1e-300 ? sum : 1e-300) : sum / matrix[j][j];
        }
        for (uint32_t k = 0; k < i; k++)
            right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            right[i] -= matrix[k][i] * right[k];
        right[i] /= matrix[i][i];
    }
}

// Weights that no clip tells apart stay near those of the file: a small multiple of their
// difference is an error too. A weight that comes out negative is dropped, and the rest fitted
// again.
static void fit_weights(const fitter *fit, loose_vertex *v)
{
    float *const weights = fit->skins[v->mesh].weights + (size_t)v->index * fit->slots;
    const double pull = (double)fit->num_frames * 1e-5 * fit->size * fit->size + 1e-30;
    uint32_t kept[MAX_SLOTS], count = 0;
    for (uint32_t k = 0; k < v->num_kept; k++)
        kept[count++] = k;
    while (count > 1) {
        // (E + pull) w = pull w0 + m, with the m for which the sum is 1: w = a + m b.
        double matrix[MAX_SLOTS][MAX_SLOTS], twin[MAX_SLOTS][MAX_SLOTS];
        double a[MAX_SLOTS], b[MAX_SLOTS], sum_a = 0.0, sum_b = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j <= i; j++) {
                matrix[i][j] = v->sums[kept[i] * (kept[i] + 1) / 2 + kept[j]] + (i == j ? pull : 0);
                twin[i][j] = matrix[i][j];
            }
            a[i] = pull * (double)weights[kept[i]];
            b[i] = pull;
        }
        solve(matrix, count, a);
        solve(twin, count, b);
        for (uint32_t i = 0; i < count; i++)
            sum_a += a[i], sum_b += b[i];
        uint32_t lowest = 0;
        for (uint32_t i = 0; i < count; i++) {
            a[i] += b[i] * (1.0 - sum_a) / sum_b;
            lowest = a[i] < a[lowest] ? i : lowest;
        }
        if (a[lowest] >= 0.0) {
            float fitted[MAX_SLOTS] = {0};
            for (uint32_t i = 0; i < count; i++)
                fitted[kept[i]] = (float)a[i];
            for (uint32_t k = 0; k < v->num_kept; k++)
                weights[k] = fitted[k];
            return;
        }
        for (count--; lowest < count; lowest++)
            kept[lowest] = kept[lowest + 1];
    }
    for (uint32_t k = 0; k < v->num_kept; k++)
        weights[k] = k == kept[0] ? 1.0f : 0.0f;
}

// -- Points by least squares ----------------------------------------------------------------------

// The blended matrix of a vertex.
static md5_mat34 blended(const convert_skin *skin, uint32_t index, const md5_mat34 *palette)
{
    md5_mat34 sum = {{0}};
    for (uint32_t k = 0; k < skin->slots; k++) {
        const size_t slot = (size_t)index * skin->slots + k;
        for (int i = 0; i < 12 && skin->weights[slot] > 0.0f; i++)
            sum.m[i] += skin->weights[slot] * palette[skin->joints[slot]].m[i];
    }
    return sum;
}

// Sums A^T A (6 numbers) and A^T (target - A v), of each vertex, v being its present point.
static void add_points(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    (void)clip, (void)frame;
    fitter *const fit = user;
    for (size_t i = 0; i < fit->num_vertices; i++) {
        loose_vertex *const v = &fit->vertices[i];
        const convert_skin *const skin = &fit->skins[v->mesh];
        const md5_mat34 a = blended(skin, v->index, palette);
        const convert_vec point = convert_from_vec3(skin->positions[v->index]);
        const convert_vec target = exact(&fit->assets->model->meshes[v->mesh], v->index, palette);
        const convert_vec gap = convert_sub(target, moved(&a, point, 1.0));
        double *sum = v->sums;
        for (int k = 0; k < 3; k++) {
            const convert_vec column = {(double)a.m[k], (double)a.m[4 + k], (double)a.m[8 + k]};
            for (int l = 0; l <= k; l++)
                *sum++ += column.x * (double)a.m[l] + column.y * (double)a.m[4 + l]
                          + column.z * (double)a.m[8 + l];
            v->sums[6 + k] += convert_dot(column, gap);
        }
    }
}

static void fit_point(const fitter *fit, loose_vertex *v)
{
    double matrix[MAX_SLOTS][MAX_SLOTS], move[3] = {v->sums[6], v->sums[7], v->sums[8]};
    const double *sum = v->sums;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++)
            matrix[k][l] = *sum++ + (k == l ? 1e-6 * (double)fit->num_frames + 1e-30 : 0.0);
    solve(matrix, 3, move);
    md5_vec3 *const position = &fit->skins[v->mesh].positions[v->index];
    *position = convert_to_vec3(
        convert_add(convert_from_vec3(*position), (convert_vec){move[0], move[1], move[2]}));
}

// -- The error ------------------------------------------------------------------------------------

static void measure(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    fitter *const fit = user;
    for (size_t i = 0; i < fit->num_vertices; i++) {
        const loose_vertex *const v = &fit->vertices[i];
        const convert_skin *const skin = &fit->skins[v->mesh];
        const md5_mat34 a = blended(skin, v->index, palette);
        const convert_vec gap =
            convert_sub(exact(&fit->assets->model->meshes[v->mesh], v->index, palette),
                        moved(&a, convert_from_vec3(skin->positions[v->index]), 1.0));
        const double error = sqrt(convert_dot(gap, gap));
        if (error > fit->worst) {
            fit->worst = error;
            fit->worst_mesh = v->mesh, fit->worst_vertex = v->index;
            fit->worst_clip = clip, fit->worst_frame = frame;
        }
    }
}

// The bound of md5_pack_loss() for any rotation of joints about their own positions, but for the
// weights and the point that the vertex has now.
static double bound_of(const fitter *fit, const loose_vertex *v)
{
    const md5_model *const model = fit->assets->model;
    const md5_mesh *const mesh = &model->meshes[v->mesh];
    const convert_skin *const skin = &fit->skins[v->mesh];
    const convert_vec point = convert_from_vec3(skin->positions[v->index]);
    const uint32_t first = mesh->first_influence[v->index];
    const uint32_t end = mesh->first_influence[v->index + 1];
    double sum = 0.0, bound = 0.0;
    for (uint32_t i = first; i < end; i++) {
        const md5_vec4 in = mesh->influences[i];
        const uint32_t joint = mesh->influence_joints[i];
        const convert_vec origin = convert_from_vec3(md5_mat34_translation(model->bind[joint]));
        double weight = 0.0;
        for (uint32_t k = 0; k < fit->slots; k++)
            if (skin->joints[(size_t)v->index * fit->slots + k] == joint)
                weight += (double)skin->weights[(size_t)v->index * fit->slots + k];
        const convert_vec own = convert_sub((convert_vec){(double)in.x, (double)in.y, (double)in.z},
                                            convert_times(origin, (double)in.w));
        const convert_vec gap = convert_sub(own, convert_times(convert_sub(point, origin), weight));
        bound += sqrt(convert_dot(gap, gap));
        sum += (double)in.w;
    }
    return bound + fabs(sum - 1.0) * fit->size;
}

static void note_losses(const convert_job *job, const fitter *fit)
{
    size_t num_more = 0;
    double bound = 0.0;
    for (size_t i = 0; i < fit->num_vertices; i++) {
        num_more += fit->vertices[i].has_more;
        bound = fmax(bound, bound_of(fit, &fit->vertices[i]));
    }
    if (num_more > 0)
        convert_note(job, "%zu vertices have more than %u influences%s", num_more, fit->slots,
                     fit->num_frames > 0 ? ": their weights were fitted to the clips" : "");
    if (fit->num_vertices > num_more)
        convert_note(job,
                     "%zu vertices have weights that do not meet in a point, are negative or do "
                     "not sum to 1, which the format cannot say",
                     fit->num_vertices - num_more);
    const double part = fit->size > 0.0 ? 100.0 / fit->size : 0.0;
    if (fit->worst > 0.0)
        convert_note(job,
                     "vertices are at most %.3g units (%.3g %% of the size) from where MD5 has "
                     "them in these clips: vertex %u of mesh %u in frame %u of %s%s",
                     fit->worst, fit->worst * part, fit->worst_vertex, fit->worst_mesh,
                     fit->worst_frame, fit->assets->clips[fit->worst_clip].name,
                     fit->worst * part <= 1.0 ? ""
                     : job->is_fitted         ? ": THIS IS SEEN"
                                      : ": THIS IS SEEN; more influences or --fit may help");
    convert_note(job, "in any other pose they are at most %.3g units (%.3g %% of the size) off",
                 bound, bound * part);
}

// -- All of it ------------------------------------------------------------------------------------

static void pack_meshes(fitter *fit)
{
    const md5_model *const model = fit->assets->model;
    fit->skins = common_alloc(model->num_meshes, sizeof *fit->skins);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const size_t count = mesh->num_vertices;
        fit->skins[i] = (convert_skin){
            .slots = fit->slots,
            .joints = common_alloc(count * fit->slots, sizeof(uint32_t)),
            .weights = common_alloc(count * fit->slots, sizeof(float)),
            .positions = common_alloc(count, sizeof(md5_vec3)),
        };
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            fit->skins[i].positions[v] = mesh->positions[v];
            loose_vertex loose;
            if (!pack_vertex(fit, i, v, &loose))
                continue;
            fit->vertices = common_grow(fit->vertices, fit->num_vertices, sizeof loose);
            fit->vertices[fit->num_vertices++] = loose;
        }
    }
}

convert_skin *convert_make_skins(const convert_job *job, const convert_assets *assets,
                                 uint32_t slots)
{
    const md5_model *const model = assets->model;
    if (model == NULL)
        return NULL;
    fitter fit = {.assets = assets, .slots = slots};
    if (slots > 4)
        convert_note(job, "more than 4 influences a vertex: three.js and others read the first 4");
    const md5_vec3 diagonal = md5_vec3_sub(model->bounds.max, model->bounds.min);
    fit.size = model->max_vertices > 0 ? (double)md5_vec3_length(diagonal) : 0.0;
    pack_meshes(&fit);
    // Seconds, also where thousands of vertices are not exact in thousands of frames.
    size_t num_frames = 0;
    for (size_t i = 0; i < assets->num_clips; i++)
        num_frames += assets->clips[i].anim->num_frames;
    fit.stride = 1 + (uint32_t)((double)fit.num_vertices * (double)num_frames / max_looks);
    if (fit.stride > 1)
        convert_note(job, "one frame of %u is looked at", fit.stride);
    if (fit.num_vertices > 0) {
        convert_visit_frames(assets, fit.stride, add_errors, &fit);
        for (size_t i = 0; i < fit.num_vertices && fit.num_frames > 0; i++)
            if (fit.vertices[i].has_more || job->is_fitted)
                fit_weights(&fit, &fit.vertices[i]);
    }
    for (uint32_t i = 0; i < model->num_meshes; i++)
        for (size_t v = 0; v < model->meshes[i].num_vertices; v++)
            finish_vertex(fit.skins[i].joints + v * slots, fit.skins[i].weights + v * slots, slots);
    if (fit.num_vertices > 0 && fit.num_frames > 0 && job->is_fitted) {
        for (size_t i = 0; i < fit.num_vertices; i++)
            for (int k = 0; k < 9; k++)
                fit.vertices[i].sums[k] = 0.0;
        convert_visit_frames(assets, fit.stride, add_points, &fit);
        for (size_t i = 0; i < fit.num_vertices; i++)
            fit_point(&fit, &fit.vertices[i]);
    }
    if (fit.num_vertices > 0) {
        convert_visit_frames(assets, fit.stride, measure, &fit);
        note_losses(job, &fit);
    }
    free(fit.vertices);
    return fit.skins;
}

void convert_free_skins(const convert_assets *assets, convert_skin *skins)
{
    for (uint32_t i = 0; skins != NULL && i < assets->model->num_meshes; i++) {
        free(skins[i].joints);
        free(skins[i].weights);
        free(skins[i].positions);
    }
    free(skins);
}

void convert_note_weights(const convert_job *job, const md5_model *model, uint32_t slots)
{
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        uint32_t num_more = 0;
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            num_more += mesh->first_influence[v + 1] - mesh->first_influence[v] > slots;
        if (num_more > 0)
            convert_note(job,
                         "mesh %u: %u of %u vertices keep %u of up to %u joints, which is at most "
                         "%.3g units off in any pose",
                         m, num_more, mesh->num_vertices, slots, mesh->max_influences,
                         (double)md5_pack_loss(model, m, slots, NULL));
    }
}
