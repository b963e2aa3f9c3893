// md5tool diff: prints the differences between two files of one kind, or between two folders.
//
// Joints, lines of machine files and paths of files are sorted, and both sorted lists are merged.
// An item of one list that the other does not contain is found in this way. Movements of joints,
// vertices and views are reported as the largest distance and angle (largest_difference).
#include "demo/tool/tool.h"

enum { DIFFERENT = 1, TROUBLE = 2 }; // exit statuses of the command, as of diff(1)

// One of two skeletons, with its joints sorted by name.
typedef struct sorted_joints {
    const md5_skeleton *skeleton;
    const md5_joint **sorted; // [num_joints]
} sorted_joints;

// For qsort: orders pointers to joints by the names of the joints.
static int by_name(const void *a, const void *b)
{
    return strcmp((*(const md5_joint *const *)a)->name, (*(const md5_joint *const *)b)->name);
}

// Returns the joints of a skeleton sorted by name, so that two skeletons can be compared in one
// pass. The caller frees result.sorted.
static sorted_joints sort_joints(const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    sorted_joints result = {skeleton, common_alloc(count, sizeof(md5_joint *))};
    for (uint32_t i = 0; i < count; i++)
        result.sorted[i] = &skeleton->joints[i];
    qsort(result.sorted, count, sizeof *result.sorted, by_name);
    return result;
}

// Returns the name of a joint's parent, or "none" for a root.
static const char *parent_name(const sorted_joints *from, const md5_joint *joint)
{
    return joint->parent == MD5_NONE ? "none" : from->skeleton->joints[joint->parent].name;
}

// Prints a line about a difference, and sets the variable *differs of the calling function.
#define DIFFERS(...) (*differs = true, common_print(stdout, "  " __VA_ARGS__))

// Compares the next entries of two sorted lists of joints: entry i of `a` and entry j of `b`.
// Returns a negative number if entry i has the smaller name, a positive number if entry j has, and
// 0 if both names are equal. A list without a next joint counts as larger than all names.
static int compare_next_joints(const sorted_joints *a, uint32_t i, const sorted_joints *b,
                               uint32_t j)
{
    if (i == a->skeleton->num_joints)
        return 1;
    if (j == b->skeleton->num_joints)
        return -1;
    return by_name(&a->sorted[i], &b->sorted[j]);
}

// Compares two joints with the same name. Prints a difference if their parents have different
// names. Returns true if both joints have the same index.
static bool diff_joint(const sorted_joints *joints_a, const md5_joint *joint_a,
                       const sorted_joints *joints_b, const md5_joint *joint_b, bool *differs)
{
    const char *const first = parent_name(joints_a, joint_a);
    const char *const second = parent_name(joints_b, joint_b);
    if (strcmp(first, second) != 0)
        DIFFERS("joint %s: the parent changed from %s to %s\n", joint_a->name, first, second);
    return joint_a - joints_a->skeleton->joints == joint_b - joints_b->skeleton->joints;
}

// Prints the differences of two skeletons: joints that only one of them has, different parents, and
// a different order. Returns an array that contains the joint of `b` for each joint of `a`, matched
// by name, or MD5_NONE. The caller frees it.
//
// The function merges the two lists of joints, which are sorted by name. A name that is next in
// only one list does not exist in the other skeleton.
static uint32_t *diff_joints(const md5_skeleton *a, const md5_skeleton *b, bool *differs)
{
    const sorted_joints joints_a = sort_joints(a);
    const sorted_joints joints_b = sort_joints(b);
    uint32_t *const pairs = common_alloc(a->num_joints, sizeof *pairs);
    bool is_same_order = true;

    uint32_t i = 0; // indices in the sorted joints
    uint32_t j = 0;
    while (i < a->num_joints || j < b->num_joints) {
        const int order = compare_next_joints(&joints_a, i, &joints_b, j);
        if (order < 0) {
            const md5_joint *const joint = joints_a.sorted[i++];
            DIFFERS("joint %s: only in the first file\n", joint->name);
            pairs[joint - a->joints] = MD5_NONE;
        } else if (order > 0) {
            const md5_joint *const joint = joints_b.sorted[j++];
            DIFFERS("joint %s: only in the second file\n", joint->name);
        } else {
            const md5_joint *const joint_a = joints_a.sorted[i++];
            const md5_joint *const joint_b = joints_b.sorted[j++];
            pairs[joint_a - a->joints] = (uint32_t)(joint_b - b->joints);
            if (!diff_joint(&joints_a, joint_a, &joints_b, joint_b, differs))
                is_same_order = false;
        }
    }

    if (!is_same_order)
        DIFFERS("joints: the order differs\n");
    free(joints_a.sorted);
    free(joints_b.sorted);
    return pairs;
}

// The largest differences of a position and of a rotation, with their joints and frames.
typedef struct largest_difference {
    double distance; // units, in model space
    double degrees;
    uint32_t distance_joint;
    uint32_t degrees_joint;
    uint32_t distance_frame;
    uint32_t degrees_frame;
} largest_difference;

// Returns the angle of the rotation from p to q in degrees. It is twice the angle between the unit
// quaternions. It is computed from the length of the chord. The arc cosine of a dot product would
// be inexact for small angles.
static double angle_between(md5_quat p, md5_quat q)
{
    // q and -q are the same rotation, so measure the distance to the nearer one.
    const double sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -1 : 1;
    const double x = q.x - sign * p.x;
    const double y = q.y - sign * p.y;
    const double z = q.z - sign * p.z;
    const double w = q.w - sign * p.w;
    const double chord = sqrt(x * x + y * y + z * z + w * w);
    return 4 * asin(fmin(0.5 * chord, 1.0)) * 180.0 / 3.14159265358979323846;
}

// Compares two transforms of a joint or of a camera in one frame. If a difference is the largest so
// far, stores it with the joint and the frame.
static void add_difference(largest_difference *largest, md5_mat34 a, md5_mat34 b, uint32_t joint,
                           uint32_t frame)
{
    const md5_vec3 position_a = md5_mat34_translation(a);
    const md5_vec3 position_b = md5_mat34_translation(b);
    const double distance = md5_vec3_length(md5_vec3_sub(position_b, position_a));
    const double degrees = angle_between(md5_quat_from_mat34(a), md5_quat_from_mat34(b));
    if (distance > largest->distance) {
        largest->distance = distance;
        largest->distance_joint = joint;
        largest->distance_frame = frame;
    }
    if (degrees > largest->degrees) {
        largest->degrees = degrees;
        largest->degrees_joint = joint;
        largest->degrees_frame = frame;
    }
}

// Prints the counts of both files if they differ.
static void print_count(const char *name, uint32_t a, uint32_t b, bool *differs)
{
    if (a != b)
        DIFFERS("%s: %u, then %u\n", name, a, b);
}

// Prints the frame rates of both files if they differ.
static void print_rate(double a, double b, bool *differs)
{
    if (a < b || a > b)
        DIFFERS("frame rate: changed from %g to %g frames per second\n", a, b);
}

// -- Models ---------------------------------------------------------------------------------------

// Prints the differences of the shaders, the names, and the numbers of vertices, triangles and
// weights of two meshes.
static void diff_mesh_tables(uint32_t index, const md5_mesh *a, const md5_mesh *b, bool *differs)
{
    char name[64];
    const struct {
        const char *name;
        uint32_t a;
        uint32_t b;
    } counts[] = {{"vertices", a->num_file_vertices, b->num_file_vertices},
                  {"triangles", a->num_triangles, b->num_triangles},
                  {"weights", a->num_weights, b->num_weights}};
    if (strcmp(a->shader, b->shader) != 0)
        DIFFERS("mesh %u: the shader changed from %s to %s\n", index, a->shader, b->shader);
    if (strcmp(a->name, b->name) != 0)
        DIFFERS("mesh %u: the name changed from %s to %s\n", index, a->name, b->name);
    for (size_t i = 0; i < COMMON_LENGTH(counts); i++) {
        COMMON_TEXT(name, "mesh %u: %s", index, counts[i].name);
        print_count(name, counts[i].a, counts[i].b, differs);
    }
}

// Prints how many vertices are at different positions in the bind pose, and the largest distance.
static void diff_positions(uint32_t index, const md5_mesh *a, const md5_mesh *b, bool *differs)
{
    double max_distance = 0;
    uint32_t farthest = 0; // index in the file of the vertex with the largest distance
    uint32_t num_moved = 0;
    for (uint32_t i = 0; i < a->num_vertices; i++) {
        const double distance = md5_vec3_length(md5_vec3_sub(b->positions[i], a->positions[i]));
        if (distance > 0)
            num_moved++;
        if (distance > max_distance) {
            max_distance = distance;
            farthest = a->sources[i];
        }
    }
    if (num_moved > 0)
        DIFFERS("mesh %u: %u %s moved in the bind pose, by up to %g units (vertex %u)\n", index,
                num_moved, common_noun(num_moved, "vertex", "vertices"), max_distance, farthest);
}

// Reports the largest difference of a texture coordinate between two meshes with equally many
// vertices.
static void diff_texcoords(uint32_t index, const md5_mesh *a, const md5_mesh *b, bool *differs)
{
    double max_shift = 0;
    for (uint32_t i = 0; i < a->num_vertices; i++) {
        const double u = fabs((double)b->texcoords[i].x - (double)a->texcoords[i].x);
        const double v = fabs((double)b->texcoords[i].y - (double)a->texcoords[i].y);
        max_shift = fmax(max_shift, fmax(u, v));
    }
    if (max_shift > 0)
        DIFFERS("mesh %u: texture coordinates differ by up to %g\n", index, max_shift);
}

// Prints the differences of two meshes. Vertices and triangles are compared only if both meshes
// have the same numbers of them.
static void diff_meshes(uint32_t index, const md5_mesh *a, const md5_mesh *b, bool *differs)
{
    diff_mesh_tables(index, a, b, differs);
    if (a->num_vertices != b->num_vertices || a->num_triangles != b->num_triangles)
        return;
    diff_positions(index, a, b, differs);
    diff_texcoords(index, a, b, differs);
    const size_t num_indices = 3 * (size_t)a->num_triangles;
    if (memcmp(a->indices, b->indices, num_indices * sizeof *a->indices) != 0)
        DIFFERS("mesh %u: triangles have different vertices\n", index);
}

// Prints the differences of two models: joints, bind pose and meshes. Joints are matched by name,
// and meshes by index.
static void diff_models(const md5_model *a, const md5_model *b, bool *differs)
{
    const md5_joint *const joints = a->skeleton.joints;
    uint32_t *const pairs = diff_joints(&a->skeleton, &b->skeleton, differs);
    largest_difference bind = {0};
    for (uint32_t i = 0; i < a->skeleton.num_joints; i++) {
        if (pairs[i] != MD5_NONE)
            add_difference(&bind, a->bind[i], b->bind[pairs[i]], i, 0);
    }

    if (bind.distance > 0)
        DIFFERS("bind pose: joints moved by up to %g units (%s)\n", bind.distance,
                joints[bind.distance_joint].name);
    if (bind.degrees > 0)
        DIFFERS("bind pose: joints rotated by up to %g degrees (%s)\n", bind.degrees,
                joints[bind.degrees_joint].name);
    print_count("meshes", a->num_meshes, b->num_meshes, differs);
    for (uint32_t i = 0; i < a->num_meshes && i < b->num_meshes; i++)
        diff_meshes(i, &a->meshes[i], &b->meshes[i], differs);
    free(pairs);
}

// -- Animations -----------------------------------------------------------------------------------

// Prints the largest difference of the bounds, in the frames that both animations have.
static void diff_frame_bounds(const md5_anim *a, const md5_anim *b, bool *differs)
{
    if (!a->frame_bounds && !b->frame_bounds)
        return;
    if (!a->frame_bounds || !b->frame_bounds) {
        DIFFERS("frame bounds: only in the %s file\n", a->frame_bounds ? "first" : "second");
        return;
    }

    double max_distance = 0;
    uint32_t max_frame = 0;
    for (uint32_t i = 0; i < a->num_frames && i < b->num_frames; i++) {
        const md5_bounds *const bounds_a = &a->frame_bounds[i];
        const md5_bounds *const bounds_b = &b->frame_bounds[i];
        const double distance =
            fmax((double)md5_vec3_length(md5_vec3_sub(bounds_a->min, bounds_b->min)),
                 (double)md5_vec3_length(md5_vec3_sub(bounds_a->max, bounds_b->max)));
        if (distance > max_distance) {
            max_distance = distance;
            max_frame = i;
        }
    }
    if (max_distance > 0)
        DIFFERS("frame bounds differ by up to %g units (frame %u)\n", max_distance, max_frame);
}

// Returns the largest differences between the poses of two animations, in model space. Only frames
// that both animations have are compared. pairs[] is the result of diff_joints().
static largest_difference compare_poses(const md5_binding *binding_a, const md5_binding *binding_b,
                                        const uint32_t *pairs)
{
    const md5_anim *const a = binding_a->anim;
    const md5_anim *const b = binding_b->anim;
    const uint32_t num_a = a->skeleton.num_joints;
    const uint32_t num_b = b->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_a > num_b ? num_a : num_b, sizeof *pose);
    md5_mat34 *const joints_a = common_alloc(num_a, sizeof *joints_a);
    md5_mat34 *const joints_b = common_alloc(num_b, sizeof *joints_b);

    largest_difference found = {0};
    for (uint32_t i = 0; i < a->num_frames && i < b->num_frames; i++) {
        const md5_sample_position frame = {.frame0 = i, .frame1 = i};
        md5_sample(binding_a, frame, MD5_ROOT_FILE, pose);
        md5_local_to_model(&a->skeleton, pose, joints_a);
        md5_sample(binding_b, frame, MD5_ROOT_FILE, pose);
        md5_local_to_model(&b->skeleton, pose, joints_b);
        for (uint32_t k = 0; k < num_a; k++) {
            if (pairs[k] != MD5_NONE)
                add_difference(&found, joints_a[k], joints_b[pairs[k]], k, i);
        }
    }

    free(joints_b);
    free(joints_a);
    free(pose);
    return found;
}

// Prints the differences of two skeletons, and the largest differences of the poses. Each animation
// is sampled with its own skeleton, and joints are matched by name.
static void diff_poses(const md5_binding *binding_a, const md5_binding *binding_b, bool *differs)
{
    const md5_skeleton *const a = &binding_a->anim->skeleton;
    uint32_t *const pairs = diff_joints(a, &binding_b->anim->skeleton, differs);
    const largest_difference found = compare_poses(binding_a, binding_b, pairs);
    if (found.distance > 0)
        DIFFERS("joints moved by up to %g units (%s, frame %u)\n", found.distance,
                a->joints[found.distance_joint].name, found.distance_frame);
    if (found.degrees > 0)
        DIFFERS("joints rotated by up to %g degrees (%s, frame %u)\n", found.degrees,
                a->joints[found.degrees_joint].name, found.degrees_frame);
    free(pairs);
}

// Prints the differences of two animations. Returns false and sets `error` if one of them cannot be
// sampled.
static bool diff_anims(const md5_anim *a, const md5_anim *b, bool *differs, md5_error *error)
{
    md5_binding *const binding_a = md5_bind_skeleton(&a->skeleton, a->base_frame, a, NULL, error);
    md5_binding *const binding_b = md5_bind_skeleton(&b->skeleton, b->base_frame, b, NULL, error);
    const bool is_bound = binding_a && binding_b;
    print_count("frames", a->num_frames, b->num_frames, differs);
    print_rate(a->frame_rate, b->frame_rate, differs);
    if (is_bound)
        diff_poses(binding_a, binding_b, differs);
    md5_free_binding(binding_a);
    md5_free_binding(binding_b);
    diff_frame_bounds(a, b, differs);
    return is_bound;
}

// -- Cameras --------------------------------------------------------------------------------------

// Returns true if two cuts of a camera path have bit-identical views. The file of a path can store
// a position, a rotation, both or neither for a cut.
static bool has_same_view(const md5_cut_view *a, const md5_cut_view *b)
{
    if (a->cut != b->cut || a->has_position != b->has_position
        || a->has_rotation != b->has_rotation)
        return false;
    if (a->has_position && memcmp(&a->position, &b->position, sizeof a->position) != 0)
        return false;
    return !a->has_rotation || memcmp(&a->rotation, &b->rotation, sizeof a->rotation) == 0;
}

// Prints the differences of the frames at which the camera cuts, and of the views at the cuts.
static void diff_cuts(const md5_camera *a, const md5_camera *b, bool *differs)
{
    print_count("cuts", a->num_cuts, b->num_cuts, differs);
    if (a->num_cuts == b->num_cuts && a->num_cuts > 0
        && memcmp(a->cuts, b->cuts, a->num_cuts * sizeof *a->cuts) != 0)
        DIFFERS("cuts: the frames differ\n");
    print_count("cut views", a->num_cut_views, b->num_cut_views, differs);
    for (uint32_t i = 0; i < a->num_cut_views && i < b->num_cut_views; i++) {
        if (!has_same_view(&a->cut_views[i], &b->cut_views[i]))
            DIFFERS("cut %u: the view differs\n", a->cut_views[i].cut);
    }
}

// Returns the transform of a camera as a matrix.
static md5_mat34 camera_matrix(const md5_camera_view *view)
{
    return md5_mat34_from_xform(
        (md5_xform){.rotation = view->rotation, .translation = view->position});
}

// Prints the differences of two camera paths, in the frames that both have.
static void diff_cameras(const md5_camera *a, const md5_camera *b, bool *differs)
{
    print_count("frames", a->num_frames, b->num_frames, differs);
    diff_cuts(a, b, differs);
    print_rate(a->frame_rate, b->frame_rate, differs);

    largest_difference view = {0};
    double max_fov = 0; // largest difference of the fields of view
    for (uint32_t i = 0; i < a->num_frames && i < b->num_frames; i++) {
        const md5_camera_view *const x = &a->frames[i];
        const md5_camera_view *const y = &b->frames[i];
        add_difference(&view, camera_matrix(x), camera_matrix(y), 0, i);
        max_fov = fmax(max_fov, fabs((double)x->fov - (double)y->fov));
    }
    if (view.distance > 0)
        DIFFERS("views moved by up to %g units (frame %u)\n", view.distance, view.distance_frame);
    if (view.degrees > 0)
        DIFFERS("views rotated by up to %g degrees (frame %u)\n", view.degrees, view.degrees_frame);
    if (max_fov > 0)
        DIFFERS("fields of view differ by up to %g degrees\n", max_fov);
}

// -- Machines -------------------------------------------------------------------------------------

// The lines of a text in alphabetical order.
typedef struct text_lines {
    char *text;
    char **lines; // [count] sorted
    size_t count;
} text_lines;

// Returns the lines of a machine file as the library would write it. Layout and comments of the
// original file therefore do not count as differences. If the machine cannot be written, sets the
// error and returns no lines.
static text_lines list_lines(const md5_character *character, md5_error *error)
{
    const md5_machine_desc *const desc = md5_machine_tables(character->machine);
    const size_t size = md5_write_machine(desc, NULL, NULL, 0, error);
    text_lines result = {.text = common_alloc(size + 1, 1)};
    md5_write_machine(desc, NULL, result.text, size + 1, error);
    char *line = size > 0 ? result.text : NULL;
    while (line && *line != '\0') {
        char *const end = strchr(line, '\n');
        if (end)
            *end = '\0';
        result.lines = common_grow(result.lines, result.count, sizeof *result.lines);
        result.lines[result.count++] = line;
        line = end ? end + 1 : NULL;
    }
    common_sort(result.lines, result.count, sizeof *result.lines, common_order_by_text);
    return result;
}

// Compares the next lines of two sorted texts while they are merged: line i of `a` and line j of
// `b`. Like strcmp(), returns a negative number if the line of `a` is smaller, a positive number if
// the line of `b` is smaller, and 0 if both are equal. A text without a next line counts as larger.
// The remaining lines of the other text then come first.
static int compare_lines(const text_lines *a, size_t i, const text_lines *b, size_t j)
{
    if (i == a->count)
        return 1;
    if (j == b->count)
        return -1;
    return strcmp(a->lines[i], b->lines[j]);
}

// Prints the lines that only one of two machines has, by merging the two sorted lists of lines.
// Returns false and sets `error` if a machine cannot be written as text.
static bool diff_machines(const md5_character *a, const md5_character *b, bool *differs,
                          md5_error *error)
{
    text_lines lines_a = list_lines(a, error);
    text_lines lines_b = list_lines(b, error);
    const bool is_done = lines_a.count > 0 && lines_b.count > 0;

    size_t i = 0;
    size_t j = 0;
    while (is_done && (i < lines_a.count || j < lines_b.count)) {
        const int order = compare_lines(&lines_a, i, &lines_b, j);
        if (order < 0) {
            DIFFERS("- %s\n", lines_a.lines[i++]);
        } else if (order > 0) {
            DIFFERS("+ %s\n", lines_b.lines[j++]);
        } else {
            i++;
            j++;
        }
    }

    free(lines_a.lines);
    free(lines_a.text);
    free(lines_b.lines);
    free(lines_b.text);
    return is_done;
}

// -- Files and folders ----------------------------------------------------------------------------

// Returns true if two files can be read and have the same contents.
static bool has_same_bytes(const char *first, const char *second)
{
    size_t size = 0;
    size_t second_size = 0;
    char *const bytes = tool_read_file(NULL, first, &size);
    char *const second_bytes = bytes ? tool_read_file(NULL, second, &second_size) : NULL;
    const bool is_same =
        second_bytes && size == second_size && memcmp(bytes, second_bytes, size) == 0;
    free(second_bytes);
    free(bytes);
    return is_same;
}

// Returns the type of a loaded file, for messages.
static const char *describe_type(const tool_asset *asset)
{
    if (asset->model)
        return "a model";
    if (asset->anim)
        return "an animation";
    if (asset->camera)
        return "a camera path";
    return asset->character ? "a state machine" : "an md5.cfg file";
}

// Prints the differences of two files of the same kind, and sets *differs. `first` and `second` are
// their paths. Returns false and sets `error` if the files have different kinds.
static bool diff_assets(const tool_asset *a, const tool_asset *b, const char *first,
                        const char *second, bool *differs, md5_error *error)
{
    if (a->model && b->model) {
        diff_models(a->model, b->model, differs);
        return true;
    }
    if (a->anim && b->anim)
        return diff_anims(a->anim, b->anim, differs, error);
    if (a->character && b->character)
        return diff_machines(a->character, b->character, differs, error);
    if (a->camera && b->camera) {
        diff_cameras(a->camera, b->camera, differs);
        return true;
    }
    if (a->cube && b->cube) {
        if (!has_same_bytes(first, second))
            DIFFERS("the text of the files differs\n");
        return true;
    }
    return convert_fail(error, MD5_ERROR_MISMATCH, second,
                        "cannot compare files of different types: expected %s as the first file, "
                        "found %s",
                        describe_type(a), describe_type(b));
}

// Compares two files and prints the differences. Returns an exit status: TOOL_OK if they are
// equal, DIFFERENT, or TROUBLE after an error.
static int diff_files(const char *first, const char *second)
{
    tool_asset a = {0};
    tool_asset b = {0};
    md5_error error = {0};
    bool has_differed = false;
    bool is_done = tool_load(first, NULL, &a, &error) && tool_load(second, NULL, &b, &error);
    if (is_done)
        is_done = diff_assets(&a, &b, first, second, &has_differed, &error);
    tool_free(&a);
    tool_free(&b);
    if (!is_done) {
        tool_print_error(NULL, &error);
        return TROUBLE;
    }
    return has_differed ? DIFFERENT : TOOL_OK;
}

// For common_walk: returns true for files that md5tool reads.
static bool is_compared(const char *name)
{
    return tool_file_kind(name) != TOOL_UNKNOWN;
}

// Compares the next relative paths of two sorted lists while they are merged. Returns a negative
// number if `a` is smaller, a positive number if `b` is, and 0 if both are equal. NULL means that
// the list has no next path. It counts as larger than all paths.
static int compare_paths(const char *a, const char *b)
{
    if (!a)
        return 1;
    return b ? strcmp(a, b) : -1;
}

// Returns the sorted files of a folder. Sets *status to TROUBLE if it was not read completely.
static common_list list_compared_files(const char *folder, int *status)
{
    common_walk walk = {.is_wanted = is_compared};
    common_list files = common_walk_folder(folder, &walk);
    if (walk.warning[0] != '\0') {
        common_print(stderr, "%s: warning: %s\n", folder, walk.warning);
        *status = TROUBLE;
    }
    common_sort(files.names, files.count, sizeof(char *), common_order_by_text);
    return files;
}

// Compares two files with the same relative path. Files with the same bytes are not printed.
// Returns an exit status.
static int diff_same_path(const char *first, const char *second, const char *relative_path)
{
    if (has_same_bytes(first, second))
        return TOOL_OK;
    common_print(stdout, "%s\n", relative_path);
    return diff_files(first, second);
}

// Compares the files with the same relative paths in two folders, and prints the files that only
// one folder contains. Returns an exit status, the worst of all files.
static int diff_folders(const char *first, const char *second)
{
    int status = TOOL_OK;
    common_list in_first = list_compared_files(first, &status);
    common_list in_second = list_compared_files(second, &status);

    // Merge the two sorted lists.
    size_t i = 0;
    size_t j = 0;
    while (i < in_first.count || j < in_second.count) {
        const char *const a = i < in_first.count ? in_first.names[i] + strlen(first) : NULL;
        const char *const b = j < in_second.count ? in_second.names[j] + strlen(second) : NULL;
        const int order = compare_paths(a, b);
        int file_status = DIFFERENT;
        if (order < 0) {
            common_print(stdout, "%s: only in the first\n", a);
            i++;
        } else if (order > 0) {
            common_print(stdout, "%s: only in the second\n", b);
            j++;
        } else {
            file_status = diff_same_path(in_first.names[i], in_second.names[j], a);
            i++;
            j++;
        }
        if (file_status > status)
            status = file_status;
    }

    common_free_list(&in_first);
    common_free_list(&in_second);
    return status;
}

// md5tool diff: compares two files, or the files of two folders. Returns an exit status.
static int diff(tool_arguments *arguments)
{
    const char *const first = arguments->operands[0];
    const char *const second = arguments->operands[1];
    const bool is_first_folder = common_is_folder(first);
    const bool is_second_folder = common_is_folder(second);
    if (is_first_folder && is_second_folder)
        return diff_folders(first, second);
    if (is_first_folder || is_second_folder)
        return tool_usage("diff",
                          "cannot compare a folder with a file: expected two files or two folders, "
                          "found the folder '%s'",
                          is_first_folder ? first : second);
    return diff_files(first, second);
}

const tool_command tool_diff = {
    "diff",
    diff,
    2,
    2,
    "two files or two folders",
    "usage: md5tool diff FIRST SECOND\n"
    "\n"
    "Prints the differences between two models, animations, camera paths, machines or md5.cfg\n"
    "files, or between the files of two folders: joints by name, parents, the largest movement of\n"
    "joints and vertices in units and degrees, bounds and counts. For machines it prints the "
    "lines\n"
    "that only one file contains, in normalized form.\n"
    "The exit status is 0 if the files are equal, 1 if they differ, and 2 if they cannot be\n"
    "compared.\n"};
