// md5tool bind: a bare mesh and a skeleton become a model with automatic weights.
#include "demo/tool/obj.h"
#include "demo/common/write.h"
#include "demo/tool/tool.h"

#include "md5/md5skin.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_bind_help[] =
    "usage: md5tool bind [OPTION...] MESH.obj SKELETON.md5mesh\n"
    "\n"
    "Binds the surface of a Wavefront OBJ file to the joints of a model, by distance through the\n"
    "inside of the mesh, and prints it as .md5mesh. Meshes follow the materials of the OBJ file.\n"
    "The surface must stand in the bind pose of the model, in its space: x forward, y left, z up.\n"
    "\n"
    "  --output FILE       write to that file instead of standard output\n"
    "  --influences N      most weights of a vertex, 1 to 16 (4)\n"
    "  --resolution N      voxels along the longest side, 4 to 256 (64)\n"
    "  --exclude JOINT     give that joint no weights; may be repeated\n"
    "  --y-up              the OBJ file has y up, z forward and x left\n";

typedef struct bind_options {
    const char *surface, *skeleton, *output;
    const char **excluded; // [num_excluded]
    int num_excluded;
    uint32_t influences, resolution; // 0: the default
    bool y_up;
} bind_options;

// -- Options --------------------------------------------------------------------------------------

static bool parse_count(const char *text, uint32_t least, uint32_t most, uint32_t *count)
{
    char *end = NULL;
    errno = 0;
    const long value = text != NULL ? strtol(text, &end, 10) : 0;
    *count = (uint32_t)value;
    return text != NULL && end != text && *end == '\0' && errno == 0 && value >= (long)least
           && value <= (long)most;
}

static int parse_option(const char *option, const char *value, bind_options *options)
{
    if (strcmp(option, "--influences") == 0)
        return parse_count(value, 1, 16, &options->influences)
                   ? TOOL_OK
                   : tool_usage("bind", "bind: --influences takes a number from 1 to 16");
    if (strcmp(option, "--resolution") == 0)
        return parse_count(value, 4, 256, &options->resolution)
                   ? TOOL_OK
                   : tool_usage("bind", "bind: --resolution takes a number from 4 to 256");
    if (strcmp(option, "--output") != 0 && strcmp(option, "--exclude") != 0)
        return tool_usage("bind", "bind: unknown option '%s'", option);
    if (value == NULL)
        return tool_usage("bind", "bind: %s takes a name", option);
    if (strcmp(option, "--output") == 0)
        options->output = value;
    else
        options->excluded[options->num_excluded++] = value;
    return TOOL_OK;
}

// excluded[] has room for all.
static int parse_options(int count, char **arguments, bind_options *options)
{
    bool is_file = false;
    for (int i = 0; i < count; i++) {
        const char *const argument = arguments[i];
        if (!is_file && strcmp(argument, "--") == 0) {
            is_file = true;
        } else if (!is_file && strcmp(argument, "--y-up") == 0) {
            options->y_up = true;
        } else if (!is_file && argument[0] == '-' && argument[1] == '-') {
            const int status =
                parse_option(argument, i + 1 < count ? arguments[i + 1] : NULL, options);
            if (status != TOOL_OK)
                return status;
            i++;
        } else if (options->surface == NULL) {
            options->surface = argument;
        } else if (options->skeleton == NULL) {
            options->skeleton = argument;
        } else {
            return tool_usage("bind", "bind: takes an OBJ file and a model, not also '%s'",
                              argument);
        }
    }
    if (options->skeleton == NULL)
        return tool_usage("bind", "bind: missing file");
    return TOOL_OK;
}

// -- Binding --------------------------------------------------------------------------------------

// The rotation as a file has it, w not above 0, and what a reader makes of the x y z.
static md5_quat stored_rotation(md5_mat34 bind)
{
    md5_quat q = md5_quat_from_mat34(bind);
    if (q.w > 0.0f)
        q = (md5_quat){0.0f - q.x, 0.0f - q.y, 0.0f - q.z, 0.0f - q.w}; // never -0
    const double rest =
        1.0 - (double)q.x * (double)q.x - (double)q.y * (double)q.y - (double)q.z * (double)q.z;
    q.w = -(float)sqrt(fabs(rest));
    return q;
}

static void find_bind_pose(const md5_model *model, md5_xform *joints, md5_mat34 *bind)
{
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        joints[i] = md5_xform_from_mat34(model->bind[i]);
        joints[i].rotation = stored_rotation(model->bind[i]);
        bind[i] = md5_mat34_from_xform(joints[i]);
    }
}

static int find_excluded(const bind_options *options, const md5_model *model, bool *excluded)
{
    for (int i = 0; i < options->num_excluded; i++) {
        uint32_t joint = 0;
        while (joint < model->skeleton.num_joints
               && strcmp(model->skeleton.joints[joint].name, options->excluded[i]) != 0)
            joint++;
        if (joint == model->skeleton.num_joints)
            return tool_usage("bind", "bind: --exclude %s: there is no such joint",
                              options->excluded[i]);
        excluded[joint] = true;
    }
    return TOOL_OK;
}

static void turn_up(tool_obj *obj)
{
    for (uint32_t i = 0; i < obj->num_positions; i++) {
        const md5_vec3 at = obj->positions[i];
        obj->positions[i] = (md5_vec3){at.z, at.x, at.y};
    }
}

static md5_weights *create_weights(const bind_options *options, const tool_obj *obj,
                                   const md5_model *model, const md5_mat34 *bind,
                                   const bool *excluded, md5_error *error)
{
    size_t count = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++)
        count += obj->parts[i].num_triangles;
    uint32_t *const indices = common_alloc(3 * count + 1, sizeof *indices);
    size_t used = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++)
        for (size_t k = 0; k < 3 * (size_t)obj->parts[i].num_triangles; k++)
            indices[used++] = obj->parts[i].corners[k].position;
    const md5_weights_desc desc = {
        .positions = obj->positions,
        .num_positions = obj->num_positions,
        .indices = indices,
        .num_triangles = (uint32_t)count,
        .skeleton = &model->skeleton,
        .bind = bind,
        .excluded = excluded,
        .resolution = options->resolution,
        .max_influences = options->influences,
    };
    const md5_load_opts opts = {.file_name = options->surface};
    md5_weights *const weights = md5_make_weights(&desc, &opts, error);
    free(indices);
    if (weights == NULL && error->file[0] == '\0')
        (void)snprintf(error->file, sizeof error->file, "%s", options->surface);
    return weights;
}

// -- Writing --------------------------------------------------------------------------------------

// The vertices of one mesh: each pair of position and texture coordinate once, in the order in
// which triangles use them. `next` chains the vertices of a position.
typedef struct bind_vertices {
    tool_obj_corner *corners; // [count]
    uint32_t *next;           // [count] 1 + the next one of the same position; 0 = none
    uint32_t *first;          // [positions] 1 + the first vertex of each; 0 = none
    uint32_t *weight;         // [positions] the first weight, in this mesh
    uint32_t count, num_weights;
} bind_vertices;

static uint32_t vertex_of(bind_vertices *vertices, tool_obj_corner corner)
{
    for (uint32_t i = vertices->first[corner.position]; i > 0; i = vertices->next[i - 1])
        if (vertices->corners[i - 1].texcoord == corner.texcoord)
            return i - 1;
    vertices->corners[vertices->count] = corner;
    vertices->next[vertices->count] = vertices->first[corner.position];
    vertices->first[corner.position] = ++vertices->count;
    return vertices->count - 1;
}

// Texture coordinates of OBJ files count from the bottom, those of .md5mesh files from the top.
static void print_vertices(FILE *file, const tool_obj *obj, const md5_weights *weights,
                           bind_vertices *vertices)
{
    uint32_t num_weights = 0;
    fprintf(file, "\n\tnumverts %u\n", vertices->count);
    for (uint32_t i = 0; i < vertices->count; i++) {
        const tool_obj_corner corner = vertices->corners[i];
        const uint32_t count = weights->vertices[corner.position].num_weights;
        // Vertices of one position share their weights.
        if (vertices->first[corner.position] != UINT32_MAX) {
            vertices->first[corner.position] = UINT32_MAX;
            vertices->weight[corner.position] = num_weights;
            num_weights += count;
        }
        const md5_vec2 at =
            corner.texcoord > 0 ? obj->texcoords[corner.texcoord - 1] : (md5_vec2){0.0f, 1.0f};
        fprintf(file, "\tvert %u ( %.9g %.9g ) %u %u\n", i, (double)at.x, (double)(1.0f - at.y),
                vertices->weight[corner.position], count);
    }
    vertices->num_weights = num_weights;
}

// In the order in which print_vertices() counted them.
static void print_weights(FILE *file, const md5_weights *weights, const bind_vertices *vertices)
{
    uint32_t number = 0;
    fprintf(file, "\n\tnumweights %u\n", vertices->num_weights);
    for (uint32_t i = 0; i < vertices->count; i++) {
        const uint32_t position = vertices->corners[i].position;
        const md5_vertex *const at = &weights->vertices[position];
        if (vertices->weight[position] != number)
            continue;
        for (uint32_t k = 0; k < at->num_weights; k++) {
            const md5_weight *const weight = &weights->weights[at->first_weight + k];
            fprintf(file, "\tweight %u %u %.9g ( %.9g %.9g %.9g )\n", number++, weight->joint,
                    (double)weight->bias, (double)weight->offset.x, (double)weight->offset.y,
                    (double)weight->offset.z);
        }
    }
}

// Triangles of .md5mesh files are clockwise seen from outside.
static void print_mesh(FILE *file, const tool_obj *obj, const tool_obj_part *part,
                       const md5_weights *weights)
{
    const size_t num_corners = 3 * (size_t)part->num_triangles;
    bind_vertices vertices = {
        .corners = common_alloc(num_corners, sizeof *vertices.corners),
        .next = common_alloc(num_corners, sizeof *vertices.next),
        .first = common_alloc(obj->num_positions, sizeof *vertices.first),
        .weight = common_alloc(obj->num_positions, sizeof *vertices.weight),
    };
    uint32_t *const corners = common_alloc(num_corners, sizeof *corners);
    for (size_t i = 0; i < num_corners; i++)
        corners[i] = vertex_of(&vertices, part->corners[i]);
    fprintf(file, "\nmesh {\n\tshader \"%s\"\n", part->material);
    print_vertices(file, obj, weights, &vertices);
    fprintf(file, "\n\tnumtris %u\n", part->num_triangles);
    for (uint32_t i = 0; i < part->num_triangles; i++) {
        const uint32_t *const corner = corners + 3 * (size_t)i;
        fprintf(file, "\ttri %u %u %u %u\n", i, corner[0], corner[2], corner[1]);
    }
    print_weights(file, weights, &vertices);
    fputs("}\n", file);
    free(corners);
    free(vertices.corners);
    free(vertices.next);
    free(vertices.first);
    free(vertices.weight);
}

static void print_bound(FILE *file, const md5_model *model, const md5_xform *joints,
                        const tool_obj *obj, const md5_weights *weights)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    uint32_t num_meshes = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++)
        num_meshes += obj->parts[i].num_triangles > 0;
    fprintf(file, "MD5Version 10\ncommandline \"md5tool bind\"\n\nnumJoints %u\nnumMeshes %u\n\n",
            skeleton->num_joints, num_meshes);
    fputs("joints {\n", file);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_vec3 t = joints[i].translation;
        const md5_quat q = joints[i].rotation;
        fprintf(file, "\t\"%s\"\t%d ( %.9g %.9g %.9g ) ( %.9g %.9g %.9g )\n",
                skeleton->joints[i].name, (int)skeleton->joints[i].parent, (double)t.x, (double)t.y,
                (double)t.z, (double)q.x, (double)q.y, (double)q.z);
    }
    fputs("}\n", file);
    for (uint32_t i = 0; i < obj->num_parts; i++)
        if (obj->parts[i].num_triangles > 0)
            print_mesh(file, obj, &obj->parts[i], weights);
}

static bool write_bound(const char *path, const md5_model *model, const md5_xform *joints,
                        const tool_obj *obj, const md5_weights *weights, md5_error *error)
{
    common_writer writer;
    if (!common_begin_file(&writer, path))
        return tool_fail_to_write(path, error);
    print_bound(writer.file, model, joints, obj, weights);
    return common_end_file(&writer, true) || tool_fail_to_write(path, error);
}

// -- The command ----------------------------------------------------------------------------------

static int bind_surface(const bind_options *options, tool_obj *obj, const md5_model *model,
                        md5_error *error)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_xform *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const bind = common_alloc(num_joints, sizeof *bind);
    bool *const excluded = common_alloc(num_joints, sizeof *excluded);
    md5_weights *weights = NULL;
    int status = find_excluded(options, model, excluded);
    if (status == TOOL_OK) {
        find_bind_pose(model, joints, bind);
        if (options->y_up)
            turn_up(obj);
        weights = create_weights(options, obj, model, bind, excluded, error);
        if (weights == NULL || !write_bound(options->output, model, joints, obj, weights, error)) {
            tool_print_error(error);
            status = TOOL_BAD_FILE;
        }
    }
    if (status == TOOL_OK && weights->num_distant > 0)
        fprintf(
            stderr,
            "md5tool: bind: no bone reaches %u of %u vertices inside the mesh: they are bound by "
            "the straight distance\n",
            weights->num_distant, weights->num_vertices);
    md5_free_weights(weights);
    free(excluded);
    free(bind);
    free(joints);
    return status;
}

int tool_bind(int count, char **arguments)
{
    bind_options options = {.excluded = common_alloc((size_t)count + 1, sizeof(char *))};
    int status = parse_options(count, arguments, &options);
    md5_error error = {.status = MD5_OK};
    tool_obj obj = {0};
    md5_model *model = NULL;
    if (status == TOOL_OK) {
        model = tool_read_obj(options.surface, &obj, &error)
                    ? md5_load_model(options.skeleton, NULL, &error)
                    : NULL;
        if (model == NULL) {
            tool_print_error(&error);
            status = TOOL_BAD_FILE;
        } else {
            status = bind_surface(&options, &obj, model, &error);
        }
    }
    md5_free_model(model);
    tool_free_obj(&obj);
    free(options.excluded);
    return status;
}
