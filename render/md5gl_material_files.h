// md5gl_material_files: finds the images of a model in its folder and creates the materials of its
// meshes. Use it for models whose textures are image files with names that resemble the names of
// the shaders (the material names in the model's file). For materials of a Doom 3 game folder use
// md5material.h.
//
//   md5gl_material_set_desc desc = MD5_INIT;
//   desc.model = model;
//   desc.path = "models/imp/imp.md5mesh";
//   desc.load = md5gl_stb_load;
//   desc.release = md5gl_stb_release;
//   md5gl_material_set *material_set = md5gl_load_materials(renderer, &desc, &error);
//   for (uint32_t i = 0; i < material_set->num_meshes; i++)
//       md5gl_set_material(renderer, drawn, 0, i, &material_set->materials[i]);
//   md5gl_free_materials(renderer, material_set);  // after the last draw with the materials
//
// The program provides a function that reads and decodes image files. md5gl_stb.h contains such a
// function for PNG, JPEG and TGA.
#ifndef MD5GL_MATERIAL_FILES_H
#define MD5GL_MATERIAL_FILES_H

#include "md5gl.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// The use of an image in a material. All kinds except heights correspond to a member of
// md5gl_material.
typedef enum md5gl_image_kind {
    MD5GL_IMAGE_DIFFUSE, // base color and alpha, for md5gl_material.diffuse
    MD5GL_IMAGE_NORMALS, // normal map, for md5gl_material.normals
    // Height map, which is converted to a normal map or added to the normal map.
    MD5GL_IMAGE_HEIGHTS,
    MD5GL_IMAGE_SPECULAR, // color of highlights, for md5gl_material.specular
    MD5GL_IMAGE_GLOW,     // light that the surface emits, for md5gl_material.glow
    MD5GL_NUM_IMAGE_KINDS // number of values above
} md5gl_image_kind;

// Returns the keywords by which file names mark an image of a kind. For example, the keyword
// "local" in "imp_local.tga" marks a normal map. The result is one text with all keywords in order
// of preference. A space is before and after each keyword: " local n nor ... ". Names of
// MD5GL_IMAGE_DIFFUSE may have no keyword.
MD5GL_API const char *md5gl_texture_keywords(md5gl_image_kind kind);

// Returns the file extensions of images, ".tga", ".png" and so on, in the order in which they are
// tried. The array ends with NULL.
MD5GL_API const char *const *md5gl_image_extensions(void);

// Arguments of md5gl_load_materials(). Initialize the structure with MD5_INIT, and set `model`,
// `path`, `load` and `release`.
typedef struct md5gl_material_set_desc {
    const md5_model *model; // model for whose meshes materials are created
    // Path of the model's file. Images are searched only in the folder of this file.
    const char *path;
    // Your function that reads an image file. It returns the pixels, rgba[4 * *width * *height]:
    // sRGB, not multiplied by alpha, top line first. It stores the size of the image in *width and
    // *height, which are not checked. If the file does not exist, the function returns NULL. If the
    // file is damaged, it returns NULL and writes the reason to *error. The function is required.
    const void *(*load)(void *user, const char *path, uint32_t *width, uint32_t *height,
                        md5_error *error);
    // Your function that frees the pixels that `load` returned. The function is required.
    void (*release)(void *user, const void *rgba);
    // Optional function that returns the path of an image, if your program has its own rules for
    // names. The path is passed to `load`, and is copied before the next call. `shader` is the name
    // of the material of a mesh in the model's file, or the name of the mesh if the material is
    // missing. `kind` is the use of the image. Other results are:
    //   "":   the material has no image of this kind
    //   NULL: the image is searched by name, as md5gl_load_materials() describes
    // If `name` is NULL, all images are searched by name.
    const char *(*name)(void *user, const char *shader, md5gl_image_kind kind);
    void *user; // first argument of `load`, `release` and `name`
    // Function that receives warnings about damaged images and about meshes without images. If
    // NULL, warnings are only counted.
    md5_warn_fn *warn;
    void *warn_user;      // first argument of `warn`
    uint64_t reserved[3]; // must be 0
} md5gl_material_set_desc;

// The materials of a model and their textures: the result of md5gl_load_materials().
typedef struct md5gl_material_set {
    // Number of meshes in the model, number of textures that were created, and number of warnings.
    uint32_t num_meshes, num_textures, num_warnings;
    // [num_meshes] The material of each mesh, which you may change.
    md5gl_material *materials;
    // [num_textures] The textures of the materials. The checkerboard for meshes without a diffuse
    // texture is not in the array, because the renderer owns it.
    md5gl_texture *textures;
    uint64_t reserved[4]; // always 0
} md5gl_material_set;

// Creates a material for each mesh that has triangles, from the images in the folder of the model.
// Call it outside a frame.
//
// File names. Images are found by the last part of the shader's name, or by the name of the mesh if
// it has no shader. For the shader "models/imp/imp_d" the function searches these files:
//
// - diffuse texture: imp_d.tga, imp_d.png and so on with each extension. If none of these exists:
//   imp.png, or imp_ with another keyword of md5gl_texture_keywords().
// - other textures: imp_ with a keyword of their kind. Examples are imp_local.png (normals),
//   imp_h.png (heights), imp_s.png (specular) and imp_glow.png (glow).
//
// If files with several extensions exist, the first file that can be read is used. At most 225
// names are tried per shader. Meshes with the same shader share textures. A mesh without a diffuse
// texture gets a checkerboard.
//
// Properties of the materials:
//
// - md5gl_guess_normals() detects the encoding of normal maps.
// - A height map is converted to normals, or is added to a normal map in id's encoding.
// - Texels with an alpha up to 0.5 are cut out. If md5gl_has_transparent_texels() returns true for
//   the diffuse texture, the material is two-sided.
//
// An image that cannot be used causes a warning. Returns NULL with MD5_ERROR_MEMORY, or if
// `renderer` or md5gl_material_set_desc.model is NULL.
MD5GL_API md5gl_material_set *md5gl_load_materials(md5gl_renderer *renderer,
                                                   const md5gl_material_set_desc *desc,
                                                   md5_error *error);

// Destroys the textures of a material set and frees the set. Call it after the last draw with its
// materials. `material_set` may be NULL.
MD5GL_API void md5gl_free_materials(md5gl_renderer *renderer, md5gl_material_set *material_set);

#ifdef __cplusplus
}
#endif

#endif
