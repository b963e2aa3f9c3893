#include "demo/viewer/scene/ahead.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

enum { MOST_IMAGES = 16 };

typedef enum ahead_step { WAITS, DECODES, DONE, TAKEN } ahead_step;

typedef struct image_ahead {
    char *path;
    ahead_step step;
    bool is_read;
    view_image image; // until it is taken
    view_image_fault fault;
} image_ahead;

struct view_ahead {
    image_ahead entries[MOST_IMAGES]; // in the order in which they will be wanted
    uint32_t count;
    SDL_mutex *mutex; // of the steps, and of what is DONE
    SDL_cond *done;
    SDL_Thread *thread;
    bool stops;
};

// -- Finding ----------------------------------------------------------------------------------

static image_ahead *find_entry(view_ahead *ahead, const char *path)
{
    for (uint32_t i = 0; i < ahead->count; i++)
        if (strcmp(ahead->entries[i].path, path) == 0)
            return &ahead->entries[i];
    return NULL;
}

static void add_entry(view_ahead *ahead, const char *path)
{
    if (path != NULL && ahead->count < MOST_IMAGES && find_entry(ahead, path) == NULL)
        ahead->entries[ahead->count++].path = common_copy(path);
}

// The other maps beside a texture.
static void add_maps(view_ahead *ahead, const char *diffuse)
{
    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    const bool has_normals = view_find_map(&files, diffuse, VIEW_MAP_NORMALS) != NULL;
    for (view_map map = VIEW_MAP_NORMALS; map < VIEW_NUM_MAPS; map++)
        if (map != VIEW_MAP_HEIGHT || !has_normals)
            add_entry(ahead, view_find_map(&files, diffuse, map));
    common_free_list(&files);
    free(folder);
}

static void find_images(view_ahead *ahead, const md5_model *model, view_texture_search search)
{
    view_log quiet = {.level = VIEW_QUIET};
    for (uint32_t i = 0; i < model->num_meshes && ahead->count < MOST_IMAGES; i++) {
        if (model->meshes[i].num_triangles == 0)
            continue;
        search.shader = model->meshes[i].shader;
        search.mesh = model->meshes[i].name;
        view_texture_found found = view_find_texture(&search, &quiet);
        add_entry(ahead, found.path);
        if (found.path != NULL)
            add_maps(ahead, found.path);
        view_free_texture_found(&found);
    }
}

// -- Decoding ---------------------------------------------------------------------------------

static void decode(image_ahead *of)
{
    of->is_read = view_read_image(of->path, &of->image, &of->fault);
}

// The first image is left to the caller, who wants it at once.
static int decode_all(void *user)
{
    view_ahead *const ahead = user;
    SDL_LockMutex(ahead->mutex);
    for (uint32_t i = 1; i < ahead->count && !ahead->stops; i++) {
        image_ahead *const next = &ahead->entries[i];
        if (next->step != WAITS)
            continue;
        next->step = DECODES;
        SDL_UnlockMutex(ahead->mutex);
        decode(next);
        SDL_LockMutex(ahead->mutex);
        next->step = DONE;
        SDL_CondSignal(ahead->done);
    }
    SDL_UnlockMutex(ahead->mutex);
    return 0;
}

view_ahead *view_begin_ahead(const md5_model *model, const view_texture_search *search)
{
    view_ahead *const ahead = common_alloc(1, sizeof *ahead);
    find_images(ahead, model, *search);
    if (ahead->count >= 2) {
        ahead->mutex = SDL_CreateMutex();
        ahead->done = SDL_CreateCond();
    }
    if (ahead->mutex != NULL && ahead->done != NULL)
        ahead->thread = SDL_CreateThread(decode_all, "images", ahead);
    if (ahead->thread != NULL)
        return ahead;
    view_end_ahead(ahead);
    return NULL;
}

void view_end_ahead(view_ahead *ahead)
{
    if (ahead == NULL)
        return;
    if (ahead->thread != NULL) {
        SDL_LockMutex(ahead->mutex);
        ahead->stops = true;
        SDL_UnlockMutex(ahead->mutex);
        SDL_WaitThread(ahead->thread, NULL);
    }
    for (uint32_t i = 0; i < ahead->count; i++) {
        free(ahead->entries[i].path);
        free(ahead->entries[i].image.rgba);
    }
    SDL_DestroyCond(ahead->done);
    SDL_DestroyMutex(ahead->mutex);
    free(ahead);
}

// An image is taken once: who wants it again reads it again.
bool view_read_ahead(view_ahead *ahead, const char *path, view_image *image,
                     view_image_fault *fault)
{
    image_ahead *const found = ahead != NULL ? find_entry(ahead, path) : NULL;
    if (found == NULL)
        return view_read_image(path, image, fault);
    SDL_LockMutex(ahead->mutex);
    while (found->step == DECODES)
        SDL_CondWait(ahead->done, ahead->mutex);
    const bool is_done = found->step == DONE;
    found->step = TAKEN;
    SDL_UnlockMutex(ahead->mutex);
    if (!is_done)
        return view_read_image(path, image, fault);
    *image = found->image;
    *fault = found->fault;
    found->image = (view_image){NULL, 0, 0};
    return found->is_read;
}
