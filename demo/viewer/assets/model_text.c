// Writes models as .md5mesh text and creates clips in memory.
#include "demo/viewer/assets/model_text.h"

#include <stdarg.h>

// Reserves space for `more` bytes after the text.
static void reserve(view_text *output, size_t more)
{
    if (output->capacity - output->size >= more)
        return;
    output->capacity = 2 * (output->capacity + more);
    output->text = common_realloc(output->text, output->capacity, 1);
}

// Appends a text of at most 200 bytes, formatted like printf(). Longer texts are cut. Names can
// be longer; view_append_name() writes them.
void view_append(view_text *output, const char *format, ...)
{
    enum { MAX_LENGTH = 200 };
    va_list values;
    reserve(output, MAX_LENGTH + 1);
    va_start(values, format);
    const int size = vsnprintf(output->text + output->size, MAX_LENGTH + 1, format, values);
    va_end(values);
    if (size > 0)
        output->size += size < MAX_LENGTH ? (size_t)size : MAX_LENGTH;
}

// Appends a name in quotes, in which invalid bytes are replaced by underscores. Reserves space
// for the whole name, because each byte becomes one byte.
void view_append_name(view_text *output, const char *name)
{
    reserve(output, strlen(name) + 2);
    output->text[output->size++] = '"';
    for (; *name != '\0'; name++) {
        const bool is_plain = (unsigned char)*name >= ' ' && *name != '"' && *name != '\\';
        output->text[output->size++] = is_plain ? *name : '_';
    }
    output->text[output->size++] = '"';
}

// -- Joints and meshes ---------------------------------------------------------------------------

void view_begin_model(view_text *output, uint32_t num_joints, uint32_t num_meshes)
{
    view_append(output, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes %u\njoints {\n",
                num_joints, num_meshes);
}

md5_model *view_end_model(view_text *output, const char *file_name, md5_error *error)
{
    const md5_load_opts opts = {.file_name = file_name};
    md5_model *const model = md5_parse_model(output->text, output->size, &opts, error);
    free(output->text);
    return model;
}

// Appends the line of a joint to the text of an .md5mesh. A root has the parent MD5_NONE, which
// is written as -1.
void view_append_joint(view_text *output, const char *name, uint32_t parent, md5_xform bind)
{
    // An MD5 file stores a rotation without w, and readers compute a negative w. The negated
    // quaternion is the same rotation, so write the one whose w is negative.
    const md5_quat q = bind.rotation;
    const double sign = q.w > 0 ? -1 : 1;
    const md5_vec3 position = bind.translation;
    view_append_name(output, name);
    view_append(output, " %d ( %.9g %.9g %.9g ) ", (int)parent, position.x, position.y, position.z);
    view_append(output, "( %.9g %.9g %.9g )\n", sign * q.x, sign * q.y, sign * q.z);
}

// Appends the vertices and triangles of a mesh as they were in its file. The model may have
// duplicated vertices, but the triangles that are written refer to vertices of the file.
static void append_surface(view_text *output, const md5_mesh *mesh)
{
    view_append(output, "\nnumverts %u\n", mesh->num_file_vertices);
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++)
        view_append(output, "vert %u ( %.9g %.9g ) %u %u\n", i, mesh->texcoords[i].x,
                    mesh->texcoords[i].y, mesh->file_vertices[i].first_weight,
                    mesh->file_vertices[i].num_weights);

    view_append(output, "numtris %u\n", mesh->num_triangles);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const vertices = &mesh->indices[3 * (size_t)i];
        view_append(output, "tri %u %u %u %u\n", i, mesh->sources[vertices[0]],
                    mesh->sources[vertices[1]], mesh->sources[vertices[2]]);
    }
}

// Writes a mesh as MD5 text, for a model that combines several models. Therefore the joint
// indices and the scale of its weights are converted; see view_mesh_text.
void view_append_mesh(view_text *output, const view_mesh_text *input)
{
    const md5_mesh *const mesh = input->mesh;
    view_append(output, "mesh {\nname ");
    view_append_name(output, mesh->name);
    view_append(output, "\nshader ");
    view_append_name(output, input->material);
    append_surface(output, mesh);

    view_append(output, "numweights %u\n", mesh->num_weights);
    for (uint32_t i = 0; i < mesh->num_weights; i++) {
        const md5_weight *const weight = &mesh->weights[i];
        uint32_t joint = input->first_joint + weight->joint;
        if (input->joints != NULL)
            joint = input->joints[weight->joint];
        const md5_vec3 offset = md5_vec3_scale(weight->offset, input->scale);
        view_append(output, "weight %u %u %.9g ( %.9g %.9g %.9g )\n", i, joint, weight->bias,
                    offset.x, offset.y, offset.z);
    }
    view_append(output, "}\n");
}

// -- Clips ---------------------------------------------------------------------------------------

// Callback of the allocator in a clip: frees the clip. The clip and its arrays are one block of
// memory, and the joints belong to the model.
static void free_anim(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

// Returns a new clip that animates all joints of a model. Allocates the clip and all its arrays
// in one block, which md5_free_anim() frees with one call of free_anim(). Every joint has a
// translation and a rotation in each frame, so no values are shared between frames.
md5_anim *view_make_anim(const md5_model *model, uint32_t num_frames, double frame_rate)
{
    // The arrays in the block are in the order of decreasing alignment, so that no padding is
    // needed.
    const uint32_t num_joints = model->skeleton.num_joints;
    const size_t count = (size_t)num_frames * num_joints;
    const size_t frame_size =
        num_joints * (sizeof(md5_quat) + sizeof(md5_vec3)) + sizeof(md5_bounds);
    const size_t size = sizeof(md5_anim) + num_joints * sizeof(uint32_t) + num_frames * frame_size;
    md5_anim *const anim = common_alloc(1, size);
    md5_quat *const rotations = (md5_quat *)(anim + 1);
    md5_vec3 *const translations = (md5_vec3 *)(rotations + count);
    md5_bounds *const bounds = (md5_bounds *)(translations + count);
    uint32_t *const joints = (uint32_t *)(bounds + num_frames);
    for (uint32_t i = 0; i < num_joints; i++)
        joints[i] = i;
    for (uint32_t i = 0; i < num_frames; i++)
        bounds[i] = model->bounds;
    *anim = (md5_anim){.skeleton = model->skeleton,
                       .base_frame = model->bind_local,
                       .num_frames = num_frames,
                       .frame_rate = frame_rate,
                       .duration = (num_frames - 1) / frame_rate,
                       .constant = model->bind_local,
                       .num_rotations = num_joints,
                       .num_translations = num_joints,
                       .rotation_joints = joints,
                       .translation_joints = joints,
                       .rotations = rotations,
                       .translations = translations,
                       .frame_bounds = bounds,
                       .num_components = 6 * num_joints,
                       .command_line = "",
                       .size = size,
                       .internal = {.allocator = {.free = free_anim}}};
    return anim;
}

// Writes the pose of one frame, relative to the parents, to a clip of view_make_anim(). The
// library declares the arrays as const because clips of files do not change; the arrays of this
// clip are writable.
void view_set_frame(md5_anim *anim, uint32_t frame, const md5_xform *pose)
{
    const size_t first = (size_t)frame * anim->skeleton.num_joints;
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        ((md5_quat *)anim->rotations)[first + i] = pose[i].rotation;
        ((md5_vec3 *)anim->translations)[first + i] = pose[i].translation;
    }
}
