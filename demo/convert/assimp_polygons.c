// Divides the polygons of libassimp's meshes into triangles.
//
// libassimp loses triangles of some concave polygons. The polygons of such a mesh are divided here
// again by ear clipping. An ear is a triangle of three consecutive corners that contains no other
// corner. An ear is cut off until three corners are left. The main structure is polygon.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include <assimp/postprocess.h>

// The faces of a mesh before libassimp divides them.
typedef struct face_list {
    uint32_t *num_corners; // [num_faces]
    uint32_t *corners;     // vertices of all faces, one face after another
    size_t num_faces;
} face_list;

// A polygon, projected onto a plane in which its corners are counterclockwise.
typedef struct polygon {
    assimp_importer *importer;
    const uint32_t *vertices; // [num_corners] of the mesh
    double (*points)[2];      // [num_corners]
    size_t *rest;             // [num_rest] corners that are not cut off
    size_t num_rest;
    double tolerance;   // twice the area of a triangle that counts as 0
    uint64_t num_tests; // number of corners that were tested since the last charge
} polygon;

// -- Ear clipping ---------------------------------------------------------------------------------

// Returns twice the area of a triangle, which is negative if it is clockwise.
static double signed_area(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool are_equal(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

// Returns true if no corner of the polygon is inside of a triangle or on its edges. Ignores corners
// at the position of a corner of the triangle, because polygons around a hole have them.
static bool is_empty_triangle(polygon *p, const double a[2], const double b[2], const double c[2])
{
    for (size_t i = 0; i < p->num_rest; i++) {
        p->num_tests++;
        const double *const q = p->points[p->rest[i]];
        if (are_equal(q, a) || are_equal(q, b) || are_equal(q, c))
            continue;
        const bool is_inside = signed_area(a, b, q) >= -p->tolerance
                               && signed_area(b, c, q) >= -p->tolerance
                               && signed_area(c, a, q) >= -p->tolerance;
        if (is_inside)
            return false;
    }
    return true;
}

// Returns true if the corner and its two neighbors are an ear, or have no area. `index` is an index
// in p->rest.
static bool is_ear(polygon *p, size_t index)
{
    const double *const a = p->points[p->rest[(index + p->num_rest - 1) % p->num_rest]];
    const double *const b = p->points[p->rest[index]];
    const double *const c = p->points[p->rest[(index + 1) % p->num_rest]];
    const double area = signed_area(a, b, c);
    if (fabs(area) <= p->tolerance)
        return true;
    return area > 0 && is_empty_triangle(p, a, b, c);
}

static void add_ear(const polygon *p, size_t index, assimp_triangles *to)
{
    to->indices[to->num_indices++] = p->vertices[p->rest[(index + p->num_rest - 1) % p->num_rest]];
    to->indices[to->num_indices++] = p->vertices[p->rest[index]];
    to->indices[to->num_indices++] = p->vertices[p->rest[(index + 1) % p->num_rest]];
}

// Adds the triangles of a polygon. They are incomplete if the polygon intersects itself. Returns
// false if the budget is exceeded.
static bool cut_ears(polygon *p, assimp_triangles *to)
{
    enum { MOVES_PER_ELEMENT = 16 }; // moving a corner in memory costs less than testing it
    size_t num_failures = 0;         // number of corners in a row that are not ears
    size_t i = 0;
    while (p->num_rest > 3 && num_failures < p->num_rest) {
        i %= p->num_rest;
        const bool is_cut = is_ear(p, i);
        const size_t move_cost = is_cut ? p->num_rest / MOVES_PER_ELEMENT : 0;
        if (!assimp_charge(p->importer, 1 + p->num_tests + move_cost))
            return false;
        p->num_tests = 0;
        if (!is_cut) {
            i++;
            num_failures++;
            continue;
        }
        add_ear(p, i, to);
        p->num_rest--;
        memmove(&p->rest[i], &p->rest[i + 1], (p->num_rest - i) * sizeof *p->rest);
        num_failures = 0;
    }

    if (p->num_rest == 3)
        add_ear(p, 1, to);
    return true;
}

// Returns the sum of the cross products of the edges, seen from the first corner. Its direction is
// the normal of the polygon.
static convert_vec find_normal(const struct aiMesh *mesh, const uint32_t *vertices, size_t count)
{
    const struct aiVector3D *const origin = &mesh->mVertices[vertices[0]];
    convert_vec normal = {0, 0, 0};
    for (size_t i = 1; i + 1 < count; i++) {
        const struct aiVector3D *const b = &mesh->mVertices[vertices[i]];
        const struct aiVector3D *const c = &mesh->mVertices[vertices[i + 1]];
        const convert_vec u = {(double)b->x - origin->x, (double)b->y - origin->y,
                               (double)b->z - origin->z};
        const convert_vec v = {(double)c->x - origin->x, (double)c->y - origin->y,
                               (double)c->z - origin->z};
        normal.x += u.y * v.z - u.z * v.y;
        normal.y += u.z * v.x - u.x * v.z;
        normal.z += u.x * v.y - u.y * v.x;
    }
    return normal;
}

// Projects the corners along the axis that is nearest to the normal, so that they are
// counterclockwise. Sets the tolerance to a fraction of the squared size.
static void project(polygon *p, const struct aiMesh *mesh, size_t count)
{
    const double relative_tolerance = 1e-9;
    const convert_vec normal = find_normal(mesh, p->vertices, count);
    const double n[3] = {normal.x, normal.y, normal.z};
    int axis = fabs(n[1]) > fabs(n[0]) ? 1 : 0;
    axis = fabs(n[2]) > fabs(n[axis]) ? 2 : axis;
    const int first = (axis + (n[axis] < 0 ? 2 : 1)) % 3;
    const int second = (axis + (n[axis] < 0 ? 1 : 2)) % 3;

    double size = 0;
    for (size_t i = 0; i < count; i++) {
        const struct aiVector3D *const v = &mesh->mVertices[p->vertices[i]];
        const double position[3] = {v->x, v->y, v->z};
        p->points[i][0] = position[first];
        p->points[i][1] = position[second];
        size = fmax(size, fmax(fabs(p->points[i][0] - p->points[0][0]),
                               fabs(p->points[i][1] - p->points[0][1])));
        p->rest[i] = i;
    }
    p->num_rest = count;
    p->tolerance = relative_tolerance * size * size;
}

// -- Meshes ---------------------------------------------------------------------------------------

// Returns the number of triangles into which the polygons of a mesh must be divided.
static uint64_t count_expected_triangles(const struct aiMesh *mesh)
{
    uint64_t count = 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const unsigned num_corners = mesh->mFaces[f].mNumIndices;
        count += num_corners > 2 ? num_corners - 2 : 0;
    }
    return count;
}

// Copies the faces of a mesh if it has polygons of more than four corners, which libassimp can
// divide incompletely. Returns false if the budget is exceeded.
static bool copy_faces(assimp_importer *importer, const struct aiMesh *mesh, face_list *list)
{
    uint64_t num_corners = 0;
    bool has_large_face = false;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        num_corners += mesh->mFaces[f].mNumIndices;
        has_large_face |= mesh->mFaces[f].mNumIndices > 4;
    }
    if (!has_large_face)
        return true;
    if (!assimp_charge_bytes(importer, num_corners + mesh->mNumFaces, sizeof(uint32_t)))
        return false;

    list->num_faces = mesh->mNumFaces;
    list->num_corners = common_alloc(list->num_faces, sizeof *list->num_corners);
    list->corners = common_alloc((size_t)num_corners, sizeof *list->corners);
    uint32_t *to = list->corners;
    for (size_t f = 0; f < list->num_faces; f++) {
        const struct aiFace *const face = &mesh->mFaces[f];
        list->num_corners[f] = face->mNumIndices;
        memcpy(to, face->mIndices, face->mNumIndices * sizeof *to);
        to += face->mNumIndices;
    }
    return true;
}

// Divides all faces of a mesh into triangles. Returns false if the budget is exceeded.
static bool divide_faces(assimp_importer *importer, const struct aiMesh *mesh,
                         const face_list *faces, uint64_t num_triangles,
                         assimp_triangles *triangles)
{
    size_t max_corners = 0;
    for (size_t f = 0; f < faces->num_faces; f++)
        max_corners = faces->num_corners[f] > max_corners ? faces->num_corners[f] : max_corners;
    if (!assimp_charge_bytes(importer, num_triangles, 3 * sizeof *triangles->indices)
        || !assimp_charge_bytes(importer, max_corners, 3 * sizeof(double)))
        return false;

    polygon p = {.importer = importer,
                 .points = common_alloc(max_corners, sizeof *p.points),
                 .rest = common_alloc(max_corners, sizeof *p.rest)};
    triangles->indices = common_alloc((size_t)num_triangles, 3 * sizeof *triangles->indices);
    p.vertices = faces->corners;
    for (size_t f = 0; f < faces->num_faces; f++) {
        const uint32_t num_corners = faces->num_corners[f];
        if (num_corners > 2) {
            project(&p, mesh, num_corners);
            if (!cut_ears(&p, triangles))
                return false;
        }
        p.vertices += num_corners;
    }
    return true;
}

// Divides the polygons of all meshes with libassimp. Adds a line and returns false if it fails.
static bool divide_with_libassimp(assimp_importer *importer)
{
    importer->scene = aiApplyPostProcessing(importer->scene, aiProcess_Triangulate);
    if (importer->scene)
        return true;
    assimp_add_line(importer,
                    ASSIMP_PROBLEM "libassimp cannot divide the polygons into triangles: %s; "
                                   "triangulate the meshes before you export the file",
                    aiGetErrorString());
    return false;
}

bool assimp_divide_polygons(assimp_importer *importer)
{
    const unsigned num_meshes = importer->scene->mNumMeshes;
    face_list *const faces = common_alloc(num_meshes, sizeof *faces);
    uint64_t *const num_expected = common_alloc(num_meshes, sizeof *num_expected);
    uint64_t num_triangles = 0;
    uint64_t num_missing = 0;
    for (unsigned m = 0; m < num_meshes; m++) {
        num_expected[m] = count_expected_triangles(importer->scene->mMeshes[m]);
        num_triangles += num_expected[m];
        if (!copy_faces(importer, importer->scene->mMeshes[m], &faces[m]))
            return false;
    }
    if (!divide_with_libassimp(importer))
        return false;

    importer->triangles = common_alloc(num_meshes, sizeof *importer->triangles);
    for (unsigned m = 0; m < num_meshes; m++) {
        const struct aiMesh *const mesh = importer->scene->mMeshes[m];
        assimp_triangles *const triangles = &importer->triangles[m];
        if (faces[m].num_faces == 0 || count_expected_triangles(mesh) >= num_expected[m])
            continue;
        if (!divide_faces(importer, mesh, &faces[m], num_expected[m], triangles))
            return false;
        num_missing += num_expected[m] - triangles->num_indices / 3;
    }

    if (num_missing > 0)
        assimp_add_line(importer,
                        ASSIMP_LOSS "%llu of %llu triangles are missing: some polygons intersect "
                                    "themselves; triangulate the meshes before you export the file",
                        (unsigned long long)num_missing, (unsigned long long)num_triangles);
    return true;
}

#endif
