// Loads a model and an animation clip, prints their contents, and shows how to report errors and
// warnings with file, line and column.
//
//   cc load_print.c $(pkg-config --cflags --libs md5model) -o load_print
//   ./load_print models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
#include <md5model/md5model.h>
#include <stdio.h>

// Called for each problem in a file that does not prevent loading.
static void print_warning(void *user, const md5_error *warning)
{
    char text[600];
    (void)user;
    md5_format_error(warning, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

static int fail(const md5_error *error)
{
    print_warning(NULL, error); // "FILE:LINE:COLUMN: error: expected X, found Y"
    return 1;
}

// Loads a model and a clip, prints their contents, and matches the joints of both files by name.
// Returns 2 without file names, and 1 after an error.
int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: load_print MODEL.md5mesh CLIP.md5anim\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    const md5_load_opts opts = {.warn = print_warning}; // all other options are 0, the default
    md5_model *model = md5_load_model(argv[1], &opts, &error);
    if (!model)
        return fail(&error);

    printf("%u joints, %u meshes, %zu bytes in memory\n", (unsigned)model->skeleton.num_joints,
           (unsigned)model->num_meshes, model->size);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *mesh = &model->meshes[i];
        printf("  mesh %s, shader %s: %u vertices, %u triangles, up to %u joints per vertex\n",
               mesh->name, mesh->shader, (unsigned)mesh->num_vertices,
               (unsigned)mesh->num_triangles, (unsigned)mesh->max_influences);
    }

    md5_anim *anim = md5_load_anim(argv[2], &opts, &error);
    if (!anim)
        return fail(&error);
    printf("%u frames at %g per second: %g seconds\n", (unsigned)anim->num_frames, anim->frame_rate,
           anim->duration);

    // Match the joints of the clip to the joints of the model by name. This fails if fewer than
    // half of the joints match.
    md5_binding *binding = md5_bind(model, anim, &opts, &error);
    if (!binding)
        return fail(&error);
    printf("%u joints of the model are not in the clip, %u of the clip are not in the model\n",
           (unsigned)binding->num_missing, (unsigned)binding->num_extra);

    md5_free_binding(binding); // first, because it refers to the clip and the model
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
