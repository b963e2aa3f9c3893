// Computes weights for vertices without weights, from the surface around them.
//
// MD5 stores the position of a vertex only in its weights, so a vertex without weights is at the
// origin. First it gets the mean position of its neighbors. Then it gets the weights of the nearest
// point of the surface. The tables in this file contain the vertices of all meshes of the document,
// in their order.
#include "md5/edit/repair.h"
#include "md5/edit/surface.h"

enum {
    MAX_FILLED_WEIGHTS = 16,       // maximum number of weights of a vertex without weights
    MAX_CORNER_WEIGHTS = 64,       // maximum number of weights of a surface vertex that are used
    MAX_FILLED_ELEMENTS = 1 << 28, // maximum number of vertices, and of triangles
};

// A vertex of the document, with the weights of the file.
typedef struct fill_vertex {
    const md5_weight *weights; // [num_weights]
    uint32_t num_weights;
    bool has_weights; // a weight is not 0
    // Number of edges to the nearest vertex whose position is known. MD5_NONE: the search has not
    // found a path to such a vertex.
    uint32_t distance;
} fill_vertex;

// State of md5_fill_weights(). A bare vertex has no weights, or only weights of 0.
typedef struct weight_fill {
    const md5_doc *doc;
    uint32_t num_vertices;
    uint32_t num_triangles;
    uint32_t num_bare; // vertices without weights
    uint32_t limit;    // weights of a vertex
    fill_vertex *vertices;
    md5_vec3 *positions; // [num_vertices] in the bind pose
    uint32_t *corners;   // [3 * num_triangles] indices of vertices
    // The triangles of vertex v are incident[i], first_incident[v] <= i < first_incident[v + 1].
    uint32_t *first_incident;  // [num_vertices + 1]
    uint32_t *incident;        // [3 * num_triangles] indices of triangles
    md5_surface surface;       // triangles with weights
    uint32_t *surface_corners; // [3 * triangles of the surface] indices of vertices
    uint32_t *slots;           // [joints] buffer of mix_weights(); 0 outside of this function
} weight_fill;

// Reads vertex `index` of a mesh into element `vertex` of the tables for the whole document. Finds
// out if it has a weight other than 0. If all its weights are 0, their points still show where the
// vertex is, so its position becomes their mean. Raises *max_weights to the number of weights of
// the vertex.
static void read_fill_vertex(weight_fill *fill, const md5_doc_mesh *mesh, uint32_t index,
                             uint32_t vertex, uint32_t *max_weights)
{
    const uint32_t count = mesh->vertices[index].num_weights;
    fill_vertex *const filled = &fill->vertices[vertex];
    *filled = (fill_vertex){.num_weights = count, .distance = MD5_NONE};
    if (count > 0) {
        filled->weights = mesh->weights + mesh->vertices[index].first_weight;
        filled->distance = 0;
    }

    md5_vec3 sum = {0, 0, 0};
    for (uint32_t w = 0; w < count; w++) {
        filled->has_weights |= filled->weights[w].bias != 0;
        sum = md5_vec3_add(sum, md5i_weight_point(fill->doc, &filled->weights[w]));
    }

    if (filled->has_weights) {
        if (count > *max_weights)
            *max_weights = count;
        return;
    }
    fill->num_bare++;
    if (count > 0)
        fill->positions[vertex] = md5_vec3_scale(sum, 1.0f / (float)count);
}

// Counts the vertices and triangles of the document. Returns false if they are too many.
static bool count_fill_elements(md5_repair *repair, weight_fill *fill)
{
    const md5_doc *const doc = fill->doc;
    uint64_t num_vertices = 0;
    uint64_t num_triangles = 0;
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        num_vertices += doc->meshes[m].num_vertices;
        num_triangles += doc->meshes[m].num_triangles;
    }
    if (num_vertices > MAX_FILLED_ELEMENTS || num_triangles > MAX_FILLED_ELEMENTS)
        return MD5_FAIL(&repair->context, MD5_ERROR_RANGE,
                        "model is too large: expected at most %d vertices and triangles, found "
                        "%llu vertices and %llu triangles",
                        MAX_FILLED_ELEMENTS, (unsigned long long)num_vertices,
                        (unsigned long long)num_triangles);
    fill->num_vertices = (uint32_t)num_vertices;
    fill->num_triangles = (uint32_t)num_triangles;
    return true;
}

// Reads the vertices and triangles of all meshes into tables for the whole document. Also sets the
// limit of the weights of a filled vertex. It is at most the largest number of weights that a
// vertex of the document has.
static bool read_fill_tables(md5_repair *repair, weight_fill *fill)
{
    const md5_doc *const doc = fill->doc;
    TRY(count_fill_elements(repair, fill));
    fill->vertices = MD5_ALLOC_ARRAY(&repair->scratch, fill_vertex, fill->num_vertices);
    fill->positions = MD5_ALLOC_ARRAY(&repair->scratch, md5_vec3, fill->num_vertices);
    fill->corners = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, 3 * (size_t)fill->num_triangles);
    TRY(fill->vertices && fill->positions && fill->corners);

    md5i_compute_positions(doc, fill->positions);
    uint32_t max_weights = 1;
    uint32_t first_vertex = 0;
    size_t num_corners = 0;
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &doc->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            read_fill_vertex(fill, mesh, v, first_vertex + v, &max_weights);
        for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++)
            fill->corners[num_corners++] = first_vertex + mesh->indices[i];
        first_vertex += mesh->num_vertices;
    }

    if (fill->limit == 0 || fill->limit > max_weights)
        fill->limit = max_weights;
    if (fill->limit > MAX_FILLED_WEIGHTS)
        fill->limit = MAX_FILLED_WEIGHTS;
    return true;
}

// Lists the triangles of each vertex in ascending order. This is a counting sort of the corners of
// all triangles by their vertices.
static bool list_incident_triangles(md5_repair *repair, weight_fill *fill)
{
    const size_t num_corners = 3 * (size_t)fill->num_triangles;
    uint32_t *const first = MD5_ALLOC_ZEROED(&repair->scratch, uint32_t, fill->num_vertices + 1);
    fill->incident = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, num_corners);
    TRY(first && fill->incident);

    // Sum the triangle counts: first[v] becomes the end of the list of vertex v.
    for (size_t i = 0; i < num_corners; i++)
        first[fill->corners[i]]++;
    for (uint32_t v = 0; v < fill->num_vertices; v++)
        first[v + 1] += first[v];

    // Fill each list from its end, so that first[v] becomes its beginning.
    for (size_t i = num_corners; i-- > 0;) {
        const uint32_t vertex = fill->corners[i];
        first[vertex]--;
        fill->incident[first[vertex]] = (uint32_t)(i / 3);
    }
    fill->first_incident = first;
    return true;
}

// Visits a vertex of the breadth-first search of compute_bare_positions(). Some of its neighbors
// are nearer to known positions and were visited before. The vertex gets the mean position of these
// neighbors. The other neighbors are added to the queue.
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

// Sets the positions of vertices without weights (bare vertices). A breadth-first search over the
// edges begins at all vertices with known positions, so that each bare vertex is reached from the
// nearest of them.
static bool compute_bare_positions(md5_repair *repair, weight_fill *fill)
{
    uint32_t *const queue = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, fill->num_vertices);
    TRY(queue && list_incident_triangles(repair, fill));
    uint32_t end = 0;
    for (uint32_t v = 0; v < fill->num_vertices; v++) {
        if (fill->vertices[v].distance == 0)
            queue[end++] = v;
    }
    for (uint32_t i = 0; i < end; i++)
        visit_vertex(fill, queue[i], queue, &end);
    return true;
}

// Builds the surface of all triangles that have a vertex with weights. In such a triangle, a vertex
// without weights is replaced by a vertex of the triangle that has weights. The triangle thus
// becomes an edge or a point.
static bool build_weighted_surface(md5_repair *repair, weight_fill *fill)
{
    uint32_t *const corners =
        MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, 3 * (size_t)fill->num_triangles);
    TRY(corners);

    uint32_t count = 0;
    for (uint32_t t = 0; t < fill->num_triangles; t++) {
        const uint32_t *const from = fill->corners + 3 * (size_t)t;
        uint32_t weighted = MD5_NONE;
        for (uint32_t k = 0; k < 3; k++) {
            if (fill->vertices[from[k]].has_weights)
                weighted = from[k];
        }
        if (weighted == MD5_NONE)
            continue;
        for (uint32_t k = 0; k < 3; k++) {
            const bool has_weights = fill->vertices[from[k]].has_weights;
            corners[3 * (size_t)count + k] = has_weights ? from[k] : weighted;
        }
        count++;
    }

    if (count == 0)
        return MD5_FAIL(&repair->context, MD5_ERROR_MISMATCH,
                        "cannot compute weights of %u vertices: no triangle of the model has a "
                        "vertex with weights; assign weights to at least one triangle",
                        fill->num_bare);
    fill->surface_corners = corners;
    return md5i_build_surface(&repair->scratch, fill->positions, corners, count, &fill->surface);
}

// Interpolates the weights of the three corners of a triangle at a point of the surface. Writes one
// weight for each joint to mixed[3 * MAX_CORNER_WEIGHTS], and returns their number. The offsets of
// these weights are not set.
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
            if (bias == 0)
                continue;
            // 1 + index of the joint's element of mixed[]; 0 = none yet
            uint32_t *const slot = &fill->slots[weight->joint];
            if (*slot == 0) {
                mixed[count] = (md5_weight){.joint = weight->joint};
                count++;
                *slot = count;
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

// Moves the largest weights of mixed[num_mixed], at most fill->limit, to weights[]. Returns their
// number, and sets *sum to their sum. The partial selection sort overwrites mixed[].
static uint32_t move_largest_weights(const weight_fill *fill, md5_weight *mixed, uint32_t num_mixed,
                                     md5_weight *weights, double *sum)
{
    uint32_t count = 0;
    *sum = 0;
    for (; count < fill->limit && count < num_mixed; count++) {
        uint32_t largest = count;
        for (uint32_t i = count + 1; i < num_mixed; i++) {
            if (fabsf(mixed[i].bias) > fabsf(mixed[largest].bias))
                largest = i;
        }
        weights[count] = mixed[largest];
        mixed[largest] = mixed[count];
        *sum += (double)weights[count].bias;
    }
    return count;
}

// Writes the weights of a vertex. They are the largest weights of the nearest point of the surface,
// scaled to the sum 1. Their offsets are computed from the vertex's position. Returns their number,
// from 1 to fill->limit.
static uint32_t fill_vertex_weights(const weight_fill *fill, uint32_t vertex, md5_weight *weights)
{
    md5_weight mixed[3 * MAX_CORNER_WEIGHTS];
    const md5_vec3 position = fill->positions[vertex];
    const md5_surface_point point = md5i_nearest_point(&fill->surface, position);
    const uint32_t num_mixed = mix_weights(fill, &point, mixed);
    double sum;
    uint32_t count = move_largest_weights(fill, mixed, num_mixed, weights, &sum);

    // The sum can be about 0 for two reasons: negative weights cancel positive weights, or the
    // first MAX_CORNER_WEIGHTS weights of each corner are 0. Then it cannot be scaled to 1. The
    // vertex gets only the largest weight, or a weight on joint 0 if there is none.
    const bool can_scale = count > 0 && fabs(sum) >= MIN_WEIGHT_SUM;
    if (!can_scale) {
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

// Replaces the vertices and weights of a mesh by copies, with space for the weights of `num_bare`
// more vertices. The document still has the original arrays, in case that a later step fails.
static bool reserve_filled_weights(md5_repair *repair, const weight_fill *fill, uint32_t num_bare,
                                   md5_doc_mesh *mesh)
{
    const uint64_t max_weights = mesh->num_weights + (uint64_t)num_bare * fill->limit;
    if (max_weights > UINT32_MAX)
        return MD5_FAIL(&repair->context, MD5_ERROR_RANGE,
                        "too many weights: expected at most 4294967295, found %llu",
                        (unsigned long long)max_weights);

    md5_vertex *const vertices = (md5_vertex *)md5i_arena_copy(
        &repair->arena, mesh->vertices, mesh->num_vertices, sizeof *vertices);
    md5_weight *const weights = MD5_ALLOC_ARRAY(&repair->arena, md5_weight, (size_t)max_weights);
    TRY(vertices && weights);
    if (mesh->num_weights > 0)
        memcpy(weights, mesh->weights, mesh->num_weights * sizeof *weights);
    mesh->vertices = vertices;
    mesh->weights = weights;
    return true;
}

// Appends weights to a mesh for its vertices without weights. `first` is the index of the mesh's
// first vertex among the vertices of all meshes.
static bool fill_mesh(md5_repair *repair, const weight_fill *fill, uint32_t first,
                      md5_doc_mesh *mesh)
{
    uint32_t num_bare = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        if (!fill->vertices[first + v].has_weights)
            num_bare++;
    }
    if (num_bare == 0)
        return true;
    TRY(reserve_filled_weights(repair, fill, num_bare, mesh));

    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        if (fill->vertices[first + v].has_weights)
            continue;
        md5_weight *const end = mesh->weights + mesh->num_weights;
        const uint32_t count = fill_vertex_weights(fill, first + v, end);
        mesh->vertices[v] = (md5_vertex){mesh->num_weights, count};
        mesh->num_weights += count;
    }
    return true;
}

// Gives weights to the vertices without weights of all meshes. Vertices are numbered through all
// meshes; `first` is the first vertex of a mesh.
static bool fill_meshes(md5_repair *repair, const weight_fill *fill, md5_doc_mesh *meshes)
{
    uint32_t first = 0;
    for (uint32_t m = 0; m < fill->doc->num_meshes; m++) {
        TRY(fill_mesh(repair, fill, first, &meshes[m]));
        first += meshes[m].num_vertices;
    }
    return true;
}

// Gives weights to the bare vertices of a document, which has at least one. The meshes of the
// document change only if all steps succeed. Returns false and sets the error otherwise.
static bool fill_bare_vertices(md5_repair *repair, weight_fill *fill, md5_doc *doc)
{
    md5_doc_mesh *const meshes = (md5_doc_mesh *)md5i_arena_copy(&repair->scratch, doc->meshes,
                                                                 doc->num_meshes, sizeof *meshes);
    fill->slots = MD5_ALLOC_ZEROED(&repair->scratch, uint32_t, doc->num_joints);
    TRY(meshes && fill->slots);
    TRY(compute_bare_positions(repair, fill));
    TRY(build_weighted_surface(repair, fill));
    TRY(fill_meshes(repair, fill, meshes));
    memcpy(doc->meshes, meshes, doc->num_meshes * sizeof *meshes);
    return true;
}

// Gives weights to vertices that have none, from the nearest points of the weighted surface.
// Returns the number of these vertices, or MD5_NONE after a failure.
uint32_t md5_fill_weights(md5_doc *doc, uint32_t max_weights, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT(max_weights <= MAX_FILLED_WEIGHTS, "max_weights: must be 0 to 16");

    md5_repair repair;
    weight_fill fill = {.doc = doc, .limit = max_weights};
    const bool is_valid =
        md5i_begin_repair(&repair, doc, MD5_DOC_MODEL, error) && read_fill_tables(&repair, &fill);
    if (is_valid && fill.num_bare > 0)
        fill_bare_vertices(&repair, &fill, doc); // md5i_end_repair() returns the failure
    return md5i_end_repair(&repair, doc, fill.num_bare);
}
