// Repairs and edits of documents: rotations, weights, meshes, joints, space, bounds and frames.
//
// Each function begins with begin_repair(), which checks the document, and ends with end_repair().
// New tables are written into memory that is added to the document's arena. The document itself is
// changed last, when nothing can fail any more. After a failure the added memory is freed, and the
// document is unchanged.
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/edit/axes.h"
#include "md5/edit/document.h"
#include "md5/edit/surface.h"
#include "md5/md5skin.h"
#include "md5/read/tables.h"

// -- One repair -----------------------------------------------------------------------------------

typedef struct repair {
    md5_context context;
    md5_arena arena;         // memory of the document
    md5_arena scratch;       // temporary memory
    md5_arena_mark before;   // end of the document's memory before the repair
    uint64_t num_references; // see md5i_check_doc()
    // Set by begin_clip().
    md5_anim *anim;
    md5_binding *binding; // to the model, or to the clip's skeleton if no model is given
    md5_xform *pose;      // [joints of the binding] a buffer
} repair;

static bool begin_repair(repair *it, const md5_doc *doc, md5_doc_kind kind, md5_error *error)
{
    MD5_ASSERT_NOT_NULL(doc);
    *it = (repair){.arena = {.chunks = (struct md5_chunk *)doc->internal.memory}};
    it->before = md5i_arena_position(&it->arena);
    md5i_context_begin_memory(&it->context, doc->allocator, error);
    it->arena.context = it->scratch.context = &it->context;
    TRY(md5i_check_doc(&it->scratch, doc, &it->num_references));
    static const char *const kinds[] = {"model", "animation", "camera"};
    if (doc->kind != kind)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH,
                        "wrong kind of document: expected %s, found %s", kinds[kind],
                        kinds[doc->kind]);
    if (it->num_references > UINT32_MAX)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH,
                        "document is too large: expected at most 4294967295 references, found %llu",
                        (unsigned long long)it->num_references);
    return true;
}

// Frees temporary memory. Returns `count`, the number of changes, or MD5_NONE after a failure. If
// nothing was changed, also frees the memory that was added to the document.
static uint32_t end_repair(repair *it, md5_doc *doc, uint32_t count)
{
    count = it->context.error.status == MD5_OK ? count : MD5_NONE;
    if (count == 0 || count == MD5_NONE)
        md5i_arena_rewind(&it->arena, it->before);
    doc->internal.memory = it->arena.chunks;
    md5i_arena_free(&it->scratch);
    md5_free_binding(it->binding);
    md5_free_anim(it->anim);
    return count;
}

// -- Models ---------------------------------------------------------------------------------------

uint32_t md5_fix_rotations(md5_doc *doc, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    repair it;
    uint32_t count = 0;
    const bool is_valid = begin_repair(&it, doc, MD5_DOC_MODEL, error);
    if (is_valid) {
        for (uint32_t j = 0; j < doc->num_joints; j++) {
            md5_vec3 *const v = &doc->joints[j].rotation;
            const md5_quat q = md5_quat_from_xyz(v->x, v->y, v->z);
            if (md5_quat_is_overlong(v->x, v->y, v->z)) {
                *v = (md5_vec3){q.x, q.y, q.z};
                count++;
            }
        }
    }
    return end_repair(&it, doc, count);
}

// Copies the weights of a vertex to `merged`. If there are more than max_weights, adds up the
// weights of the same joint, which does not move the vertex. slots[joints] must be 0 and are 0 on
// return. Returns the number of weights.
static uint32_t merge_weights(const md5_weight *weights, uint32_t count, uint32_t max_weights,
                              uint32_t *slots, md5_weight *merged)
{
    uint32_t num_merged = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *const slot = &slots[weights[i].joint]; // 1 + index of the joint's weight
        md5_weight *const first = &merged[*slot > 0 ? *slot - 1 : num_merged];
        const float bias = *slot > 0 ? first->bias + weights[i].bias : 0;
        if (count > max_weights && bias != 0) {
            const float fraction = weights[i].bias / bias;
            first->offset = md5_vec3_lerp(first->offset, weights[i].offset, fraction);
            first->bias = bias;
        } else {
            merged[num_merged] = weights[i];
            num_merged++;
            *slot = num_merged;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        slots[weights[i].joint] = 0;
    return num_merged;
}

// Returns the index of the smallest weight; the last index if weights are equal.
static uint32_t find_smallest_weight(const md5_weight *weights, uint32_t count)
{
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < count; i++)
        if (fabsf(weights[i].bias) <= fabsf(weights[smallest].bias))
            smallest = i;
    return smallest;
}

// Writes at most max_weights weights of a vertex to `selected`: the largest, in their order. Adds
// an upper limit of the distance that the removed weights move the vertex to *lost. slots[joints]
// must be 0 and are 0 on return. Returns the number of selected weights.
static uint32_t select_weights(const md5_weight *weights, uint32_t count, uint32_t max_weights,
                               uint32_t *slots, md5_weight *selected, double *lost)
{
    const uint32_t num_merged = merge_weights(weights, count, max_weights, slots, selected);
    uint32_t num_selected = 0;
    for (uint32_t i = 0; i < num_merged; i++) {
        md5_weight next = selected[i];
        if (num_selected < max_weights) {
            selected[num_selected++] = next;
            continue;
        }
        const uint32_t smallest = find_smallest_weight(selected, max_weights);
        if (fabsf(next.bias) > fabsf(selected[smallest].bias)) {
            const md5_weight dropped = selected[smallest];
            memmove(selected + smallest, selected + smallest + 1,
                    (max_weights - 1 - smallest) * sizeof *selected);
            selected[max_weights - 1] = next;
            next = dropped;
        }
        *lost += (double)fabsf(next.bias) * (double)md5_vec3_length(next.offset);
    }
    return num_selected;
}

// Parameters, buffers and results of md5_fix_weights().
typedef struct weight_repair {
    uint32_t max_weights;
    float tolerance; // allowed difference of a sum from 1
    uint32_t *slots; // [joints] 0; buffer of select_weights()
    double max_lost; // largest movement of a vertex, units
    uint32_t count;  // changed vertices
} weight_repair;

// Reduces and normalizes the weights of a vertex, and writes them to `fixed`. Returns the number
// of weights.
static uint32_t fix_vertex_weights(weight_repair *fix, const md5_weight *weights, uint32_t count,
                                   md5_weight *fixed)
{
    double lost = 0;
    double sum = 0;
    const uint32_t num_fixed =
        select_weights(weights, count, fix->max_weights, fix->slots, fixed, &lost);
    for (uint32_t k = 0; k < num_fixed; k++)
        sum += (double)fixed[k].bias;
    const bool is_pruned = num_fixed < count;
    const bool is_off = is_pruned || fabs(sum - 1) > (double)fix->tolerance;
    const double divisor = is_off && fabs(sum) >= 1e-3 ? sum : 1;
    for (uint32_t k = 0; k < num_fixed; k++) {
        const double bias = (double)fixed[k].bias / divisor;
        lost += fabs(bias - (double)fixed[k].bias) * (double)md5_vec3_length(fixed[k].offset);
        fixed[k].bias = md5_round_to_float(bias);
    }
    if (is_pruned && lost > fix->max_lost)
        fix->max_lost = lost;
    if (is_pruned || divisor != 1)
        fix->count++;
    return num_fixed;
}

// Gives each vertex of a mesh separate weights, which begin at `weights`, and repairs them. If the
// mesh needs no repair, leaves it unchanged. Returns the end of the written weights.
static md5_weight *fix_mesh_weights(repair *it, weight_repair *fix, md5_weight *weights,
                                    md5_doc_mesh *mesh)
{
    const uint32_t count_before = fix->count;
    md5_weight *next = weights;
    md5_vertex *const vertices = MD5_ALLOC_ARRAY(&it->arena, md5_vertex, mesh->num_vertices);
    if (!vertices)
        return next;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = mesh->vertices[v];
        const uint32_t first = vertex.num_weights > 0 ? vertex.first_weight : 0;
        const uint32_t count =
            fix_vertex_weights(fix, mesh->weights + first, vertex.num_weights, next);
        vertices[v] = (md5_vertex){count > 0 ? (uint32_t)(next - weights) : 0, count};
        next += count;
    }
    if (fix->count > count_before) {
        mesh->vertices = vertices;
        mesh->weights = weights;
        mesh->num_weights = (uint32_t)(next - weights);
    }
    return next;
}

uint32_t md5_fix_weights(md5_doc *doc, uint32_t max_weights, float tolerance, float *loss,
                         md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(max_weights <= 64, "max_weights: must be 0 to 64");
    repair it;
    const bool is_valid = begin_repair(&it, doc, MD5_DOC_MODEL, error);
    const uint32_t num_meshes = is_valid ? doc->num_meshes : 0;
    const uint32_t num_joints = is_valid ? doc->num_joints : 0;
    const size_t num_references = is_valid ? (size_t)it.num_references : 0;
    weight_repair fix = {
        .max_weights = max_weights > 0 ? max_weights : UINT32_MAX,
        .tolerance = tolerance,
    };
    md5_doc_mesh *const meshes =
        (md5_doc_mesh *)md5i_arena_copy(&it.scratch, doc->meshes, num_meshes, sizeof *meshes);
    fix.slots = MD5_ALLOC_ZEROED(&it.scratch, uint32_t, num_joints);
    md5_weight *weights = MD5_ALLOC_ARRAY(&it.arena, md5_weight, num_references);
    if (meshes && fix.slots && weights) {
        for (uint32_t m = 0; m < num_meshes; m++)
            weights = fix_mesh_weights(&it, &fix, weights, &meshes[m]);
    }
    if (it.context.error.status == MD5_OK && fix.count > 0)
        memcpy(doc->meshes, meshes, num_meshes * sizeof *meshes);
    if (loss)
        *loss = md5_round_to_float(fix.max_lost);
    return end_repair(&it, doc, fix.count);
}

// -- Meshes ---------------------------------------------------------------------------------------
//
// Meshes are merged, split and reduced in one way: the triangles of the merged meshes are added, in
// their order, to a part. A part becomes a mesh that contains the vertices and weights in use. If
// the next triangle would exceed a limit of the edit, the part is finished and the next part
// begins.

typedef struct vertex_ref {
    uint32_t mesh;
    uint32_t vertex;
} vertex_ref;

// Index of a vertex, or of a run of weights, in the part that used it last. The entry is valid if
// `part` is the number of the current part, so the tables are never cleared, and many small parts
// take linear time.
typedef struct part_entry {
    uint32_t part;
    uint32_t index;
    uint32_t count; // weights of the run
} part_entry;

// Index of the first vertex and the first weight of a mesh in tables for all meshes.
typedef struct mesh_offset {
    size_t vertex;
    size_t weight;
} mesh_offset;

typedef struct mesh_part {
    const md5_doc_mesh *meshes; // meshes of the document
    uint32_t number;            // number of the current part, from 1
    uint32_t num_vertices;
    uint32_t num_triangles;
    vertex_ref *vertices; // [num_vertices] in the order of their first use
    uint32_t *indices;    // [3 * num_triangles]
    // Tables for all vertices and all weights of the document. A mesh begins at offsets[mesh].
    part_entry *vertex_entries;
    part_entry *run_entries; // by the first weight of the run
    const mesh_offset *offsets;
    const md5_vec3 *positions; // in the bind pose; NULL: triangles without area are kept
} mesh_part;

static void add_triangle(mesh_part *part, uint32_t mesh, const uint32_t *indices)
{
    for (uint32_t i = 0; i < 3; i++) {
        part_entry *const entry = &part->vertex_entries[part->offsets[mesh].vertex + indices[i]];
        if (entry->part != part->number) {
            *entry = (part_entry){part->number, part->num_vertices, 0};
            part->vertices[part->num_vertices++] = (vertex_ref){mesh, indices[i]};
        }
        part->indices[3 * (size_t)part->num_triangles + i] = entry->index;
    }
    part->num_triangles++;
}

// Writes the vertices of a part, and counts their weights. Vertices that shared a run of weights
// still share it.
static void write_part_vertices(mesh_part *part, md5_doc_mesh *mesh)
{
    for (uint32_t v = 0; v < part->num_vertices; v++) {
        const vertex_ref ref = part->vertices[v];
        const md5_doc_mesh *const source = &part->meshes[ref.mesh];
        const md5_vertex vertex = source->vertices[ref.vertex];
        mesh->texcoords[v] = source->texcoords[ref.vertex];
        if (vertex.num_weights == 0)
            continue;
        part_entry *const run =
            &part->run_entries[part->offsets[ref.mesh].weight + vertex.first_weight];
        if (run->part != part->number || run->count != vertex.num_weights) {
            *run = (part_entry){part->number, mesh->num_weights, vertex.num_weights};
            mesh->num_weights += vertex.num_weights; // at most repair.num_references
        }
        mesh->vertices[v] = (md5_vertex){run->index, vertex.num_weights};
    }
}

static void write_part_weights(const mesh_part *part, md5_doc_mesh *mesh)
{
    for (uint32_t v = 0; v < part->num_vertices; v++) {
        const vertex_ref ref = part->vertices[v];
        const md5_doc_mesh *const source = &part->meshes[ref.mesh];
        const md5_vertex vertex = source->vertices[ref.vertex];
        if (vertex.num_weights > 0)
            memcpy(mesh->weights + mesh->vertices[v].first_weight,
                   source->weights + vertex.first_weight,
                   vertex.num_weights * sizeof *mesh->weights);
    }
}

// Replaces the tables of `mesh` by those of a part, and begins the next part. Returns false if
// memory runs out.
static bool finish_part(md5_arena *arena, mesh_part *part, md5_doc_mesh *mesh)
{
    mesh->num_weights = 0;
    mesh->num_vertices = part->num_vertices;
    mesh->num_triangles = part->num_triangles;
    mesh->vertices = MD5_ALLOC_ZEROED(arena, md5_vertex, part->num_vertices);
    mesh->texcoords = MD5_ALLOC_ARRAY(arena, md5_vec2, part->num_vertices);
    mesh->indices = (uint32_t *)md5i_arena_copy(arena, part->indices, part->num_triangles,
                                                3 * sizeof *part->indices);
    TRY(mesh->vertices && mesh->texcoords && mesh->indices);
    write_part_vertices(part, mesh);
    mesh->weights = MD5_ALLOC_ARRAY(arena, md5_weight, mesh->num_weights);
    TRY(mesh->weights);
    write_part_weights(part, mesh);
    part->number++;
    part->num_vertices = 0;
    part->num_triangles = 0;
    return true;
}

static bool is_same_name(md5_span a, md5_span b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// Groups the meshes that are merged. Writes to next[meshes] the next mesh with the same shader, or
// MD5_NONE. Returns [meshes] true for the first mesh of each group, or NULL if memory runs out. If
// `is_merged` is false, each mesh is a group. Sorts the shaders, so the time for many meshes is
// that of sorting their names.
static bool *group_meshes(md5_arena *scratch, const md5_doc *doc, bool is_merged, uint32_t *next)
{
    md5_sorted_name *names = MD5_ALLOC_ZEROED(scratch, md5_sorted_name, doc->num_meshes);
    bool *const is_first = MD5_ALLOC_ZEROED(scratch, bool, doc->num_meshes);
    if (names) {
        for (uint32_t m = 0; m < doc->num_meshes; m++) {
            const char *const shader = doc->meshes[m].shader ? doc->meshes[m].shader : "";
            names[m] = (md5_sorted_name){{shader, strlen(shader)}, m};
        }
    }
    names = md5i_sort_names(scratch, names, doc->num_meshes);
    if (names && is_first) {
        for (uint32_t i = 0; i < doc->num_meshes; i++) {
            const uint32_t mesh = names[i].number;
            const bool is_merged_with_last =
                is_merged && i > 0 && is_same_name(names[i].name, names[i - 1].name);
            is_first[mesh] = !is_merged_with_last;
            next[mesh] = MD5_NONE;
            if (is_merged_with_last)
                next[names[i - 1].number] = mesh;
        }
    }
    return names ? is_first : NULL;
}

// Returns true if two vertices of a triangle are the same vertex.
static bool is_degenerate(const uint32_t *indices)
{
    return indices[0] == indices[1] || indices[1] == indices[2] || indices[2] == indices[0];
}

// Returns true if a triangle has no area in the bind pose, by the limit of the rule no-area.
static bool has_no_area(const mesh_part *part, uint32_t mesh, const uint32_t *indices)
{
    const md5_vec3 *const positions = part->positions + part->offsets[mesh].vertex;
    const md5_vec3 a = md5_vec3_sub(positions[indices[1]], positions[indices[0]]);
    const md5_vec3 b = md5_vec3_sub(positions[indices[2]], positions[indices[0]]);
    const float longest = fmaxf(md5_vec3_dot(a, a), md5_vec3_dot(b, b)); // squared
    return md5_vec3_length(md5_vec3_cross(a, b)) <= 1e-6f * longest;
}

// Returns the point of a weight in the bind pose.
static md5_vec3 weight_point(const md5_doc *doc, const md5_weight *weight)
{
    const md5_doc_joint *const joint = &doc->joints[weight->joint];
    const md5_vec3 r = joint->rotation;
    const md5_vec3 arm = md5_quat_rotate(md5_quat_from_xyz(r.x, r.y, r.z), weight->offset);
    return md5_vec3_add(joint->position, arm);
}

// Writes the positions of all vertices of the document in the bind pose.
static void compute_positions(const md5_doc *doc, md5_vec3 *positions)
{
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &doc->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const md5_vertex vertex = mesh->vertices[v];
            md5_vec3 sum = {0, 0, 0};
            for (uint32_t w = 0; w < vertex.num_weights; w++) {
                const md5_weight *const weight = &mesh->weights[vertex.first_weight + w];
                sum = md5_vec3_add(sum, md5_vec3_scale(weight_point(doc, weight), weight->bias));
            }
            *positions++ = sum;
        }
    }
}

// Returns true if a triangle of a mesh would exceed a limit of the part. A vertex that occurs twice
// in the triangle counts twice.
static bool is_part_full(const mesh_part *part, uint32_t mesh, const uint32_t *indices,
                         uint32_t max_vertices, uint32_t max_triangles)
{
    uint32_t num_new = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const size_t vertex = part->offsets[mesh].vertex + indices[i];
        if (part->vertex_entries[vertex].part != part->number)
            num_new++;
    }
    return num_new > max_vertices - part->num_vertices || part->num_triangles == max_triangles;
}

// Adds the triangles of a mesh to the current part. When a part is full, writes it to
// meshes[*num_built], increments *num_built and continues with an empty part. Other properties of
// the written meshes are those of `head`.
static bool add_mesh_triangles(repair *it, const md5_mesh_edit *edit, mesh_part *part,
                               uint32_t number, const md5_doc_mesh *head, md5_doc_mesh *meshes,
                               uint32_t *num_built)
{
    const uint32_t max_vertices = edit->max_vertices > 0 ? edit->max_vertices : UINT32_MAX;
    const uint32_t max_triangles = edit->max_triangles > 0 ? edit->max_triangles : UINT32_MAX;
    const md5_doc_mesh *const mesh = &part->meshes[number];
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const indices = mesh->indices + 3 * (size_t)i;
        if (edit->drops_unused && (is_degenerate(indices) || has_no_area(part, number, indices)))
            continue;
        meshes[*num_built] = *head;
        if (part->num_triangles > 0
            && is_part_full(part, number, indices, max_vertices, max_triangles)) {
            TRY(finish_part(&it->arena, part, &meshes[*num_built]));
            ++*num_built;
        }
        add_triangle(part, number, indices);
    }
    return true;
}

static bool exceeds_limits(const md5_mesh_edit *edit, const md5_doc_mesh *mesh)
{
    if (edit->max_vertices > 0 && mesh->num_vertices > edit->max_vertices)
        return true;
    return edit->max_triangles > 0 && mesh->num_triangles > edit->max_triangles;
}

// Rebuilds the group of meshes that begins with `first` as the fewest meshes within the limits, and
// writes them to `meshes`. If nothing changes or no triangle remains, writes the first mesh
// unchanged. Adds the number of changes to *count. Returns the number of meshes, or 0 on failure.
static uint32_t rebuild_group(repair *it, const md5_mesh_edit *edit, mesh_part *part,
                              uint32_t first, const uint32_t *next, md5_doc_mesh *meshes,
                              uint32_t *count)
{
    const md5_doc_mesh *const head = &part->meshes[first];
    const bool is_merged = next[first] != MD5_NONE;
    const bool is_replaced = is_merged || exceeds_limits(edit, head);
    const uint32_t begin = is_replaced || edit->drops_unused ? first : MD5_NONE;
    uint32_t num_built = 0;
    for (uint32_t m = begin; m != MD5_NONE; m = next[m]) {
        if (!add_mesh_triangles(it, edit, part, m, head, meshes, &num_built))
            return 0;
    }
    meshes[num_built] = *head;
    if (is_merged || (is_replaced && part->num_triangles > 0))
        ++*count;
    if (part->num_triangles == 0)
        return 1;
    if (!finish_part(&it->arena, part, &meshes[num_built++]))
        return 0;
    if (is_replaced)
        return num_built;
    // Changes of a single mesh are its removed elements. The number of weights increases if ranges
    // of weights overlapped. If the sum is negative, which wraps to a large number, the mesh is
    // left unchanged.
    const md5_doc_mesh *const built = &meshes[0];
    uint64_t num_removed = (uint64_t)head->num_vertices - built->num_vertices;
    num_removed += (uint64_t)head->num_triangles - built->num_triangles;
    num_removed += (uint64_t)head->num_weights - built->num_weights;
    if (num_removed == 0 || num_removed > UINT32_MAX)
        meshes[0] = *head;
    else
        *count += (uint32_t)num_removed;
    return num_built;
}

// Reverses the vertex order of all triangles, in a copy of the indices.
static bool flip_triangles(repair *it, md5_doc_mesh *mesh)
{
    mesh->indices = (uint32_t *)md5i_arena_copy(&it->arena, mesh->indices, mesh->num_triangles,
                                                3 * sizeof *mesh->indices);
    TRY(mesh->indices);
    for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i += 3) {
        const uint32_t second = mesh->indices[i + 1];
        mesh->indices[i + 1] = mesh->indices[i + 2];
        mesh->indices[i + 2] = second;
    }
    return true;
}

// Returns an upper limit of the number of meshes that an edit creates.
static size_t max_edited_meshes(const md5_doc *doc, const md5_mesh_edit *edit, size_t num_triangles)
{
    if (edit->max_vertices == 0 && edit->max_triangles == 0)
        return doc->num_meshes;
    // A finished part cannot take three more vertices, so that it has at least a third as many
    // triangles as vertices.
    size_t min_triangles = edit->max_vertices >= 6 ? (edit->max_vertices - 2) / 3 : 1;
    if (edit->max_triangles > 0 && edit->max_triangles < min_triangles)
        min_triangles = edit->max_triangles;
    return doc->num_meshes + num_triangles / min_triangles;
}

// Writes the edited meshes to *to, and adds the number of changes to *count.
static bool rebuild_meshes(repair *it, const md5_doc *doc, const md5_mesh_edit *edit, md5_doc *to,
                           uint32_t *count)
{
    mesh_part part = {.number = 1};
    size_t num_vertices = 0;
    size_t num_triangles = 0;
    size_t num_weights = 0;
    if (edit->max_vertices > 0 && edit->max_vertices < 3)
        return MD5_FAIL(&it->context, MD5_ERROR_RANGE,
                        "max_vertices is out of range: expected 3 or more, found %u",
                        edit->max_vertices);
    uint32_t *const next = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, doc->num_meshes);
    mesh_offset *const offsets = MD5_ALLOC_ARRAY(&it->scratch, mesh_offset, doc->num_meshes);
    md5_doc_mesh *const meshes =
        (md5_doc_mesh *)md5i_arena_copy(&it->scratch, doc->meshes, doc->num_meshes, sizeof *meshes);
    TRY(next && offsets && meshes);
    part.offsets = offsets;
    part.meshes = meshes;
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        if (edit->flipped && edit->flipped[m]) {
            *count += meshes[m].num_triangles;
            TRY(flip_triangles(it, &meshes[m]));
        }
        offsets[m] = (mesh_offset){num_vertices, num_weights};
        num_vertices += doc->meshes[m].num_vertices;
        num_triangles += doc->meshes[m].num_triangles;
        num_weights += doc->meshes[m].num_weights;
    }
    const size_t capacity = max_edited_meshes(doc, edit, num_triangles);
    const bool *const is_first = group_meshes(&it->scratch, doc, edit->is_merged, next);
    part.vertices = MD5_ALLOC_ARRAY(&it->scratch, vertex_ref, num_vertices);
    part.indices = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, 3 * num_triangles);
    part.vertex_entries = MD5_ALLOC_ZEROED(&it->scratch, part_entry, num_vertices);
    part.run_entries = MD5_ALLOC_ZEROED(&it->scratch, part_entry, num_weights);
    TRY(is_first && part.vertices && part.indices);
    TRY(part.vertex_entries && part.run_entries);
    if (edit->drops_unused) {
        md5_vec3 *const positions = MD5_ALLOC_ARRAY(&it->scratch, md5_vec3, num_vertices);
        TRY(positions);
        compute_positions(doc, positions);
        part.positions = positions;
    }
    to->meshes = MD5_ALLOC_ARRAY(&it->arena, md5_doc_mesh, capacity);
    TRY(to->meshes);
    to->num_meshes = 0;
    for (uint32_t m = 0; m < doc->num_meshes && it->context.error.status == MD5_OK; m++)
        if (is_first[m])
            to->num_meshes +=
                rebuild_group(it, edit, &part, m, next, to->meshes + to->num_meshes, count);
    return it->context.error.status == MD5_OK;
}

uint32_t md5_edit_meshes(md5_doc *doc, const md5_mesh_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    repair it;
    uint32_t count = 0;
    const bool is_valid = begin_repair(&it, doc, MD5_DOC_MODEL, error);
    md5_doc to = *doc;
    if (is_valid && rebuild_meshes(&it, doc, edit, &to, &count) && count > 0)
        *doc = to;
    return end_repair(&it, doc, count);
}

// -- Vertices without weights ---------------------------------------------------------------------
//
// MD5 stores the position of a vertex in its weights only, so a vertex without weights is at the
// origin. It gets the mean position of its neighbours, and the weights of the nearest point of the
// surface. The tables contain the vertices of all meshes of the document, in their order.

enum {
    MAX_FILLED_WEIGHTS = 16, // of a vertex that gets weights
    MAX_CORNER_WEIGHTS = 64, // that count of a vertex of the surface
    MAX_FILLED_ELEMENTS = 1 << 28,
};

typedef struct fill_vertex {
    const md5_weight *weights; // [num_weights]
    uint32_t num_weights;
    bool has_weights; // a weight is not 0
    // Number of edges to the nearest vertex whose position is known; MD5_NONE if there is no path.
    uint32_t distance;
} fill_vertex;

typedef struct weight_fill {
    const md5_doc *doc;
    uint32_t num_vertices;
    uint32_t num_triangles;
    uint32_t num_bare; // vertices without weights
    uint32_t limit;    // weights of a vertex
    fill_vertex *vertices;
    md5_vec3 *positions;      // [num_vertices] in the bind pose
    uint32_t *corners;        // [3 * num_triangles] indices of vertices
    uint32_t *first_incident; // [num_vertices + 1] first element of `incident` of a vertex
    uint32_t *incident;       // [3 * num_triangles] the triangles of each vertex
    uint32_t *surface_corners;
    md5_surface surface; // triangles with weights
    uint32_t *slots;     // [joints] 0; buffer of mix_weights()
} weight_fill;

// Sets the weights of a vertex. If all of them are 0, the mean of their points is the position of
// the vertex.
static void read_fill_vertex(weight_fill *fill, const md5_doc_mesh *mesh, uint32_t index,
                             uint32_t vertex, uint32_t *max_weights)
{
    const uint32_t count = mesh->vertices[index].num_weights;
    fill_vertex *const it = &fill->vertices[vertex];
    *it = (fill_vertex){.num_weights = count, .distance = count > 0 ? 0 : MD5_NONE};
    if (count > 0)
        it->weights = mesh->weights + mesh->vertices[index].first_weight;
    md5_vec3 sum = {0, 0, 0};
    for (uint32_t w = 0; w < count; w++) {
        it->has_weights |= it->weights[w].bias != 0;
        sum = md5_vec3_add(sum, weight_point(fill->doc, &it->weights[w]));
    }
    if (it->has_weights && count > *max_weights)
        *max_weights = count;
    if (it->has_weights)
        return;
    fill->num_bare++;
    if (count > 0)
        fill->positions[vertex] = md5_vec3_scale(sum, 1.0f / (float)count);
}

static bool read_fill_tables(repair *it, weight_fill *fill)
{
    const md5_doc *const doc = fill->doc;
    uint64_t num_vertices = 0;
    uint64_t num_triangles = 0;
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        num_vertices += doc->meshes[m].num_vertices;
        num_triangles += doc->meshes[m].num_triangles;
    }
    if (num_vertices > MAX_FILLED_ELEMENTS || num_triangles > MAX_FILLED_ELEMENTS)
        return MD5_FAIL(&it->context, MD5_ERROR_RANGE,
                        "model is too large: expected at most %d vertices and triangles, found "
                        "%llu vertices and %llu triangles",
                        MAX_FILLED_ELEMENTS, (unsigned long long)num_vertices,
                        (unsigned long long)num_triangles);
    fill->num_vertices = (uint32_t)num_vertices;
    fill->num_triangles = (uint32_t)num_triangles;
    fill->vertices = MD5_ALLOC_ARRAY(&it->scratch, fill_vertex, num_vertices);
    fill->positions = MD5_ALLOC_ARRAY(&it->scratch, md5_vec3, num_vertices);
    fill->corners = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, 3 * num_triangles);
    TRY(fill->vertices && fill->positions && fill->corners);
    compute_positions(doc, fill->positions);
    uint32_t max_weights = 1;
    uint32_t first = 0;
    size_t num_corners = 0;
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &doc->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            read_fill_vertex(fill, mesh, v, first + v, &max_weights);
        for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++)
            fill->corners[num_corners++] = first + mesh->indices[i];
        first += mesh->num_vertices;
    }
    if (fill->limit == 0 || fill->limit > max_weights)
        fill->limit = max_weights;
    if (fill->limit > MAX_FILLED_WEIGHTS)
        fill->limit = MAX_FILLED_WEIGHTS;
    return true;
}

// Lists the triangles of each vertex.
static bool list_incident_triangles(repair *it, weight_fill *fill)
{
    const size_t num_corners = 3 * (size_t)fill->num_triangles;
    uint32_t *const first = MD5_ALLOC_ZEROED(&it->scratch, uint32_t, fill->num_vertices + 2);
    fill->incident = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, num_corners);
    TRY(first && fill->incident);
    // first[v + 2] counts the triangles of vertex v. After the sums, first[v + 1] is the first of
    // them, and increases to the end while they are written, which is the first of vertex v + 1.
    for (size_t i = 0; i < num_corners; i++)
        first[fill->corners[i] + 2]++;
    for (uint32_t v = 0; v < fill->num_vertices; v++)
        first[v + 2] += first[v + 1];
    for (size_t i = 0; i < num_corners; i++)
        fill->incident[first[fill->corners[i] + 1]++] = (uint32_t)(i / 3);
    fill->first_incident = first;
    return true;
}

// Sets the position of a vertex to the mean of its neighbours that are nearer to known positions,
// and adds its other neighbours to the queue.
static void visit_vertex(weight_fill *fill, uint32_t vertex, uint32_t *queue, uint32_t *queue_end)
{
    const uint32_t distance = fill->vertices[vertex].distance;
    md5_vec3d sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t i = fill->first_incident[vertex]; i < fill->first_incident[vertex + 1]; i++) {
        const uint32_t *const corners = fill->corners + 3 * (size_t)fill->incident[i];
        for (uint32_t k = 0; k < 3; k++) {
            fill_vertex *const neighbor = &fill->vertices[corners[k]];
            if (neighbor->distance == MD5_NONE) {
                neighbor->distance = distance + 1;
                queue[(*queue_end)++] = corners[k];
            } else if (neighbor->distance < distance) {
                sum = md5_vec3d_add(sum, md5_vec3d_from_vec3(fill->positions[corners[k]]));
                count++;
            }
        }
    }
    if (count > 0)
        fill->positions[vertex] = md5_vec3d_round(md5_vec3d_scale(sum, 1.0 / count));
}

// Sets the positions of vertices without weights, in the order of their distance from vertices
// whose positions are known.
static bool compute_bare_positions(repair *it, weight_fill *fill)
{
    uint32_t *const queue = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, fill->num_vertices);
    TRY(queue && list_incident_triangles(it, fill));
    uint32_t end = 0;
    for (uint32_t v = 0; v < fill->num_vertices; v++)
        if (fill->vertices[v].distance == 0)
            queue[end++] = v;
    for (uint32_t i = 0; i < end; i++)
        visit_vertex(fill, queue[i], queue, &end);
    return true;
}

// Builds the surface of the triangles with weights. If a triangle has vertices without weights, one
// of its other vertices replaces them.
static bool build_weighted_surface(repair *it, weight_fill *fill)
{
    uint32_t *const corners =
        MD5_ALLOC_ARRAY(&it->scratch, uint32_t, 3 * (size_t)fill->num_triangles);
    TRY(corners);
    uint32_t count = 0;
    for (uint32_t t = 0; t < fill->num_triangles; t++) {
        const uint32_t *const from = fill->corners + 3 * (size_t)t;
        uint32_t weighted = MD5_NONE;
        for (uint32_t k = 0; k < 3; k++)
            if (fill->vertices[from[k]].has_weights)
                weighted = from[k];
        if (weighted == MD5_NONE)
            continue;
        for (uint32_t k = 0; k < 3; k++) {
            const bool has_weights = fill->vertices[from[k]].has_weights;
            corners[3 * (size_t)count + k] = has_weights ? from[k] : weighted;
        }
        count++;
    }
    if (count == 0)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH,
                        "%u vertices have no weights, and no triangle of the model has a vertex "
                        "with weights",
                        fill->num_bare);
    fill->surface_corners = corners;
    return md5i_build_surface(&it->scratch, fill->positions, corners, count, &fill->surface);
}

// Writes the weights of a point of the surface to mixed[3 * MAX_CORNER_WEIGHTS], one for each
// joint. Returns their number.
static uint32_t mix_weights(const weight_fill *fill, const md5_surface_point *point,
                            md5_weight *mixed)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t corner = fill->surface_corners[3 * (size_t)point->triangle + k];
        const fill_vertex *const vertex = &fill->vertices[corner];
        for (uint32_t w = 0; w < vertex->num_weights && w < MAX_CORNER_WEIGHTS; w++) {
            const md5_weight *const weight = &vertex->weights[w];
            const float bias = (float)(point->fractions[k] * (double)weight->bias);
            uint32_t *const slot = &fill->slots[weight->joint]; // 1 + index of the joint's weight
            if (bias == 0)
                continue;
            if (*slot == 0) {
                mixed[count] = (md5_weight){.joint = weight->joint};
                *slot = ++count;
            }
            mixed[*slot - 1].bias += bias;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        fill->slots[mixed[i].joint] = 0;
    return count;
}

// Sums of weights below this limit are too small to be scaled to 1.
#define MIN_WEIGHT_SUM 1e-3

// Moves the largest of mixed[num_mixed] to weights[], at most fill->limit. Returns their number,
// and sets *sum to their sum.
static uint32_t move_largest_weights(const weight_fill *fill, md5_weight *mixed, uint32_t num_mixed,
                                     md5_weight *weights, double *sum)
{
    uint32_t count = 0;
    *sum = 0;
    for (; count < fill->limit && count < num_mixed; count++) {
        uint32_t largest = count;
        for (uint32_t i = count + 1; i < num_mixed; i++)
            if (fabsf(mixed[i].bias) > fabsf(mixed[largest].bias))
                largest = i;
        weights[count] = mixed[largest];
        mixed[largest] = mixed[count];
        *sum += (double)weights[count].bias;
    }
    return count;
}

// Writes the largest weights of the point of the surface that is nearest to a vertex, scaled to the
// sum 1. Returns their number, from 1 to fill->limit.
static uint32_t fill_vertex_weights(const weight_fill *fill, uint32_t vertex, md5_weight *weights)
{
    md5_weight mixed[3 * MAX_CORNER_WEIGHTS];
    const md5_vec3 position = fill->positions[vertex];
    const md5_surface_point point = md5i_nearest_point(&fill->surface, position);
    const uint32_t num_mixed = mix_weights(fill, &point, mixed);
    double sum;
    uint32_t count = move_largest_weights(fill, mixed, num_mixed, weights, &sum);
    if (count == 0 || fabs(sum) < MIN_WEIGHT_SUM) { // the corner has more weights than count
        count = 1;
        weights[0].bias = 1;
        sum = 1;
        if (num_mixed == 0)
            weights[0].joint = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const md5_doc_joint *const joint = &fill->doc->joints[weights[i].joint];
        const md5_vec3 r = joint->rotation;
        const md5_quat rotation = md5_quat_from_xyz(r.x, r.y, r.z);
        const md5_vec3 from_joint = md5_vec3_sub(position, joint->position);
        weights[i].bias = (float)((double)weights[i].bias / sum);
        weights[i].offset = md5_quat_rotate(md5_quat_conjugate(rotation), from_joint);
    }
    return count;
}

// Appends weights to a mesh for its vertices without weights. `first` is its first vertex in the
// tables.
static bool fill_mesh(repair *it, const weight_fill *fill, uint32_t first, md5_doc_mesh *mesh)
{
    uint32_t num_bare = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        num_bare += fill->vertices[first + v].has_weights ? 0 : 1;
    if (num_bare == 0)
        return true;
    const uint64_t max_weights = mesh->num_weights + (uint64_t)num_bare * fill->limit;
    if (max_weights > UINT32_MAX)
        return MD5_FAIL(&it->context, MD5_ERROR_RANGE,
                        "too many weights: expected at most 4294967295, found %llu",
                        (unsigned long long)max_weights);
    md5_vertex *const vertices = (md5_vertex *)md5i_arena_copy(
        &it->arena, mesh->vertices, mesh->num_vertices, sizeof *vertices);
    md5_weight *const weights = MD5_ALLOC_ARRAY(&it->arena, md5_weight, (size_t)max_weights);
    TRY(vertices && weights);
    if (mesh->num_weights > 0)
        memcpy(weights, mesh->weights, mesh->num_weights * sizeof *weights);
    mesh->vertices = vertices;
    mesh->weights = weights;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        if (fill->vertices[first + v].has_weights)
            continue;
        const uint32_t count = fill_vertex_weights(fill, first + v, weights + mesh->num_weights);
        vertices[v] = (md5_vertex){mesh->num_weights, count};
        mesh->num_weights += count;
    }
    return true;
}

static bool fill_meshes(repair *it, const weight_fill *fill, md5_doc_mesh *meshes)
{
    uint32_t first = 0;
    for (uint32_t m = 0; m < fill->doc->num_meshes; m++) {
        TRY(fill_mesh(it, fill, first, &meshes[m]));
        first += meshes[m].num_vertices;
    }
    return true;
}

uint32_t md5_fill_weights(md5_doc *doc, uint32_t max_weights, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(max_weights <= MAX_FILLED_WEIGHTS, "max_weights: must be 0 to 16");
    repair it;
    weight_fill fill = {.doc = doc, .limit = max_weights};
    const bool is_valid =
        begin_repair(&it, doc, MD5_DOC_MODEL, error) && read_fill_tables(&it, &fill);
    if (is_valid && fill.num_bare > 0) {
        md5_doc_mesh *const meshes = (md5_doc_mesh *)md5i_arena_copy(
            &it.scratch, doc->meshes, doc->num_meshes, sizeof *meshes);
        fill.slots = MD5_ALLOC_ZEROED(&it.scratch, uint32_t, doc->num_joints);
        bool is_done = meshes && fill.slots;
        is_done = is_done && compute_bare_positions(&it, &fill);
        is_done = is_done && build_weighted_surface(&it, &fill);
        is_done = is_done && fill_meshes(&it, &fill, meshes);
        if (is_done)
            memcpy(doc->meshes, meshes, doc->num_meshes * sizeof *meshes);
    }
    return end_repair(&it, doc, fill.num_bare);
}

// -- Joints ---------------------------------------------------------------------------------------

// All six components of a joint in a frame.
typedef union joint_components {
    float values[6];  // in the order of the flags
    md5_vec3 pair[2]; // position, rotation
} joint_components;

// Returns the components of a joint in a frame. `numbers` are the joint's numbers in the frame;
// components without a flag are those of the base frame.
static joint_components read_components(const md5_doc_joint *joint, const float *numbers)
{
    joint_components all = {.pair = {joint->position, joint->rotation}};
    for (uint32_t i = 0; i < 6; i++)
        if (joint->track.flags >> i & 1)
            all.values[i] = *numbers++;
    return all;
}

// Writes the components that have a flag. Returns their number.
static uint32_t write_components(const joint_components *all, uint32_t flags, float *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 6; i++)
        if (flags >> i & 1)
            to[count++] = all->values[i];
    return count;
}

// Returns flags in which a translation or a rotation that has a flag has all three flags.
static uint32_t complete_flags(uint32_t flags)
{
    if (flags & MD5_TRANSLATION_FLAGS)
        flags |= MD5_TRANSLATION_FLAGS;
    if (flags & MD5_ROTATION_FLAGS)
        flags |= MD5_ROTATION_FLAGS;
    return flags;
}

// Writes the frames of a document whose joint i is joint old_indices[i] of `doc`.
static bool rearrange_frames(repair *it, const md5_doc *doc, const uint32_t *old_indices,
                             md5_doc *to)
{
    to->numbers = (float *)md5i_arena_alloc_raw(&it->arena, doc->num_frames,
                                                to->num_components * sizeof *to->numbers);
    TRY(to->numbers);
    for (uint32_t i = 0; i < to->num_joints; i++) {
        const md5_track track = to->joints[i].track;
        if (track.flags == 0)
            continue;
        const md5_doc_joint *const old = &doc->joints[old_indices[i]];
        for (size_t f = 0; f < doc->num_frames; f++) {
            const joint_components all =
                read_components(old, doc->numbers + f * doc->num_components + old->track.first);
            write_components(&all, track.flags, to->numbers + f * to->num_components + track.first);
        }
    }
    return true;
}

// Creates a document whose joint i is joint old_indices[i] of `doc`, and updates weights, parents
// and tracks in copies of their arrays. If old_indices[0] is MD5_NONE, joint 0 is a new joint, the
// parent of all roots. If `completes_roots`, a root that rotates or translates gets flags for all
// three components.
static bool rearrange_joints(repair *it, const md5_doc *doc, const uint32_t *old_indices,
                             uint32_t count, bool completes_roots, md5_doc *to)
{
    const uint32_t new_root = old_indices[0] == MD5_NONE ? 0 : MD5_NONE;
    uint32_t *const new_indices = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, doc->num_joints);
    *to = *doc;
    to->num_joints = count;
    to->num_components = 0;
    to->joints = MD5_ALLOC_ZEROED(&it->arena, md5_doc_joint, count);
    TRY(new_indices && to->joints);
    for (uint32_t i = 0; i < count; i++)
        if (old_indices[i] != MD5_NONE)
            new_indices[old_indices[i]] = i;
    for (uint32_t i = 0; i < count; i++) {
        md5_doc_joint *const joint = &to->joints[i];
        joint->parent = MD5_NONE;
        if (old_indices[i] == MD5_NONE)
            continue;
        *joint = doc->joints[old_indices[i]];
        const bool is_root = joint->parent == MD5_NONE;
        uint32_t flags = joint->track.flags;
        if (is_root && completes_roots)
            flags = complete_flags(flags);
        joint->parent = is_root ? new_root : new_indices[joint->parent];
        joint->track = (md5_track){flags, flags > 0 ? to->num_components : 0};
        to->num_components += md5i_count_flags(flags);
    }
    if (doc->kind == MD5_DOC_ANIM)
        TRY(rearrange_frames(it, doc, old_indices, to));
    to->meshes = (md5_doc_mesh *)md5i_arena_copy(&it->arena, doc->meshes, doc->num_meshes,
                                                 sizeof *doc->meshes);
    TRY(to->meshes);
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        md5_doc_mesh *const mesh = &to->meshes[m];
        mesh->weights = (md5_weight *)md5i_arena_copy(&it->arena, mesh->weights, mesh->num_weights,
                                                      sizeof *mesh->weights);
        TRY(mesh->weights);
        for (uint32_t w = 0; w < mesh->num_weights; w++)
            mesh->weights[w].joint = new_indices[mesh->weights[w].joint];
    }
    return true;
}

// Marks the joints that weights use, and their ancestors. If the document does not have weights,
// marks all joints.
static void mark_used(const md5_doc *doc, bool *is_used)
{
    bool has_weights = false;
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        const md5_doc_mesh *const mesh = &doc->meshes[i];
        for (uint32_t w = 0; w < mesh->num_weights; w++) {
            has_weights = true;
            for (uint32_t j = mesh->weights[w].joint; j != MD5_NONE && !is_used[j];
                 j = doc->joints[j].parent)
                is_used[j] = true;
        }
    }
    if (!has_weights) {
        for (uint32_t j = 0; j < doc->num_joints; j++)
            is_used[j] = true;
    }
}

// Returns true if the document has a single root with a name.
static bool has_single_root(const md5_doc *doc, const char *name)
{
    uint32_t root = MD5_NONE;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        if (doc->joints[j].parent != MD5_NONE)
            continue;
        if (root != MD5_NONE)
            return false;
        root = j;
    }
    const char *const root_name = root != MD5_NONE ? doc->joints[root].name : NULL;
    return strcmp(root_name ? root_name : "", name) == 0;
}

// Buffers of md5_edit_joints(), [num_joints] each.
typedef struct joint_order {
    uint32_t *old_indices; // [num_joints + 1]; see rearrange_joints()
    uint32_t *ancestors;
    bool *is_used;
    bool *is_ordered;
    uint32_t count; // used part of old_indices
} joint_order;

// Adds the used joints to old_indices, so that each joint follows its parent. A joint that is
// already after its parent keeps its position. The result depends only on the hierarchy and the old
// order, so a mesh and its clips get the same order. Returns the number of unused joints.
static uint32_t order_joints(const md5_doc *doc, joint_order *order)
{
    uint32_t num_unused = 0;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        uint32_t depth = 0;
        for (uint32_t k = j; k != MD5_NONE && order->is_used[k] && !order->is_ordered[k];
             k = doc->joints[k].parent) {
            order->ancestors[depth++] = k;
            order->is_ordered[k] = true;
        }
        while (depth > 0)
            order->old_indices[order->count++] = order->ancestors[--depth];
        num_unused += !order->is_used[j];
    }
    return num_unused;
}

uint32_t md5_edit_joints(md5_doc *doc, const md5_joint_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    repair it;
    md5_doc to;
    const md5_doc_kind kind = doc->kind == MD5_DOC_CAMERA ? MD5_DOC_MODEL : doc->kind;
    const bool is_valid = begin_repair(&it, doc, kind, error);
    const uint32_t num_joints = is_valid ? doc->num_joints : 0;
    joint_order order = {
        .old_indices = MD5_ALLOC_ARRAY(&it.scratch, uint32_t, (size_t)num_joints + 1),
        .ancestors = MD5_ALLOC_ARRAY(&it.scratch, uint32_t, num_joints),
        .is_used = MD5_ALLOC_ZEROED(&it.scratch, bool, num_joints),
        .is_ordered = MD5_ALLOC_ZEROED(&it.scratch, bool, num_joints),
    };
    if (it.context.error.status != MD5_OK)
        return end_repair(&it, doc, 0);
    if (edit->drops_unused && doc->kind != MD5_DOC_ANIM)
        mark_used(doc, order.is_used);
    else
        memset(order.is_used, true, num_joints);
    const bool adds_root = edit->root && !has_single_root(doc, edit->root);
    if (adds_root)
        order.old_indices[order.count++] = MD5_NONE;
    uint32_t count = order_joints(doc, &order);
    for (uint32_t i = 0; i < order.count; i++)
        count += order.old_indices[i] != i;
    if (count > 0 && rearrange_joints(&it, doc, order.old_indices, order.count, false, &to)) {
        if (adds_root)
            to.joints[0].name = md5_copy_text(&it.arena, edit->root, strlen(edit->root));
        if (it.context.error.status == MD5_OK)
            *doc = to;
    }
    return end_repair(&it, doc, count);
}

// -- Space ----------------------------------------------------------------------------------------
//
// A point p becomes scale * rotation * p, or, if mirrored, scale * rotation * Y p, where Y negates
// y. The rotation applies to joints without a parent and to data in model space; the other joints
// rotate with their parents. Mirroring applies to every joint: a rotation R becomes Y R Y, because
// Y R is not a rotation.

typedef struct space_map {
    md5_mat34 matrix; // the whole transform
    md5_quat rotation;
    float scale;
    bool is_mirrored;
    bool has_rotation;
} space_map;

static bool create_map(repair *it, const md5_space_edit *edit, space_map *map)
{
    *map = (space_map){.rotation = md5_quat_from_euler(edit->rotation),
                       .scale = edit->scale == 0 ? 1 : edit->scale,
                       .is_mirrored = edit->is_mirrored};
    if (!(map->scale >= 1e-6f && map->scale <= 1e6f) || !isfinite(map->rotation.w))
        return MD5_FAIL(&it->context, MD5_ERROR_RANGE,
                        "invalid transform: expected a finite rotation and a scale from 1e-6 to "
                        "1e6, found scale %g",
                        map->scale);
    map->matrix = md5_mat34_from_xform((md5_xform){.rotation = map->rotation});
    for (uint32_t i = 0; i < 12; i++) {
        float *const element = &map->matrix.m[i];
        if (fabsf(*element - rintf(*element)) < 1e-6f) // rotations by 90 degrees are exact
            *element = rintf(*element);
        const bool is_diagonal = i % 5 == 0;
        map->has_rotation |= *element != (is_diagonal ? 1 : 0);
        const bool is_y_column = i % 4 == 1;
        *element *= map->is_mirrored && is_y_column ? -map->scale : map->scale;
    }
    return true;
}

static md5_vec3 map_offset(const space_map *map, md5_vec3 v)
{
    const float y = map->is_mirrored ? 0 - v.y : v.y; // never -0
    return md5_vec3_scale((md5_vec3){v.x, y, v.z}, map->scale);
}

// Maps a position and a rotation. `rotation` is x, y and z of a quaternion. To preserve the numbers
// of a file, w is only computed if the rotation of the map applies.
static void map_joint(const space_map *map, bool is_in_model_space, md5_vec3 *position,
                      md5_vec3 *rotation)
{
    const md5_vec3 v = *rotation;
    *rotation = map->is_mirrored ? (md5_vec3){0 - v.x, v.y, 0 - v.z} : v;
    if (!is_in_model_space || !map->has_rotation) {
        *position = map_offset(map, *position);
        return;
    }
    const md5_quat q = md5_quat_from_xyz(rotation->x, rotation->y, rotation->z);
    *rotation = md5_quat_to_xyz(md5_quat_mul(map->rotation, q));
    *position = md5_mat34_point(map->matrix, *position);
}

static bool map_joints(repair *it, const md5_space_edit *edit, const space_map *map, md5_doc *doc)
{
    md5_doc to;
    uint32_t *const partners = MD5_ALLOC_ARRAY(&it->scratch, uint32_t, doc->num_joints);
    bool *const is_partner = MD5_ALLOC_ZEROED(&it->scratch, bool, doc->num_joints);
    TRY(partners && is_partner);
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        partners[j] = edit->is_mirrored && edit->partners ? edit->partners[j] : j;
        if (partners[j] >= doc->num_joints || is_partner[partners[j]])
            return MD5_FAIL(
                &it->context, MD5_ERROR_RANGE,
                "mirror partner of joint %u is out of range, or is the partner of another joint",
                j);
        is_partner[partners[j]] = true;
    }
    // Joint j becomes the image of its partner, but keeps its name. A rotation of a root changes
    // all three components, so each of them needs a flag.
    TRY(rearrange_joints(it, doc, partners, doc->num_joints, map->has_rotation, &to));
    for (uint32_t j = 0; j < to.num_joints; j++) {
        md5_doc_joint *const joint = &to.joints[j];
        const bool is_in_model_space = doc->kind == MD5_DOC_MODEL || joint->parent == MD5_NONE;
        const uint32_t num_frames = joint->track.flags > 0 ? to.num_frames : 0;
        for (size_t f = 0; f < num_frames; f++) {
            float *const numbers = to.numbers + f * to.num_components + joint->track.first;
            joint_components all = read_components(joint, numbers);
            map_joint(map, is_in_model_space, &all.pair[0], &all.pair[1]);
            write_components(&all, joint->track.flags, numbers);
        }
        joint->name = doc->joints[j].name;
        map_joint(map, is_in_model_space, &joint->position, &joint->rotation);
    }
    for (uint32_t m = 0; m < to.num_meshes; m++) {
        for (uint32_t w = 0; w < to.meshes[m].num_weights; w++)
            to.meshes[m].weights[w].offset = map_offset(map, to.meshes[m].weights[w].offset);
        TRY(!edit->is_mirrored || flip_triangles(it, &to.meshes[m]));
    }
    if (doc->bounds) {
        to.bounds = MD5_ALLOC_ARRAY(&it->arena, md5_bounds, doc->num_frames);
        TRY(to.bounds);
        for (uint32_t f = 0; f < doc->num_frames; f++)
            to.bounds[f] = md5_bounds_transform(doc->bounds[f], map->matrix);
    }
    *doc = to;
    return true;
}

static bool map_views(repair *it, const space_map *map, md5_doc *doc)
{
    md5_camera_view *const views =
        (md5_camera_view *)md5i_arena_copy(&it->arena, doc->views, doc->num_frames, sizeof *views);
    md5_cut_view *const cuts = (md5_cut_view *)md5i_arena_copy(&it->arena, doc->cut_views,
                                                               doc->num_cut_views, sizeof *cuts);
    TRY(views && cuts);
    for (uint32_t i = 0; i < doc->num_frames; i++) {
        md5_vec3 xyz = md5_quat_to_xyz(views[i].rotation);
        map_joint(map, true, &views[i].position, &xyz);
        views[i].rotation = (md5_quat){xyz.x, xyz.y, xyz.z, 0}; // w is not written
    }
    for (uint32_t i = 0; i < doc->num_cut_views; i++) {
        md5_vec3 xyz = md5_quat_to_xyz(cuts[i].rotation);
        map_joint(map, true, &cuts[i].position, &xyz);
        cuts[i].rotation = md5_quat_from_xyz(xyz.x, xyz.y, xyz.z);
    }
    doc->views = views;
    doc->cut_views = cuts;
    return true;
}

uint32_t md5_edit_space(md5_doc *doc, const md5_space_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    repair it;
    space_map map;
    if (!begin_repair(&it, doc, doc->kind, error) || !create_map(&it, edit, &map))
        return end_repair(&it, doc, 0);
    const bool is_identity = map.scale == 1 && !map.has_rotation && !map.is_mirrored;
    uint32_t count = 0;
    if (doc->kind == MD5_DOC_CAMERA) {
        if (!is_identity && map_views(&it, &map, doc))
            count = doc->num_frames;
    } else {
        if (!is_identity && map_joints(&it, edit, &map, doc))
            count = doc->num_joints;
    }
    return end_repair(&it, doc, count);
}

// -- Clips ----------------------------------------------------------------------------------------

// Writes a clip as a text and loads the text, which also validates its numbers. Returns NULL on
// failure.
static md5_anim *load_written_clip(repair *it, const md5_doc *doc, const md5_load_opts *opts,
                                   md5_error *failure)
{
    md5_doc writable = *doc;
    writable.parents_unknown = false;
    const size_t size = md5_write_doc(&writable, NULL, 0, failure);
    char *const text = size > 0 ? MD5_ALLOC_ARRAY(&it->scratch, char, size + 1) : NULL;
    if (!text || md5_write_doc(&writable, text, size + 1, failure) != size)
        return NULL;
    md5_anim *const anim = md5_parse_anim(text, size, opts, failure);
    if (anim)
        anim->parents_unknown = doc->parents_unknown;
    return anim;
}

// Begins a repair of a clip, which needs sampled poses. Binds the clip to the model, or to its own
// skeleton if `model` is NULL.
static bool begin_clip(repair *it, const md5_doc *doc, const md5_model *model, md5_error *error)
{
    const md5_load_opts opts = {.allocator = doc->allocator, .allow_partial_binding = true};
    md5_error failure = {0};
    TRY(begin_repair(it, doc, MD5_DOC_ANIM, error));
    it->anim = load_written_clip(it, doc, &opts, &failure);
    if (it->anim && model)
        it->binding = md5_bind(model, it->anim, &opts, &failure);
    else if (it->anim)
        it->binding =
            md5_bind_skeleton(&it->anim->skeleton, it->anim->base_frame, it->anim, &opts, &failure);
    if (!it->binding)
        return failure.status != MD5_OK && md5i_fail_as(&it->context, &failure);
    it->pose = MD5_ALLOC_ARRAY(&it->scratch, md5_xform, it->binding->skeleton->num_joints);
    return it->pose != NULL;
}

// Returns true if the minima and the maxima of two boxes are within 0.01 units.
static bool is_similar_box(md5_bounds a, md5_bounds b)
{
    const float tolerance = 0.01f;
    return md5_vec3_length(md5_vec3_sub(a.min, b.min)) <= tolerance
           && md5_vec3_length(md5_vec3_sub(a.max, b.max)) <= tolerance;
}

// Computes the bounding boxes of a model in all frames. Returns the number of boxes that differ
// from those of the document.
static uint32_t compute_bounds(repair *it, const md5_doc *doc, const md5_model *model,
                               md5_mat34 *palette, md5_bounds *bounds)
{
    uint32_t num_changed = 0;
    for (uint32_t f = 0; f < doc->num_frames; f++) {
        const md5_sample_position sample = md5_sample_position_from_frames(it->anim, f, f, 0);
        md5_pose_palette(it->binding, sample, MD5_ROOT_FILE, it->pose, NULL, palette);
        bounds[f] = md5_skin_bounds(model, palette);
        if (!doc->bounds || !is_similar_box(doc->bounds[f], bounds[f]))
            num_changed++;
    }
    return num_changed;
}

uint32_t md5_fix_bounds(md5_doc *doc, const md5_model *model, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    if (!model) {
        md5i_fail_missing(error, "model");
        return MD5_NONE;
    }
    repair it;
    if (!begin_clip(&it, doc, model, error))
        return end_repair(&it, doc, 0);
    if (model->max_vertices == 0) {
        MD5_FAIL(&it.context, MD5_ERROR_MISMATCH, "model has no vertices");
        return end_repair(&it, doc, 0);
    }
    md5_mat34 *const palette = MD5_ALLOC_ARRAY(&it.scratch, md5_mat34, model->skeleton.num_joints);
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(&it.arena, md5_bounds, doc->num_frames);
    if (!palette || !bounds)
        return end_repair(&it, doc, 0);
    const uint32_t count = compute_bounds(&it, doc, model, palette, bounds);
    if (count > 0)
        doc->bounds = bounds;
    return end_repair(&it, doc, count);
}

// Returns the components of a transform as files store them: for a quaternion with w <= 0.
static joint_components components_from_transform(const md5_xform *joint)
{
    return (joint_components){.pair = {joint->translation, md5_quat_to_xyz(joint->rotation)}};
}

// Returns true if a joint of the binding has the same parent in the clip as in the skeleton.
static bool has_same_parent(const repair *it, uint32_t joint)
{
    const uint32_t *const tracks = it->binding->tracks;
    const uint32_t parent = it->binding->skeleton->joints[joint].parent;
    const uint32_t track = tracks[joint];
    const uint32_t clip_parent = it->anim->skeleton.joints[track].parent;
    if (parent == MD5_NONE || clip_parent == MD5_NONE)
        return parent == clip_parent;
    return tracks[parent] == clip_parent;
}

// Returns the base frame of a joint of the binding: the clip's base frame if the joint has the same
// parent there, otherwise the current pose, which is the first frame.
static const md5_xform *base_transform(const repair *it, uint32_t joint)
{
    const uint32_t track = it->binding->tracks[joint];
    if (track != MD5_NONE && has_same_parent(it, joint))
        return &it->anim->base_frame[track];
    return &it->pose[joint];
}

// Returns true if two joints have the same name, parent and components.
static bool is_same_joint(const md5_doc_joint *a, const md5_doc_joint *b)
{
    const char *const name = a->name ? a->name : "";
    if (strcmp(name, b->name) != 0 || a->parent != b->parent || a->track.flags != b->track.flags)
        return false;
    return b->track.flags == 0 || a->track.first == b->track.first;
}

// Returns true if a joint of the document and the new joint with the same index differ. The last
// bits of unit rotations may differ.
static bool differs(const md5_doc *doc, const md5_doc_joint *old, const md5_doc_joint *joint,
                    const float *numbers, size_t num_components)
{
    const float tolerance = 0.25f * MD5_LENGTH_SLACK;
    const uint32_t count = md5i_count_flags(joint->track.flags);
    if (!is_same_joint(old, joint))
        return true;
    if (md5_vec3_length(md5_vec3_sub(old->rotation, joint->rotation)) > tolerance)
        return true;
    for (size_t f = 0; f < doc->num_frames && count > 0; f++) {
        const float *const a = doc->numbers + f * doc->num_components + joint->track.first;
        const float *const b = numbers + f * num_components + joint->track.first;
        for (uint32_t i = 0; i < count; i++)
            if (fabsf(a[i] - b[i]) > tolerance)
                return true;
    }
    return false;
}

// Movement of a joint in all frames.
typedef struct joint_span {
    md5_xform first; // transform in the first frame
    float move;      // longest translation from the first frame, units
    float chord;     // largest movement of a point at distance 1 by rotations from the first frame
    float length;    // longest translation from the parent, units
    float reach;     // upper limit of the distance of the points that the joint moves, units
    float used_tolerance; // part of the tolerance that the joint and its ancestors use, units
    float depth;          // number of joints from the root to this joint
    float height;         // number of joints from this joint to the farthest descendant
} joint_span;

// The frames that an edit creates. "Old" frames are the selected frames of the document.
typedef struct frame_plan {
    const md5_frame_edit *edit;
    uint32_t first;      // first old frame
    uint32_t num_old;    // old frames
    uint32_t num_frames; // created frames
    bool is_changed;     // the created frames are not the frames of the document
    joint_span *spans;   // [joints]
    md5_xform *begin;    // [joints] pose of the first created frame before the loop is closed
    md5_xform *end;      // [joints] pose of the last created frame before the loop is closed
    // Closing a loop.
    md5_loop loop;
    bool adds_frame; // the first frame is repeated after the last frame
    bool walks;      // joint 0 moves on along x and y when the clip repeats
    // If `walks`: joint 0 in the last old frame, and its movement along x and y in three steps: to
    // the last frame, from the last frame to the first frame, and to the second frame.
    md5_vec3 last_root;
    md5_vec3 root_steps[3];
} frame_plan;

// Returns the index in the document of a selected frame, counted in the order of the result.
static uint32_t selected_frame(const frame_plan *plan, uint32_t index)
{
    return plan->first + (plan->edit->is_reversed ? plan->num_old - 1 - index : index);
}

// Returns the sample position of a created frame. Created frames are distributed evenly from the
// first to the last old frame, by integer arithmetic, so that a created frame at an old frame is
// bit-identical to it.
static md5_sample_position planned_sample_position(const repair *it, const frame_plan *plan,
                                                   uint32_t frame)
{
    const uint64_t steps = plan->num_frames > 1 ? plan->num_frames - 1 : 1;
    const uint64_t position = (uint64_t)frame * (plan->num_old - 1 + plan->adds_frame);
    const uint64_t remainder = position % steps;
    const uint32_t before = (uint32_t)(position / steps);
    const uint32_t next = before + (remainder > 0);
    const uint32_t frame0 = before < plan->num_old ? before : 0;
    const uint32_t frame1 = next < plan->num_old ? next : 0;
    return md5_sample_position_from_frames(it->anim, selected_frame(plan, frame0),
                                           selected_frame(plan, frame1),
                                           (float)((double)remainder / (double)steps));
}

static void sample_frame(const repair *it, const frame_plan *plan, uint32_t frame, md5_xform *pose)
{
    md5_sample(it->binding, planned_sample_position(it, plan, frame), MD5_ROOT_FILE, pose);
    if (plan->edit->change)
        plan->edit->change(plan->edit->user, pose);
}

// Returns the weight of the correction that closes a loop: 0, then increasing smoothly to 1 in the
// last frames.
static float closing_weight(const frame_plan *plan, uint32_t frame)
{
    const uint32_t num_steps = plan->num_frames > 1 ? plan->num_frames - 1 : 1;
    if (!plan->edit->is_closed || plan->adds_frame || frame == 0)
        return 0;
    const double to_end = (double)(num_steps - frame) * (plan->num_old - 1) / (double)num_steps;
    const float t = (float)fmin(to_end / plan->loop.num_blended, 1.0);
    return 1 - t * t * (3 - 2 * t);
}

// Adds a part of the difference from the last to the first pose to the current pose. Rotations are
// added in the space of the joint.
static void close_pose(const repair *it, const frame_plan *plan, float weight)
{
    const md5_quat identity = {0, 0, 0, 1};
    for (uint32_t j = 0; j < it->binding->skeleton->num_joints; j++) {
        const md5_xform *const begin = &plan->begin[j];
        const md5_xform *const end = &plan->end[j];
        md5_xform *const joint = &it->pose[j];
        const md5_quat rotation = md5_quat_mul(md5_quat_conjugate(end->rotation), begin->rotation);
        const md5_vec3 translation = md5_vec3_sub(begin->translation, end->translation);
        const md5_quat part = md5_quat_slerp(identity, rotation, weight);
        joint->rotation = md5_quat_normalize(md5_quat_mul(joint->rotation, part), joint->rotation);
        joint->translation = md5_vec3_add(joint->translation, md5_vec3_scale(translation, weight));
    }
}

// Sets x and y of joint 0 in a closed loop. Closing a loop does not move the character back, so
// they are the sampled values; after the last old frame joint 0 walks on with the mean speed before
// and after the jump.
static void place_root(const repair *it, const frame_plan *plan, uint32_t frame, md5_vec3 sampled)
{
    const uint32_t num_steps = plan->num_frames > 1 ? plan->num_frames - 1 : 1;
    const float fraction = (float)frame / (float)num_steps;
    const float past_last = fraction * (float)plan->num_old - (float)(plan->num_old - 1);
    md5_vec3 *const root = &it->pose[0].translation;
    if (plan->walks && past_last > 0) {
        const md5_vec3 steps = md5_vec3_add(plan->root_steps[0], plan->root_steps[2]);
        root->x = plan->last_root.x + 0.5f * past_last * steps.x;
        root->y = plan->last_root.y + 0.5f * past_last * steps.y;
    } else {
        root->x = sampled.x;
        root->y = sampled.y;
    }
}

// Writes the pose of a created frame to it->pose: samples the frame, closes the loop and moves the
// root as the edit requests.
static void pose_frame(const repair *it, const frame_plan *plan, uint32_t frame)
{
    const float weight = closing_weight(plan, frame);
    sample_frame(it, plan, frame, it->pose);
    const md5_vec3 root = it->pose[0].translation;
    if (weight > 0 && frame + 1 == plan->num_frames)
        memcpy(it->pose, plan->begin, it->binding->skeleton->num_joints * sizeof *it->pose);
    else if (weight > 0)
        close_pose(it, plan, weight);
    if (plan->edit->is_closed)
        place_root(it, plan, frame, root);
    if (plan->edit->is_in_place)
        it->pose[0].translation = plan->begin[0].translation;
}

// Extends the movements of a joint, relative to its first frame, to a further transform.
static void widen_span(joint_span *span, const md5_xform *joint)
{
    const md5_xform *const first = &span->first;
    const md5_quat q = md5_quat_mul(md5_quat_conjugate(first->rotation), joint->rotation);
    const float move = md5_vec3_length(md5_vec3_sub(joint->translation, first->translation));
    const float half_angle_sine = md5_vec3_length((md5_vec3){q.x, q.y, q.z});
    span->move = fmaxf(span->move, move);
    span->chord = fmaxf(span->chord, 2 * half_angle_sine);
    span->length = fmaxf(span->length, md5_vec3_length(joint->translation));
}

// Raises the reach of each joint to the farthest of its weights in a model.
static void measure_weights(const md5_model *model, joint_span *spans)
{
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        const uint32_t num_weights = mesh->weights ? mesh->num_weights : 0;
        for (uint32_t w = 0; w < num_weights; w++) {
            float *const reach = &spans[mesh->weights[w].joint].reach;
            *reach = fmaxf(*reach, md5_vec3_length(mesh->weights[w].offset));
        }
    }
}

// Sets the reach and the height of all joints. Without a model, a joint is assumed to move points
// at the distance of its own bone.
static void measure_reach(const repair *it, const frame_plan *plan)
{
    const md5_skeleton *const skeleton = it->binding->skeleton;
    const md5_model *const model = plan->edit->model;
    for (uint32_t j = 0; j < skeleton->num_joints; j++)
        plan->spans[j].reach = model ? 1 : fmaxf(1.0f, plan->spans[j].length);
    if (model)
        measure_weights(model, plan->spans);
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        const joint_span *const span = &plan->spans[j];
        if (parent == MD5_NONE)
            continue;
        joint_span *const parent_span = &plan->spans[parent];
        parent_span->height = fmaxf(parent_span->height, span->height + 1);
        parent_span->reach = fmaxf(parent_span->reach, span->length + span->reach);
    }
}

// Number of joint_components.pair. The components of a pair are kept or reduced together.
enum { NUM_PAIRS = 2 }; // translation, rotation

// Removes flags of components whose values remain so near to the first frame that the skin moves by
// at most the tolerance if they are constant. The first frame becomes their base frame.
//
// A point moves by at most the sum of the movements that the joints from the root to its own joint
// cause: a translation moves the point by its length, a rotation by its chord times the distance,
// which is at most the length of the stretched chain. The tolerance is distributed from the root
// on: a joint may use an equal part of it, and the unused parts of its ancestors. Joint 0 keeps the
// flags of its translation, because games read it.
static void reduce_flags(const repair *it, const frame_plan *plan, md5_doc_joint *joints,
                         joint_components *base)
{
    static const uint32_t pair_flags[] = {MD5_TRANSLATION_FLAGS, MD5_ROTATION_FLAGS};
    const md5_skeleton *const skeleton = it->binding->skeleton;
    const float tolerance = plan->edit->tolerance;
    measure_reach(it, plan);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        joint_span *const span = &plan->spans[j];
        span->depth = 1;
        span->used_tolerance = 0;
        if (parent != MD5_NONE) {
            span->depth = 1 + plan->spans[parent].depth;
            span->used_tolerance = plan->spans[parent].used_tolerance;
        }
        // The part of the longest chain through this joint that ends at it.
        const float limit = tolerance * (span->depth / (span->depth + span->height));
        const float movements[] = {j > 0 ? span->move : INFINITY,
                                   span->chord * (span->reach + tolerance)};
        for (uint32_t k = 0; k < NUM_PAIRS; k++) {
            const bool is_animated = (joints[j].track.flags & pair_flags[k]) != 0;
            if (!is_animated || !(span->used_tolerance + movements[k] <= limit))
                continue;
            base[j].pair[k] = components_from_transform(&span->first).pair[k];
            joints[j].track.flags &= ~pair_flags[k];
            span->used_tolerance += movements[k];
        }
    }
}

// Samples all frames. Writes the base frame and the spans of all joints, and sets a flag for each
// component that differs from the base frame by any bit in a frame.
static void find_flags(const repair *it, const frame_plan *plan, md5_doc_joint *joints,
                       joint_components *base)
{
    for (uint32_t f = 0; f < plan->num_frames; f++) {
        pose_frame(it, plan, f);
        for (uint32_t j = 0; j < it->binding->skeleton->num_joints; j++) {
            const joint_components all = components_from_transform(&it->pose[j]);
            if (f == 0) {
                base[j] = components_from_transform(base_transform(it, j));
                plan->spans[j] = (joint_span){.first = it->pose[j]};
            }
            widen_span(&plan->spans[j], &it->pose[j]);
            for (uint32_t i = 0; i < 6; i++)
                if (memcmp(&all.values[i], &base[j].values[i], sizeof all.values[i]) != 0)
                    joints[j].track.flags |= UINT32_C(1) << i;
        }
    }
}

// Completes the joints of the new document. Without a tolerance, components that have a flag in the
// document keep it, because the author may have a reason for the flag. Returns the number of
// components.
static uint32_t pose_edited_joints(repair *it, const md5_frame_edit *edit, const md5_doc *doc,
                                   const joint_components *base, md5_doc_joint *joints)
{
    const md5_skeleton *const skeleton = it->binding->skeleton;
    uint32_t num_components = 0;
    for (uint32_t j = 0; j < skeleton->num_joints; j++) {
        md5_doc_joint *const joint = &joints[j];
        const uint32_t track = it->binding->tracks[j];
        const md5_doc_joint *const old = track != MD5_NONE ? &doc->joints[track] : NULL;
        const char *const name = skeleton->joints[j].name;
        if (edit->tolerance == 0 && old)
            joint->track.flags |= old->track.flags;
        if (edit->all_components)
            joint->track.flags |= MD5_TRANSLATION_FLAGS | MD5_ROTATION_FLAGS;
        joint->track.first = joint->track.flags ? num_components : 0;
        num_components += md5i_count_flags(joint->track.flags);
        joint->name = md5_copy_text(&it->arena, name, strlen(name));
        joint->comment = old ? old->comment : NULL;
        joint->parent = skeleton->joints[j].parent;
        joint->position = base[j].pair[0];
        joint->rotation = base[j].pair[1];
    }
    return num_components;
}

// Samples all frames again, and writes the components that have a flag.
static void write_frames(const repair *it, const frame_plan *plan, const md5_doc_joint *joints,
                         float *numbers)
{
    float *next = numbers;
    for (uint32_t f = 0; f < plan->num_frames; f++) {
        pose_frame(it, plan, f);
        for (uint32_t j = 0; j < it->binding->skeleton->num_joints; j++) {
            const joint_components all = components_from_transform(&it->pose[j]);
            next += write_components(&all, joints[j].track.flags, next);
        }
    }
}

// Returns the number of changes: all frames if the frames are changed, otherwise the joints that
// are added, removed or changed.
static uint32_t count_changes(const frame_plan *plan, const md5_doc *doc,
                              const md5_doc_joint *joints, uint32_t num_joints,
                              const float *numbers, size_t num_components)
{
    if (plan->is_changed)
        return plan->num_frames;
    uint32_t count = num_joints < doc->num_joints ? doc->num_joints - num_joints : 0;
    for (uint32_t j = 0; j < num_joints; j++)
        if (j >= doc->num_joints
            || differs(doc, &doc->joints[j], &joints[j], numbers, num_components))
            count++;
    return count;
}

// Replaces the joints and the frames of a document by the poses that the binding samples: the
// animation as it looks on the model. Returns the number of changes; 0 also on failure.
static uint32_t fit_joints(repair *it, const frame_plan *plan, md5_doc *doc)
{
    const md5_frame_edit *const edit = plan->edit;
    const uint32_t num_joints = it->binding->skeleton->num_joints;
    md5_doc_joint *const joints = MD5_ALLOC_ZEROED(&it->arena, md5_doc_joint, num_joints);
    joint_components *const base = MD5_ALLOC_ARRAY(&it->scratch, joint_components, num_joints);
    if (!joints || !base)
        return 0;
    find_flags(it, plan, joints, base);
    if (edit->tolerance > 0)
        reduce_flags(it, plan, joints, base);
    const uint32_t num_components = pose_edited_joints(it, edit, doc, base, joints);
    float *const numbers = (float *)md5i_arena_alloc_raw(&it->arena, plan->num_frames,
                                                         num_components * sizeof *numbers);
    if (it->context.error.status != MD5_OK)
        return 0;
    write_frames(it, plan, joints, numbers);
    const bool adds_parents = doc->parents_unknown && edit->model;
    uint32_t count = count_changes(plan, doc, joints, num_joints, numbers, num_components);
    if (count == 0 && adds_parents)
        count = 1;
    if (count > 0) {
        doc->num_joints = num_joints;
        doc->joints = joints;
        doc->num_components = num_components;
        doc->numbers = numbers;
        doc->parents_unknown &= !adds_parents;
    }
    return count;
}

// Returns true if all created frames have the poses of the document's frames.
static bool has_same_poses(const frame_plan *plan)
{
    const md5_frame_edit *const edit = plan->edit;
    const bool changes_poses = edit->change || edit->is_closed || edit->is_in_place;
    return !plan->is_changed && !changes_poses;
}

// Replaces the bounding boxes of a document by the boxes of the sampled frames, moved like joint 0.
// Boxes are unchanged if no frame has another pose.
static bool fit_bounds(repair *it, const frame_plan *plan, md5_doc *doc)
{
    if (has_same_poses(plan) || !doc->bounds)
        return true;
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(&it->arena, md5_bounds, plan->num_frames);
    TRY(bounds);
    for (uint32_t f = 0; f < plan->num_frames; f++) {
        const md5_sample_position sample = planned_sample_position(it, plan, f);
        md5_sample(it->binding, sample, MD5_ROOT_FILE, it->pose);
        const md5_vec3 before = it->pose[0].translation;
        pose_frame(it, plan, f);
        const md5_vec3 offset = md5_vec3_sub(it->pose[0].translation, before);
        const md5_bounds box =
            md5_bounds_union(doc->bounds[sample.frame0], doc->bounds[sample.frame1]);
        bounds[f] = (md5_bounds){md5_vec3_add(box.min, offset), md5_vec3_add(box.max, offset)};
    }
    doc->bounds = bounds;
    return true;
}

// Sums of squares, to compare the step from the last frame back to the first (the jump) with the
// steps before and after it.
typedef struct jump_sums {
    double jump;
    double mean;      // mean of the steps before and after the jump
    double deviation; // difference of the jump and the mean
} jump_sums;

// Adds three steps: before the jump, the jump, and after the jump.
static void add_steps(jump_sums *sums, const md5_vec3 steps[3])
{
    const md5_vec3 mean = md5_vec3_scale(md5_vec3_add(steps[0], steps[2]), 0.5f);
    const md5_vec3 deviation = md5_vec3_sub(steps[1], mean);
    sums->jump += (double)md5_vec3_dot(steps[1], steps[1]);
    sums->mean += (double)md5_vec3_dot(mean, mean);
    sums->deviation += (double)md5_vec3_dot(deviation, deviation);
}

// Returns true if the jump continues the motion, as a step between two frames does.
static bool is_regular_step(const jump_sums *sums)
{
    return sums->deviation <= 0.25 * fmax(sums->jump, sums->mean) + 1e-12;
}

// Returns the motion of a track from a frame to another frame. Tracks are the translations, then
// the rotations of a clip. For joint 0 only the translation along z counts. The motion of a
// rotation is its axis, with the length by which a point at distance `reach` moves.
static md5_vec3 motion_between(const md5_anim *anim, uint32_t track, size_t frame, size_t next,
                               float reach)
{
    const uint32_t num_translations = anim->num_translations;
    const uint32_t num_rotations = anim->num_rotations;
    if (track < num_translations) {
        const md5_vec3 *const positions = anim->translations + track;
        const md5_vec3 motion =
            md5_vec3_sub(positions[next * num_translations], positions[frame * num_translations]);
        return anim->translation_joints[track] > 0 ? motion : (md5_vec3){0, 0, motion.z};
    }
    const md5_quat *const rotations = anim->rotations + (track - num_translations);
    const md5_quat q = md5_quat_mul(md5_quat_conjugate(rotations[frame * num_rotations]),
                                    rotations[next * num_rotations]);
    return md5_vec3_scale((md5_vec3){q.x, q.y, q.z}, q.w < 0 ? -2 * reach : 2 * reach);
}

// Returns the length of the motion from the first to the last frame: the sum over all frames of the
// root of the sum of squares over all tracks.
static double path_length(const md5_anim *anim, uint32_t first, uint32_t last, uint32_t num_tracks,
                          float reach)
{
    double length = 0;
    for (uint32_t f = first; f < last; f++) {
        double sum = 0;
        for (uint32_t i = 0; i < num_tracks; i++) {
            const md5_vec3 step = motion_between(anim, i, f, f + (size_t)1, reach);
            sum += (double)md5_vec3_dot(step, step);
        }
        length += sqrt(sum);
    }
    return length;
}

// A loop without its last frame is recognized by the jump from the last frame to the first: for a
// sine of N frames, the mean of the steps before and after the jump is cos(2 pi / N) times the
// jump. In a clip that ends in another pose, the jump has another direction.
md5_loop md5_find_loop(const md5_anim *anim, uint32_t first, uint32_t num_frames)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    if (anim->packed_size || first >= anim->num_frames)
        return (md5_loop){.end = MD5_LOOP_OPEN};
    const uint32_t num_available = anim->num_frames - first;
    if (num_frames == 0)
        num_frames = num_available;
    if (num_frames > num_available)
        return (md5_loop){.end = MD5_LOOP_OPEN};
    const uint32_t num_tracks = anim->num_translations + anim->num_rotations;
    const uint32_t last = first + num_frames - 1;
    const uint32_t second = first + (num_frames > 1);
    float reach = 1; // length of the longest bone, units
    for (uint32_t j = 1; j < anim->skeleton.num_joints; j++)
        reach = fmaxf(reach, md5_vec3_length(anim->base_frame[j].translation));
    jump_sums sums = {0};
    for (uint32_t i = 0; i < num_tracks; i++) {
        const md5_vec3 steps[] = {motion_between(anim, i, last - (num_frames > 1), last, reach),
                                  motion_between(anim, i, last, first, reach),
                                  motion_between(anim, i, first, second, reach)};
        add_steps(&sums, steps);
    }
    if (sums.jump <= 1e-6 * (double)(reach * reach))
        return (md5_loop){MD5_LOOP_CLOSED, 1};
    // The weights of the blended frames increase by at most 1.5 times the mean increase per frame.
    // Blend so many frames that the correction per frame is not larger than the mean motion.
    const double path = path_length(anim, first, last, num_tracks, reach);
    const double num_blended = ceil(1.5 * sqrt(sums.jump) * (num_frames - 1) / path);
    const bool lacks_last_frame = num_frames >= 4 && is_regular_step(&sums);
    return (md5_loop){
        .end = lacks_last_frame ? MD5_LOOP_WITHOUT_LAST_FRAME : MD5_LOOP_OPEN,
        .num_blended = (uint32_t)fmin(num_blended, num_frames - 1),
    };
}

static void find_loop(const md5_anim *anim, frame_plan *plan)
{
    const uint32_t last = plan->num_old - 1;
    plan->loop = md5_find_loop(anim, plan->first, plan->num_old);
    plan->adds_frame = plan->loop.end == MD5_LOOP_WITHOUT_LAST_FRAME;
    if (!plan->adds_frame || anim->num_translations == 0 || anim->translation_joints[0] > 0)
        return;
    const uint32_t frames[] = {selected_frame(plan, last - 1), selected_frame(plan, last),
                               selected_frame(plan, 0), selected_frame(plan, 1)};
    const size_t stride = anim->num_translations;
    jump_sums walk = {0};
    plan->last_root = anim->translations[frames[1] * stride];
    for (uint32_t i = 0; i < 3; i++) {
        plan->root_steps[i] = md5_vec3_sub(anim->translations[frames[i + 1] * stride],
                                           anim->translations[frames[i] * stride]);
        plan->root_steps[i].z = 0;
    }
    add_steps(&walk, plan->root_steps);
    plan->walks = !is_regular_step(&walk);
}

// Moves the comments of old frames to the created frames. Removes comments of other frames.
static bool move_comments(repair *it, const frame_plan *plan, md5_doc *doc)
{
    const uint32_t num_steps = plan->num_old > 1 ? plan->num_old - 1 + plan->adds_frame : 1;
    md5_doc_comment *const comments = (md5_doc_comment *)md5i_arena_copy(
        &it->arena, doc->comments, doc->num_comments, sizeof *comments);
    uint32_t count = 0;
    if (comments) {
        for (uint32_t i = 0; i < doc->num_comments; i++) {
            md5_doc_comment *const to = &comments[count];
            const uint64_t frame = (uint64_t)comments[i].block - 1 - plan->first;
            *to = comments[i];
            const uint64_t index = plan->edit->is_reversed ? plan->num_old - 1 - frame : frame;
            if (to->block > 0 && frame < plan->num_old)
                to->block = 1 + (uint32_t)(index * (plan->num_frames - 1) / num_steps);
            count += to->block == 0 || frame < plan->num_old;
        }
    }
    doc->comments = comments;
    doc->num_comments = count;
    return comments != NULL;
}

// Selects the old frames, and computes the number of created frames. The last old frame is always
// created, so that a loop remains a loop, and several frames become at least two, so that the
// motion does not disappear.
static bool plan_frames(repair *it, const md5_doc *doc, frame_plan *plan)
{
    enum { MAX_FRAMES = 1 << 24 };
    const md5_frame_edit *const edit = plan->edit;
    const double rate = edit->frame_rate == 0 ? doc->frame_rate : edit->frame_rate;
    plan->first = edit->first;
    if (edit->first >= doc->num_frames || edit->num_frames > doc->num_frames - edit->first)
        return MD5_FAIL(
            &it->context, MD5_ERROR_RANGE,
            "frames are out of range: expected frames below %u, found %u frames from %u",
            doc->num_frames, edit->num_frames, edit->first);
    plan->num_old = edit->num_frames > 0 ? edit->num_frames : doc->num_frames - edit->first;
    if (edit->is_closed)
        find_loop(it->anim, plan);
    const double num_frames =
        floor((plan->num_old - 1 + plan->adds_frame) * (rate / doc->frame_rate) + 0.5) + 1;
    const double max_frames = fmax((double)MAX_FRAMES, (double)doc->num_frames);
    if (!(rate > 0 && edit->tolerance >= 0 && num_frames <= max_frames))
        return MD5_FAIL(&it->context, MD5_ERROR_RANGE,
                        "invalid frame rate or tolerance: expected a rate above 0, at most %d "
                        "frames and a tolerance of 0 or more",
                        (int)MAX_FRAMES);
    plan->num_frames = num_frames < 2 && plan->num_old > 1 ? 2 : (uint32_t)num_frames;
    plan->is_changed = plan->adds_frame || plan->num_old != doc->num_frames
                       || rate != doc->frame_rate || edit->is_reversed;
    return true;
}

uint32_t md5_edit_frames(md5_doc *doc, const md5_frame_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    repair it;
    frame_plan plan = {.edit = edit};
    uint32_t count = 0;
    const bool is_valid = begin_clip(&it, doc, edit->model, error) && plan_frames(&it, doc, &plan);
    const uint32_t num_joints = is_valid ? it.binding->skeleton->num_joints : 0;
    plan.begin = MD5_ALLOC_ARRAY(&it.scratch, md5_xform, num_joints);
    plan.end = MD5_ALLOC_ARRAY(&it.scratch, md5_xform, num_joints);
    plan.spans = MD5_ALLOC_ARRAY(&it.scratch, joint_span, num_joints);
    md5_doc to = *doc;
    if (is_valid && it.context.error.status == MD5_OK) {
        if (edit->loop)
            *edit->loop = plan.loop;
        sample_frame(&it, &plan, 0, plan.begin);
        sample_frame(&it, &plan, plan.num_frames - 1, plan.end);
        to.num_frames = plan.num_frames;
        to.frame_rate = edit->frame_rate == 0 ? doc->frame_rate : edit->frame_rate;
        count = fit_joints(&it, &plan, &to);
        bool is_done = count > 0 && fit_bounds(&it, &plan, &to);
        if (is_done && plan.is_changed)
            is_done = move_comments(&it, &plan, &to);
        if (is_done)
            *doc = to;
    }
    return end_repair(&it, doc, count);
}

uint32_t md5_fix_joints(md5_doc *doc, const md5_model *model, bool all_components, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    const md5_frame_edit edit = {.model = model, .all_components = all_components};
    return md5_edit_frames(doc, &edit, error);
}

// -- Root motion ----------------------------------------------------------------------------------

// Returns the transform of a joint in model space.
static md5_xform model_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                 uint32_t joint)
{
    md5_xform result = pose[joint];
    for (uint32_t j = skeleton->joints[joint].parent; j != MD5_NONE; j = skeleton->joints[j].parent)
        result = md5_xform_mul(pose[j], result);
    return result;
}

// State of move_root_motion().
typedef struct root_motion_edit {
    const md5_root_edit *edit;
    const md5_skeleton *skeleton;
    uint32_t joint;       // the joint that contains the motion
    md5_xform first;      // transform of the joint in the first frame, model space
    md5_xform first_root; // transform of joint 0 in the first frame
} root_motion_edit;

// Returns the rotation around z that is contained in a rotation.
static md5_quat heading(md5_quat rotation)
{
    const md5_quat identity = {0, 0, 0, 1};
    return md5_quat_normalize((md5_quat){0, 0, rotation.z, rotation.w}, identity);
}

// Returns the transform that joint 0 receives in a frame: `root` is its transform in the document,
// `joint` the transform of the joint that contains the motion.
static md5_xform edited_root(const root_motion_edit *it, md5_xform root, md5_xform joint)
{
    md5_xform result = root;
    md5_vec3 arm = md5_vec3_sub(it->first_root.translation, it->first.translation);
    if (it->edit->moves_heading) {
        const md5_quat start = md5_quat_conjugate(it->first.rotation);
        const md5_quat rotation = heading(md5_quat_mul(joint.rotation, start));
        result.rotation = md5_quat_mul(rotation, it->first_root.rotation);
        arm = md5_quat_rotate(rotation, arm);
    }
    const md5_vec3 target = md5_vec3_add(joint.translation, arm);
    result.translation.x = target.x;
    result.translation.y = target.y;
    if (it->edit->moves_height)
        result.translation.z = target.z;
    return result;
}

// Moves the root motion of a pose to joint 0, and compensates its children; md5_frame_edit.change.
static void move_root_motion(void *user, md5_xform *pose)
{
    const root_motion_edit *const it = (const root_motion_edit *)user;
    const md5_xform joint = model_transform(it->skeleton, pose, it->joint);
    const md5_xform root = edited_root(it, pose[0], joint);
    const md5_xform correction = md5_xform_mul(md5_xform_inverse(root), pose[0]);
    for (uint32_t j = 1; j < it->skeleton->num_joints; j++)
        if (it->skeleton->joints[j].parent == 0)
            pose[j] = md5_xform_mul(correction, pose[j]);
    pose[0] = root;
}

// Finds the joint of the edit and its transforms in the first frame. begin_clip() has succeeded.
static bool find_motion_joint(repair *it, const md5_doc *doc, root_motion_edit *motion)
{
    const char *const name = motion->edit->joint;
    const md5_skeleton *const skeleton = &it->anim->skeleton;
    uint32_t root = md5_find_joint(skeleton, name);
    motion->joint = root;
    if (doc->parents_unknown)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH, "the parents of joints are unknown");
    if (root == MD5_NONE)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH, "no joint '%.100s' for the root motion",
                        name);
    if (root == 0)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH,
                        "joint '%.100s' is joint 0: expected a descendant of a root; add a root "
                        "first",
                        name);
    while (skeleton->joints[root].parent != MD5_NONE)
        root = skeleton->joints[root].parent;
    if (root != 0)
        return MD5_FAIL(&it->context, MD5_ERROR_MISMATCH,
                        "joint '%.100s' is not a descendant of joint 0", name);
    const md5_sample_position first = md5_sample_position_from_frames(it->anim, 0, 0, 0);
    md5_sample(it->binding, first, MD5_ROOT_FILE, it->pose);
    motion->first = model_transform(skeleton, it->pose, motion->joint);
    motion->first_root = it->pose[0];
    return true;
}

uint32_t md5_edit_root(md5_doc *doc, const md5_root_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    if (!edit->joint)
        return 0;
    repair it;
    root_motion_edit motion = {.edit = edit};
    if (!begin_clip(&it, doc, NULL, error) || !find_motion_joint(&it, doc, &motion))
        return end_repair(&it, doc, 0);
    // md5_edit_frames() moves the boxes along with joint 0, but the skin does not move.
    md5_bounds *const bounds = doc->bounds;
    motion.skeleton = &it.anim->skeleton;
    const md5_frame_edit frames = {.change = move_root_motion, .user = &motion};
    const uint32_t count = md5_edit_frames(doc, &frames, error);
    doc->bounds = bounds;
    md5i_arena_free(&it.scratch);
    md5_free_binding(it.binding);
    md5_free_anim(it.anim);
    return count;
}

// -- Axes -----------------------------------------------------------------------------------------

typedef struct axes_edit {
    const md5_skeleton *skeleton; // of the animation
    md5_quat *rotations; // [num_joints] from the axes of the animation to those of the model
} axes_edit;

// Rotates the axes of all joints; md5_frame_edit.change.
static void rotate_axes(void *user, md5_xform *pose)
{
    const axes_edit *const it = (const axes_edit *)user;
    for (uint32_t j = 0; j < it->skeleton->num_joints; j++) {
        const uint32_t parent = it->skeleton->joints[j].parent;
        const md5_quat above = parent != MD5_NONE ? it->rotations[parent] : (md5_quat){.w = 1};
        const md5_quat back = md5_quat_conjugate(it->rotations[j]);
        pose[j].translation = md5_quat_rotate(above, pose[j].translation);
        pose[j].rotation = md5_quat_mul(md5_quat_mul(above, pose[j].rotation), back);
    }
}

uint32_t md5_fix_axes(md5_doc *doc, const md5_model *model, float *max_angle, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    repair it;
    md5_clip_axes axes = {0};
    axes_edit edit = {.skeleton = NULL};
    uint32_t count = 0;
    if (max_angle)
        *max_angle = 0;
    if (begin_clip(&it, doc, model, error) && !it.anim->parents_unknown) {
        const uint32_t num_joints = it.anim->skeleton.num_joints;
        edit.skeleton = &it.anim->skeleton;
        edit.rotations = MD5_ALLOC_ARRAY(&it.scratch, md5_quat, num_joints);
        if (edit.rotations && md5i_find_axes(&it.scratch, it.binding, &axes)
            && axes.num_rotated > 0) {
            for (uint32_t j = 0; j < num_joints; j++)
                edit.rotations[j] = (md5_quat){.w = 1};
            for (uint32_t j = 0; j < model->skeleton.num_joints; j++)
                if (it.binding->tracks[j] != MD5_NONE)
                    edit.rotations[it.binding->tracks[j]] = axes.rotations[j];
        }
    }
    if (it.context.error.status != MD5_OK || axes.num_rotated == 0)
        return end_repair(&it, doc, 0);
    if (max_angle)
        *max_angle = axes.max_angle;
    const md5_frame_edit frames = {.change = rotate_axes, .user = &edit};
    count = md5_edit_frames(doc, &frames, error);
    md5i_arena_free(&it.scratch);
    md5_free_binding(it.binding);
    md5_free_anim(it.anim);
    return count;
}

// Writes the transforms of all joints in model space in a frame.
static void pose_in_model_space(const md5_binding *binding, const md5_anim *anim, uint32_t frame,
                                md5_xform *pose)
{
    const md5_skeleton *const skeleton = binding->skeleton;
    md5_sample(binding, md5_sample_position_from_frames(anim, frame, frame, 0), MD5_ROOT_FILE,
               pose);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        if (parent != MD5_NONE)
            pose[j] = md5_xform_mul(pose[parent], pose[j]);
    }
}

// Returns the length of a vector along x and y.
static float level_length(md5_vec3 v)
{
    return sqrtf(v.x * v.x + v.y * v.y);
}

// Returns the root motion, given all joints in model space in the first and the last frame.
// `subtree_sizes` receives the number of joints that each joint moves, itself included.
static md5_root_motion select_motion_joint(const md5_skeleton *skeleton, const md5_xform *first,
                                           const md5_xform *last, uint32_t *subtree_sizes)
{
    const uint32_t num_joints = skeleton->num_joints;
    md5_bounds box = {first[0].translation, first[0].translation};
    for (uint32_t i = num_joints; i-- > 0;) {
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        subtree_sizes[j]++;
        if (parent != MD5_NONE)
            subtree_sizes[parent] += subtree_sizes[j];
        box = md5_bounds_union(box, (md5_bounds){first[j].translation, first[j].translation});
    }
    const float min_length = 0.2f * md5_vec3_length(md5_vec3_sub(box.max, box.min));
    const float root_length = level_length(md5_vec3_sub(last[0].translation, first[0].translation));
    for (uint32_t i = 0; i < num_joints && min_length > 0; i++) {
        const uint32_t j = skeleton->order[i];
        const md5_vec3 displacement = md5_vec3_sub(last[j].translation, first[j].translation);
        const float length = level_length(displacement);
        if (length <= min_length || subtree_sizes[j] < num_joints - num_joints / 2)
            continue;
        const bool is_fall = fabsf(displacement.z) > 0.5f * length;
        const bool is_of_root = j != 0 && root_length > 0.25f * length;
        if (!is_fall && !is_of_root)
            return (md5_root_motion){j, displacement, first[j].translation.z};
    }
    return (md5_root_motion){.joint = MD5_NONE};
}

md5_root_motion md5_find_root_motion(const md5_anim *anim)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    const uint32_t num_joints = anim->skeleton.num_joints;
    md5_root_motion motion = {.joint = MD5_NONE};
    if (anim->num_frames < 2 || anim->parents_unknown)
        return motion;
    md5_context context;
    md5i_context_begin_memory(&context, (md5_allocator){0}, NULL);
    md5_arena scratch = {.context = &context};
    md5_xform *const first = MD5_ALLOC_ARRAY(&scratch, md5_xform, num_joints);
    md5_xform *const last = MD5_ALLOC_ARRAY(&scratch, md5_xform, num_joints);
    uint32_t *const subtree_sizes = MD5_ALLOC_ZEROED(&scratch, uint32_t, num_joints);
    md5_binding *const binding =
        md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, NULL);
    if (first && last && subtree_sizes && binding) {
        pose_in_model_space(binding, anim, 0, first);
        pose_in_model_space(binding, anim, anim->num_frames - 1, last);
        motion = select_motion_joint(&anim->skeleton, first, last, subtree_sizes);
    }
    md5_free_binding(binding);
    md5i_arena_free(&scratch);
    return motion;
}
