// Morph targets: the differences between models with the same topology, vertex by vertex. A delta
// is the difference that one target causes at one vertex.
//
// The deltas of a vertex for all targets are consecutive in memory, so that blending and shaders
// read each vertex once. Two passes over the models create the morph in one memory block. The first
// pass counts the deltas, and the second writes them.
//
// Kernels skin the mesh without targets. Then plain C corrects the vertices that a target moves: it
// adds the offset, rotated by the blended matrix of the vertex. The result equals the exact sum
// (skin.c). The additional time depends only on the number of these vertices.
#include "md5/core/freed.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"
#include "md5/skin/plan.h"

// -- Topology ---------------------------------------------------------------------------------

// Two models that are compared: the base of a morph and the source of a target. `name` is the
// name of the target for messages.
typedef struct comparison {
    md5_context *context;
    const md5_model *base;
    const md5_model *source;
    md5_quoted name;
} comparison;

// Reports that a property of a mesh differs between the model (`base`) and the model of the morph
// target (`source`). Returns false.
static bool fail_mesh(const comparison *pair, uint32_t mesh, const char *property, uint32_t base,
                      uint32_t source)
{
    const char *const name = pair->base->meshes[mesh].name;
    const char *const shader = pair->base->meshes[mesh].shader;
    const char *const shown = *name ? name : shader;
    return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH,
                    "morph target %s does not match mesh %u %s: wrong %s: expected %u, found %u",
                    pair->name.text, mesh, md5i_quote(shown, strlen(shown)).text, property, base,
                    source);
}

static bool fail_model(const comparison *pair, const char *problem)
{
    return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH, "morph target %s: %s", pair->name.text,
                    problem);
}

// Returns the name of a joint in quotes. `joint` may be MD5_NONE.
static md5_quoted quote_joint(const md5_skeleton *skeleton, uint32_t joint)
{
    if (joint == MD5_NONE)
        return (md5_quoted){"no parent"};
    const char *const name = skeleton->joints[joint].name;
    return md5i_quote(name, strlen(name));
}

// Checks that a joint has the same name and the same parent in both models.
static bool check_morph_joint(const comparison *pair, uint32_t joint)
{
    const md5_skeleton *const base = &pair->base->skeleton;
    const md5_skeleton *const source = &pair->source->skeleton;
    const uint32_t base_parent = base->joints[joint].parent;
    const uint32_t source_parent = source->joints[joint].parent;
    if (strcmp(base->joints[joint].name, source->joints[joint].name) != 0)
        return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH,
                        "morph target %s: wrong name of joint %u: expected %s, found %s",
                        pair->name.text, joint, quote_joint(base, joint).text,
                        quote_joint(source, joint).text);
    if (base_parent != source_parent)
        return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH,
                        "morph target %s: wrong parent of joint %u %s: expected %s, found %s",
                        pair->name.text, joint, quote_joint(base, joint).text,
                        quote_joint(base, base_parent).text,
                        quote_joint(source, source_parent).text);
    return true;
}

// Checks that both models have the same axes, scale and joints, with equal names and parents.
// Otherwise sets the context's error and returns false.
static bool check_skeleton(const comparison *pair)
{
    const md5_skeleton *const base = &pair->base->skeleton;
    const md5_skeleton *const source = &pair->source->skeleton;
    const float base_scale = md5_skeleton_scale(base);
    const float source_scale = md5_skeleton_scale(source);
    if (base->axes != source->axes)
        return fail_model(pair, "axes differ from the model; load both with the same options");
    if (base_scale != source_scale)
        return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH,
                        "morph target %s: wrong scale: expected %g, found %g; load both with the "
                        "same options",
                        pair->name.text, (double)base_scale, (double)source_scale);
    if (base->num_joints != source->num_joints)
        return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH,
                        "morph target %s: wrong number of joints: expected %u, found %u",
                        pair->name.text, base->num_joints, source->num_joints);

    for (uint32_t joint = 0; joint < base->num_joints; joint++)
        TRY(check_morph_joint(pair, joint));
    return true;
}

// Returns true if md5_release_geometry() has freed the arrays of a mesh.
static bool is_released(const md5_mesh *mesh)
{
    return mesh->num_vertices > 0 && !mesh->positions;
}

// Checks that mesh `index` has the same vertex indices in both models. The meshes must have the
// same number of triangles.
static bool check_triangles(const comparison *pair, uint32_t index)
{
    const md5_mesh *const base = &pair->base->meshes[index];
    const md5_mesh *const source = &pair->source->meshes[index];
    for (uint32_t triangle = 0; triangle < base->num_triangles; triangle++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            const uint32_t i = 3 * triangle + corner;
            if (base->indices[i] != source->indices[i])
                return MD5_FAIL(pair->context, MD5_ERROR_MISMATCH,
                                "morph target %s: mesh %u: wrong vertex %u of triangle %u: "
                                "expected index %u, found %u",
                                pair->name.text, index, corner, triangle, base->indices[i],
                                source->indices[i]);
        }
    }
    return true;
}

// Checks that the drawn vertices of both meshes come from the same file vertices. If neither model
// has its vertices grouped by joints, the first drawn vertices are the file vertices in their
// order. Then only their copies at mirror seams can differ, and only these are compared.
static bool check_drawn_sources(const comparison *pair, uint32_t index)
{
    const md5_mesh *const base = &pair->base->meshes[index];
    const md5_mesh *const source = &pair->source->meshes[index];
    const bool is_grouped = pair->base->has_grouped_vertices || pair->source->has_grouped_vertices;
    const char *const property =
        is_grouped ? "source of a drawn vertex" : "source of a vertex at a mirror seam";
    const uint32_t first = is_grouped ? 0 : base->num_file_vertices;

    for (uint32_t vertex = first; vertex < base->num_vertices; vertex++) {
        if (base->sources[vertex] != source->sources[vertex])
            return fail_mesh(pair, index, property, base->sources[vertex], source->sources[vertex]);
    }
    return true;
}

// Checks that mesh `index` has the same numbers of vertices and triangles in both models.
static bool check_mesh_counts(const comparison *pair, uint32_t index)
{
    const md5_mesh *const base = &pair->base->meshes[index];
    const md5_mesh *const source = &pair->source->meshes[index];
    if (base->num_file_vertices != source->num_file_vertices)
        return fail_mesh(pair, index, "numverts", base->num_file_vertices,
                         source->num_file_vertices);
    if (base->num_triangles != source->num_triangles)
        return fail_mesh(pair, index, "numtris", base->num_triangles, source->num_triangles);
    if (base->num_vertices != source->num_vertices)
        return fail_mesh(pair, index, "number of drawn vertices with copies at mirror seams",
                         base->num_vertices, source->num_vertices);
    return true;
}

// Checks that either both meshes have tangents or none of them has.
static bool check_mesh_tangents(const comparison *pair, const md5_mesh *base,
                                const md5_mesh *source)
{
    if (base->tangents && !source->tangents)
        return fail_model(
            pair, "tangents of the target are missing; load both models with the same options");
    if (source->tangents && !base->tangents)
        return fail_model(
            pair, "tangents of the model are missing; load both models with the same options");
    return true;
}

// Checks that mesh `index` has the same topology in both models: equal triangles, and drawn
// vertices from the same file vertices. Otherwise sets the context's error and returns false.
static bool check_mesh(const comparison *pair, uint32_t index)
{
    const md5_mesh *const base = &pair->base->meshes[index];
    const md5_mesh *const source = &pair->source->meshes[index];
    if (is_released(base))
        return fail_model(pair, "geometry of the model was released; load the model again");
    if (is_released(source))
        return fail_model(pair, "geometry of the target was released; load the target again");
    TRY(check_mesh_counts(pair, index));
    TRY(check_triangles(pair, index) && check_drawn_sources(pair, index));
    if (base->num_vertices == 0)
        return true;
    return check_mesh_tangents(pair, base, source);
}

// -- Differences ------------------------------------------------------------------------------

// The largest differences that count as equal. They are as large as the rounding errors of float
// sums in a model of this size.
typedef struct delta_tolerances {
    float position;
    float direction;
} delta_tolerances;

// Returns the difference to - from of two positions or directions. Returns 0 if no component
// exceeds the tolerance.
static md5_vec3 position_difference(md5_vec3 from, md5_vec3 to, float tolerance)
{
    const md5_vec3 delta = md5_vec3_sub(to, from);
    if (fabsf(delta.x) <= tolerance && fabsf(delta.y) <= tolerance && fabsf(delta.z) <= tolerance)
        return (md5_vec3){0, 0, 0};
    return delta;
}

static inline md5_vec3 tangent_direction(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

static bool is_zero_difference(md5_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// -- Building ---------------------------------------------------------------------------------

// State while a morph is created. A source is a model that differs from `model` only in the
// positions of its vertices. It becomes one target of the morph.
typedef struct morph_builder {
    const md5_model *model;
    const md5_morph_source *sources;
    uint32_t num_targets;
    delta_tolerances tolerances;
    // Addresses in the block of the result.
    md5_morph *morph;
    md5_morph_target *targets;
    md5_morph_mesh *meshes;
    char *names;
    size_t names_size;
} morph_builder;

// Computes the delta of one drawn vertex between the model and a target. Returns false if the
// target does not change the vertex. Differences within the tolerances count as 0.
static bool find_delta(const morph_builder *job, uint32_t target, uint32_t mesh, uint32_t vertex,
                       md5_morph_delta *delta)
{
    const md5_mesh *const base = &job->model->meshes[mesh];
    const md5_mesh *const source = &job->sources[target].model->meshes[mesh];
    const delta_tolerances *const max = &job->tolerances;
    *delta = (md5_morph_delta){.target = target};
    delta->position =
        position_difference(base->positions[vertex], source->positions[vertex], max->position);
    delta->normal =
        position_difference(base->normals[vertex], source->normals[vertex], max->direction);
    if (base->tangents) {
        const md5_vec3 from = tangent_direction(base->tangents[vertex]);
        const md5_vec3 to = tangent_direction(source->tangents[vertex]);
        delta->tangent = position_difference(from, to, max->direction);
    }

    const bool is_moved = !is_zero_difference(delta->position);
    const bool is_rotated =
        !is_zero_difference(delta->normal) || !is_zero_difference(delta->tangent);
    return is_moved || is_rotated;
}

// Counts a vertex that a target changes. Raises the reach of the target, which is the largest
// distance by which it moves a vertex.
static void count_for_target(md5_morph_target *target, const md5_morph_delta *delta)
{
    const float distance = sqrtf(md5_vec3_dot(delta->position, delta->position));
    target->num_vertices++;
    if (distance > target->reach)
        target->reach = distance;
}

// Collects the deltas of all targets for one vertex of a mesh. Writes them to deltas[] unless it is
// NULL. Returns their number.
static uint32_t collect_vertex_deltas(const morph_builder *job, uint32_t mesh, uint32_t vertex,
                                      md5_morph_delta *deltas)
{
    uint32_t count = 0;
    for (uint32_t target = 0; target < job->num_targets; target++) {
        md5_morph_delta delta;
        if (!find_delta(job, target, mesh, vertex, &delta))
            continue;
        if (deltas) {
            deltas[count] = delta;
            count_for_target(&job->targets[target], &delta);
        }
        count++;
    }
    return count;
}

// Collects the deltas of all targets for one mesh, vertex by vertex. Writes the numbers of changed
// vertices and of deltas to *counts. If the arrays are not NULL, also writes each changed vertex to
// vertices[], and its deltas to deltas[] from the index in firsts[] on.
//
// The function runs twice for each mesh. The first run has no arrays and measures them. The second
// run fills them.
static void collect_deltas(const morph_builder *job, uint32_t index, uint32_t *vertices,
                           uint32_t *firsts, md5_morph_delta *deltas, md5_morph_mesh *counts)
{
    const md5_mesh *const base = &job->model->meshes[index];
    counts->num_vertices = 0;
    counts->num_deltas = 0;
    for (uint32_t vertex = 0; vertex < base->num_vertices; vertex++) {
        const uint32_t first = counts->num_deltas;
        md5_morph_delta *const next = deltas ? deltas + first : NULL;
        const uint32_t num_added = collect_vertex_deltas(job, index, vertex, next);
        if (num_added == 0)
            continue;
        if (vertices) {
            vertices[counts->num_vertices] = vertex;
            firsts[counts->num_vertices] = first;
        }
        counts->num_vertices++;
        counts->num_deltas += num_added;
    }
    if (firsts)
        firsts[counts->num_vertices] = counts->num_deltas;
}

// Copies the names of the targets to job->names, one after another.
static void store_target_names(morph_builder *job)
{
    char *name = job->names;
    for (uint32_t i = 0; i < job->num_targets; i++) {
        const size_t name_size = strlen(job->sources[i].name) + 1;
        memcpy(name, job->sources[i].name, name_size);
        job->targets[i] = (md5_morph_target){.name = name};
        name += name_size;
    }
}

// Fills the arrays of all meshes, one mesh after the other. `integers` gets the changed vertices
// and the indices of their first deltas, and `deltas` gets the deltas. `counts` contains the sizes.
static void store_morph_meshes(const morph_builder *job, const md5_morph_mesh *counts,
                               uint32_t *integers, md5_morph_delta *deltas)
{
    uint32_t *next_integer = integers;
    md5_morph_delta *next_delta = deltas;
    for (uint32_t i = 0; i < job->model->num_meshes; i++) {
        uint32_t *const vertices = next_integer;
        uint32_t *const firsts = vertices + counts[i].num_vertices;
        collect_deltas(job, i, vertices, firsts, next_delta, &job->meshes[i]);
        job->meshes[i].vertices = vertices;
        job->meshes[i].first = firsts;
        job->meshes[i].deltas = next_delta;
        next_integer = firsts + counts[i].num_vertices + 1;
        next_delta += counts[i].num_deltas;
    }
}

// Creates the block of a morph and fills it. counts[num_meshes] is the result of the counting pass.
// Returns NULL if memory runs out.
static md5_morph *create_block(md5_context *context, morph_builder *job,
                               const md5_morph_mesh *counts)
{
    const size_t num_meshes = job->model->num_meshes;
    size_t num_integers = 0;
    size_t num_deltas = 0;
    for (size_t i = 0; i < num_meshes; i++) {
        num_integers += 2 * (size_t)counts[i].num_vertices + 1;
        num_deltas += counts[i].num_deltas;
    }

    // The first pass measures the block. The second pass gets the addresses of its parts.
    uint32_t *integers = NULL;
    md5_morph_delta *deltas = NULL;
    md5_block block = {.base = NULL};
    for (uint32_t pass = 0; pass < 2; pass++) {
        job->morph = MD5_BLOCK_ARRAY(&block, md5_morph, 1);
        job->targets = MD5_BLOCK_ARRAY(&block, md5_morph_target, job->num_targets);
        job->meshes = MD5_BLOCK_ARRAY(&block, md5_morph_mesh, num_meshes);
        integers = MD5_BLOCK_ARRAY(&block, uint32_t, num_integers);
        deltas = MD5_BLOCK_ARRAY(&block, md5_morph_delta, num_deltas);
        job->names = MD5_BLOCK_ARRAY(&block, char, job->names_size);
        if (pass == 0 && !md5i_block_end_measuring(context, &block))
            return NULL;
    }

    *job->morph = (md5_morph){
        .model = job->model,
        .num_targets = job->num_targets,
        .targets = job->targets,
        .meshes = job->meshes,
        .size = block.used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_MORPH},
    };
    store_target_names(job);
    store_morph_meshes(job, counts, integers, deltas);
    return job->morph;
}

// Checks that the model of a target has the same skeleton and topology as the base model. Otherwise
// sets the context's error and returns false.
static bool check_morph_source(md5_context *context, const md5_model *base,
                               const md5_morph_source *target)
{
    const comparison pair = {context, base, target->model,
                             md5i_quote(target->name, strlen(target->name))};
    TRY(check_skeleton(&pair));
    if (base->num_meshes != pair.source->num_meshes)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "morph target %s: wrong number of meshes: expected %u, found %u",
                        pair.name.text, base->num_meshes, pair.source->num_meshes);
    for (uint32_t i = 0; i < base->num_meshes; i++)
        TRY(check_mesh(&pair, i));
    return true;
}

// Checks that the number of deltas of a mesh fits into 32 bits. A mesh has at most one delta for
// each vertex and target.
static bool check_num_deltas(md5_context *context, const morph_builder *job, uint32_t mesh)
{
    const uint32_t num_vertices = job->model->meshes[mesh].num_vertices;
    if (job->num_targets <= UINT32_MAX / (num_vertices + 1))
        return true;
    return MD5_FAIL(context, MD5_ERROR_MEMORY,
                    "morph targets are too large: %u targets of %u vertices", job->num_targets,
                    num_vertices);
}

// Checks all targets, counts their deltas, and creates the morph. Returns NULL and sets the
// context's error if it fails.
static md5_morph *create_morph(md5_arena *arena, morph_builder *job)
{
    md5_context *const context = arena->context;
    const uint32_t num_meshes = job->model->num_meshes;
    for (uint32_t i = 0; i < job->num_targets; i++) {
        if (!check_morph_source(context, job->model, &job->sources[i]))
            return NULL;
        job->names_size += strlen(job->sources[i].name) + 1;
    }

    md5_morph_mesh *const counts = MD5_ALLOC_ZEROED(arena, md5_morph_mesh, num_meshes);
    if (!counts)
        return NULL;
    for (uint32_t i = 0; i < num_meshes; i++) {
        if (!check_num_deltas(context, job, i))
            return NULL;
        collect_deltas(job, i, NULL, NULL, NULL, &counts[i]);
    }
    return create_block(context, job, counts);
}

// Creates the morph targets of a model from `count` models with the same topology. Returns NULL and
// sets the error on failure.
md5_morph *md5_create_morph(const md5_model *model, const md5_morph_source *sources, uint32_t count,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    if (!model) {
        md5i_fail_missing(error, "model");
        return NULL;
    }

    MD5_ASSERT_ARRAY(sources, count);
    MD5_VALIDATE_RESERVED(sources, count);
    for (uint32_t i = 0; i < count; i++) {
        MD5_ASSERT(sources[i].name != NULL, "sources: must have names");
        if (!sources[i].model) {
            md5i_fail_missing(error, "sources[].model");
            return NULL;
        }
        MD5_ASSERT_ALIVE(sources[i].model, MD5_TAG_MODEL);
    }
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};

    morph_builder job = {
        .model = model,
        .sources = sources,
        .num_targets = count,
        .tolerances = {.position = md5_largest_coordinate(&model->bounds) * FLT_EPSILON,
                       .direction = 4.0f * FLT_EPSILON},
    };
    md5_morph *const morph = create_morph(&arena, &job);
    md5i_arena_free(&arena);
    return morph;
}

void md5_destroy_morph(md5_morph *morph)
{
    MD5_FREE(morph, MD5_TAG_MORPH);
}

// Returns the index of the first morph target with this name, or MD5_NONE if no target has this
// name or `name` is NULL.
uint32_t md5_find_morph_target(const md5_morph *morph, const char *name)
{
    MD5_ASSERT_ALIVE(morph, MD5_TAG_MORPH);
    if (name) {
        for (uint32_t i = 0; i < morph->num_targets; i++) {
            if (strcmp(morph->targets[i].name, name) == 0)
                return i;
        }
    }
    return MD5_NONE;
}
