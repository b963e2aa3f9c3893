#include "demo/viewer/scene/game_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const void *decode(void *user, const void *bytes, size_t size, uint32_t *width,
                          uint32_t *height, md5_error *error)
{
    view_image image;
    view_image_fault fault;
    (void)user;
    if (!view_decode_image(bytes, size, &image, &fault)) {
        if (error != NULL)
            (void)snprintf(error->message, sizeof error->message, "%.180s", fault.message);
        return NULL;
    }
    *width = image.width;
    *height = image.height;
    return image.rgba;
}

static void release(void *user, const void *pixels)
{
    (void)user;
    free((void *)(uintptr_t)pixels);
}

md5_image_decoder view_game_decoder(void)
{
    return (md5_image_decoder){decode, release, NULL};
}

bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          view_image_fault *fault)
{
    md5_error error;
    const md5_image_opts opts = {.decoder = view_game_decoder(), .keep_size = true};
    md5_image *const made = md5_load_image(game, program, &opts, &error);
    if (made == NULL)
        return view_image_fail(fault, "%.190s", error.message);
    const size_t size = (size_t)made->width * made->height * 4;
    *image = (view_image){common_alloc(size, 1), made->width, made->height};
    memcpy(image->rgba, made->pixels, size);
    md5_free_image(made);
    return true;
}

const md5_image_program *view_material_image(const md5_material *material, view_map map)
{
    const md5_stage_light light = map == VIEW_MAP_NORMALS    ? MD5_STAGE_BUMP
                                  : map == VIEW_MAP_SPECULAR ? MD5_STAGE_SPECULAR
                                                             : MD5_STAGE_DIFFUSE;
    const md5_image_program *any = NULL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->image.text[0] == '\0')
            continue;
        if (stage->light == light)
            return &stage->image;
        if (any == NULL && map == VIEW_MAP_DIFFUSE && stage->light == MD5_STAGE_AMBIENT)
            any = &stage->image;
    }
    return any;
}
