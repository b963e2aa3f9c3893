// Edits of meshes, which merge, split and reduce them. All three work in the same way. The
// triangles of one mesh, or of several meshes that are merged, are collected in a part, in their
// order. A part becomes one new mesh, which contains only the vertices and weights that these
// triangles use. If the next triangle would exceed a limit of the edit, the part is finished, and
// the next part begins.
#include "md5/core/names.h"
#include "md5/edit/repair.h"

// Selects a vertex of the document.
typedef struct vertex_ref {
    uint32_t mesh;
    uint32_t vertex;
} vertex_ref;

// The index that a vertex, or a run of weights, has in the part that used it last. The entry is
// valid only if `part_id` is the ID of the current part. Thus the tables are never cleared, and
// many small parts take linear time. A run is the consecutive weights of a vertex.
typedef struct part_entry {
    uint32_t part_id; // 0: not used yet
    uint32_t index;
    uint32_t count; // weights of the run
} part_entry;

// Index of the first vertex and the first weight of a mesh in tables for all meshes.
typedef struct mesh_offset {
    size_t vertex;
    size_t weight;
} mesh_offset;

// The triangles and vertices that were collected for the next new mesh.
typedef struct mesh_part {
    const md5_doc_mesh *meshes; // meshes of the document
    uint32_t id;                // from 1; increases with each part
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

// The state of one edit.
typedef struct mesh_rebuild {
    md5_repair *repair;
    const md5_mesh_edit *edit;
    const uint32_t *next; // [meshes] next mesh of the same group; MD5_NONE: the last mesh
    mesh_part part;       // current part
    md5_doc_mesh *built;  // [num_built] finished meshes
    uint32_t num_built;
    uint32_t num_changes;
} mesh_rebuild;

// Adds a triangle of a mesh to a part. Also adds the vertices of the triangle that are not yet in
// the part.
static void add_triangle(mesh_part *part, uint32_t mesh, const uint32_t *indices)
{
    for (uint32_t i = 0; i < 3; i++) {
        part_entry *const entry = &part->vertex_entries[part->offsets[mesh].vertex + indices[i]];
        if (entry->part_id != part->id) {
            *entry = (part_entry){part->id, part->num_vertices, 0};
            part->vertices[part->num_vertices++] = (vertex_ref){mesh, indices[i]};
        }
        part->indices[3 * (size_t)part->num_triangles + i] = entry->index;
    }
    part->num_triangles++;
}

// Writes the vertices of a part, and counts their weights. Vertices that shared a run of weights
// still share it in the new mesh.
static void write_part_vertices(mesh_part *part, md5_doc_mesh *mesh)
{
    for (uint32_t v = 0; v < part->num_vertices; v++) {
        const vertex_ref ref = part->vertices[v];
        const md5_doc_mesh *const source = &part->meshes[ref.mesh];
        const md5_vertex vertex = source->vertices[ref.vertex];
        mesh->texcoords[v] = source->texcoords[ref.vertex];
        if (vertex.num_weights == 0)
            continue;

        // Find the run of these weights in the part, or add it.
        part_entry *const run =
            &part->run_entries[part->offsets[ref.mesh].weight + vertex.first_weight];
        if (run->part_id != part->id || run->count != vertex.num_weights) {
            *run = (part_entry){part->id, mesh->num_weights, vertex.num_weights};
            mesh->num_weights += vertex.num_weights; // at most repair.num_references
        }
        mesh->vertices[v] = (md5_vertex){run->index, vertex.num_weights};
    }
}

// Copies the weights of all vertices of a part from the old meshes to a new mesh.
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

// Writes the vertices, triangles and weights of a part to new arrays of a mesh. The other
// properties of the mesh, such as its shader, are unchanged. Returns false if memory runs out.
static bool write_part(md5_arena *arena, mesh_part *part, md5_doc_mesh *mesh)
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
    return true;
}

// Finishes a part: copies its vertices and triangles to a new mesh of the document, and begins the
// next part. The new mesh gets the shader and the other properties of `first_mesh`. Returns false
// if memory runs out.
static bool finish_part(mesh_rebuild *rebuild, const md5_doc_mesh *first_mesh)
{
    mesh_part *const part = &rebuild->part;
    md5_doc_mesh *const mesh = &rebuild->built[rebuild->num_built];
    *mesh = *first_mesh;
    TRY(write_part(&rebuild->repair->arena, part, mesh));

    rebuild->num_built++;
    part->id++;
    part->num_vertices = 0;
    part->num_triangles = 0;
    return true;
}

static bool is_same_name(md5_span a, md5_span b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// Groups the meshes that are merged, which are those with the same shader. next[mesh] becomes the
// next mesh of the group, or MD5_NONE. If `is_merged` is false, each mesh is a group of its own.
// Returns an array [meshes] that is true for the first mesh of each group, or NULL if memory runs
// out. Shaders are sorted, so that many meshes take only the time of sorting names.
static bool *group_meshes(md5_arena *scratch, const md5_doc *doc, bool is_merged, uint32_t *next)
{
    md5_sorted_name *shaders = MD5_ALLOC_ZEROED(scratch, md5_sorted_name, doc->num_meshes);
    bool *const is_first = MD5_ALLOC_ZEROED(scratch, bool, doc->num_meshes);
    if (!shaders || !is_first)
        return NULL;

    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        const char *const shader = doc->meshes[m].shader ? doc->meshes[m].shader : "";
        shaders[m] = (md5_sorted_name){{shader, strlen(shader)}, m, 0};
    }

    shaders = md5i_sort_names(scratch, shaders, doc->num_meshes);
    if (!shaders)
        return NULL;
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        const uint32_t mesh = shaders[i].number;
        const bool continues_group =
            is_merged && i > 0 && is_same_name(shaders[i].name, shaders[i - 1].name);
        is_first[mesh] = !continues_group;
        next[mesh] = MD5_NONE;
        if (continues_group)
            next[shaders[i - 1].number] = mesh;
    }
    return is_first;
}

// Returns true if two vertices of a triangle are the same vertex.
static bool is_degenerate(const uint32_t *indices)
{
    return indices[0] == indices[1] || indices[1] == indices[2] || indices[2] == indices[0];
}

// Returns true if a triangle has no area in the bind pose, within the precision of floats. The
// limit depends on the size of the triangle. It is the limit of the rule no-area
// (md5_check_model()).
static bool has_no_area(const mesh_part *part, uint32_t mesh, const uint32_t *indices)
{
    // Ratio of twice the area to the square of the longer edge.
    static const float max_ratio = 1e-6f;
    const md5_vec3 *const positions = part->positions + part->offsets[mesh].vertex;
    const md5_vec3 edge1 = md5_vec3_sub(positions[indices[1]], positions[indices[0]]);
    const md5_vec3 edge2 = md5_vec3_sub(positions[indices[2]], positions[indices[0]]);
    const float max_square = fmaxf(md5_vec3_dot(edge1, edge1), md5_vec3_dot(edge2, edge2));
    const float double_area = md5_vec3_length(md5_vec3_cross(edge1, edge2));
    return double_area <= max_ratio * max_square;
}

// Returns true if a triangle of a mesh would exceed a limit of the current part. A vertex that
// occurs twice in the triangle counts twice.
static bool is_part_full(const mesh_rebuild *rebuild, uint32_t mesh, const uint32_t *indices)
{
    const md5_mesh_edit *const edit = rebuild->edit;
    const mesh_part *const part = &rebuild->part;
    if (edit->max_triangles > 0 && part->num_triangles == edit->max_triangles)
        return true;
    if (edit->max_vertices == 0)
        return false;
    uint32_t num_new = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const size_t vertex = part->offsets[mesh].vertex + indices[i];
        if (part->vertex_entries[vertex].part_id != part->id)
            num_new++;
    }
    return num_new > edit->max_vertices - part->num_vertices;
}

// Returns true if the edit removes a triangle, because a triangle without area cannot be seen.
static bool is_dropped(const mesh_rebuild *rebuild, uint32_t mesh, const uint32_t *indices)
{
    if (!rebuild->edit->drops_unused)
        return false;
    return is_degenerate(indices) || has_no_area(&rebuild->part, mesh, indices);
}

// Adds the triangles of a mesh to the current part. Whenever the part is full, finishes it with the
// properties of `first_mesh`, and continues with an empty part.
static bool add_mesh_triangles(mesh_rebuild *rebuild, uint32_t mesh_index,
                               const md5_doc_mesh *first_mesh)
{
    mesh_part *const part = &rebuild->part;
    const md5_doc_mesh *const mesh = &part->meshes[mesh_index];
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const indices = mesh->indices + 3 * (size_t)i;
        if (is_dropped(rebuild, mesh_index, indices))
            continue;
        // An empty part accepts every triangle, so that a limit cannot stop the edit.
        if (part->num_triangles > 0 && is_part_full(rebuild, mesh_index, indices))
            TRY(finish_part(rebuild, first_mesh));
        add_triangle(part, mesh_index, indices);
    }
    return true;
}

// Returns true if a mesh has more vertices or triangles than the edit allows. A limit of 0 allows
// any number.
static bool exceeds_limits(const md5_mesh_edit *edit, const md5_doc_mesh *mesh)
{
    if (edit->max_vertices > 0 && mesh->num_vertices > edit->max_vertices)
        return true;
    return edit->max_triangles > 0 && mesh->num_triangles > edit->max_triangles;
}

// Counts the elements that were removed from a single mesh as changes. If none were removed,
// restores the original mesh.
static void count_removed_elements(mesh_rebuild *rebuild, const md5_doc_mesh *original,
                                   md5_doc_mesh *built)
{
    // The number of weights can increase, because overlapping ranges of weights are separated. If
    // the sum is negative, it wraps to a large number, and the mesh remains unchanged.
    uint64_t num_removed = (uint64_t)original->num_vertices - built->num_vertices;
    num_removed += (uint64_t)original->num_triangles - built->num_triangles;
    num_removed += (uint64_t)original->num_weights - built->num_weights;
    if (num_removed == 0 || num_removed > UINT32_MAX)
        *built = *original;
    else
        rebuild->num_changes += (uint32_t)num_removed;
}

// Rebuilds the group of meshes that begins with `first`. A group is a list of meshes that are
// merged. Without merging, each mesh is a group of its own. The result has as few meshes as the
// limits allow. If nothing changes or no triangle remains, the first mesh is appended unchanged.
static bool rebuild_group(mesh_rebuild *rebuild, uint32_t first)
{
    const md5_doc_mesh *const first_mesh = &rebuild->part.meshes[first];
    md5_doc_mesh *const built = &rebuild->built[rebuild->num_built];
    const bool is_merged = rebuild->next[first] != MD5_NONE;
    const bool is_split = exceeds_limits(rebuild->edit, first_mesh);
    const bool is_replaced = is_merged || is_split;
    if (is_replaced || rebuild->edit->drops_unused) {
        for (uint32_t mesh = first; mesh != MD5_NONE; mesh = rebuild->next[mesh])
            TRY(add_mesh_triangles(rebuild, mesh, first_mesh));
    }

    // Triangles after the last full part are still in the current part.
    const bool has_triangles = rebuild->part.num_triangles > 0;
    if (is_merged || (is_split && has_triangles))
        rebuild->num_changes++;
    if (!has_triangles) {
        *built = *first_mesh;
        rebuild->num_built++;
        return true;
    }
    TRY(finish_part(rebuild, first_mesh));
    if (!is_replaced)
        count_removed_elements(rebuild, first_mesh, built);
    return true;
}

// Reverses the vertex order of all triangles in a copy of the indices. This turns the front of each
// triangle to the back.
bool md5i_flip_triangles(md5_repair *repair, md5_doc_mesh *mesh)
{
    mesh->indices = (uint32_t *)md5i_arena_copy(&repair->arena, mesh->indices, mesh->num_triangles,
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
    // A part is finished only when three more vertices do not fit. Each triangle adds at most three
    // vertices. Therefore the part has at least a third as many triangles as vertices.
    size_t min_triangles = edit->max_vertices >= 6 ? (edit->max_vertices - 2) / 3 : 1;
    if (edit->max_triangles > 0 && edit->max_triangles < min_triangles)
        min_triangles = edit->max_triangles;
    return doc->num_meshes + num_triangles / min_triangles;
}

// Flips the triangles of the selected meshes.
static bool flip_selected_meshes(mesh_rebuild *rebuild, md5_doc_mesh *meshes, uint32_t num_meshes)
{
    if (!rebuild->edit->flipped)
        return true;
    for (uint32_t m = 0; m < num_meshes; m++) {
        if (!rebuild->edit->flipped[m])
            continue;
        rebuild->num_changes += meshes[m].num_triangles;
        TRY(md5i_flip_triangles(rebuild->repair, &meshes[m]));
    }
    return true;
}

// Numbers of elements of all meshes of a document.
typedef struct element_counts {
    size_t vertices;
    size_t triangles;
    size_t weights;
} element_counts;

// Computes the offset of each mesh in tables for all meshes. Returns the sizes of these tables.
static element_counts compute_offsets(const md5_doc *doc, mesh_offset *offsets)
{
    element_counts counts = {.vertices = 0};
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        offsets[m] = (mesh_offset){counts.vertices, counts.weights};
        counts.vertices += doc->meshes[m].num_vertices;
        counts.triangles += doc->meshes[m].num_triangles;
        counts.weights += doc->meshes[m].num_weights;
    }
    return counts;
}

// Allocates the tables of a part, which can contain all triangles of the document. Also computes
// the bind positions if triangles without area are removed.
static bool begin_first_part(mesh_rebuild *rebuild, const md5_doc *doc,
                             const element_counts *counts)
{
    md5_arena *const scratch = &rebuild->repair->scratch;
    mesh_part *const part = &rebuild->part;
    part->id = 1;
    part->vertices = MD5_ALLOC_ARRAY(scratch, vertex_ref, counts->vertices);
    part->indices = MD5_ALLOC_ARRAY(scratch, uint32_t, 3 * counts->triangles);
    part->vertex_entries = MD5_ALLOC_ZEROED(scratch, part_entry, counts->vertices);
    part->run_entries = MD5_ALLOC_ZEROED(scratch, part_entry, counts->weights);
    TRY(part->vertices && part->indices);
    TRY(part->vertex_entries && part->run_entries);
    if (rebuild->edit->drops_unused) {
        md5_vec3 *const positions = MD5_ALLOC_ARRAY(scratch, md5_vec3, counts->vertices);
        TRY(positions);
        md5i_compute_positions(doc, positions);
        part->positions = positions;
    }
    return true;
}

// Allocates the tables of an edit, flips the selected meshes, and groups the meshes that are
// merged. Returns [meshes] true for the first mesh of each group, or NULL after an error.
static const bool *begin_rebuild(mesh_rebuild *rebuild, const md5_doc *doc)
{
    md5_repair *const repair = rebuild->repair;
    const md5_mesh_edit *const edit = rebuild->edit;
    uint32_t *const next = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, doc->num_meshes);
    mesh_offset *const offsets = MD5_ALLOC_ARRAY(&repair->scratch, mesh_offset, doc->num_meshes);
    md5_doc_mesh *const meshes = (md5_doc_mesh *)md5i_arena_copy(&repair->scratch, doc->meshes,
                                                                 doc->num_meshes, sizeof *meshes);
    if (!next || !offsets || !meshes)
        return NULL;
    if (!flip_selected_meshes(rebuild, meshes, doc->num_meshes))
        return NULL;

    const element_counts counts = compute_offsets(doc, offsets);
    const bool *const is_first = group_meshes(&repair->scratch, doc, edit->is_merged, next);
    rebuild->next = next;
    rebuild->part.meshes = meshes;
    rebuild->part.offsets = offsets;
    if (!is_first || !begin_first_part(rebuild, doc, &counts))
        return NULL;

    const size_t capacity = max_edited_meshes(doc, edit, counts.triangles);
    rebuild->built = MD5_ALLOC_ARRAY(&repair->arena, md5_doc_mesh, capacity);
    return rebuild->built ? is_first : NULL;
}

// Builds the edited meshes of a document, and counts the changes. Returns false after an error.
static bool rebuild_meshes(mesh_rebuild *rebuild, const md5_doc *doc)
{
    const uint32_t max_vertices = rebuild->edit->max_vertices;
    const bool is_limited = max_vertices > 0;
    if (is_limited && max_vertices < 3)
        return MD5_FAIL(&rebuild->repair->context, MD5_ERROR_RANGE,
                        "max_vertices is out of range: expected 3 or more, found %u", max_vertices);

    const bool *const is_first = begin_rebuild(rebuild, doc);
    TRY(is_first);
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        if (is_first[m])
            TRY(rebuild_group(rebuild, m));
    }
    return true;
}

// Merges, splits or reduces the meshes of a model. Returns the number of changed meshes, or
// MD5_NONE after a failure.
uint32_t md5_edit_meshes(md5_doc *doc, const md5_mesh_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(edit, "edit: must not be NULL");
    MD5_ASSERT_RESERVED(edit);
    md5_repair repair;
    mesh_rebuild rebuild = {.repair = &repair, .edit = edit};
    const bool is_valid = md5i_begin_repair(&repair, doc, MD5_DOC_MODEL, error);
    if (is_valid && rebuild_meshes(&rebuild, doc) && rebuild.num_changes > 0) {
        doc->meshes = rebuild.built;
        doc->num_meshes = rebuild.num_built;
    }
    return md5i_end_repair(&repair, doc, rebuild.num_changes);
}
