// Loads an MD5 model into the structures of a Quake engine: the engine's heap and file system, its
// vertex format, and one buffer with the bone matrices of all frames for skinning in a shader.
// Models that exceed the limits of the engine are rejected.
//
//   cc quake_engine.c $(pkg-config --cflags --libs md5model) -o quake_engine
//   ./quake_engine models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
//
// To use this file in an engine, define ENGINE, which excludes the replacements of engine functions
// below, and copy the folder small/ of a release as md5model/.
#include <math.h>
#include <md5model/md5skin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ENGINE
typedef float bone[3][4];
typedef struct engine_vertex {
    float position[3];
    int8_t normal[4];
    uint8_t joints[4];
    uint8_t weights[4];
    float uv[2];
} engine_vertex;
#define zone_alloc malloc // a heap, aligned to 16 bytes
#define zone_free free
#define hunk_alloc malloc // data of the level; an engine frees all of it when the level ends

// Reads a file into memory from zone_alloc().
static void *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    *size = file && !fseek(file, 0, SEEK_END) ? (size_t)ftell(file) : 0;
    void *bytes = file && !fseek(file, 0, SEEK_SET) ? zone_alloc(*size + 1) : NULL;
    *size = bytes ? fread(bytes, 1, *size, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}
#endif

typedef struct surface {
    uint32_t num_vertices;
    uint32_t num_indices;
    engine_vertex *vertices;
    uint16_t *indices;
} surface;
typedef struct alias {
    uint32_t num_bones;
    uint32_t num_frames;
    uint32_t num_surfaces;
    bone *bones; // [num_frames * num_bones]
    surface *surfaces;
} alias;

static void *md5_alloc(void *user, size_t size)
{
    return (void)user, zone_alloc(size);
}
static void md5_free(void *user, void *memory, size_t size)
{
    (void)user, (void)size, zone_free(memory);
}
static const void *md5_open(void *user, const char *name, size_t *size, md5_error *error)
{
    const void *bytes = read_file(name, size);
    if (!bytes)
        snprintf(error->message, sizeof error->message, "not in the packs");
    return (void)user, bytes;
}
static void md5_close(void *user, const void *bytes, size_t size)
{
    md5_free(user, (void *)bytes, size);
}

// Packs the vertices: four joint indices as bytes, and four weights as bytes with the sum 255. The
// texture coordinate v is 0 at the top of the image. Returns false if the mesh exceeds a limit.
static bool fill_surface(const md5_mesh *mesh, surface *s)
{
    s->num_vertices = mesh->num_vertices, s->num_indices = 3 * mesh->num_triangles;
    s->vertices = (engine_vertex *)hunk_alloc((s->num_vertices + 1) * sizeof *s->vertices);
    s->indices = (uint16_t *)hunk_alloc((s->num_indices + 1) * sizeof *s->indices);
    if (s->num_vertices > UINT16_MAX || !s->vertices || !s->indices)
        return false;

    for (uint32_t i = 0; i < s->num_indices; i++)
        s->indices[i] = (uint16_t)mesh->indices[i];
    for (uint32_t i = 0; i < s->num_vertices; i++) {
        const md5_vec3 n = md5_vec3_scale(mesh->normals[i], 127);
        const float normal[4] = {n.x, n.y, n.z, 0};
        for (int axis = 0; axis < 4; axis++)
            s->vertices[i].normal[axis] = (int8_t)lrintf(normal[axis]);
        memcpy(s->vertices[i].position, &mesh->positions[i], sizeof(md5_vec3));
        memcpy(s->vertices[i].uv, &mesh->texcoords[i], sizeof(md5_vec2));
    }

    md5_pack_job job = MD5_INIT;
    job.mesh = mesh, job.format = MD5_PACK_BYTES;
    job.joints = s->vertices->joints, job.weights = s->vertices->weights;
    job.joint_stride = job.weight_stride = sizeof *s->vertices;
    return md5_pack_influences(&job); // false if a joint index is above 255
}

#ifdef MD5_SMALL
static void skip_parts(md5_load_opts *opts)
{
    (void)opts; // the functions in small/ compute only the parts that this file uses
}
#else
static void skip_parts(md5_load_opts *opts)
{
    opts->skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES;
}
#endif

// Fills the engine's model: the bone matrices of all frames, then the surfaces. Returns NULL, or
// the reason of the failure.
static const char *fill_alias(const md5_model *model, const md5_binding *binding, alias *a)
{
    const md5_anim *anim = binding->anim;
    const uint32_t num_bones = a->num_bones = model->skeleton.num_joints;
    a->num_frames = anim->num_frames, a->num_surfaces = model->num_meshes;
    if (!a->num_surfaces)
        return "no meshes"; // the library also loads files that contain only a skeleton
    a->bones = (bone *)hunk_alloc(sizeof(bone) * num_bones * a->num_frames);
    a->surfaces = (surface *)hunk_alloc(sizeof(surface) * a->num_surfaces);
    md5_xform *pose = (md5_xform *)zone_alloc(sizeof(md5_xform) * num_bones);
    const char *why = a->bones && a->surfaces && pose ? NULL : "out of memory";

    // md5_mat34 has the memory layout of the engine's bone: three rows of four floats.
    for (uint32_t i = 0; i < a->num_frames && !why; i++)
        md5_pose_palette(binding, md5_sample_position_from_frames(anim, i, i, 0), MD5_ROOT_FILE,
                         pose, NULL, (md5_mat34 *)(void *)&a->bones[(size_t)i * num_bones]);
    for (uint32_t i = 0; i < a->num_surfaces && !why; i++)
        why = fill_surface(&model->meshes[i], &a->surfaces[i]) ? NULL : "a mesh is too large";
    zone_free(pose);
    return why;
}

// Loads a model and a clip with the allocator and the file system of the engine, and converts them.
// Returns false and writes the reason to `text`.
static bool load_alias(const char *mesh_name, const char *anim_name, alias *a, char text[600])
{
    md5_load_opts opts = MD5_INIT;
    md5_error error = MD5_INIT;
    memset(a, 0, sizeof *a);
    opts.allocator.alloc = md5_alloc, opts.allocator.free = md5_free;
    opts.files.open = md5_open, opts.files.close = md5_close;
    opts.normals = MD5_NORMALS_AREA;
    skip_parts(&opts);

    md5_model *model = md5_load_model(mesh_name, &opts, &error);
    md5_anim *anim = model ? md5_load_anim(anim_name, &opts, &error) : NULL;
    md5_binding *binding = md5_bind(model, anim, &opts, &error);
    const char *why = model && binding ? fill_alias(model, binding, a) : "";
    md5_format_error(&error, text, 600);
    if (binding && why)
        snprintf(text, 600, "%s: %s", mesh_name, why);

    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return !why;
}

#ifndef ENGINE
int main(int argc, char **argv)
{
    static alias a;
    char text[600] = "usage: quake_engine MODEL.md5mesh CLIP.md5anim";
    if (argc != 3 || !load_alias(argv[1], argv[2], &a, text))
        return fprintf(stderr, "%s\n", text), 1;
    printf("%u bones in %u frames, %u surfaces\n", (unsigned)a.num_bones, (unsigned)a.num_frames,
           (unsigned)a.num_surfaces);
    return 0;
}
#endif
