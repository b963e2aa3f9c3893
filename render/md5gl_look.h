// Looks: the materials of a model from the pictures that lie beside its file.
//
//   md5gl_looks_desc desc = {.model = model, .path = "models/imp/imp.md5mesh",
//                            .load = md5gl_stb_load, .release = md5gl_stb_release};
//   md5gl_looks *looks = md5gl_load_looks(renderer, &desc, &error);
//   for (uint32_t i = 0; i < looks->num_meshes; i++)
//       md5gl_set_material(renderer, drawn, 0, i, &looks->materials[i]);
//   md5gl_free_looks(renderer, looks);  // after the last draw with them
//
// A function of the program reads and decodes files, since programs have one for their other
// pictures; md5gl_stb.h has one for PNG, JPEG and TGA.
#ifndef MD5GL_LOOK_H
#define MD5GL_LOOK_H

#include "md5gl.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// What a picture is on a mesh.
typedef enum md5gl_picture {
    MD5GL_PICTURE_DIFFUSE,
    MD5GL_PICTURE_NORMALS,
    MD5GL_PICTURE_HEIGHTS, // become part of the normals
    MD5GL_PICTURE_SPECULAR,
    MD5GL_PICTURE_GLOW,
    MD5GL_NUM_PICTURES
} md5gl_picture;

// Returns the words that files of a kind are named with, the best first, each between spaces:
// " local n nor ... ", for "imp_local.tga". Names of DIFFUSE may lack them.
MD5GL_API const char *md5gl_picture_words(md5gl_picture kind);

// Returns the endings of files that are sought, the best first, and NULL: ".tga", ".png", ...
MD5GL_API const char *const *md5gl_picture_endings(void);

typedef struct md5gl_looks_desc {
    const md5_model *model;
    const char *path; // of the model's file; only names in its folder are opened
    // Returns rgba[4 * *width * *height] of the file, sRGB, straight alpha, the top row first; NULL
    // if there is none or, with a reason in *error, if it is damaged. What it says of the size is
    // believed. Required, as is `release`, which gets what `load` returned.
    const void *(*load)(void *user, const char *path, uint32_t *width, uint32_t *height,
                        md5_error *error);
    void (*release)(void *user, const void *rgba);
    // Names the picture of a map of a shader, which is what the model's file says, or the mesh's
    // name if that says none: a path as it is given to `load`, "" for none, NULL for the names
    // below. It is copied before the next call. NULL: all by name.
    const char *(*name)(void *user, const char *shader, md5gl_picture kind);
    void *user;
    md5_warn_fn *warn; // damaged pictures, meshes without any; NULL: they are only counted
    void *warn_user;
    uint64_t reserved[3]; // 0
} md5gl_looks_desc;

typedef struct md5gl_looks {
    uint32_t num_meshes, num_textures, num_warnings;
    md5gl_material *materials; // [num_meshes], which may be changed
    md5gl_texture *textures;   // [num_textures] that they use, but for the checker
    uint64_t reserved[4];      // 0
} md5gl_looks;

// Makes the material of each mesh that has triangles from the pictures that are called like the
// last part of its shader, "imp_d" of "models/imp/imp_d.tga", or if it has none like the mesh. Its
// diffuse texture is imp_d.tga or .png, ..., else imp.png, or imp_ and another one of
// md5gl_picture_words(). The other maps have their words: imp_local.png, imp_h.png, imp_s.png,
// imp_glow.png. Of several endings the first one that can be read counts.
//
// Normal maps are encoded as md5gl_guess_normals() says; heights are normals, or added to those in
// id's encoding. Texels of alpha up to 0.5 are cut out: a mesh with md5gl_has_holes() is
// two-sided. Meshes of one shader share textures. Without a diffuse texture a mesh is a checker.
//
// Up to 225 names are tried for each shader. A picture that cannot be used is a warning. Returns
// NULL with MD5_ERROR_MEMORY, or if renderer or model are NULL. Call it outside of a frame.
MD5GL_API md5gl_looks *md5gl_load_looks(md5gl_renderer *renderer, const md5gl_looks_desc *desc,
                                        md5_error *error);
MD5GL_API void md5gl_free_looks(md5gl_renderer *renderer, md5gl_looks *looks); // NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
