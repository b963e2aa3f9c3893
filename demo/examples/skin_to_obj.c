// Computes the pose of a model at a time of a clip and skins the vertices on the CPU. Writes them
// as an OBJ file, which most 3D programs can open.
//
//   cc skin_to_obj.c $(pkg-config --cflags --libs md5model) -o skin_to_obj
//   ./skin_to_obj models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim 0.8 bobbin.obj
#include <md5model/md5skin.h>
#include <stdio.h>
#include <stdlib.h>

// Writes a skinned mesh. In OBJ files, vertex indices start at 1 and continue over all meshes.
// `first` is the index of the mesh's first vertex.
static void write_mesh(FILE *file, const md5_mesh *mesh, const md5_vec3 *positions,
                       const md5_vec3 *normals, uint32_t first)
{
    fprintf(file, "o %s\nusemtl %s\n", mesh->name, mesh->shader);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const md5_vec3 p = positions[i];
        const md5_vec3 n = normals[i];
        const md5_vec2 st = mesh->texcoords[i];
        fprintf(file, "v %g %g %g\n", (double)p.x, (double)p.y, (double)p.z);
        // v = 0 is the top of the image in MD5 files and the bottom in OBJ files.
        fprintf(file, "vt %g %g\n", (double)st.x, 1.0 - (double)st.y);
        fprintf(file, "vn %g %g %g\n", (double)n.x, (double)n.y, (double)n.z);
    }
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        // Triangles are clockwise in MD5 files and counter-clockwise in OBJ files.
        const uint32_t *corners = mesh->indices + 3 * i;
        const unsigned a = first + corners[0];
        const unsigned b = first + corners[2];
        const unsigned c = first + corners[1];
        fprintf(file, "f %u/%u/%u %u/%u/%u %u/%u/%u\n", a, a, a, b, b, b, c, c, c);
    }
}

// Skins all meshes and writes them one after the other. Returns false if memory runs out.
static int write_meshes(FILE *file, const md5_model *model, const md5_mat34 *palette)
{
    int is_written = 1;
    uint32_t first = 1;
    for (uint32_t i = 0; is_written && i < model->num_meshes; i++) {
        const md5_mesh *mesh = &model->meshes[i];
        md5_vec3 *positions = malloc((mesh->num_vertices + 1) * sizeof *positions);
        md5_vec3 *normals = malloc((mesh->num_vertices + 1) * sizeof *normals);
        is_written = positions && normals;
        if (is_written) {
            md5_skin(mesh, palette, positions, normals, NULL); // NULL: no tangents
            write_mesh(file, mesh, positions, normals, first);
        }
        first += mesh->num_vertices;
        free(normals);
        free(positions);
    }
    return is_written;
}

// Writes the model at a time of the clip. Returns false if memory runs out.
static int write_model(FILE *file, const md5_binding *binding, double time)
{
    const md5_model *model = binding->model;
    const size_t num_joints = model->skeleton.num_joints;
    md5_xform *pose = malloc(num_joints * sizeof *pose);
    md5_mat34 *palette = malloc(num_joints * sizeof *palette);
    int is_written = pose && palette;
    if (is_written) {
        // Convert the time to two frames, the frames to a pose, and the pose to one matrix per
        // joint.
        const md5_sample_position sample =
            md5_sample_position_at(binding->anim, time, MD5_WRAP_LOOP);
        md5_pose_palette(binding, sample, MD5_ROOT_FILE, pose, NULL, palette);
        is_written = write_meshes(file, model, palette);
    }
    free(palette);
    free(pose);
    return is_written;
}

// Loads a model and a clip, and writes the posed model to the OBJ file.
int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: skin_to_obj MODEL.md5mesh CLIP.md5anim SECONDS OUTPUT.obj\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(argv[1], NULL, &error);
    md5_anim *anim = md5_load_anim(argv[2], NULL, &error);
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    if (!binding) {
        char text[600];
        md5_format_error(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }

    FILE *file = fopen(argv[4], "w");
    const int is_written = file && write_model(file, binding, strtod(argv[3], NULL));
    if (!file || fclose(file) != 0 || !is_written) {
        fprintf(stderr, "%s: cannot write\n", argv[4]);
        return 1;
    }

    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
