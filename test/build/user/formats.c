// Loads a mesh or a clip, and prints its size or the error.
#include <md5model/md5model.h>
#include <stdio.h>
#include <string.h>

static void print_error(const md5_error *error)
{
    char text[1024];
    md5_format_error(error, text, sizeof text);
    puts(text);
}

static bool load_anim(const char *path)
{
    md5_error error = MD5_INIT;
    md5_anim *anim = md5_load_anim(path, NULL, &error);
    if (!anim) {
        print_error(&error);
        return false;
    }
    printf("%u frames\n", (unsigned)anim->num_frames);
    md5_free_anim(anim);
    return true;
}

static bool load_model(const char *path)
{
    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(path, NULL, &error);
    if (!model) {
        print_error(&error);
        return false;
    }
    printf("%u joints, %u meshes\n", (unsigned)model->skeleton.num_joints,
           (unsigned)model->num_meshes);
    md5_free_model(model);
    return true;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "";
    bool is_loaded = strstr(path, ".md5anim") ? load_anim(path) : load_model(path);
    return is_loaded ? 0 : 1;
}
