// Skinning: md5_skin(), md5_skin_batch() and md5_skin_bounds(). Selects a kernel for whole meshes,
// skins single vertices in plain C, and applies morph targets.
#include "md5/core/math.h"
#include "md5/skin/kernels.h"

// == Dual palettes ===============================================================================
//
// The formulas are in skin_scalar.c.

// Converts palette matrices to dual quaternions: the rotation, and half of the translation
// multiplied by the rotation.
void md5_build_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 half = md5_vec3_scale(md5_mat34_translation(palette[i]), 0.5f);
        const md5_quat rotation = md5_quat_from_mat34(palette[i]);
        dual[i].real = rotation;
        dual[i].dual = md5_quat_mul((md5_quat){half.x, half.y, half.z, 0}, rotation);
    }
}

// == Vertices ====================================================================================
//
// Morph targets move few vertices. Therefore the mesh is skinned without targets first, and the
// moved vertices are corrected afterwards. Let e be the blended matrix of a vertex, and d the sum
// of its weighted deltas. The exact vertex is
//
//   sum of palette * (bias * (point + d), bias) = (result of md5_skin()) + (rotation of e) * d,
//
// so the correction does not need the influences again. With dual quaternions, each vertex has one
// matrix anyway.

// Minimum number of vertices for SIMD. Smaller meshes use plain C, because the latency of the first
// result is longer with wide registers.
enum { MIN_VERTICES = 4 };

// Skins a mesh with the kernel of `level`. The processor must support it: see md5i_cpu_has().
void md5i_skin_with(md5_cpu level, const md5i_skin_job *job)
{
    const bool is_wide = job->mesh->skin_plan && job->mesh->num_vertices >= MIN_VERTICES;
    static void (*const kernels[MD5_CPU_COUNT])(const md5i_skin_job *) =
        MD5_KERNEL_PER_SET(md5i_skin);
    kernels[is_wide ? level : MD5_CPU_SCALAR](job);
}

// Skins all vertices of a mesh with the fastest kernel. `normals` and `tangents` may be NULL.
void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
              md5_vec3 *normals, md5_vec4 *tangents)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT_ARRAY(palette, mesh->num_influences);
    MD5_ASSERT_GEOMETRY(mesh);
    const md5i_skin_job job = {
        .mesh = mesh,
        .palette = palette,
        .positions = positions,
        .normals = normals,
        .tangents = mesh->tangents ? tangents : NULL,
    };
    md5i_skin_with(md5i_cpu_best(MD5_CPU_AVX512), &job);
}

// -- Morph targets --------------------------------------------------------------------------

// A vertex that a morph changes. It is in the bind pose until pose_morphed_vertex() converts it to
// the current pose.
typedef struct morphed_vertex {
    md5_vec3 offset; // added to the position
    md5_vec3 normal;
    md5_vec4 tangent;
} morphed_vertex;

// The sums of a vertex's morph deltas, each multiplied by the weight of its target.
typedef struct blended_delta {
    md5_vec3 position; // change of the position
    md5_vec3 normal;   // normal of the bind pose and its change
    md5_vec3 tangent;  // direction of the tangent of the bind pose and its change
    bool is_changed;   // a target of the vertex has a weight other than 0
} blended_delta;

// Returns the normal and the tangent of the bind pose plus the weighted deltas of a vertex, and the
// sum of the changes of its position. `index` is the index of the vertex in the list of changed
// vertices.
static blended_delta sum_deltas(const md5_morph_mesh *morph, const float *weights, uint32_t index,
                                md5_vec3 normal, md5_vec3 tangent)
{
    blended_delta sum = {{0, 0, 0}, normal, tangent, false};
    for (uint32_t i = morph->first[index]; i < morph->first[index + 1]; i++) {
        const md5_morph_delta *const delta = &morph->deltas[i];
        const float weight = weights[delta->target];
        if (weight == 0)
            continue;
        sum.position = md5_vec3_add(sum.position, md5_vec3_scale(delta->position, weight));
        sum.normal = md5_vec3_add(sum.normal, md5_vec3_scale(delta->normal, weight));
        sum.tangent = md5_vec3_add(sum.tangent, md5_vec3_scale(delta->tangent, weight));
        sum.is_changed = true;
    }
    return sum;
}

// Blends the targets that change a vertex of a mesh. `index` is the index of the vertex in the list
// of changed vertices. Returns false if all weights are 0. The blended normal has unit length, and
// the tangent is perpendicular to it.
static bool blend_morph(const md5_morph_mesh *morph, const md5_mesh *mesh, const float *weights,
                        uint32_t index, morphed_vertex *result)
{
    const uint32_t vertex = morph->vertices[index];
    const md5_vec4 tangent = mesh->tangents ? mesh->tangents[vertex] : (md5_vec4){0, 0, 0, 0};
    const md5_vec3 bind_tangent = {tangent.x, tangent.y, tangent.z};
    const md5_vec3 bind_normal = mesh->normals[vertex];
    const blended_delta sum = sum_deltas(morph, weights, index, bind_normal, bind_tangent);
    if (!sum.is_changed)
        return false;

    const md5_vec3 normal = md5_vec3_normalize(sum.normal, bind_normal);
    const md5_vec3 unit = md5_vec3_normalize(md5_vec3_reject(sum.tangent, normal), bind_tangent);
    result->offset = sum.position;
    result->normal = normal;
    result->tangent = (md5_vec4){unit.x, unit.y, unit.z, tangent.w};
    return true;
}

#if !defined(NDEBUG)
// Returns true if all weights are finite numbers.
static bool are_finite(const float *weights, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(weights[i]))
            return false;
    }
    return true;
}
#endif

// Rotates a morphed vertex from the bind pose to the current pose, by the matrix of the vertex. The
// normal and the tangent keep unit length. If the matrix makes one of them zero, it keeps its
// direction of the bind pose.
static morphed_vertex pose_morphed_vertex(const md5_mat34 *matrix, const morphed_vertex *bind)
{
    const md5_vec3 tangent_axis = {bind->tangent.x, bind->tangent.y, bind->tangent.z};
    const md5_vec3 rotated =
        md5_vec3_normalize(md5_mat34_rotate(matrix, tangent_axis), tangent_axis);
    return (morphed_vertex){
        .offset = md5_mat34_rotate(matrix, bind->offset),
        .normal = md5_vec3_normalize(md5_mat34_rotate(matrix, bind->normal), bind->normal),
        .tangent = {rotated.x, rotated.y, rotated.z, bind->tangent.w},
    };
}

// Corrects the skinned result of one vertex that the morph changes. `index` is its index in the
// list of changed vertices. `out_index` is its index in the output. The matrix of the vertex
// transforms the change of the bind pose to the current pose.
static void apply_morph_vertex(const md5_skin_job *job, const md5_morph_mesh *changed,
                               uint32_t index, const md5i_skin_job *to, uint32_t out_index)
{
    morphed_vertex morphed;
    if (!blend_morph(changed, job->mesh, job->morph_weights, index, &morphed))
        return;
    const bool is_posed = job->palette || job->duals;
    if (is_posed) {
        const md5_mat34 matrix = md5i_vertex_matrix(to, changed->vertices[index]);
        morphed = pose_morphed_vertex(&matrix, &morphed);
    }

    md5_vec3 *const position = md5_vec3_out(to->positions, to->position_stride, out_index);
    *position = md5_vec3_add(*position, morphed.offset);
    if (to->normals)
        *md5_vec3_out(to->normals, to->normal_stride, out_index) = morphed.normal;
    if (to->tangents)
        *md5_vec4_out(to->tangents, to->tangent_stride, out_index) = morphed.tangent;
}

// Returns the index of the first changed vertex that is not less than `vertex`, by binary search.
static uint32_t find_changed(const md5_morph_mesh *changed, uint32_t vertex)
{
    uint32_t low = 0;
    uint32_t high = changed->num_vertices;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (changed->vertices[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Corrects those vertices of a job with a selection that the morph changes. Vertex job->vertices[i]
// is at index i of the output.
static void apply_morph_to_selection(const md5_skin_job *job, const md5i_skin_job *to,
                                     const md5_morph_mesh *changed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = job->vertices[i];
        const uint32_t index = find_changed(changed, vertex);
        const bool is_changed = index < changed->num_vertices && changed->vertices[index] == vertex;
        if (is_changed)
            apply_morph_vertex(job, changed, index, to, i);
    }
}

// Corrects those vertices of a job that the morph changes. The job has `count` consecutive vertices
// from job->first on. The list of changed vertices is in ascending order.
static void apply_morph_to_range(const md5_skin_job *job, const md5i_skin_job *to,
                                 const md5_morph_mesh *changed, uint32_t count)
{
    const uint32_t first_index = find_changed(changed, job->first);
    for (uint32_t index = first_index; index < changed->num_vertices; index++) {
        const uint32_t out_index = changed->vertices[index] - job->first;
        if (out_index >= count)
            break;
        apply_morph_vertex(job, changed, index, to, out_index);
    }
}

// Corrects the results of those vertices of a job that its morph changes. `count` is the number of
// vertices of the job.
static void apply_morph(const md5_skin_job *job, const md5i_skin_job *to, uint32_t count)
{
    const size_t mesh_index = (size_t)(job->mesh - job->morph->model->meshes);
    const md5_morph_mesh *const changed = &job->morph->meshes[mesh_index];
    if (job->vertices)
        apply_morph_to_selection(job, to, changed, count);
    else
        apply_morph_to_range(job, to, changed, count);
}

// -- Jobs -----------------------------------------------------------------------------------

// Converts a stride from bytes to floats. The vectors have `num_floats` floats. Returns 0 if they
// follow each other directly.
//
// SIMD kernels use offsets of 32 bits. If an offset of the last vertex needs more, sets *fits to
// false, and the caller uses the kernel in plain C.
static uint32_t stride_in_floats(size_t stride, size_t num_floats, uint32_t num_vertices,
                                 bool *fits)
{
    if (stride == num_floats * sizeof(float))
        return 0;
    const size_t num_stride_floats = stride / sizeof(float);
    if ((uint64_t)num_stride_floats * num_vertices > UINT32_MAX)
        *fits = false;
    return (uint32_t)num_stride_floats;
}

// Converts a public job to a job of the kernels. Returns false if only plain C can run it, because
// the strides are too large.
bool md5i_strided_job(const md5_skin_job *from, md5i_skin_job *job)
{
    *job = (md5i_skin_job){
        .mesh = from->mesh,
        .palette = from->palette,
        .duals = from->duals,
        .positions = (md5_vec3 *)from->positions,
        .normals = (md5_vec3 *)from->normals,
    };
    if (from->duals)
        job->blend_duals = md5i_blend_duals;
    if (from->mesh->tangents)
        job->tangents = (md5_vec4 *)from->tangents;

    const uint32_t count = from->mesh->num_vertices;
    bool fits = true;
    job->position_stride = stride_in_floats(from->position_stride, 3, count, &fits);
    job->normal_stride = stride_in_floats(from->normal_stride, 3, count, &fits);
    job->tangent_stride = stride_in_floats(from->tangent_stride, 4, count, &fits);
    return fits;
}

#if !defined(NDEBUG)
// Returns true if all indices of a job's selected vertices are below the number of vertices.
static bool are_vertices_valid(const md5_skin_job *job, uint32_t count)
{
    if (!job->vertices)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (job->vertices[i] >= job->mesh->num_vertices)
            return false;
    }
    return true;
}

// Returns true if all joints of the mesh are below the size of the palette, if the job declares
// this size.
static bool are_joints_valid(const md5_skin_job *job)
{
    const bool is_size_declared = job->num_joints > 0;
    if (!is_size_declared)
        return true;
    for (uint32_t i = 0; i < job->mesh->num_influences; i++) {
        if (job->mesh->influence_joints[i] >= job->num_joints)
            return false;
    }
    return true;
}

// Returns true if a mesh belongs to the model of a morph.
static bool is_morph_mesh(const md5_morph *morph, const md5_mesh *mesh)
{
    return mesh >= morph->model->meshes && mesh < morph->model->meshes + morph->model->num_meshes;
}
#endif

// Checks the arguments of a job with `count` vertices in debug builds.
static inline void validate_job(const md5_skin_job *job, uint32_t count)
{
    const md5_mesh *const mesh = job->mesh;
    (void)mesh;
    (void)count;
    MD5_ASSERT(job->vertices
                   || (job->first < mesh->num_vertices && count <= mesh->num_vertices - job->first),
               "job->first, count: must be a range of vertices of the mesh");
    MD5_VALIDATE(are_vertices_valid(job, count), "job->vertices: must be below mesh->num_vertices");

    MD5_ASSERT(job->positions != NULL, "job->positions: must not be NULL");
    MD5_ASSERT(!(job->palette && job->duals), "job->palette, duals: exactly one must be set");
    MD5_VALIDATE(are_joints_valid(job),
                 "job->num_joints: must be above all joint indices of the mesh");

    MD5_ASSERT(md5_is_stride(job->position_stride, 3) && md5_is_stride(job->normal_stride, 3)
                   && md5_is_stride(job->tangent_stride, 4),
               "job: strides must be 0, or multiples of 4 that are not smaller than the vectors");

    MD5_ASSERT(!job->morph || is_morph_mesh(job->morph, mesh),
               "job->mesh: must be a mesh of the morph's model");
    MD5_ASSERT(!job->morph || job->morph_weights || job->morph->num_targets == 0,
               "job->morph_weights: must not be NULL");
    MD5_VALIDATE(!job->morph || are_finite(job->morph_weights, job->morph->num_targets),
                 "job->morph_weights: must be finite");
}

// Copies the vertices of a job in the bind pose, if the job has neither a palette nor dual
// quaternions.
static void copy_bind_pose(const md5_skin_job *job, const md5i_skin_job *to, uint32_t count)
{
    const md5_mesh *const mesh = job->mesh;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = job->vertices ? job->vertices[i] : job->first + i;
        *md5_vec3_out(to->positions, to->position_stride, i) = mesh->positions[vertex];
        if (to->normals)
            *md5_vec3_out(to->normals, to->normal_stride, i) = mesh->normals[vertex];
        if (to->tangents)
            *md5_vec4_out(to->tangents, to->tangent_stride, i) = mesh->tangents[vertex];
    }
}

// Runs a job with `count` vertices. A SIMD kernel skins a whole mesh. Plain C skins a part of a
// mesh, vertex by vertex. A job without palette and dual quaternions shows the bind pose.
static void run_skin_job(const md5_skin_job *job, uint32_t count)
{
    md5i_skin_job to;
    const bool fits_kernels = md5i_strided_job(job, &to);
    const bool is_posed = job->palette || job->duals;
    const bool is_complete_mesh = !job->vertices && count == job->mesh->num_vertices;
    if (!is_posed)
        copy_bind_pose(job, &to, count);
    else if (is_complete_mesh)
        md5i_skin_with(fits_kernels ? md5i_cpu_best(MD5_CPU_AVX512) : MD5_CPU_SCALAR, &to);
    else
        md5i_skin_vertices_scalar(&to, job->vertices, job->first, count, false);

    if (job->morph)
        apply_morph(job, &to, count);
}

// Returns the number of vertices of a job. This is job->count. If the count is 0 and no vertices
// are selected, it is the number of vertices from job->first on.
static uint32_t count_job_vertices(const md5_skin_job *job)
{
    if (job->vertices || job->count > 0)
        return job->count;
    return job->mesh->num_vertices - job->first;
}

// Runs jobs begin .. end - 1 of the array `user`. Called on any thread: see md5_range_fn.
static void skin_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const md5_skin_job *const jobs = (const md5_skin_job *)user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const md5_skin_job *const job = &jobs[i];
        MD5_ASSERT(MD5_RESERVED_IS_ZERO(job),
                   "job: reserved members must be 0; initialize with = MD5_INIT");
        MD5_ASSERT(md5_has_geometry(job->mesh), "job->mesh: geometry must not have been released");
        const uint32_t count = count_job_vertices(job);
        if (count == 0)
            continue;
        validate_job(job, count);
        run_skin_job(job, count);
    }
}

// Runs any number of skinning jobs on the threads of `threads`, or on the calling thread if it is
// NULL.
void md5_skin_batch(const md5_skin_job *jobs, size_t count, const md5_threads *threads)
{
    MD5_ASSERT_ARRAY(jobs, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++) {
            MD5_ASSERT_PART(jobs[i].mesh, name);
            MD5_ASSERT_NULL_OR_ALIVE(jobs[i].morph, MD5_TAG_MORPH);
        }
    }
    md5_threads_run(threads, count, skin_range, (void *)jobs); // skin_range() does not modify them
}

// == Bounds ======================================================================================
//
// Computes the bounds of a posed model without writing its vertices.

// Replaces -0 by 0. Without this, the sign of a zero would depend on the instruction set of the
// kernel.
static md5_vec3 without_negative_zero(md5_vec3 a)
{
    return (md5_vec3){a.x + 0, a.y + 0, a.z + 0};
}

// Returns the bounds of all skinned vertices of a model, without storing the vertices. `level`
// selects the instruction set.
md5_bounds md5i_skin_bounds_with(md5_cpu level, const md5_model *model, const md5_mat34 *palette)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5i_skin_job job = {
            .mesh = &model->meshes[i], .palette = palette, .bounds = &bounds};
        md5i_skin_with(level, &job);
    }
    return (md5_bounds){without_negative_zero(bounds.min), without_negative_zero(bounds.max)};
}

#if !defined(NDEBUG)
// Returns true if no mesh of a model has lost its vertex arrays by md5_release_geometry().
static bool has_all_geometry(const md5_model *model)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!md5_has_geometry(&model->meshes[i]))
            return false;
    }
    return true;
}
#endif

// Returns the bounding box of all vertices of a model in the pose of `palette`, in model space. Use
// it to cull a model whose .md5anim file contains missing or wrong bounds.
md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_VALIDATE(has_all_geometry(model), "model: geometry must not have been released");
    MD5_ASSERT_ARRAY(palette, model->skeleton.num_joints);
    return md5i_skin_bounds_with(md5i_cpu_best(MD5_CPU_AVX2), model, palette);
}
