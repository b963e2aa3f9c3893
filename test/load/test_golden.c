// Compares the numbers of golden files with the library's results, record by record, in the order
// of the file. id Tech 4 itself and the independent reference in test/reference computed these
// numbers.
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"

#include <dirent.h>

// Tolerances, from golden/FORMAT.md. `loose` applies to joints with a rotation whose w is near 0,
// in their own pose or in the pose of an ancestor. There the reconstruction of w from rounded x y z
// loses half of the digits.
typedef struct tolerances {
    double quaternion;
    double rotation;
    double length; // as a fraction of the model's size
} tolerances;
static const tolerances strict = {2e-6, 1e-5, 3e-6};
static const tolerances loose = {2e-5, 2e-5, 1.2e-5};
static const double bind_tolerance = 5e-5;
static const double near_zero_w = 0.05;

typedef struct golden {
    const char *file;
    char *text, *at;
    const char *folder; // base of the paths in the file
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    double size; // diagonal of the bounding box in the bind pose
    md5_xform *pose;
    md5_mat34 *joints, *palette;
    md5_vec3 *points;
    bool *is_loose; // [num_joints]
    double max_quaternion_error;
    double max_rotation_error;
    double max_length_error; // as a fraction of the model's size
    bool broken;             // the file does not follow FORMAT.md: stop
} golden;

// -- Reading the records --------------------------------------------------------------------

static bool next_token(golden *g, char *token, size_t capacity)
{
    while (*g->at == ' ' || *g->at == '\n' || *g->at == '\r')
        g->at++;
    size_t used = 0;
    if (*g->at == '"') {
        const char *const end = strchr(g->at + 1, '"');
        const size_t length = end ? (size_t)(end - g->at - 1) : 0;
        if (!end || length >= capacity)
            return false;
        memcpy(token, g->at + 1, length);
        token[length] = '\0';
        g->at += length + 2;
        return true;
    }
    while (*g->at > ' ' && used + 1 < capacity)
        token[used++] = *g->at++;
    token[used] = '\0';
    return used > 0;
}

static bool expect(golden *g, const char *token)
{
    char found[256] = "";
    if (!g->broken && next_token(g, found, sizeof found) && strcmp(found, token) == 0)
        return true;
    g->broken = true;
    return test_check(false, g->file, 0, "expected '%s', found '%s'", token, found);
}

// Returns true if the next record is `token`; does not consume it.
static bool is_next(golden *g, const char *token)
{
    char *const at = g->at;
    char found[256] = "";
    const bool same = !g->broken && next_token(g, found, sizeof found) && strcmp(found, token) == 0;
    g->at = at;
    return same;
}

static double number(golden *g)
{
    char *end = g->at;
    const double value = strtod(g->at, &end);
    if (end == g->at && !g->broken) {
        g->broken = true;
        test_check(false, g->file, 0, "expected a number at '%.20s'", g->at);
    }
    g->at = end;
    return value;
}

static void read_line_end(golden *g, char *text, size_t capacity)
{
    size_t used = 0;
    while (*g->at == ' ')
        g->at++;
    while (*g->at && *g->at != '\n' && used + 1 < capacity)
        text[used++] = *g->at++;
    text[used] = '\0';
}

// -- Comparing ------------------------------------------------------------------------------

static void check_count(golden *g, const char *label, uint64_t actual)
{
    const double expected = number(g);
    test_check((double)actual == expected, g->file, 0, "%s is %llu, expected %g", label,
               (unsigned long long)actual, expected);
}

static void check_index(golden *g, uint32_t index)
{
    if (number(g) != index)
        g->broken = !test_check(false, g->file, 0, "records are not in order at %u", index);
}

static void check_length(golden *g, const char *label, uint32_t index, double actual,
                         double tolerance)
{
    const double off = fabs(actual - number(g)) / g->size;
    g->max_length_error = fmax(g->max_length_error, off);
    test_check(off <= tolerance, g->file, 0, "%s %u: a length is off by %.3g of the size", label,
               index, off);
}

static void check_vec3(golden *g, const char *label, uint32_t index, md5_vec3 actual,
                       double tolerance)
{
    check_length(g, label, index, actual.x, tolerance);
    check_length(g, label, index, actual.y, tolerance);
    check_length(g, label, index, actual.z, tolerance);
}

static void check_bounds(golden *g, const char *label, md5_bounds actual, double tolerance)
{
    check_vec3(g, label, 0, actual.min, tolerance);
    check_vec3(g, label, 0, actual.max, tolerance);
}

// Golden rotations are (x, y, z, -w) of the library's rotations, with either sign of the
// quaternion.
static void check_transform(golden *g, const char *label, uint32_t index, md5_xform actual,
                            tolerances allowed)
{
    const md5_quat q = actual.rotation;
    const double actual_values[4] = {q.x, q.y, q.z, -(double)q.w};
    double same = 0;
    double flipped = 0;
    for (int i = 0; i < 4; i++) {
        const double expected = number(g);
        same = fmax(same, fabs(actual_values[i] - expected));
        flipped = fmax(flipped, fabs(actual_values[i] + expected));
    }
    const double off = fmin(same, flipped);
    g->max_quaternion_error = fmax(g->max_quaternion_error, off);
    test_check(off <= allowed.quaternion, g->file, 0, "%s %u: rotation off by %.3g", label, index,
               off);
    check_vec3(g, label, index, actual.translation, allowed.length);
}

static void check_matrix(golden *g, const char *label, uint32_t index, const md5_mat34 *actual,
                         double rotation_tolerance, double length_tolerance)
{
    for (int i = 0; i < 12; i++) {
        if (i % 4 == 3) {
            check_length(g, label, index, actual->m[i], length_tolerance);
            continue;
        }
        const double off = fabs(actual->m[i] - number(g));
        g->max_rotation_error = fmax(g->max_rotation_error, off);
        test_check(off <= rotation_tolerance, g->file, 0, "%s %u: rotation entry %d off by %.3g",
                   label, index, i, off);
    }
}

// -- The records ----------------------------------------------------------------------------

static void load_path(golden *g, char *path, size_t capacity)
{
    char name[512];
    read_line_end(g, name, sizeof name);
    snprintf(path, capacity, "%s/%s", g->folder, name);
}

// Compares the joints and their bind pose with the records.
static void check_joints(golden *g)
{
    const md5_skeleton *const skeleton = &g->model->skeleton;
    expect(g, "numJoints");
    check_count(g, "numJoints", skeleton->num_joints);
    expect(g, "numMeshes");
    check_count(g, "numMeshes", g->model->num_meshes);
    for (uint32_t i = 0; i < skeleton->num_joints && expect(g, "joint"); i++) {
        char name[256] = "";
        check_index(g, i);
        const double parent = number(g); // -1: none
        next_token(g, name, sizeof name);
        test_check(parent == (int32_t)skeleton->joints[i].parent, g->file, 0, "parent of joint %u",
                   i);
        test_check(strcmp(name, skeleton->joints[i].name) == 0, g->file, 0, "name of joint %u", i);
    }
    for (uint32_t i = 0; i < skeleton->num_joints && expect(g, "bindmat"); i++) {
        check_index(g, i);
        check_matrix(g, "bindmat", i, &g->model->bind[i], bind_tolerance, bind_tolerance);
    }
    for (uint32_t i = 0; i < skeleton->num_joints && expect(g, "bindlocal"); i++) {
        check_index(g, i);
        const double w = fabs((double)g->model->bind_local[i].rotation.w);
        check_transform(g, "bindlocal", i, g->model->bind_local[i],
                        w < near_zero_w ? loose : strict);
    }
}

// Compares the counts, texture coordinates and triangles of a mesh with the records.
static void check_mesh(golden *g, uint32_t index)
{
    const md5_mesh *const mesh = &g->model->meshes[index];
    char shader[256] = "";
    uint64_t used = 0;
    expect(g, "submesh");
    check_index(g, index);
    next_token(g, shader, sizeof shader);
    test_check(strcmp(shader, mesh->shader) == 0, g->file, 0, "shader of mesh %u", index);
    check_count(g, "vertices", mesh->num_file_vertices);
    check_count(g, "triangles", mesh->num_triangles);
    check_count(g, "weights", mesh->num_weights);
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++)
        used += mesh->file_vertices[i].num_weights;
    check_count(g, "weight references", used);
    check_count(g, "weights on a vertex", mesh->max_weights);
    for (uint32_t i = 0; i < mesh->num_file_vertices && expect(g, "st"); i++) {
        const double u = number(g);
        const double v = number(g);
        // Nine digits are sufficient to distinguish any two floats.
        test_check((float)u == mesh->texcoords[i].x && (float)v == mesh->texcoords[i].y, g->file, 0,
                   "texture coordinate of vertex %u", i);
    }
    for (uint32_t i = 0; i < mesh->num_triangles && expect(g, "tri"); i++) {
        for (int corner = 0; corner < 3; corner++)
            check_count(g, "corner", mesh->sources[mesh->indices[3 * (size_t)i + (size_t)corner]]);
    }
    for (uint32_t i = 0; i < mesh->num_file_vertices && expect(g, "bv"); i++)
        check_vec3(g, "bv", i, mesh->positions[i], loose.length);
}

// Finds joints whose w, or the w of an ancestor, is near 0.
static void find_loose(golden *g)
{
    const md5_skeleton *const skeleton = &g->model->skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        g->is_loose[joint] = fabs((double)g->pose[joint].rotation.w) < near_zero_w
                             || (parent != MD5_NONE && g->is_loose[parent]);
    }
}

static bool vertex_is_loose(const golden *g, const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vertex range = mesh->file_vertices[vertex];
    for (uint32_t i = 0; i < range.num_weights; i++) {
        if (g->is_loose[mesh->weights[range.first_weight + i].joint])
            return true;
    }
    return false;
}

// Compares the pose at one time of the clip with the records.
static void check_time(golden *g)
{
    const uint32_t num_joints = g->model->skeleton.num_joints;
    expect(g, "time");

    // The engine counts milliseconds, the library seconds. At the time of a frame, one of them can
    // return the end of an interval and the other the start of the next interval.
    char label[32];
    next_token(g, label, sizeof label);
    const double ms = number(g);
    const double cycles = number(g);
    const double cycle = number(g);
    const double frame0 = number(g);
    number(g); // frame2
    number(g); // frontlerp
    const double fraction = number(g);
    const md5_sample_position sample =
        md5_sample_position_at(g->anim, ms / 1000.0, cycles == 1 ? MD5_WRAP_CLAMP : MD5_WRAP_LOOP);
    const double period = g->anim->num_frames > 1 ? g->anim->num_frames - 1 : 1;
    const double expected = cycle * period + frame0 + fraction;
    const double actual_values = (double)sample.cycle * period + sample.frame0 + sample.fraction;
    test_check(fabs(actual_values - expected) < 1e-6 * (1 + fabs(expected)), g->file, 0,
               "at %s (%g ms) the sample position is %.9g, expected %.9g", label, ms, actual_values,
               expected);

    md5_sample(g->binding, sample, MD5_ROOT_ID, g->pose);
    md5_local_to_model(&g->model->skeleton, g->pose, g->joints);
    md5_build_palette(g->model, g->joints, g->palette);
    find_loose(g);
    expect(g, "origin");
    check_vec3(g, "origin", 0, g->pose[0].translation, strict.length);
    expect(g, "animbounds");
    check_bounds(g, "animbounds", md5_anim_bounds(g->anim, sample, MD5_ROOT_ID), strict.length);
    for (uint32_t i = 0; i < num_joints && expect(g, "local"); i++) {
        check_index(g, i);
        const double w = fabs((double)g->pose[i].rotation.w);
        check_transform(g, "local", i, g->pose[i], w < near_zero_w ? loose : strict);
    }
    for (uint32_t i = 0; i < num_joints && expect(g, "world"); i++) {
        check_index(g, i);
        const tolerances allowed = g->is_loose[i] ? loose : strict;
        check_matrix(g, "world", i, &g->joints[i], allowed.rotation, allowed.length);
    }
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t m = 0; m < g->model->num_meshes && expect(g, "skin"); m++) {
        const md5_mesh *const mesh = &g->model->meshes[m];
        check_index(g, m);
        check_count(g, "skinned vertices", mesh->num_file_vertices);
        md5_skin(mesh, g->palette, g->points, NULL, NULL);
        for (uint32_t i = 0; i < mesh->num_file_vertices && expect(g, "v"); i++)
            check_vec3(g, "v", i, g->points[i],
                       vertex_is_loose(g, mesh, i) ? loose.length : strict.length);
        bounds =
            md5_bounds_union(bounds, md5_bounds_from_points(g->points, mesh->num_file_vertices));
    }
    expect(g, "skinbounds");
    check_bounds(g, "skinbounds", bounds, loose.length);
}

// -- Files ----------------------------------------------------------------------------------

// Reads the header of a golden file and loads its model. Returns false if it does not have one.
static bool load(golden *g)
{
    char path[1024];
    md5_error error = {0};
    expect(g, "md5golden");
    check_count(g, "format", 1);
    expect(g, "lenient");
    number(g);
    if (!expect(g, "mesh"))
        return false;
    load_path(g, path, sizeof path);
    g->model = md5_load_model(path, NULL, &error);
    if (!g->model)
        return test_check(false, g->file, 0, "%s: %s", path, error.message);

    uint32_t num_vertices = 1;
    for (uint32_t i = 0; i < g->model->num_meshes; i++) {
        if (g->model->meshes[i].num_vertices > num_vertices)
            num_vertices = g->model->meshes[i].num_vertices;
    }
    const uint32_t num_joints = g->model->skeleton.num_joints;
    const md5_vec3 low = g->model->bounds.min;
    const md5_vec3 high = g->model->bounds.max;
    g->size = sqrt(pow((high.x - low.x), 2) + pow((high.y - low.y), 2) + pow((high.z - low.z), 2));
    g->pose = calloc(num_joints, sizeof *g->pose);
    g->joints = calloc(num_joints, sizeof *g->joints);
    g->palette = calloc(num_joints, sizeof *g->palette);
    g->is_loose = calloc(num_joints, sizeof *g->is_loose);
    g->points = calloc(num_vertices, sizeof *g->points);
    return g->pose && g->joints && g->palette && g->is_loose && g->points;
}

static bool load_anim(golden *g)
{
    char path[1024];
    md5_error error = {0};
    if (!expect(g, "anim"))
        return false;
    load_path(g, path, sizeof path);
    g->anim = md5_load_anim(path, NULL, &error);
    if (!g->anim)
        return test_check(false, g->file, 0, "%s: %s", path, error.message);
    g->binding = md5_bind(g->model, g->anim, NULL, &error);
    if (!g->binding)
        return test_check(false, g->file, 0, "%s: %s", path, error.message);
    return test_check(g->binding->same_order, g->file, 0, "joints do not match in order");
}

// Compares a model, and a clip if there is one, with all records of a golden file.
static void check_all(golden *g)
{
    if (!load(g))
        return;
    check_joints(g);
    for (uint32_t i = 0; i < g->model->num_meshes; i++)
        check_mesh(g, i);
    expect(g, "bindbounds");
    check_bounds(g, "bindbounds", g->model->bounds, loose.length);
    if (!load_anim(g))
        return;
    const md5_anim *const anim = g->anim;
    const md5_vec3 base = anim->base_frame[0].translation;
    expect(g, "numFrames");
    check_count(g, "numFrames", anim->num_frames);
    expect(g, "frameRate");
    test_check(number(g) == anim->frame_rate, g->file, 0, "frame rate");
    expect(g, "numAnimatedComponents");
    check_count(g, "numAnimatedComponents", anim->num_components);
    expect(g, "animLength"); // whole milliseconds, rounded up
    test_check(number(g) == ceil(anim->duration * 1000 - 1e-9), g->file, 0, "length");
    expect(g, "rootbase");
    check_vec3(g, "rootbase", 0, base, strict.length);
    expect(g, "totaldelta");
    const md5_sample_position start = {0};
    const md5_sample_position end = {.frame0 = anim->num_frames - 1,
                                     .frame1 = anim->num_frames - 1};
    const md5_vec3 motion = md5_anim_root_motion(anim, start, end);
    md5_xform *const first = g->pose;
    sample_anim(anim, start, MD5_ROOT_ID, first);
    const md5_vec3 origin = first[0].translation;
    check_vec3(g, "totaldelta", 0,
               (md5_vec3){motion.x + origin.x, motion.y + origin.y, motion.z + origin.z},
               strict.length);
    for (uint32_t i = 0; i < anim->skeleton.num_joints && expect(g, "baseframe"); i++) {
        md5_xform actual_values = anim->base_frame[i];
        if (i == 0)
            actual_values.translation = (md5_vec3){0, 0, 0}; // the engine zeroes it after use
        check_index(g, i);
        check_transform(g, "baseframe", i, actual_values,
                        fabs((double)actual_values.rotation.w) < near_zero_w ? loose : strict);
    }
    while (is_next(g, "time"))
        check_time(g);
    while (is_next(g, "singleframe")) {
        // The record of a single frame. For frame 0 the engine shows the base frame instead.
        expect(g, "singleframe");
        const uint32_t frame = (uint32_t)number(g);
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        sample_anim(g->anim, sample, MD5_ROOT_ID, g->pose);
        for (uint32_t i = 0; i < g->anim->skeleton.num_joints && expect(g, "local"); i++) {
            md5_xform actual_values = frame == 0 ? g->anim->base_frame[i] : g->pose[i];
            if (frame == 0 && i == 0)
                actual_values.translation = (md5_vec3){0, 0, 0};
            check_index(g, i);
            check_transform(g, "singleframe", i, actual_values,
                            fabs((double)actual_values.rotation.w) < near_zero_w ? loose : strict);
        }
    }
    expect(g, "end");
}

// Checks every golden file of `folder`, which is a .txt file that begins with "md5golden". Ignores
// the file with the name `skipped`. Returns the number of files.
static unsigned check_folder(const char *folder, const char *relative_to, const char *skipped)
{
    unsigned count = 0;
    DIR *const entries = opendir(folder);
    if (!entries)
        return 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        SCOPED_STRING text = strstr(entry->d_name, ".txt") ? test_read_file(path, NULL) : NULL;
        if (text && strncmp(text, "md5golden", 9) == 0 && strcmp(entry->d_name, skipped) != 0) {
            golden g = {
                .file = path, .folder = relative_to, .text = test_read_file(path, NULL), .size = 1};
            g.at = g.text;
            if (CHECK(g.text))
                check_all(&g);
            printf("%s: worst rotation %.2g, matrix entry %.2g, length %.2g of the size\n", path,
                   g.max_quaternion_error, g.max_rotation_error, g.max_length_error);
            md5_free_binding(g.binding);
            md5_free_anim(g.anim);
            md5_free_model(g.model);
            free(g.pose);
            free(g.joints);
            free(g.palette);
            free(g.points);
            free(g.is_loose);
            free(g.text);
            count++;
        }
    }
    closedir(entries);
    return count;
}

TEST (golden_files_of_the_original_engine) {
    REQUIRE_CORPUS();
    CHECK_UINT(check_folder(test_path("golden"), test_corpus(), "synth_overlong.txt"), 17);
}

TEST (golden_files_of_the_independent_reference) {
    CHECK(check_folder(test_path("test/reference/data"), test_path("test/reference"), "") >= 7);
}

static void count_warning(void *user, const md5_error *warning)
{
    unsigned *const count = user;
    *count += strstr(warning->message, "normalized") != NULL;
}

// The library normalizes rotations longer than 1, with a warning; the engine uses them unchanged.
TEST (golden_overlong_rotations_become_rotations) {
    REQUIRE_CORPUS();
    unsigned mesh_warnings = 0;
    unsigned anim_warnings = 0;
    md5_load_opts opts = {.warn = count_warning, .warn_user = &mesh_warnings};
    SCOPED_MODEL model =
        md5_load_model(test_path("golden/edge/synth_overlong.md5mesh"), &opts, NULL);
    opts.warn_user = &anim_warnings;
    SCOPED_ANIM anim = md5_load_anim(test_path("golden/edge/synth_overlong.md5anim"), &opts, NULL);
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    REQUIRE(binding);
    const uint32_t count = model->skeleton.num_joints;
    SCOPED_ARRAY(md5_xform, pose, count);
    CHECK(mesh_warnings + anim_warnings > 0);
    for (int step = 0; step < 50; step++) {
        md5_sample(binding, md5_sample_position_at(anim, step * 0.0173, MD5_WRAP_LOOP), MD5_ROOT_ID,
                   pose);
        for (uint32_t i = 0; i < count; i++) {
            const md5_quat q = pose[i].rotation;
            const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
            CHECK_NEAR(square, 1, 3e-5);
            CHECK(isfinite(pose[i].translation.x + pose[i].translation.y));
        }
    }
}
