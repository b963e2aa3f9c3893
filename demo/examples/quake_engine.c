// Loads an MD5 model into the structures of a Quake engine. It uses the engine's heap, file system
// and vertex format. One buffer contains the bone matrices of all frames, for skinning in a shader.
// Models that exceed the limits of the engine are rejected.
//
//   cc quake_engine.c $(pkg-config --cflags --libs md5model) -o quake_engine
//   ./quake_engine models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
//
// To use this file in an engine, copy the folder small/ of a release (or build/amalgamated/small)
// as md5model/, and include a header of the engine above the line "#ifndef ENGINE" that declares
// the same types and functions as the lines below it. Then define ENGINE, which excludes these
// lines and main(). Functions of other files can call load_alias() after you have removed its
// "static".
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
#define zone_alloc malloc // a heap, aligned to 16 bytes; Z_Malloc() of Quake aligns to 8
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

// A mesh in the form of the engine.
typedef struct surface {
    uint32_t num_vertices;
    uint32_t num_indices;
    engine_vertex *vertices;
    uint16_t *indices;
} surface;
// A model in the form of the engine, which calls animated models alias models.
typedef struct alias {
    uint32_t num_bones;
    uint32_t num_frames;
    uint32_t num_surfaces;
    bone *bones; // [num_frames * num_bones]
    surface *surfaces;
} alias;

// Allocates memory from the engine's heap. It is a callback of md5_load_opts.allocator.
static void *md5_alloc(void *user, size_t size)
{
    (void)user;
    return zone_alloc(size);
}

// Frees memory of the engine's heap. It is a callback of md5_load_opts.allocator.
static void md5_free(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    zone_free(memory);
}

// Reads a file from the engine's file system. It is a callback of md5_load_opts.files.
static const void *md5_open(void *user, const char *name, size_t *size, md5_error *error)
{
    (void)user;
    const void *bytes = read_file(name, size);
    if (!bytes)
        snprintf(error->message, sizeof error->message, "not in the packs");
    return bytes;
}

// Frees the bytes of a file. It is a callback of md5_load_opts.files.
static void md5_close(void *user, const void *bytes, size_t size)
{
    md5_free(user, (void *)bytes, size);
}

// Returns a component of a normal as a signed byte: -1 to 1 becomes -127 to 127.
static int8_t byte_of_normal(float component)
{
    return (int8_t)lrintf(127 * component);
}

// Copies positions, normals and texture coordinates to the vertices of the engine. The texture
// coordinate v is 0 at the top of the image.
static void fill_vertices(const md5_mesh *mesh, engine_vertex *vertices)
{
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        engine_vertex *v = &vertices[i];
        memcpy(v->position, &mesh->positions[i], sizeof v->position);
        memcpy(v->uv, &mesh->texcoords[i], sizeof v->uv);
        v->normal[0] = byte_of_normal(mesh->normals[i].x);
        v->normal[1] = byte_of_normal(mesh->normals[i].y);
        v->normal[2] = byte_of_normal(mesh->normals[i].z);
        v->normal[3] = 0;
    }
}

// Copies a mesh into the engine's structure. Each vertex gets four joint indices and four weights
// as bytes. The sum of its weights is 255. Returns NULL on success, or the reason of the failure.
static const char *fill_surface(const md5_mesh *mesh, surface *s)
{
    if (mesh->num_vertices > UINT16_MAX)
        return "more than 65535 vertices in a mesh";
    s->num_vertices = mesh->num_vertices;
    s->num_indices = 3 * mesh->num_triangles;
    s->vertices = (engine_vertex *)hunk_alloc((s->num_vertices + 1) * sizeof *s->vertices);
    s->indices = (uint16_t *)hunk_alloc((s->num_indices + 1) * sizeof *s->indices);
    if (!s->vertices || !s->indices)
        return "out of memory";

    for (uint32_t i = 0; i < s->num_indices; i++)
        s->indices[i] = (uint16_t)mesh->indices[i];
    fill_vertices(mesh, s->vertices);

    md5_pack_job job = MD5_INIT;
    job.mesh = mesh;
    job.format = MD5_PACK_BYTES;
    job.joints = s->vertices->joints;
    job.weights = s->vertices->weights;
    job.joint_stride = sizeof *s->vertices;
    job.weight_stride = sizeof *s->vertices;
    return md5_pack_influences(&job) ? NULL : "more than 256 joints";
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

// Computes the bone matrices of all frames. Returns false if memory runs out.
static bool fill_bones(const md5_binding *binding, alias *a)
{
    a->bones = (bone *)hunk_alloc(sizeof(bone) * a->num_bones * a->num_frames);
    md5_xform *pose = (md5_xform *)zone_alloc(sizeof(md5_xform) * a->num_bones);
    const bool has_memory = a->bones && pose;
    for (uint32_t frame = 0; has_memory && frame < a->num_frames; frame++) {
        md5_sample_position sample =
            md5_sample_position_from_frames(binding->anim, frame, frame, 0);
        // md5_mat34 has the memory layout of the engine's bone: three rows of four floats.
        void *palette = &a->bones[(size_t)frame * a->num_bones];
        md5_pose_palette(binding, sample, MD5_ROOT_FILE, pose, NULL, (md5_mat34 *)palette);
    }
    zone_free(pose);
    return has_memory;
}

// Fills the engine's model with the bone matrices of all frames and with the surfaces. Returns NULL
// on success, or the reason of the failure.
static const char *fill_alias(const md5_model *model, const md5_binding *binding, alias *a)
{
    a->num_bones = model->skeleton.num_joints;
    a->num_frames = binding->anim->num_frames;
    a->num_surfaces = model->num_meshes;
    if (a->num_surfaces == 0)
        return "no meshes"; // the library also loads files that contain only a skeleton
    a->surfaces = (surface *)hunk_alloc(sizeof(surface) * a->num_surfaces);
    if (!a->surfaces || !fill_bones(binding, a))
        return "out of memory";
    const char *reason = NULL;
    for (uint32_t i = 0; i < a->num_surfaces && !reason; i++)
        reason = fill_surface(&model->meshes[i], &a->surfaces[i]);
    return reason;
}

// Loads a model and a clip with the allocator and the file system of the engine, and converts them.
// On failure, returns false and writes the reason to `text`.
static bool load_alias(const char *mesh_name, const char *anim_name, alias *a, char text[600])
{
    md5_load_opts opts = MD5_INIT;
    opts.allocator.alloc = md5_alloc;
    opts.allocator.free = md5_free;
    opts.files.open = md5_open;
    opts.files.close = md5_close;
    opts.normals = MD5_NORMALS_AREA;
    skip_parts(&opts);

    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(mesh_name, &opts, &error);
    md5_anim *anim = model ? md5_load_anim(anim_name, &opts, &error) : NULL;
    md5_binding *binding = md5_bind(model, anim, &opts, &error); // NULL if model or anim is NULL
    const char *reason = NULL;
    memset(a, 0, sizeof *a);
    if (!model || !binding)
        md5_format_error(&error, text, 600);
    else
        reason = fill_alias(model, binding, a);
    if (reason)
        snprintf(text, 600, "%s: %s", mesh_name, reason);
    const bool is_loaded = binding && !reason;

    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return is_loaded;
}

#ifndef ENGINE
// Loads the model and the clip, and prints the size of the result. An engine calls load_alias()
// instead.
int main(int argc, char **argv)
{
    static alias a;
    char text[600] = "usage: quake_engine MODEL.md5mesh CLIP.md5anim";
    if (argc != 3 || !load_alias(argv[1], argv[2], &a, text)) {
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    printf("%u bones in %u frames, %u surfaces\n", (unsigned)a.num_bones, (unsigned)a.num_frames,
           (unsigned)a.num_surfaces);
    return 0;
}
#endif
