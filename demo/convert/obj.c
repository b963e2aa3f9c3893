// Writes Wavefront OBJ for programs without support for joints and clips. Writes the bind pose and
// each frame of each clip as a separate file. `md5tool bind` reads OBJ (obj_in.c).
#include "demo/convert/assets.h"

// Returns a name that a line can end with. A line break would begin another line, so the name
// contains none. An empty name is replaced by "mesh_" and the index. The caller frees the result.
static char *line_name(const char *name, uint32_t index)
{
    if (name[0] == '\0')
        return common_format("mesh_%u", index);
    return convert_sanitize(name, strlen(name), "");
}

// State of writing poses as OBJ files.
typedef struct obj_writer {
    const convert_job *job;
    const convert_scene *scene;
    md5_error *error;
    convert_assets assets;
    bool is_done; // no failure so far
} obj_writer;

// Returns true if no mesh before `index` has the same shader, so that a material must be written
// for it. Meshes without a shader have separate materials.
static bool is_new_shader(const md5_model *model, uint32_t index)
{
    const char *const shader = model->meshes[index].shader;
    if (shader[0] == '\0')
        return true;
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(model->meshes[i].shader, shader) == 0)
            return false;
    }
    return true;
}

// Writes the color images of a shader. Appends the lines that refer to them to the text of its
// material.
static bool write_images(const obj_writer *writer, const char *shader, convert_bytes *text)
{
    for (size_t i = 0; i < writer->scene->num_materials; i++) {
        const convert_material *const material = &writer->scene->materials[i];
        const convert_image *const image = &material->maps[CONVERT_MAP_COLOR];
        if (strcmp(material->shader, shader) != 0 || !image->bytes)
            continue;
        char *const name = convert_file_name(image->name);
        char *const file = common_format("%s%s", name, convert_image_extension(image));
        convert_append_text(text, "map_Kd %s\n", file);
        const bool is_written =
            convert_write_to_folder(writer->job, file, image->bytes, image->size, writer->error);
        free(file);
        free(name);
        if (!is_written)
            return false;
    }
    return true;
}

// Writes NAME.mtl with a material for each shader of the model, and the color images of the
// materials. Returns false on failure.
static bool write_materials(const obj_writer *writer)
{
    const md5_model *const model = writer->assets.model;
    convert_bytes text = {0};
    bool is_done = true;
    for (uint32_t i = 0; i < model->num_meshes && is_done; i++) {
        const char *const shader = model->meshes[i].shader;
        if (!is_new_shader(model, i))
            continue;
        char *const name = line_name(shader, i);
        convert_append_text(&text, "newmtl %s\nKd 0.8 0.8 0.8\n", name);
        free(name);
        is_done = write_images(writer, shader, &text);
    }

    char *const file = common_format("%s.mtl", writer->scene->name);
    is_done = is_done
              && convert_write_to_folder(writer->job, file, text.bytes ? text.bytes : "", text.size,
                                         writer->error);
    free(file);
    free(text.bytes);
    return is_done;
}

static void append_vector(const obj_writer *writer, convert_bytes *text, const char *key,
                          md5_vec3 v)
{
    if (writer->job->is_y_up)
        v = (md5_vec3){v.y, v.z, v.x};
    convert_append_text(text, "%s %.9g %.9g %.9g\n", key, v.x, v.y, v.z);
}

// Appends the lines of a mesh. `first` is the index of its first vertex in the file; the first
// index in a file is 1. A vertex has the same index for position, texture coordinate and normal.
static void append_mesh(const obj_writer *writer, convert_bytes *text, const md5_mesh *mesh,
                        uint32_t first, const md5_vec3 *positions, const md5_vec3 *normals)
{
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++)
        append_vector(writer, text, "v", positions[v]);
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) // v counts from the bottom
        convert_append_text(text, "vt %.9g %.9g\n", mesh->texcoords[v].x,
                            1.0 - mesh->texcoords[v].y);
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++)
        append_vector(writer, text, "vn", normals[v]);

    for (size_t k = 0; k < 3 * (size_t)mesh->num_triangles;
         k += 3) { // MD5's triangles are clockwise
        const uint32_t a = first + mesh->sources[mesh->indices[k]];
        const uint32_t b = first + mesh->sources[mesh->indices[k + 1]];
        const uint32_t c = first + mesh->sources[mesh->indices[k + 2]];
        convert_append_text(text, "f %u/%u/%u %u/%u/%u %u/%u/%u\n", a, a, a, c, c, c, b, b, b);
    }
}

// Writes one pose of all meshes to a file. `palette` contains a matrix per joint, from the bind
// pose to the pose; NULL selects the bind pose. Writes the vertices of the MD5 file, without the
// duplicates that the library creates.
static bool write_pose(const obj_writer *writer, const char *name, const md5_mat34 *palette)
{
    const md5_model *const model = writer->assets.model;
    convert_bytes text = {0};
    uint32_t first_vertex = 1; // index of the mesh's first vertex in the file; OBJ counts from 1
    convert_append_text(&text, "mtllib %s.mtl\n", writer->scene->name);

    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        char *const title = line_name(mesh->name, i);
        char *const shader = line_name(mesh->shader, i);
        convert_append_text(&text, "g %s\nusemtl %s\n", title, shader);
        free(shader);
        free(title);

        md5_vec3 *const skin = common_alloc(mesh->num_vertices, 2 * sizeof *skin);
        md5_vec3 *const skin_normals = skin + mesh->num_vertices;
        if (palette)
            md5_skin(mesh, palette, skin, skin_normals, NULL);
        const md5_vec3 *const positions = palette ? skin : mesh->positions;
        const md5_vec3 *const normals = palette ? skin_normals : mesh->normals;
        append_mesh(writer, &text, mesh, first_vertex, positions, normals);
        free(skin);
        first_vertex += mesh->num_file_vertices;
    }

    const bool is_written =
        convert_write_to_folder(writer->job, name, text.bytes, text.size, writer->error);
    free(text.bytes);
    return is_written;
}

// Writes one frame of a clip to a file. It is a callback for convert_visit_frames(). The files are
// named NAME_0000.obj and so on for one clip, and NAME_CLIP_0000.obj and so on for several clips.
static void write_frame(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette)
{
    obj_writer *const writer = user;
    const convert_assets *const assets = &writer->assets;
    char *name = NULL;
    if (assets->num_clips == 1)
        name = common_format("%s_%04u.obj", writer->scene->name, frame);
    else
        name =
            common_format("%s_%s_%04u.obj", writer->scene->name, assets->clips[clip].name, frame);
    writer->is_done = writer->is_done && write_pose(writer, name, palette);
    free(name);
}

// Writes the bind pose of a model as NAME.obj, its materials, and each frame of its clips as a
// separate file. Returns false on failure.
bool convert_write_obj(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    if (!convert_find_model(scene))
        return convert_fail(error, MD5_ERROR_MISSING, job->output,
                            "model is missing: OBJ requires a model as input");

    obj_writer writer = {.job = job, .scene = scene, .error = error};
    if (convert_load_assets(job, scene, &writer.assets, error)) {
        char *const name = common_format("%s.obj", scene->name);
        writer.is_done = write_materials(&writer) && write_pose(&writer, name, NULL);
        convert_visit_frames(&writer.assets, 1, write_frame, &writer);
        free(name);
    }

    convert_note_unsupported_parts(job, scene, "OBJ", true);
    if (writer.is_done)
        convert_note(job,
                     "joints and clips were written as separate poses with %s up, because OBJ does "
                     "not support animation",
                     job->is_y_up ? "y" : "z");

    convert_free_assets(&writer.assets);
    return writer.is_done;
}
