// md5tool dump: prints all numbers of a model, in the bind pose and posed, one record per line, for
// comparison with other programs. md5tool curves: prints curves of clips for machine files.
#include "demo/tool/tool.h"

// A record is a line: a keyword, followed by texts, integers and floats. As JSON it is an object
// whose "kind" is the keyword, with "index" and "numbers".

// Prints nine digits, which identify each float.
static void print_numbers(bool is_json, const float *values, int count)
{
    for (int i = 0; i < count; i++)
        common_print_either(is_json, " %.9g", i > 0 ? ",%.9g" : ",\"numbers\":[%.9g", values[i]);
    puts(is_json ? "]}" : "");
}

static void print_floats(bool is_json, const char *label, const float *values, int count)
{
    common_print_either(is_json, "%s", "{\"kind\":%s", label);
    print_numbers(is_json, values, count);
}

static void print_indexed(bool is_json, const char *label, uint32_t index, const float *values,
                          int count)
{
    common_print_either(is_json, "%s %u", "{\"kind\":%s,\"index\":%u", label, index);
    print_numbers(is_json, values, count);
}

static void print_bounds(bool is_json, const char *label, md5_bounds bounds)
{
    const float values[6] = {bounds.min.x, bounds.min.y, bounds.min.z,
                             bounds.max.x, bounds.max.y, bounds.max.z};
    print_floats(is_json, label, values, 6);
}

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
    for (size_t i = 0; i < arguments->joints.count; i++)
        if (strcmp(arguments->joints.names[i], skeleton->joints[joint].name) == 0)
            return true;
    return arguments->joints.count == 0;
}

// Returns the frame number of --frame, clamped to the frames of a clip.
static uint32_t clamp_frame(double frame, uint32_t last)
{
    if (frame < 0)
        return 0;
    return frame > last ? last : (uint32_t)frame;
}

// Prints the skin at each time, computed by the library's scalar code. Returns false and sets the
// error if the animation cannot be read or bound.
static bool dump_times(const md5_model *model, const tool_arguments *arguments, md5_error *error)
{
    const char *const path = arguments->words[1];
    const bool is_json = arguments->is_json;
    md5_anim *const anim = md5_load_anim(path, NULL, error);
    const md5_load_opts opts = {
        .file_name = path, .warn = tool_print_error, .allow_partial_binding = true};
    md5_binding *const binding = md5_bind(model, anim, &opts, error);
    if (binding) {
        const uint32_t num_joints = model->skeleton.num_joints;
        size_t num_points = 0;
        for (uint32_t i = 0; i < model->num_meshes; i++)
            if (model->meshes[i].num_vertices > num_points)
                num_points = model->meshes[i].num_vertices;
        md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
        md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
        md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
        md5_vec3 *const points = common_alloc(num_points, sizeof *points);
        common_print_either(is_json, "anim %s\n", "{\"kind\":\"anim\",\"file\":%s}\n", path);
        // Without --ms, the time is 0.
        for (int i = 0; i == 0 || i < arguments->num_times; i++) {
            const double time = arguments->times[i];
            const double rate = binding->anim->frame_rate;
            const double ms = arguments->counts_frames ? 1000 * time / rate : time;
            const uint32_t frame = clamp_frame(time, binding->anim->num_frames - 1);
            md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
            if (!arguments->counts_frames)
                sample = md5_sample_position_at(binding->anim, ms / 1000.0, MD5_WRAP_LOOP);
            md5_sample(binding, sample, arguments->root, pose);
            md5_local_to_model(&model->skeleton, pose, joints);
            md5_build_palette(model, joints, palette);
            common_print_either(
                is_json, "time at %.9g 0 %lld %u %u %.9g %.9g\n",
                "{\"kind\":\"time\",\"milliseconds\":%.9g,\"cycle\":%lld,\"frame0\":"
                "%u,\"frame1\":%u,\"numbers\":[%.9g,%.9g]}\n",
                ms, (long long)sample.cycle, sample.frame0, sample.frame1,
                1 - (double)sample.fraction, sample.fraction);
            print_floats(is_json, "origin", &pose[0].translation.x, 3);
            print_bounds(is_json, "animbounds",
                         md5_anim_bounds(binding->anim, sample, arguments->root));
            for (uint32_t k = 0; k < num_joints; k++)
                if (is_selected(arguments, &model->skeleton, k))
                    print_transform(is_json, "local", k, &pose[k]);
            for (uint32_t k = 0; k < num_joints; k++)
                if (is_selected(arguments, &model->skeleton, k))
                    print_indexed(is_json, "world", k, joints[k].m, 12);
            if (arguments->joints.count > 0)
                continue;
            md5_bounds bounds = md5_bounds_from_points(NULL, 0);
            for (uint32_t k = 0; k < model->num_meshes; k++) {
                const md5_mesh *mesh = &model->meshes[k];
                md5_skin(mesh, palette, points, NULL, NULL);
                common_print_either(is_json, "skin %u %u\n",
                                    "{\"kind\":\"skin\",\"index\":%u,\"vertices\":%u}\n", k,
                                    mesh->num_file_vertices);
                for (uint32_t v = 0; v < mesh->num_file_vertices; v++)
                    print_floats(is_json, "v", &points[v].x, 3);
                bounds = md5_bounds_union(bounds,
                                          md5_bounds_from_points(points, mesh->num_file_vertices));
            }
            print_bounds(is_json, "skinbounds", bounds);
        }
        free(points);
        free(palette);
        free(joints);
        free(pose);
    }
    md5_free_binding(binding);
    md5_free_anim(anim);
    return binding;
}

static int dump(tool_arguments *arguments)
{
    const bool is_json = arguments->is_json;
    md5_error error = {0};
    md5_model *const model = md5_load_model(arguments->words[0], NULL, &error);
    if (model) {
        for (size_t i = 0; i < arguments->joints.count; i++) {
            if (md5_find_joint(&model->skeleton, arguments->joints.names[i]) != MD5_NONE)
                continue;
            convert_fail(&error, MD5_ERROR_RANGE, arguments->words[0], "unknown joint '%.150s'",
                         arguments->joints.names[i]);
            md5_free_model(model);
            return tool_end(false, &error);
        }
    }
    if (!model)
        return tool_end(false, &error);
    puts(is_json ? "{\"kind\":\"md5golden\",\"version\":1}" : "md5golden 1");
    const md5_skeleton *skeleton = &model->skeleton;
    common_print_either(is_json, "mesh %s\nnumJoints %u\nnumMeshes %u\n",
                        "{\"kind\":\"mesh\",\"file\":%s,\"joints\":%u,\"meshes\":%u}\n",
                        arguments->words[0], skeleton->num_joints, model->num_meshes);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (!is_selected(arguments, skeleton, i))
            continue;
        common_print_either(is_json, "joint %u %d \"%s\"\n",
                            "{\"kind\":\"joint\",\"index\":%u,\"parent\":%d,\"name\":%s}\n", i,
                            (int)skeleton->joints[i].parent, skeleton->joints[i].name);
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        if (is_selected(arguments, skeleton, i))
            print_indexed(is_json, "bindmat", i, model->bind[i].m, 12);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        if (is_selected(arguments, skeleton, i))
            print_transform(is_json, "bindlocal", i, &model->bind_local[i]);
    if (arguments->joints.count == 0) {
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            uint64_t used = 0;
            for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
                used += mesh->file_vertices[k].num_weights;
            common_print_either(is_json, "submesh %u \"%s\" %u %u %u %llu %u\n",
                                "{\"kind\":\"submesh\",\"index\":%u,\"shader\":%s,\"vertices\":%u,"
                                "\"triangles\":%u,\"weights\":%u,\"used_weights\":%llu,"
                                "\"max_weights\":%u}\n",
                                i, mesh->shader, mesh->num_file_vertices, mesh->num_triangles,
                                mesh->num_weights, (unsigned long long)used, mesh->max_weights);
            for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
                print_floats(is_json, "st", &mesh->texcoords[k].x, 2);
            for (uint32_t k = 0; k < mesh->num_triangles; k++) {
                const uint32_t *corner = mesh->indices + 3 * (size_t)k;
                common_print_either(
                    is_json, "tri %u %u %u\n", "{\"kind\":\"tri\",\"numbers\":[%u,%u,%u]}\n",
                    mesh->sources[corner[0]], mesh->sources[corner[1]], mesh->sources[corner[2]]);
            }
            for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
                print_floats(is_json, "bv", &mesh->positions[k].x, 3);
        }
    }
    print_bounds(is_json, "bindbounds", model->bounds);
    const bool is_done = arguments->num_words < 2 || dump_times(model, arguments, &error);
    if (is_done)
        puts(is_json ? "{\"kind\":\"end\"}" : "end");
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

// Returns the horizontal speed of a position from a frame to the next, or, of a foot, 1 if it
// stands.
static double value_between(const md5_anim *anim, const md5_vec3 *places, uint32_t frame,
                            bool is_foot)
{
    return is_foot ? tool_stands(anim, places, frame, 1) : tool_level_speed(anim, places, frame);
}

// Returns the quotes that a curve's name needs.
static const char *select_quote(const char *name, bool is_foot)
{
    if (!is_foot)
        return "";
    return strchr(name, '"') ? "'" : "\"";
}

// Prints a curve of the root's speed (in a frame, the mean of the speeds before and after it), or
// of the frames in which a foot stands. Keys are omitted while a line is within the tolerance of
// all values.
static void print_curve(const md5_binding *binding, uint32_t joint, bool is_foot, float tolerance)
{
    const md5_model *const model = binding->model;
    const char *const name = is_foot ? model->skeleton.joints[joint].name : "";
    const uint32_t last = binding->anim->num_frames - 1;
    md5_vec3 point = md5_mat34_translation(model->bind[joint]);
    point.z = 0;
    point = is_foot ? md5_mat34_point(model->inverse_bind[joint], point) : (md5_vec3){0};
    md5_xform *const pose = common_alloc(model->skeleton.num_joints, sizeof *pose);
    md5_vec3 *const places = common_alloc((size_t)last + 1, sizeof *places);
    for (uint32_t i = 0; i <= last; i++) {
        md5_sample(binding, (md5_sample_position){.frame0 = i, .frame1 = i}, MD5_ROOT_FILE, pose);
        places[i] = md5_xform_point(md5_joint_in_model(&model->skeleton, pose, joint), point);
    }
    const char *const quote = select_quote(name, is_foot);
    double start = value_between(binding->anim, places, 0, is_foot);
    double before = start;
    double min_slope = -INFINITY; // of a line within the tolerance of all values since the key
    double max_slope = INFINITY;
    common_print(stdout, "curve %s%s%s%s ( 0 %.5g", quote, is_foot ? "plant_" : "speed", name,
                 quote, start);
    for (uint32_t i = 1, key = 0; i <= last; i++) {
        const double a = value_between(binding->anim, places, i - 1, is_foot);
        const double b = value_between(binding->anim, places, i - (i == last), is_foot);
        const double value = is_foot ? fmax(a, b) : 0.5 * (a + b);
        const double slope = (value - start) / (i - key);
        if (slope < min_slope || slope > max_slope) {
            key = i - 1;
            start = before;
            printf("  %u %.5g", key, start);
            min_slope = -INFINITY;
            max_slope = INFINITY;
        }
        min_slope = fmax(min_slope, (value - start - (double)tolerance) / (i - key));
        max_slope = fmin(max_slope, (value - start + (double)tolerance) / (i - key));
        before = value;
    }
    printf(last > 0 ? "  %u %.5g )\n" : " )\n", last, before);
    free(places);
    free(pose);
}

static int curves(tool_arguments *arguments)
{
    enum {
        MAX_FRAMES = 1 << 20
    }; // a few bytes of a compressed clip may contain billions of frames
    char *const *const words = arguments->words;
    const md5_load_opts opts = {
        .file_name = words[1], .warn = tool_print_error, .allow_partial_binding = true};
    md5_error error = {0};
    md5_model *const model = md5_load_model(words[0], NULL, &error);
    md5_anim *const anim = model ? md5_load_anim(words[1], NULL, &error) : NULL;
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, &error) : NULL;
    bool is_done = binding;
    if (is_done && anim->num_frames > MAX_FRAMES)
        is_done = convert_fail(&error, MD5_ERROR_RANGE, words[1], "too many frames (%u; limit %d)",
                               anim->num_frames, (int)MAX_FRAMES);
    if (is_done)
        print_curve(binding, 0, false, arguments->tolerance > 0 ? arguments->tolerance : 0.1f);
    for (int i = 2; i < arguments->num_words && is_done; i++) {
        const uint32_t joint = md5_find_joint(&model->skeleton, words[i]);
        if (joint == MD5_NONE)
            is_done =
                convert_fail(&error, MD5_ERROR_MISMATCH, words[0], "unknown joint '%s'", words[i]);
        else
            print_curve(binding, joint, true, 0);
    }
    if (arguments->num_words == 2 && is_done) {
        for (uint32_t i = 0; i < model->skeleton.num_joints; i++)
            if (tool_is_foot(model->skeleton.joints[i].name))
                print_curve(binding, i, true, 0);
    }
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
