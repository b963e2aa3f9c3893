// The textures that were loaded for a mesh: as its material, and as the panel lists them.
#include "demo/viewer/scene/textures.h"

static md5gl_texture map_texture(const view_textures *textures, uint32_t mesh, view_map map)
{
    const size_t loaded = textures->of_mesh[mesh][map];
    return loaded != VIEW_NO_TEXTURE ? textures->loaded[loaded].texture : 0;
}

md5gl_texture view_mesh_texture(const view_textures *textures, const md5gl_renderer *renderer,
                                uint32_t mesh)
{
    const md5gl_texture texture = map_texture(textures, mesh, VIEW_MAP_DIFFUSE);
    return texture != 0 ? texture : md5gl_checker_texture(renderer);
}

md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, double time)
{
    const size_t diffuse = textures->of_mesh[mesh][VIEW_MAP_DIFFUSE];
    const view_turns *const turns = &textures->turns[mesh];
    md5gl_material material = {.diffuse = view_mesh_texture(textures, renderer, mesh)};
    if (turns->count > 0 && diffuse == turns->images[0]) { // no other file was dropped on it
        const md5_quake_skins skins = {.num_skins = 1, .num_images = {turns->count}};
        const uint32_t image = md5_quake_image_at(&skins, 0, time);
        material.diffuse = textures->loaded[turns->images[image]].texture;
    }
    const bool is_opaque = textures->opaque[mesh] && textures->dropped == NULL;
    material.flags = is_opaque ? (uintptr_t)MD5GL_OPAQUE : 0;
    material.two_sided =
        !is_opaque && diffuse != VIEW_NO_TEXTURE && textures->loaded[diffuse].has_holes;
    material.two_sided = material.two_sided || textures->two_sided[mesh];
    material.alpha_test = textures->alpha_test[mesh];
    if (!maps)
        return material;
    material.normals = map_texture(textures, mesh, VIEW_MAP_NORMALS);
    if (material.normals == 0)
        material.normals = map_texture(textures, mesh, VIEW_MAP_HEIGHT);
    material.specular = map_texture(textures, mesh, VIEW_MAP_SPECULAR);
    material.glow = map_texture(textures, mesh, VIEW_MAP_GLOW);
    return material;
}

const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh, view_map map)
{
    if (textures->of_mesh == NULL) // none were loaded
        return NULL;
    const size_t loaded = textures->of_mesh[mesh][map];
    return loaded != VIEW_NO_TEXTURE ? &textures->loaded[loaded] : NULL;
}

const char *view_mesh_map_path(const view_textures *textures, uint32_t mesh, view_map map)
{
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    return image != NULL ? image->path : NULL;
}

const view_texture_found *view_mesh_search(const view_textures *textures, uint32_t mesh)
{
    static const view_texture_found none = {0};
    return textures->found != NULL ? &textures->found[mesh] : &none;
}
