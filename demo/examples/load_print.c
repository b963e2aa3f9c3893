// Loads a model and a clip, and prints what is in them.
//
//   cc load_print.c $(pkg-config --cflags --libs md5model) -o load_print
//   ./load_print models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim
#include <md5model/md5model.h>
#include <stdio.h>

// Called for everything in a file that is odd, but no reason to refuse it.
static void print_warning(void *user, const md5_error *warning)
{
    char text[600];
    (void)user;
    md5_format_error(warning, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

static int fail(const md5_error *error)
{
    print_warning(NULL, error); // "file:line:column: error: what was found and expected"
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: load_print MODEL.md5mesh CLIP.md5anim\n");
        return 2;
    }
    md5_error error = {0};
    const md5_load_opts opts = {.warn = print_warning}; // everything else is 0: the default
    md5_model *model = md5_load_model(argv[1], &opts, &error);
    if (!model)
        return fail(&error);
    printf("%u joints, %u meshes, %zu bytes in memory\n", (unsigned)model->skeleton.num_joints,
           (unsigned)model->num_meshes, model->size);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *mesh = &model->meshes[i];
        printf("  mesh %s, shader %s: %u vertices, %u triangles, up to %u joints a vertex\n",
               mesh->name, mesh->shader, (unsigned)mesh->num_vertices,
               (unsigned)mesh->num_triangles, (unsigned)mesh->max_influences);
    }
    md5_anim *anim = md5_load_anim(argv[2], &opts, &error);
    if (!anim)
        return fail(&error);
    printf("%u frames at %g a second: %g seconds\n", (unsigned)anim->num_frames, anim->frame_rate,
           anim->duration);
    // Whether the clip fits the model: joints are matched by name.
    md5_binding *binding = md5_bind(model, anim, &opts, &error);
    if (!binding)
        return fail(&error);
    printf("%u joints of the model are not in the clip, %u of the clip are not in the model\n",
           (unsigned)binding->num_missing, (unsigned)binding->num_extra);
    md5_free_binding(binding); // before what it was made of
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
