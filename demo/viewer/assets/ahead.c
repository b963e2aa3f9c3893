// Decodes images next to the first model on a thread.
#include "demo/viewer/assets/ahead.h"

#include "demo/common/memory.h"
#include "demo/looks/look.h"

// The model may not need the images, so the wasted work is limited.
enum {
    MAX_READ = 6,         // number of images
    MAX_PIXELS = 1 << 22, // per image
};

// Main function of the thread, which runs while the window is created. Decodes the images in the
// folder of the model whose names begin with the name of the model. Images that the model does not
// use are wasted work, so their number and size are limited. Always returns 0.
static int read_pictures(void *user)
{
    view_prefetch *const ahead = user;
    md5_error error;
    char *const folder = common_folder(ahead->model);
    char *const stem = common_stem(ahead->model);
    common_list files = common_list_folder(folder, "");
    for (size_t i = 0; i < files.count && ahead->count < MAX_READ; i++) {
        const char *const path = files.names[i];
        const bool has_model_name = strncmp(common_base(path), stem, strlen(stem)) == 0;
        if (!view_is_image(path) || !has_model_name)
            continue;
        if (view_read_image(path, MAX_PIXELS, &ahead->images[ahead->count], &error))
            ahead->paths[ahead->count++] = common_copy(path);
    }
    common_free_list(&files);
    free(stem);
    free(folder);
    return 0;
}

void view_begin_prefetch(view_prefetch *ahead, const char *model)
{
    ahead->model = common_canonical_path(model);
    ahead->thread = view_start_thread(read_pictures, "pictures", ahead);
}

// Waits until the thread has decoded all images, and moves the image of a path to *image. Returns
// false if it was not requested or could not be read.
bool view_get_prefetched(view_prefetch *ahead, const char *path, view_image *image)
{
    view_wait_thread(ahead->thread, "pictures");
    ahead->thread = NULL;
    size_t i = 0;
    while (i < ahead->count && strcmp(ahead->paths[i], path) != 0)
        i++;
    if (i == ahead->count || ahead->images[i].rgba == NULL)
        return false;
    *image = ahead->images[i];
    ahead->images[i].rgba = NULL;
    return true;
}

// Waits for the thread and frees the images that no texture has used.
void view_end_prefetch(view_prefetch *ahead)
{
    view_wait_thread(ahead->thread, "pictures");
    for (size_t i = 0; i < ahead->count; i++) {
        free(ahead->images[i].rgba);
        free(ahead->paths[i]);
    }
    free(ahead->model);
    *ahead = (view_prefetch){.count = 0};
}
