// Edits of meshes. Meshes are merged, split and reduced in one way: the triangles of the merged
// meshes are added, in their order, to a part. A part becomes a mesh that contains the vertices and
// weights in use. If the next triangle would exceed a limit of the edit, the part is finished and
// the next part begins.
#include "md5/core/names.h"
#include "md5/edit/repair.h"

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
static bool add_mesh_triangles(md5_repair *it, const md5_mesh_edit *edit, mesh_part *part,
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
static uint32_t rebuild_group(md5_repair *it, const md5_mesh_edit *edit, mesh_part *part,
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

bool md5i_flip_triangles(md5_repair *it, md5_doc_mesh *mesh)
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
static bool rebuild_meshes(md5_repair *it, const md5_doc *doc, const md5_mesh_edit *edit,
                           md5_doc *to, uint32_t *count)
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
            TRY(md5i_flip_triangles(it, &meshes[m]));
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
        md5i_compute_positions(doc, positions);
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
    md5_repair it;
    uint32_t count = 0;
    const bool is_valid = md5i_begin_repair(&it, doc, MD5_DOC_MODEL, error);
    md5_doc to = *doc;
    if (is_valid && rebuild_meshes(&it, doc, edit, &to, &count) && count > 0)
        *doc = to;
    return md5i_end_repair(&it, doc, count);
}
