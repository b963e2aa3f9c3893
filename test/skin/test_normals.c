// Normals weighted equally, by area and by angle, against the formulas in doubles.
#include "test/scoped.h"

enum { MAX_POINTS = 40, MAX_TRIANGLES = 80 };

typedef struct shape {
    float points[MAX_POINTS][3];
    uint32_t num_points;
    uint32_t num_triangles;
    uint32_t triangles[MAX_TRIANGLES][3];
} shape;

static md5_model *load(const shape *fixture, md5_normals weighting)
{
    SCOPED_TEXT text = {0};
    test_append(&text,
                "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
                "joints { \"o\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"
                "mesh { shader \"\" numverts %u\n",
                fixture->num_points);
    for (uint32_t i = 0; i < fixture->num_points; i++)
        test_append(&text, "vert %u ( 0 0 ) %u 1\n", i, i);
    test_append(&text, "numtris %u\n", fixture->num_triangles);
    for (uint32_t i = 0; i < fixture->num_triangles; i++)
        test_append(&text, "tri %u %u %u %u\n", i, fixture->triangles[i][0],
                    fixture->triangles[i][1], fixture->triangles[i][2]);
    test_append(&text, "numweights %u\n", fixture->num_points);
    for (uint32_t i = 0; i < fixture->num_points; i++)
        test_append(&text, "weight %u 0 1 ( %.9g %.9g %.9g )\n", i, fixture->points[i][0],
                    fixture->points[i][1], fixture->points[i][2]);
    test_append(&text, "}\n");
    const md5_load_opts opts = {.normals = weighting};
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text.bytes, text.used, &opts, &error);
    CHECK_DONE(model, error);
    return model;
}

// -- The formulas -----------------------------------------------------------------------------

static void subtract(const float *a, const float *b, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)a[i] - b[i];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Front faces are clockwise: (c - a) x (b - a) points outward.
static void add_triangle(const shape *fixture, const uint32_t *corners, md5_normals weighting,
                         double (*sums)[3])
{
    double ab[3];
    double ac[3];
    subtract(fixture->points[corners[1]], fixture->points[corners[0]], ab);
    subtract(fixture->points[corners[2]], fixture->points[corners[0]], ac);
    const double cross[3] = {ac[1] * ab[2] - ac[2] * ab[1], ac[2] * ab[0] - ac[0] * ab[2],
                             ac[0] * ab[1] - ac[1] * ab[0]};
    const double length = sqrt(dot(cross, cross));
    for (int i = 0; i < 3; i++) {
        double to[3];
        double second_edge[3];
        subtract(fixture->points[corners[(i + 1) % 3]], fixture->points[corners[i]], to);
        subtract(fixture->points[corners[(i + 2) % 3]], fixture->points[corners[i]], second_edge);
        const double angle =
            acos(dot(to, second_edge) / sqrt(dot(to, to) * dot(second_edge, second_edge)));
        double weight = angle;
        if (weighting == MD5_NORMALS_ID)
            weight = 1;
        else if (weighting == MD5_NORMALS_AREA)
            weight = 0.5 * length;
        for (int k = 0; k < 3; k++)
            sums[corners[i]][k] += weight * cross[k] / length;
    }
}

// Returns the largest distance between a normal and the normal of the formula.
static double max_normal_error(const shape *fixture, md5_normals weighting)
{
    double sums[MAX_POINTS][3] = {{0}};
    double max_error = 0;
    SCOPED_MODEL model = load(fixture, weighting);
    if (!model)
        return INFINITY;
    for (uint32_t i = 0; i < fixture->num_triangles; i++)
        add_triangle(fixture, fixture->triangles[i], weighting, sums);
    for (uint32_t i = 0; i < fixture->num_points; i++) {
        const md5_vec3 normal = model->meshes[0].normals[i];
        const double found[3] = {normal.x, normal.y, normal.z};
        const double length = sqrt(dot(sums[i], sums[i]));
        for (int k = 0; k < 3; k++)
            max_error = fmax(max_error, fabs(found[k] - sums[i][k] / length));
    }
    return max_error;
}

// -- Shapes -----------------------------------------------------------------------------------

TEST (normals_are_weighted_by_the_published_formulas) {
    uint64_t random = 31;
    static const double sizes[] = {1e-3, 1, 100, 1e6};
    shape fan;
    for (int round = 0; round < 200; round++) {
        // A fan around the first point, as large as `size`, with thin and with obtuse triangles.
        double size = sizes[round % 4];
        fan.num_points = 4 + test_random_u32(&random) % 20;
        fan.num_triangles = fan.num_points - 1;
        for (uint32_t i = 0; i < fan.num_points; i++) {
            for (int k = 0; k < 3; k++)
                fan.points[i][k] = (float)(size * (test_random(&random) - 0.5));
            fan.points[i][2] *= 0.3f;
        }
        for (uint32_t i = 0; i < fan.num_triangles; i++) {
            fan.triangles[i][0] = 0;
            fan.triangles[i][1] = 1 + i;
            fan.triangles[i][2] = 1 + (i + 1) % (fan.num_points - 1);
        }

        for (int weighting = MD5_NORMALS_ID; weighting <= MD5_NORMALS_ANGLE; weighting++) {
            const double error = max_normal_error(&fan, (md5_normals)weighting);
            if (!CHECK_THAT(error < 1e-6, "weighting %d, round %d: off by %g", weighting, round,
                            error))
                return;
        }
    }
}

static double signed_distance(md5_vec3 normal, const float *point)
{
    return (double)normal.x * point[0] + (double)normal.y * point[1] + (double)normal.z * point[2];
}

// Each face of a cube is cut along one diagonal: at some corners both of its triangles meet, at
// others one. If normals are weighted by angle, all are diagonals of the cube. Otherwise a face
// with two triangles at a corner has twice the weight there.
TEST (normals_by_angle_do_not_depend_on_how_faces_are_cut) {
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    shape cube = {.num_points = 8, .num_triangles = 12};
    for (uint32_t i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++)
            cube.points[i][k] = (i >> k & 1) ? 1 : -1;
    }
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t *const f = faces[i];
        const uint32_t halves[2][3] = {{f[0], f[2], f[1]}, {f[0], f[3], f[2]}};
        memcpy(cube.triangles[2 * i], halves, sizeof halves);
    }
    double max_error[3] = {0};
    for (int weighting = MD5_NORMALS_ID; weighting <= MD5_NORMALS_ANGLE; weighting++) {
        SCOPED_MODEL model = load(&cube, (md5_normals)weighting);
        for (uint32_t i = 0; i < 8; i++) {
            const md5_vec3 normal = model->meshes[0].normals[i];
            const double found[3] = {normal.x, normal.y, normal.z};
            for (int k = 0; k < 3; k++)
                max_error[weighting] =
                    fmax(max_error[weighting], fabs(fabs(found[k]) - 0.57735026918962576));
            // All normals point to the same side of the surface.
            CHECK(signed_distance(normal, cube.points[i])
                      * signed_distance(model->meshes[0].normals[0], cube.points[0])
                  > 0);
        }
    }
    CHECK_SMALL(max_error[MD5_NORMALS_ANGLE], 1e-7);
    CHECK(max_error[MD5_NORMALS_ID] > 0.1 && max_error[MD5_NORMALS_AREA] > 0.1);
}

// A sheet with separate vertices at the same positions on both sides. The sums at the positions
// cancel out for triangles of any size, and each side has its own normal.
TEST (normals_of_two_sides_are_apart_with_any_weights) {
    shape sheet = {.num_points = 6, .num_triangles = 2, .triangles = {{0, 1, 2}, {3, 5, 4}}};
    for (uint32_t i = 0; i < 6; i++) {
        sheet.points[i][0] = i % 3 == 1 ? 1e-4f : 0;
        sheet.points[i][1] = i % 3 == 2 ? 1e-4f : 0;
    }
    for (int weighting = MD5_NORMALS_ID; weighting <= MD5_NORMALS_ANGLE; weighting++) {
        SCOPED_MODEL model = load(&sheet, (md5_normals)weighting);
        for (uint32_t i = 0; i < 6; i++)
            CHECK(model->meshes[0].normals[i].z == (i < 3 ? -1 : 1));
    }
}
