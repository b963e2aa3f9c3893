#include "demo/viewer/crowd/crowd.h"

#include <float.h>

// -- Quadrics --------------------------------------------------------------------------------
//
// Planes of triangles, in double precision.

typedef struct vector {
    double x, y, z;
} vector;

// The sum of squared distances of a point from planes, weighted by their areas, as coefficients of
// xx, yy, zz, 2xy, 2xz, 2yz, 2x, 2y, 2z, 1; then the area.
enum { QUADRIC_SIZE = 11 };
typedef struct quadric {
    double values[QUADRIC_SIZE];
} quadric;

static vector minus(vector a, vector b)
{
    return (vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vector cross_edges(vector a, vector b, vector c)
{
    const vector u = minus(b, a), v = minus(c, a);
    return (vector){u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
}

static vector wide(md5_vec3 v)
{
    return (vector){v.x, v.y, v.z};
}

static void add_quadric(quadric *sum, const quadric *added)
{
    COMMON_FOR (i, QUADRIC_SIZE)
        sum->values[i] += added->values[i];
}

// -- Merging ---------------------------------------------------------------------------------

// Shares of an edge's length that count as error if a vertex is merged along it: times the
// difference of the weights, because the surface then bends elsewhere; times that of the normals
// where the vertex was, because light falls on it otherwise.
static const double weight_error = 0.2, normal_error = 0.25;

// The smallest cosine between the old and the new side of a triangle.
static const double least_cosine = 0.3;

// A vertex with more triangles or influences than this is not merged, and none into it: what one
// merge costs would grow with their square.
enum { MAX_AROUND = 64 };

enum { MAX_PASSES = 40 };
static const uint32_t none = UINT32_MAX;

typedef struct merge {
    double cost;  // squared error
    double drift; // as corner_state.drift
    uint32_t from, to;
} merge;

// What is known of a corner: vertices at the same position, one of which names it.
typedef struct corner_state {
    quadric planes; // of the triangles that were around it and what was merged into it
    double drift;   // the largest error of these merges
    bool fixed;     // it is at an open edge
    bool touched;   // its triangles have changed in this pass
    uint32_t visit; // the last one
} corner_state;

typedef struct reducer {
    const md5_mesh *mesh;
    const md5_morph_delta *deltas; // of morph targets
    uint32_t *bends;               // [vertices], then the end: index into `deltas`
    vector origin;        // positions are relative to it, so that far ones keep their digits
    uint32_t *indices;    // [3 * count]
    uint32_t count;       // triangles that are left
    uint32_t *corners;    // [vertices] the corner of each vertex
    corner_state *states; // [corner]
    uint32_t *first;      // [corner], then the end: index into `around`
    uint32_t *around;     // [3 * count] places in `indices` of each corner
    uint32_t *targets;    // [vertices] what a vertex is merged into
    uint32_t visit;       // number of the last visit
    merge *merges;        // [num_merges] candidates of this pass
    uint32_t num_merges;
} reducer;

// -- Geometry ---------------------------------------------------------------------------------

static vector position_of(const reducer *r, uint32_t vertex)
{
    return minus(wide(r->mesh->positions[vertex]), r->origin);
}

// -- Corners ----------------------------------------------------------------------------------

static int compare_positions(const md5_vec3 *a, const md5_vec3 *b)
{
    if (a->x < b->x || a->x > b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y < b->y || a->y > b->y)
        return a->y < b->y ? -1 : 1;
    return (a->z > b->z) - (a->z < b->z);
}

static int compare_places(const void *a, const void *b)
{
    const md5_vec3 *const *const x = a, *const *const y = b;
    const int order = compare_positions(*x, *y);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

// Leaves out triangles of which two corners are one.
static void drop_triangles(reducer *r)
{
    uint32_t count = 0;
    COMMON_FOR (t, r->count) {
        const uint32_t *const from = r->indices + 3 * (size_t)t;
        const uint32_t a = r->corners[from[0]], b = r->corners[from[1]], c = r->corners[from[2]];
        if (a != b && b != c && c != a)
            memmove(r->indices + 3 * (size_t)count++, from, 3 * sizeof *from);
    }
    r->count = count;
}

static void find_triangles(reducer *r)
{
    const uint32_t num_vertices = r->mesh->num_vertices;
    const size_t num_indices = 3 * (size_t)r->count;
    memset(r->first, 0, ((size_t)num_vertices + 1) * sizeof *r->first);
    COMMON_FOR (i, num_indices)
        r->first[r->corners[r->indices[i]] + 1]++;
    COMMON_FOR (i, num_vertices)
        r->first[i + 1] += r->first[i];
    for (size_t i = num_indices; i-- > 0;) // each corner's end moves to its begin
        r->around[--r->first[r->corners[r->indices[i]] + 1]] = (uint32_t)i;
    // first[c + 1] is the begin of c now.
    memmove(r->first, r->first + 1, num_vertices * sizeof *r->first);
    r->first[num_vertices] = (uint32_t)num_indices;
}

// The vertices of a triangle around a corner.
static const uint32_t *triangle_around(const reducer *r, uint32_t i)
{
    return r->indices + (r->around[i] - r->around[i] % 3);
}

static bool has_corner(const reducer *r, const uint32_t *triangle, uint32_t corner)
{
    return r->corners[triangle[0]] == corner || r->corners[triangle[1]] == corner
           || r->corners[triangle[2]] == corner;
}

// -- Candidates -------------------------------------------------------------------------------

// The squared error of merging a vertex into another: that of the surface in the bind pose and that
// of its weights.
static double cost_of(const reducer *r, uint32_t from, uint32_t to)
{
    const md5_mesh *const mesh = r->mesh;
    const vector p = position_of(r, to), edge = minus(p, position_of(r, from));
    const double *const v = r->states[r->corners[from]].planes.values;
    const double squares = v[0] * p.x * p.x + v[1] * p.y * p.y + v[2] * p.z * p.z
                           + 2 * (v[3] * p.x * p.y + v[4] * p.x * p.z + v[5] * p.y * p.z)
                           + 2 * (v[6] * p.x + v[7] * p.y + v[8] * p.z) + v[9];
    double shared = 0; // 1: equal weights; 0: of other joints
    for (uint32_t i = mesh->first_influence[from]; i < mesh->first_influence[from + 1]; i++)
        for (uint32_t j = mesh->first_influence[to]; j < mesh->first_influence[to + 1]; j++)
            if (mesh->influence_joints[i] == mesh->influence_joints[j])
                shared += fminf(mesh->influences[i].w, mesh->influences[j].w);
    const double weight = weight_error * fmin(fmax(1 - shared, 0), 1);
    return (v[10] > 0 ? fmax(squares, 0) / v[10] : 0) + weight * weight * dot(edge, edge);
}

// The farthest that a morph target moves two vertices apart.
static double bend_of(const reducer *r, uint32_t from, uint32_t to)
{
    double largest = 0;
    uint32_t a = r->bends[from], b = r->bends[to];
    while (a < r->bends[from + 1] || b < r->bends[to + 1]) {
        const uint32_t first = a < r->bends[from + 1] ? r->deltas[a].target : none;
        const uint32_t second = b < r->bends[to + 1] ? r->deltas[b].target : none;
        const vector still = {0, 0, 0};
        const vector p = first <= second ? wide(r->deltas[a++].position) : still;
        const vector q = second <= first ? wide(r->deltas[b++].position) : still;
        largest = fmax(largest, dot(minus(p, q), minus(p, q)));
    }
    return sqrt(largest);
}

// Finds what each vertex of a corner is merged into if the corner is: the vertex with which it
// shares an edge. Returns false if there is none, which would tear a seam, or more than one.
static bool find_targets(reducer *r, uint32_t from, uint32_t to)
{
    const uint32_t begin = r->first[from], end = r->first[from + 1];
    for (uint32_t i = begin; i < end; i++)
        r->targets[r->indices[r->around[i]]] = none;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t *const target = &r->targets[r->indices[r->around[i]]];
        COMMON_FOR (k, 3) {
            const uint32_t vertex = triangle_around(r, i)[k];
            if (r->corners[vertex] != to)
                continue;
            if (*target != none && *target != vertex)
                return false;
            *target = vertex;
        }
    }
    for (uint32_t i = begin; i < end; i++)
        if (r->targets[r->indices[r->around[i]]] == none)
            return false;
    return true;
}

// Whether two corners have exactly two neighbours in common; else merging them folds the surface.
static bool is_simple_edge(reducer *r, uint32_t from, uint32_t to)
{
    const uint32_t of_from = ++r->visit, of_both = ++r->visit;
    uint32_t num_common = 0;
    for (uint32_t i = r->first[from]; i < r->first[from + 1]; i++)
        COMMON_FOR (k, 3)
            r->states[r->corners[triangle_around(r, i)[k]]].visit = of_from;
    r->states[from].visit = r->states[to].visit = of_both;
    for (uint32_t i = r->first[to]; i < r->first[to + 1]; i++)
        COMMON_FOR (k, 3) {
            uint32_t *const visit = &r->states[r->corners[triangle_around(r, i)[k]]].visit;
            num_common += *visit == of_from;
            *visit = of_both;
        }
    return num_common == 2;
}

// Whether no triangle that stays is turned over.
static bool keeps_sides(const reducer *r, uint32_t from, uint32_t to)
{
    for (uint32_t i = r->first[from]; i < r->first[from + 1]; i++) {
        const uint32_t *const t = triangle_around(r, i);
        const uint32_t place = r->around[i] % 3;
        if (has_corner(r, t, to))
            continue;
        const vector b = position_of(r, t[(place + 1) % 3]), c = position_of(r, t[(place + 2) % 3]);
        const vector old = cross_edges(position_of(r, from), b, c);
        const vector new = cross_edges(position_of(r, to), b, c);
        if (!(dot(old, new) > least_cosine * sqrt(dot(old, old) * dot(new, new))))
            return false;
    }
    return true;
}

// How far surface, texture and normals differ from a vertex where it was, by a triangle that has
// taken its place, with these shares of its corners, and before the merge was `before`.
static double triangle_error(const reducer *r, uint32_t vertex, const uint32_t *t,
                             const uint32_t *before, const double shares[3], double length)
{
    const md5_vec2 *const uv = r->mesh->texcoords;
    const vector normal = wide(r->mesh->normals[vertex]);
    double u = -(double)uv[vertex].x, v = -(double)uv[vertex].y, sum = 0;
    vector n = {0, 0, 0}, away = position_of(r, vertex);
    COMMON_FOR (i, 3)
        sum += fmax(shares[i], 0);
    COMMON_FOR (i, 3) {
        const double share = fmax(shares[i], 0) / sum;
        const vector added = wide(r->mesh->normals[t[i]]), p = position_of(r, t[i]);
        u += share * uv[t[i]].x;
        v += share * uv[t[i]].y;
        n = (vector){n.x + share * added.x, n.y + share * added.y, n.z + share * added.z};
        away = (vector){away.x - share * p.x, away.y - share * p.y, away.z - share * p.z};
    }
    // How many units of the surface a unit of the texture takes.
    const vector side = cross_edges(position_of(r, before[0]), position_of(r, before[1]),
                                    position_of(r, before[2]));
    const vector a = {uv[before[0]].x, uv[before[0]].y, 0};
    const vector b = {uv[before[1]].x, uv[before[1]].y, 0};
    const vector c = {uv[before[2]].x, uv[before[2]].y, 0};
    const double area = fabs(cross_edges(a, b, c).z);
    const double scale = area > 0 ? sqrt(sqrt(dot(side, side)) / area) : 0;
    const double cosine = dot(n, normal) / sqrt(fmax(dot(n, n), 1e-12));
    return sqrt(dot(away, away)) + scale * sqrt(u * u + v * v)
           + normal_error * length * sqrt(2 * fmax(1 - cosine, 0));
}

// The largest such error of the vertices of a corner whose targets are found: of each by the
// triangle in whose plane it lies deepest inside.
static double drift_of(const reducer *r, uint32_t from, uint32_t to)
{
    double largest = 0;
    uint32_t last = none;
    const vector p = position_of(r, from), edge = minus(position_of(r, to), p);
    for (uint32_t i = r->first[from]; i < r->first[from + 1]; i++) {
        const uint32_t vertex = r->indices[r->around[i]];
        if (vertex == last)
            continue;
        last = vertex;
        double best = -DBL_MAX, error = 0;
        for (uint32_t k = r->first[from]; k < r->first[from + 1]; k++) {
            const uint32_t *const t = triangle_around(r, k);
            if (r->indices[r->around[k]] != vertex || has_corner(r, t, to))
                continue;
            uint32_t merged[3] = {t[0], t[1], t[2]};
            merged[r->around[k] % 3] = r->targets[vertex];
            const vector corners[3] = {position_of(r, merged[0]), position_of(r, merged[1]),
                                       position_of(r, merged[2])};
            const vector side = cross_edges(corners[0], corners[1], corners[2]);
            const double size = dot(side, side);
            double shares[3] = {0, 0, 0}, least = -DBL_MAX;
            for (int c = 0; c < 3 && size > 0; c++) {
                const vector part = cross_edges(p, corners[(c + 1) % 3], corners[(c + 2) % 3]);
                shares[c] = dot(part, side) / size;
                least = c == 0 ? shares[0] : fmin(least, shares[c]);
            }
            if (!(least > best))
                continue;
            best = least;
            error = triangle_error(r, vertex, merged, t, shares, sqrt(dot(edge, edge)));
        }
        largest = fmax(largest, error);
    }
    return largest + r->states[from].drift;
}

static bool can_merge(const reducer *r, uint32_t vertex)
{
    const uint32_t corner = r->corners[vertex];
    const uint32_t *const influences = r->mesh->first_influence + vertex;
    return r->first[corner + 1] - r->first[corner] <= MAX_AROUND
           && influences[1] - influences[0] <= MAX_AROUND;
}

static void find_merge(reducer *r, uint32_t corner, double most)
{
    merge best = {.cost = most, .from = corner, .to = none};
    for (uint32_t i = r->first[corner]; i < r->first[corner + 1]; i++) {
        const uint32_t *const t = triangle_around(r, i);
        const uint32_t own = r->indices[r->around[i]];
        const uint32_t vertex = t[(r->around[i] + 1) % 3], to = r->corners[vertex];
        if (!can_merge(r, own) || !can_merge(r, vertex))
            continue;
        const double cost = cost_of(r, own, vertex);
        if (!(cost < best.cost) || !is_simple_edge(r, corner, to) || !keeps_sides(r, corner, to)
            || !find_targets(r, corner, to))
            continue;
        const double drift = drift_of(r, corner, to) + bend_of(r, own, vertex);
        if (cost + drift * drift < best.cost)
            best = (merge){.cost = cost + drift * drift, .drift = drift, .from = corner, .to = to};
    }
    if (best.to != none)
        r->merges[r->num_merges++] = best;
}

// -- Merging ----------------------------------------------------------------------------------

static int compare_merges(const void *a, const void *b)
{
    const merge *const x = a, *const y = b;
    if (x->cost < y->cost || x->cost > y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

// Merges corners that are not beside each other, the cheapest first.
static void run_pass(reducer *r, double most)
{
    r->num_merges = 0;
    find_triangles(r);
    COMMON_FOR (i, r->mesh->num_vertices) {
        r->states[i].touched = false;
        if (!r->states[i].fixed)
            find_merge(r, i, most);
    }
    qsort(r->merges, r->num_merges, sizeof *r->merges, compare_merges);
    COMMON_EACH (done, r->merges, r->num_merges) {
        corner_state *const from = &r->states[done->from], *const to = &r->states[done->to];
        if (from->touched || to->touched)
            continue;
        find_targets(r, done->from, done->to);
        for (uint32_t i = r->first[done->from]; i < r->first[done->from + 1]; i++) {
            uint32_t *const own = &r->indices[r->around[i]];
            COMMON_FOR (k, 3)
                r->states[r->corners[triangle_around(r, i)[k]]].touched = true;
            *own = r->targets[*own];
        }
        to->drift = fmax(to->drift, done->drift);
        add_quadric(&to->planes, &from->planes);
    }
    drop_triangles(r);
}

static void begin(reducer *r, const md5_morph_mesh *morph)
{
    r->count = r->mesh->num_triangles;
    COMMON_FOR (i, 3 * (size_t)r->count)
        r->indices[i] = r->mesh->indices[i];
    // Vertices at one place have the first of them as their corner.
    const md5_vec3 *const positions = r->mesh->positions;
    const uint32_t num_vertices = r->mesh->num_vertices;
    const md5_vec3 **const places = common_alloc(num_vertices, sizeof *places);
    COMMON_FOR (i, num_vertices)
        places[i] = &positions[i];
    qsort(places, num_vertices, sizeof *places, compare_places);
    COMMON_FOR (i, num_vertices) {
        const bool is_same = i > 0 && compare_positions(places[i], places[i - 1]) == 0;
        r->corners[places[i] - positions] =
            is_same ? r->corners[places[i - 1] - positions] : (uint32_t)(places[i] - positions);
    }
    free(places);
    for (uint32_t i = 0, at = 0; morph != NULL && i < num_vertices; i++) {
        at += at < morph->num_vertices && morph->vertices[at] == i;
        r->bends[i + 1] = morph->first[at];
    }
    drop_triangles(r);
    find_triangles(r);
    // A corner is at an open edge unless each neighbour is once before and once behind it in its
    // triangles.
    COMMON_FOR (corner, num_vertices) {
        const uint32_t before = ++r->visit, behind = ++r->visit;
        const uint32_t count = r->first[corner + 1] - r->first[corner];
        bool is_closed = true;
        for (uint32_t i = 0; i < 2 * count && is_closed; i++) {
            const bool is_second = i >= count;
            const uint32_t entry = r->first[corner] + (is_second ? i - count : i);
            const uint32_t place = r->around[entry] + (is_second ? 2 : 1);
            uint32_t *const visit =
                &r->states[r->corners[triangle_around(r, entry)[place % 3]]].visit;
            is_closed = (*visit == before) == is_second;
            *visit = is_second ? behind : before;
        }
        r->states[corner].fixed = !is_closed;
    }
    COMMON_FOR (i, r->count) {
        const uint32_t *const t = r->indices + 3 * (size_t)i;
        const vector a = position_of(r, t[0]);
        const vector n = cross_edges(a, position_of(r, t[1]), position_of(r, t[2]));
        const double area = sqrt(dot(n, n)), d = -dot(n, a);
        const double share = area > 0 ? 1.0 / area : 0; // the normal is n / area
        const quadric plane = {{n.x * n.x * share, n.y * n.y * share, n.z * n.z * share,
                                n.x * n.y * share, n.x * n.z * share, n.y * n.z * share,
                                n.x * d * share, n.y * d * share, n.z * d * share, d * d * share,
                                area}};
        COMMON_FOR (k, 3)
            add_quadric(&r->states[r->corners[t[k]]].planes, &plane);
    }
}

void view_reduce_mesh(const md5_mesh *mesh, const md5_morph_mesh *morph, const float *errors,
                      uint32_t num_levels, view_triangles *levels)
{
    const size_t num_vertices = mesh->num_vertices, num_triangles = mesh->num_triangles;
    reducer r = {
        .mesh = mesh,
        .origin = num_vertices > 0 ? wide(mesh->positions[0]) : (vector){0, 0, 0},
        .indices = common_alloc(num_triangles, 3 * sizeof *r.indices),
        .deltas = morph != NULL ? morph->deltas : NULL,
        .bends = common_alloc(num_vertices + 1, sizeof *r.bends),
        .corners = common_alloc(num_vertices, sizeof *r.corners),
        .states = common_alloc(num_vertices, sizeof *r.states),
        .first = common_alloc(num_vertices + 1, sizeof *r.first),
        .around = common_alloc(num_triangles, 3 * sizeof *r.around),
        .targets = common_alloc(num_vertices, sizeof *r.targets),
        .merges = common_alloc(num_vertices, sizeof *r.merges),
    };
    begin(&r, morph);
    COMMON_FOR (level, num_levels) {
        const double error = errors[level];
        uint32_t before = r.count + 1;
        for (int i = 0; i < MAX_PASSES && r.count < before; i++) {
            before = r.count;
            run_pass(&r, error * error);
        }
        levels[level] = (view_triangles){common_alloc(r.count, 3 * sizeof *r.indices), r.count};
        memcpy(levels[level].indices, r.indices, (size_t)r.count * 3 * sizeof *r.indices);
    }
    free(r.indices);
    free(r.bends);
    free(r.corners);
    free(r.states);
    free(r.first);
    free(r.around);
    free(r.targets);
    free(r.merges);
}
