// md5tool dump: prints every number of a model, in the bind pose and posed, one record a line, for
// comparison with other programs.
#include "md5/md5skin.h"
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_dump_help[] =
    "usage: md5tool dump MESH [ANIM] [--ms T]... [--root file|id|in_place]\n"
    "\n"
    "Prints one record a line, a word and its numbers: mesh, numJoints, joint (parent, name),\n"
    "bindmat (3x4, rows), bindlocal (quaternion x y z w, translation); for each mesh: submesh\n"
    "(shader, vertices, triangles, weights, weight references, most on a vertex), st, tri, bv;\n"
    "bindbounds.\n"
    "With ANIM, for each time: time (milliseconds, cycle, frames, weights), origin, animbounds,\n"
    "local (quaternion, translation), world (3x4), skin (mesh, vertices), v, skinbounds.\n"
    "\n"
    "  --ms T        a time in milliseconds; may be repeated; default 0\n"
    "  --root MODE   the root's translation: file (as stored, default), id (as the original\n"
    "                engine: minus base frame, plus past cycles), in_place (first frame)\n";

typedef struct dump_options {
    const char *mesh, *anim;
    md5_root root;
    double *moments; // ms
    int num_moments;
} dump_options;

// Buffers for one time, of the size that the model needs.
typedef struct dump_buffers {
    md5_xform *pose;
    md5_mat34 *joints, *palette;
    md5_vec3 *points; // of all meshes
} dump_buffers;

static void print_floats(const char *label, const float *values, int count)
{
    fputs(label, stdout);
    for (int i = 0; i < count; i++)
        printf(" %.9g", (double)values[i]);
    putchar('\n');
}

static void print_indexed(const char *label, uint32_t index, const float *values, int count)
{
    char text[32];
    snprintf(text, sizeof text, "%s %u", label, index);
    print_floats(text, values, count);
}

static void print_bounds(const char *label, md5_bounds bounds)
{
    const float values[6] = {bounds.min.x, bounds.min.y, bounds.min.z,
                             bounds.max.x, bounds.max.y, bounds.max.z};
    print_floats(label, values, 6);
}

static void print_transform(const char *label, uint32_t index, const md5_xform *transform)
{
    const md5_quat q = transform->rotation;
    const md5_vec3 t = transform->translation;
    print_indexed(label, index, (const float[]){q.x, q.y, q.z, q.w, t.x, t.y, t.z}, 7);
}

static void print_path(const char *label, const char *path)
{
    fputs(label, stdout);
    common_print_text(stdout, path);
    putchar('\n');
}

static bool allocate(const md5_model *model, dump_buffers *buffers)
{
    size_t num_vertices = 1;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (model->meshes[i].num_vertices > num_vertices)
            num_vertices = model->meshes[i].num_vertices;
    }
    const size_t num_joints = model->skeleton.num_joints + (size_t)1;
    buffers->pose = calloc(num_joints, sizeof *buffers->pose);
    buffers->joints = calloc(num_joints, sizeof *buffers->joints);
    buffers->palette = calloc(num_joints, sizeof *buffers->palette);
    buffers->points = calloc(num_vertices, sizeof *buffers->points);
    return buffers->pose && buffers->joints && buffers->palette && buffers->points;
}

static void print_warning(void *user, const md5_error *warning)
{
    (void)user;
    tool_print_error(warning);
}

static bool dump_moments(const md5_model *model, const dump_options *options, md5_error *error)
{
    md5_anim *anim = md5_load_anim(options->anim, NULL, error);
    const md5_load_opts opts = {.file_name = options->anim, .warn = print_warning};
    md5_binding *binding = md5_bind(model, anim, &opts, error);
    dump_buffers buffers = {0};

    const bool is_ready = binding && allocate(model, &buffers);
    if (binding && !is_ready) {
        error->status = MD5_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "out of memory");
    } else if (is_ready) {
        print_path("anim ", options->anim);
        for (int i = 0; i < options->num_moments; i++) {
            const double ms = options->moments[i];
            const uint32_t num_joints = model->skeleton.num_joints;
            const md5_moment moment = md5_moment_at(binding->anim, ms / 1000.0, MD5_WRAP_LOOP);

            md5_sample(binding, moment, options->root, buffers.pose);
            md5_local_to_model(&model->skeleton, buffers.pose, buffers.joints);
            md5_build_palette(model, buffers.joints, buffers.palette);
            printf("time at %.9g 0 %lld %u %u %.9g %.9g\n", ms, (long long)moment.cycle,
                   moment.frame0, moment.frame1, 1.0 - (double)moment.fraction,
                   (double)moment.fraction);
            print_floats("origin", &buffers.pose[0].translation.x, 3);
            print_bounds("animbounds", md5_anim_bounds(binding->anim, moment, options->root));
            for (uint32_t k = 0; k < num_joints; k++)
                print_transform("local", k, &buffers.pose[k]);
            for (uint32_t k = 0; k < num_joints; k++)
                print_indexed("world", k, buffers.joints[k].m, 12);
            md5_bounds bounds = md5_bounds_from_points(NULL, 0);
            for (uint32_t k = 0; k < model->num_meshes; k++) {
                const md5_mesh *mesh = &model->meshes[k];
                md5_skin(mesh, buffers.palette, buffers.points, NULL, NULL);
                printf("skin %u %u\n", k, mesh->num_file_vertices);
                for (uint32_t v = 0; v < mesh->num_file_vertices; v++)
                    print_floats("v", &buffers.points[v].x, 3);
                bounds = md5_bounds_union(
                    bounds, md5_bounds_from_points(buffers.points, mesh->num_file_vertices));
            }
            print_bounds("skinbounds", bounds);
        }
    }
    free(buffers.pose);
    free(buffers.joints);
    free(buffers.palette);
    free(buffers.points);
    md5_free_binding(binding);
    md5_free_anim(anim);
    return is_ready;
}

static bool dump(const dump_options *options, md5_error *error)
{
    md5_model *model = md5_load_model(options->mesh, NULL, error);
    if (!model)
        return false;
    puts("md5golden 1");
    const md5_skeleton *skeleton = &model->skeleton;
    print_path("mesh ", options->mesh);
    printf("numJoints %u\nnumMeshes %u\n", skeleton->num_joints, model->num_meshes);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        printf("joint %u %d \"", i, (int)skeleton->joints[i].parent);
        common_print_text(stdout, skeleton->joints[i].name);
        puts("\"");
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        print_indexed("bindmat", i, model->bind[i].m, 12);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        print_transform("bindlocal", i, &model->bind_local[i]);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        uint64_t used = 0;
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
            used += mesh->file_vertices[k].num_weights;
        printf("submesh %u \"", i);
        common_print_text(stdout, mesh->shader);
        printf("\" %u %u %u %llu %u\n", mesh->num_file_vertices, mesh->num_triangles,
               mesh->num_weights, (unsigned long long)used, mesh->max_weights);
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
            print_floats("st", &mesh->texcoords[k].x, 2);
        for (uint32_t k = 0; k < mesh->num_triangles; k++) {
            const uint32_t *corner = mesh->indices + 3 * (size_t)k;
            printf("tri %u %u %u\n", mesh->sources[corner[0]], mesh->sources[corner[1]],
                   mesh->sources[corner[2]]);
        }
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
            print_floats("bv", &mesh->positions[k].x, 3);
    }
    print_bounds("bindbounds", model->bounds);
    const bool done = !options->anim || dump_moments(model, options, error);
    if (done)
        puts("end");
    md5_free_model(model);
    return done;
}

static bool add_moment(const char *value, void *to)
{
    dump_options *const options = to;
    char *end = NULL;
    errno = 0;
    const double number = strtod(value, &end);
    options->moments[options->num_moments++] = number; // has room for all
    return end != value && *end == '\0' && errno == 0 && isfinite(number);
}

static bool read_root(const char *value, void *to)
{
    static const char *const names[] = {"file", "id", "in_place"};
    static const md5_root roots[] = {MD5_ROOT_FILE, MD5_ROOT_ID, MD5_ROOT_IN_PLACE};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            *(md5_root *)to = roots[i];
            return true;
        }
    }
    return false;
}

// Returns TOOL_OK, or TOOL_BAD_USAGE after printing the reason.
static int read_options(int count, char **arguments, dump_options *options)
{
    const tool_option known[] = {
        {"--ms", "a number of milliseconds", add_moment, options},
        {"--root", "file, id or in_place", read_root, &options->root},
    };
    const int num_words = tool_read_arguments("dump", count, arguments, known, 2, 1, 2,
                                              "a mesh and at most one animation");
    if (num_words < 0)
        return TOOL_BAD_USAGE;
    options->mesh = arguments[0];
    options->anim = num_words > 1 ? arguments[1] : NULL;
    if (!options->anim && options->num_moments > 0)
        return tool_usage("dump", "--ms needs an animation");
    if (options->num_moments == 0)
        options->num_moments = 1; // moments[0] is 0
    return TOOL_OK;
}

int tool_dump(int count, char **arguments)
{
    dump_options options = {.moments = calloc((size_t)count + 1, sizeof(double))};
    if (!options.moments) {
        fputs("md5tool: error: out of memory\n", stderr);
        return TOOL_BAD_FILE;
    }
    md5_error error = {0};
    int status = read_options(count, arguments, &options);
    if (status == TOOL_OK && !dump(&options, &error)) {
        tool_print_error(&error);
        status = TOOL_BAD_FILE;
    }
    free(options.moments);
    return status;
}
