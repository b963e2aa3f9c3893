// md5tool dump: prints all numbers of a model, in the bind pose and posed. Each record is one line,
// so that other programs can compare them. md5tool curves: prints curves of clips for machine
// files.
#include "demo/tool/tool.h"

// A record is a line: a keyword, followed by texts, integers and floats. As JSON it is an object
// whose "kind" is the keyword, with "index" and "numbers".

// Prints the numbers of a record, and ends it. Nine digits identify each float.
static void print_numbers(bool is_json, const float *values, int count)
{
    for (int i = 0; i < count; i++)
        common_print_either(is_json, " %.9g", i > 0 ? ",%.9g" : ",\"numbers\":[%.9g", values[i]);
    puts(is_json ? "]}" : "");
}

// Prints a record without an index: its keyword `label` and its numbers.
static void print_floats(bool is_json, const char *label, const float *values, int count)
{
    common_print_either(is_json, "%s", "{\"kind\":%s", label);
    print_numbers(is_json, values, count);
}

// Prints a record with an index, such as a joint.
static void print_indexed(bool is_json, const char *label, uint32_t index, const float *values,
                          int count)
{
    common_print_either(is_json, "%s %u", "{\"kind\":%s,\"index\":%u", label, index);
    print_numbers(is_json, values, count);
}

// Prints bounds as a record of six numbers: the minimum, then the maximum.
static void print_bounds(bool is_json, const char *label, md5_bounds bounds)
{
    const float values[6] = {bounds.min.x, bounds.min.y, bounds.min.z,
                             bounds.max.x, bounds.max.y, bounds.max.z};
    print_floats(is_json, label, values, 6);
}

// Prints a transform as a record of seven numbers: the quaternion x y z w, then the translation.
static void print_transform(bool is_json, const char *label, uint32_t index,
                            const md5_xform *transform)
{
    const md5_quat q = transform->rotation;
    const md5_vec3 t = transform->translation;
    print_indexed(is_json, label, index, (const float[]){q.x, q.y, q.z, q.w, t.x, t.y, t.z}, 7);
}

// Returns true for joints that --joint selects, or for all joints without --joint.
static bool is_selected(const tool_arguments *arguments, const md5_skeleton *skeleton,
                        uint32_t joint)
{
    for (size_t i = 0; i < arguments->joints.count; i++) {
        if (strcmp(arguments->joints.names[i], skeleton->joints[joint].name) == 0)
            return true;
    }
    return arguments->joints.count == 0;
}

// Returns the frame number of --frame, clamped to the frames of a clip.
static uint32_t clamp_frame(double frame, uint32_t last)
{
    if (frame < 0)
        return 0;
    return frame > last ? last : (uint32_t)frame;
}

// The arrays into which a model is posed and skinned.
typedef struct animated_model {
    md5_xform *pose;    // [joints]
    md5_mat34 *joints;  // [joints]
    md5_mat34 *palette; // [joints]
    md5_vec3 *points;   // points of the largest mesh
} animated_model;

// Allocates the arrays for a model. One array of points is used for all meshes, one after the
// other.
static animated_model create_arrays(const md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    size_t max_points = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const size_t num_points = model->meshes[i].num_vertices;
        max_points = num_points > max_points ? num_points : max_points;
    }
    return (animated_model){
        .pose = common_alloc(num_joints, sizeof(md5_xform)),
        .joints = common_alloc(num_joints, sizeof(md5_mat34)),
        .palette = common_alloc(num_joints, sizeof(md5_mat34)),
        .points = common_alloc(max_points, sizeof(md5_vec3)),
    };
}

static void free_arrays(const animated_model *arrays)
{
    free(arrays->points);
    free(arrays->palette);
    free(arrays->joints);
    free(arrays->pose);
}

// Prints the skinned vertices of all meshes and their bounds, computed by the library's scalar
// code.
static void print_skin(bool is_json, const md5_model *model, const animated_model *arrays)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const uint32_t num_vertices = mesh->num_file_vertices;
        md5_skin(mesh, arrays->palette, arrays->points, NULL, NULL);
        common_print_either(is_json, "skin %u %u\n",
                            "{\"kind\":\"skin\",\"index\":%u,\"vertices\":%u}\n", i, num_vertices);
        for (uint32_t v = 0; v < num_vertices; v++)
            print_floats(is_json, "v", &arrays->points[v].x, 3);
        const md5_bounds mesh_bounds = md5_bounds_from_points(arrays->points, num_vertices);
        bounds = md5_bounds_union(bounds, mesh_bounds);
    }
    print_bounds(is_json, "skinbounds", bounds);
}

// Returns the sample position of a time of the command line, and sets *milliseconds. The time is in
// milliseconds or, if arguments->counts_frames, a number of frames.
static md5_sample_position find_sample(const tool_arguments *arguments, const md5_anim *anim,
                                       double time, double *milliseconds)
{
    if (arguments->counts_frames) {
        const uint32_t frame = clamp_frame(time, anim->num_frames - 1);
        *milliseconds = 1000 * time / anim->frame_rate;
        return (md5_sample_position){.frame0 = frame, .frame1 = frame};
    }
    *milliseconds = time;
    return md5_sample_position_at(anim, time / 1000.0, MD5_WRAP_LOOP);
}

// Prints the selected joints of a pose: their local transforms, then their model-space matrices.
static void print_pose(const tool_arguments *arguments, const md5_skeleton *skeleton,
                       const animated_model *arrays)
{
    const bool is_json = arguments->is_json;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (is_selected(arguments, skeleton, i))
            print_transform(is_json, "local", i, &arrays->pose[i]);
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (is_selected(arguments, skeleton, i))
            print_indexed(is_json, "world", i, arrays->joints[i].m, 12);
    }
}

// Prints the pose and the skin at a time. They consist of the sample position, the root, the
// bounds, the joints, and the skin.
static void print_time(const tool_arguments *arguments, const md5_model *model,
                       const md5_binding *binding, double time, const animated_model *arrays)
{
    const bool is_json = arguments->is_json;
    const md5_anim *const anim = binding->anim;
    double milliseconds = 0;
    const md5_sample_position sample = find_sample(arguments, anim, time, &milliseconds);
    md5_sample(binding, sample, arguments->root, arrays->pose);
    md5_local_to_model(&model->skeleton, arrays->pose, arrays->joints);
    md5_build_palette(model, arrays->joints, arrays->palette);

    common_print_either(is_json, "time at %.9g 0 %lld %u %u %.9g %.9g\n",
                        "{\"kind\":\"time\",\"milliseconds\":%.9g,\"cycle\":%lld,\"frame0\":"
                        "%u,\"frame1\":%u,\"numbers\":[%.9g,%.9g]}\n",
                        milliseconds, (long long)sample.cycle, sample.frame0, sample.frame1,
                        1 - (double)sample.fraction, sample.fraction);
    print_floats(is_json, "origin", &arrays->pose[0].translation.x, 3);
    print_bounds(is_json, "animbounds", md5_anim_bounds(anim, sample, arguments->root));
    print_pose(arguments, &model->skeleton, arrays);
    if (arguments->joints.count == 0)
        print_skin(is_json, model, arrays);
}

// Prints the model at each time. Returns false and sets the error if the animation cannot be read
// or bound.
static bool dump_times(const md5_model *model, const tool_arguments *arguments, md5_error *error)
{
    const char *const path = arguments->operands[1];
    md5_anim *const anim = md5_load_anim(path, NULL, error);
    const md5_load_opts opts = {
        .file_name = path, .warn = tool_print_error, .allow_partial_binding = true};
    md5_binding *const binding = md5_bind(model, anim, &opts, error);
    if (binding) {
        const animated_model arrays = create_arrays(model);
        common_print_either(arguments->is_json, "anim %s\n", "{\"kind\":\"anim\",\"file\":%s}\n",
                            path);
        // Without --ms, the time is 0.
        for (int i = 0; i == 0 || i < arguments->num_times; i++)
            print_time(arguments, model, binding, arguments->times[i], &arrays);
        free_arrays(&arrays);
    }
    md5_free_binding(binding);
    md5_free_anim(anim);
    return binding;
}

// Returns false and sets the error if --joint names an unknown joint.
static bool check_joint_names(const tool_arguments *arguments, const md5_skeleton *skeleton,
                              md5_error *error)
{
    for (size_t i = 0; i < arguments->joints.count; i++) {
        const char *const name = arguments->joints.names[i];
        if (md5_find_joint(skeleton, name) == MD5_NONE)
            return convert_fail(error, MD5_ERROR_RANGE, arguments->operands[0],
                                "unknown joint '%.150s': expected the name of a joint of the "
                                "model; run md5tool info to list the joints",
                                name);
    }
    return true;
}

// Prints the joints that --joint selects. Prints their names and parents first, then their bind
// poses in model space, then their bind poses relative to their parents. Each line has a keyword,
// so that scripts can select lines.
static void print_joints(const tool_arguments *arguments, const md5_model *model)
{
    const bool is_json = arguments->is_json;
    const md5_skeleton *const skeleton = &model->skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (!is_selected(arguments, skeleton, i))
            continue;
        common_print_either(is_json, "joint %u %d \"%s\"\n",
                            "{\"kind\":\"joint\",\"index\":%u,\"parent\":%d,\"name\":%s}\n", i,
                            (int)skeleton->joints[i].parent, skeleton->joints[i].name);
    }

    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (is_selected(arguments, skeleton, i))
            print_indexed(is_json, "bindmat", i, model->bind[i].m, 12);
    }

    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (is_selected(arguments, skeleton, i))
            print_transform(is_json, "bindlocal", i, &model->bind_local[i]);
    }
}

// Prints the numbers of a mesh: texture coordinates, triangles, and positions in the bind pose. The
// numbers are in the order of the file; `sources` converts the indices of triangles to this order.
static void print_mesh(bool is_json, uint32_t index, const md5_mesh *mesh)
{
    uint64_t num_used_weights = 0;
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++)
        num_used_weights += mesh->file_vertices[i].num_weights;

    common_print_either(is_json, "submesh %u \"%s\" %u %u %u %llu %u\n",
                        "{\"kind\":\"submesh\",\"index\":%u,\"shader\":%s,\"vertices\":%u,"
                        "\"triangles\":%u,\"weights\":%u,\"used_weights\":%llu,"
                        "\"max_weights\":%u}\n",
                        index, mesh->shader, mesh->num_file_vertices, mesh->num_triangles,
                        mesh->num_weights, (unsigned long long)num_used_weights, mesh->max_weights);

    for (uint32_t i = 0; i < mesh->num_file_vertices; i++)
        print_floats(is_json, "st", &mesh->texcoords[i].x, 2);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corners = mesh->indices + 3 * (size_t)i;
        common_print_either(
            is_json, "tri %u %u %u\n", "{\"kind\":\"tri\",\"numbers\":[%u,%u,%u]}\n",
            mesh->sources[corners[0]], mesh->sources[corners[1]], mesh->sources[corners[2]]);
    }
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++)
        print_floats(is_json, "bv", &mesh->positions[i].x, 3);
}

// Prints the records of a model in the bind pose. With --joint, meshes are skipped.
static void print_bind_pose(const tool_arguments *arguments, const md5_model *model)
{
    const bool is_json = arguments->is_json;
    puts(is_json ? "{\"kind\":\"md5golden\",\"version\":1}" : "md5golden 1");
    common_print_either(is_json, "mesh %s\nnumJoints %u\nnumMeshes %u\n",
                        "{\"kind\":\"mesh\",\"file\":%s,\"joints\":%u,\"meshes\":%u}\n",
                        arguments->operands[0], model->skeleton.num_joints, model->num_meshes);
    print_joints(arguments, model);
    const uint32_t num_meshes = arguments->joints.count == 0 ? model->num_meshes : 0;
    for (uint32_t i = 0; i < num_meshes; i++)
        print_mesh(is_json, i, &model->meshes[i]);
    print_bounds(is_json, "bindbounds", model->bounds);
}

// md5tool dump: prints the model in the bind pose and, with an animation, at each time. Returns an
// exit status.
static int dump(tool_arguments *arguments)
{
    md5_error error = {0};
    md5_model *const model = md5_load_model(arguments->operands[0], NULL, &error);
    if (!model)
        return tool_end(false, &error);
    if (!check_joint_names(arguments, &model->skeleton, &error)) {
        md5_free_model(model);
        return tool_end(false, &error);
    }

    print_bind_pose(arguments, model);
    const bool is_done = arguments->num_operands < 2 || dump_times(model, arguments, &error);
    if (is_done)
        puts(arguments->is_json ? "{\"kind\":\"end\"}" : "end");
    md5_free_model(model);
    return tool_end(is_done, &error);
}

const tool_command tool_dump = {
    "dump",
    dump,
    1,
    2,
    "one mesh and at most one animation",
    "usage: md5tool dump MESH [ANIM] [OPTION...]\n"
    "\n"
    "Prints one record per line, a keyword and its values: mesh, numJoints, joint (parent, name),\n"
    "bindmat (3x4, row by row), bindlocal (quaternion x y z w, translation); for each mesh: "
    "submesh\n"
    "(shader, vertices, triangles, weights, weight references, maximum per vertex), st, tri, bv;\n"
    "bindbounds.\n"
    "With ANIM, for each time: time (milliseconds, cycle, frames, weights), origin, animbounds,\n"
    "local (quaternion, translation), world (3x4), skin (mesh, vertices), v, skinbounds.\n"
    "\n"
    "  --ms T        for clips: a time in milliseconds (default 0); may be repeated\n"
    "  --frame N     for clips: a frame instead of a time, from 0; may be repeated\n"
    "  --joint NAME  print only this joint, and no meshes; may be repeated\n"
    "  --json        print one JSON object per record: kind (the keyword) and its values, such as\n"
    "                index and numbers; values that are not finite are null\n"
    "  --root MODE   for clips: translation of the root: file (as stored, default), id (as in the\n"
    "                original engine: minus base frame, plus past cycles), in_place (first "
    "frame)\n"};

// == curves =======================================================================================

// Returns the positions of a point of a joint in all frames of a clip, in model space. `point` is
// relative to the joint. The caller frees the array.
static md5_vec3 *sample_positions(const md5_binding *binding, uint32_t joint, md5_vec3 point)
{
    const md5_skeleton *const skeleton = &binding->model->skeleton;
    const uint32_t num_frames = binding->anim->num_frames;
    md5_xform *const pose = common_alloc(skeleton->num_joints, sizeof *pose);
    md5_vec3 *const positions = common_alloc(num_frames, sizeof *positions);
    for (uint32_t i = 0; i < num_frames; i++) {
        md5_sample(binding, (md5_sample_position){.frame0 = i, .frame1 = i}, MD5_ROOT_FILE, pose);
        positions[i] = md5_xform_point(md5_joint_in_model(skeleton, pose, joint), point);
    }
    free(pose);
    return positions;
}

// Returns the sole of a foot: the point of the ground below the joint in the bind pose, relative to
// the joint.
static md5_vec3 find_sole(const md5_model *model, uint32_t joint)
{
    md5_vec3 point = md5_mat34_translation(model->bind[joint]);
    point.z = 0;
    return md5_mat34_point(model->inverse_bind[joint], point);
}

// Writes a horizontal speed per frame: the mean of the speeds before and after the frame.
// `positions` and `speeds` have an element per frame.
static void measure_speeds(const md5_anim *anim, const md5_vec3 *positions, double *speeds)
{
    const uint32_t last = anim->num_frames - 1;
    speeds[0] = tool_horizontal_speed(anim, positions, 0);
    for (uint32_t i = 1; i < last; i++)
        speeds[i] = 0.5
                    * (tool_horizontal_speed(anim, positions, i - 1)
                       + tool_horizontal_speed(anim, positions, i));
    if (last > 0)
        speeds[last] = tool_horizontal_speed(anim, positions, last - 1);
}

// Writes 1 for each frame in which a foot is planted before or after the frame, otherwise 0.
// `positions` and `values` have an element per frame.
static void measure_plants(const md5_anim *anim, const md5_vec3 *positions, double *values)
{
    const uint32_t last = anim->num_frames - 1;
    values[0] = tool_is_foot_planted(anim, positions, 0, 1);
    for (uint32_t i = 1; i < last; i++)
        values[i] = tool_is_foot_planted(anim, positions, i - 1, 1)
                    || tool_is_foot_planted(anim, positions, i, 1);
    if (last > 0)
        values[last] = tool_is_foot_planted(anim, positions, last - 1, 1);
}

// Reduces a curve with a value per frame to a few keys, and prints them. The keys are the first
// frame, the last frame, and some frames between them, which are found in one pass. The value at a
// frame without a key is interpolated linearly and differs by at most `tolerance`.
//
// A line from the last key is allowed if it is within the tolerance of all values since that key.
// The pass stores the range of the slopes of all allowed lines. If the line to the current value is
// not in this range, the previous frame becomes a key.
static void print_keys(const double *values, uint32_t num_frames, double tolerance)
{
    const uint32_t last = num_frames - 1;
    uint32_t key = 0;
    double min_slope = -INFINITY; // change of the value per frame
    double max_slope = INFINITY;

    printf(" ( 0 %.5g", values[0]);
    for (uint32_t i = 1; i <= last; i++) {
        const double slope = (values[i] - values[key]) / (i - key);
        if (slope < min_slope || slope > max_slope) {
            key = i - 1;
            printf("  %u %.5g", key, values[key]);
            min_slope = -INFINITY;
            max_slope = INFINITY;
        }
        const double change = values[i] - values[key];
        min_slope = fmax(min_slope, (change - tolerance) / (i - key));
        max_slope = fmin(max_slope, (change + tolerance) / (i - key));
    }

    if (last > 0)
        printf("  %u %.5g", last, values[last]);
    printf(" )\n");
}

// Prints the curve `speed` of the root's horizontal speed in units per second.
static void print_speed_curve(const md5_binding *binding, double tolerance)
{
    const md5_anim *const anim = binding->anim;
    md5_vec3 *const positions = sample_positions(binding, 0, (md5_vec3){0});
    double *const speeds = common_alloc(anim->num_frames, sizeof *speeds);
    measure_speeds(anim, positions, speeds);
    printf("curve speed");
    print_keys(speeds, anim->num_frames, tolerance);
    free(speeds);
    free(positions);
}

// Prints the curve `plant_JOINT` of the frames in which a foot is planted.
static void print_plant_curve(const md5_binding *binding, uint32_t joint)
{
    const md5_anim *const anim = binding->anim;
    const char *const name = binding->model->skeleton.joints[joint].name;
    const char *const quote = strchr(name, '"') ? "'" : "\"";
    md5_vec3 *const positions = sample_positions(binding, joint, find_sole(binding->model, joint));
    double *const values = common_alloc(anim->num_frames, sizeof *values);
    measure_plants(anim, positions, values);
    common_print(stdout, "curve %splant_%s%s", quote, name, quote);
    print_keys(values, anim->num_frames, 0.0);
    free(values);
    free(positions);
}

// Prints the speed curve and the curves of the feet. The feet are the joints in the arguments.
// Without such joints, they are all feet that are found. Returns false and sets the error if a
// joint is unknown or the clip is too long.
static bool print_curves(const tool_arguments *arguments, const md5_binding *binding,
                         md5_error *error)
{
    // A few bytes of a compressed clip may contain billions of frames.
    enum { MAX_FRAMES = 1 << 20 };
    char *const *const operands = arguments->operands;
    const md5_skeleton *const skeleton = &binding->model->skeleton;
    const uint32_t num_frames = binding->anim->num_frames;
    const float tolerance = arguments->tolerance > 0 ? arguments->tolerance : 0.1f;
    if (num_frames > MAX_FRAMES)
        return convert_fail(error, MD5_ERROR_RANGE, operands[1],
                            "clip has too many frames: expected at most %d, found %u",
                            (int)MAX_FRAMES, num_frames);

    print_speed_curve(binding, (double)tolerance);
    for (int i = 2; i < arguments->num_operands; i++) {
        const uint32_t joint = md5_find_joint(skeleton, operands[i]);
        if (joint == MD5_NONE)
            return convert_fail(error, MD5_ERROR_MISMATCH, operands[0],
                                "unknown joint '%s': expected the name of a joint of the model; "
                                "run md5tool info to list the joints",
                                operands[i]);
        print_plant_curve(binding, joint);
    }

    if (arguments->num_operands > 2)
        return true;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (tool_is_foot(skeleton->joints[i].name))
            print_plant_curve(binding, i);
    }
    return true;
}

// md5tool curves: loads the model and the clip, and prints the curves. Returns an exit status.
static int curves(tool_arguments *arguments)
{
    char *const *const operands = arguments->operands;
    const md5_load_opts opts = {
        .file_name = operands[1], .warn = tool_print_error, .allow_partial_binding = true};
    md5_error error = {0};
    md5_model *const model = md5_load_model(operands[0], NULL, &error);
    md5_anim *const anim = model ? md5_load_anim(operands[1], NULL, &error) : NULL;
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, &error) : NULL;
    const bool is_done = binding && print_curves(arguments, binding, &error);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return tool_end(is_done, &error);
}

const tool_command tool_curves = {"curves",
                                  curves,
                                  2,
                                  INT_MAX,
                                  "a mesh, an animation and optional joint names",
                                  "usage: md5tool curves MESH ANIM [JOINT]... [--error UNITS]\n"
                                  "\n"
                                  "Prints curves for the clip of a machine file: speed, the "
                                  "horizontal speed of the root in units\n"
                                  "per second, and for each foot plant_JOINT, which is 1 while the "
                                  "foot is planted and 0 from the\n"
                                  "adjacent frames on. A foot is planted while its sole (the "
                                  "ground point below JOINT in the bind\n"
                                  "pose) is at most 0.3 units high and moves at most 10 units per "
                                  "second, including the movement\n"
                                  "of the root. A clip that walks in place therefore has no "
                                  "planted feet. Without JOINT the feet\n"
                                  "are all joints with foot or ankle in their names.\n"
                                  "\n"
                                  "  --error UNITS   largest error of the speed, in units per "
                                  "second; a larger value gives fewer\n"
                                  "                  keys (default 0.1)\n"};
