// Finds the appearance that a file declares for a mesh: a material of a game, a .shader file, or an
// md5.cfg file.
#include "demo/looks/names.h"
#include "demo/looks/search.h"

#include "demo/common/memory.h"

// -- md5.cfg files ----------------------------------------------------------------------------

// Returns the last value that an md5.cfg sets for the whole model, or `fallback` if it sets none.
static float get_setting(const md5_cube2 *cube, const char *keyword, float fallback)
{
    for (uint32_t i = cube->num_settings; i-- > 0;) {
        const md5_cube2_setting *const setting = &cube->settings[i];
        if (strcmp(setting->keyword, keyword) == 0 && setting->num_values > 0)
            return strtof(setting->values[0], NULL);
    }
    return fallback;
}

// Returns a value of a mesh as a fraction of `maximum`, 0 to 1. If `mesh_value` is below 0, the
// mesh does not specify it. The value of the model is then used, or else the default of the
// engines.
static float get_fraction(const md5_cube2 *cube, float mesh_value, const char *keyword,
                          float default_value, float maximum)
{
    const float value = mesh_value >= 0 ? mesh_value : get_setting(cube, keyword, default_value);
    if (!(value > 0))
        return 0;
    return value < maximum ? value / maximum : 1;
}

// Returns md5gl_material.alpha_test for a material. The renderer does not blend, so texels that the
// engines would blend are cut out. If a material neither tests nor blends alpha, only fully
// transparent texels are cut out.
static float cube_alpha_test(const md5_cube2 *cube, const md5_cube2_material *material)
{
    const float almost_transparent = 1e-6f;
    const float test =
        material->alpha_test >= 0 ? material->alpha_test : get_setting(cube, "mdlalphatest", -1);
    float blend = material->alpha_blend == MD5_CUBE2_ON;
    if (material->alpha_blend == MD5_CUBE2_UNSET)
        blend = get_setting(cube, "mdlalphablend", 1);
    if (test == 0 && blend == 0)
        return almost_transparent;
    return test > 0 && test < 1 ? test : 0;
}

// Returns the appearance that an md5.cfg declares for a mesh. The default of highlights is 100 %.
// The default of glow is 300 %, because light can exceed 1 in the engines. Here, 300 % of glow is
// the color of the texture.
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh)
{
    md5_cube2_material skin;
    md5_build_cube2_material(part, mesh, &skin);
    return (view_look){
        .diffuse = common_copy(skin.texture.path),
        .normals = common_copy(skin.normal_map.path),
        .masks = common_copy(skin.masks.path),
        .specular = get_fraction(cube, skin.specular, "mdlspec", 100, 100),
        .glow = get_fraction(cube, skin.glow, "mdlglow", 300, 300),
        .alpha_test = cube_alpha_test(cube, &skin),
        .two_sided = skin.cull_face == MD5_CUBE2_OFF,
    };
}

// -- Search ---------------------------------------------------------------------------------------

// Finds the image at a path. The path can be relative to the package and can have a wrong
// extension. A color map and another map of the same name are different images. Returns NULL if the
// image does not exist.
static const view_image_file *find_image(view_package *package, const char *path)
{
    char *const joined = common_join(package->root ? package->root : ".", path);
    char *const normalized = view_add_named_folder(package, joined);
    char *const stem = view_remove_extension(normalized);
    const view_name name = view_split_name(common_base(stem));
    const bool is_non_color_map = view_is_non_color_map(&name);
    const view_image_file *found = NULL;
    for (size_t i = 0; i < package->num_images && !found; i++) {
        const view_image_file *const image = &package->images[i];
        if (view_is_non_color_map(&image->name) == is_non_color_map
            && view_ends_with_path(image->stem, stem))
            found = image;
    }
    free(stem);
    free(normalized);
    free(joined);
    return found;
}

// Returns the path of an image that a file declares. If the image does not exist, gives a warning
// and returns NULL. Also returns NULL if `path` is NULL. The caller frees the result.
static char *find_image_path(view_package *package, const char *path, view_listener warnings)
{
    if (!path)
        return NULL;
    const view_image_file *const image = find_image(package, path);
    if (!image)
        view_report_warning(warnings, common_format("declared image %s not found", path));
    return image ? common_copy(image->path) : NULL;
}

// Returns the first file that an image program reads, or NULL. Names that begin with '_' are
// skipped, because they are images that the engine creates.
static const char *find_image_file(const md5_image_program *image)
{
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_step *const step = &image->steps[i];
        if (step->kind == MD5_IMAGE_FILE && step->file[0] != '_')
            return step->file;
    }
    return NULL;
}

// Finds the material of a shader in the package's declarations. Sets look->diffuse to the first
// file of its diffuse map. If the material is not lit, it is the first file of its first stage.
// Returns false if the material is not declared or does not have an image.
static bool find_material(view_package *package, const char *shader, view_look *look,
                          view_listener warnings)
{
    md5_game *const game = view_package_game(package, warnings);
    if (!game || md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return false;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    if (!material)
        return false;
    const md5_image_program *const image = view_material_image(material, MD5GL_IMAGE_DIFFUSE);
    look->diffuse = image ? common_copy(find_image_file(image)) : NULL;
    return look->diffuse;
}

// Finds a material in a .shader file and writes its appearance. Returns false if the file does not
// declare the material, is too large or cannot be read.
static bool find_in_shader_file(const char *path, const char *name, view_look *look,
                                view_listener warnings)
{
    const uint64_t max_size = 4 << 20;
    size_t size;
    const char *reason;
    if (common_file_size(path) > max_size)
        return false;
    char *const text = common_read_stream(path, &size, &reason);
    const bool is_found = text && view_read_shader(path, text, size, name, look, warnings);
    free(text);
    return is_found;
}

// Finds a material in the .shader files of the package (Quake III) and writes its appearance. The
// files are searched in the order of their names, and the first declaration is used. Returns false
// if no file declares the material.
static bool find_shader(const view_package *package, const char *name, view_look *look,
                        view_listener warnings)
{
    if (!package->root)
        return false;
    char *const folder = common_join(package->root, "scripts");
    common_list files = common_list_folder(folder, ".shader");
    bool is_found = false;
    for (size_t i = 0; i < files.count && !is_found; i++)
        is_found = find_in_shader_file(files.names[i], name, look, warnings);
    common_free_list(&files);
    free(folder);
    return is_found;
}

// Returns true if a part of an md5.cfg is the model of the package.
static bool is_package_model(const view_package *package, const md5_cube2_part *part)
{
    char *const absolute = common_absolute(part->mesh);
    char *const path = common_normalize_path(absolute);
    bool is_model = strcmp(path, package->model) == 0;
    if (!is_model && !package->reader)
        is_model = common_same_file(path, package->model);
    free(absolute);
    free(path);
    return is_model;
}

// Returns the contents of the md5.cfg file with the index `script`, or NULL if the file is invalid.
// Files are read on demand and stored in the package.
static const md5_cube2 *get_cube(view_package *package, size_t script)
{
    const md5_load_opts opts = {.files = package->reader ? *package->reader : (md5_files){0}};
    while (package->num_cubes <= script) {
        const char *const path = package->scripts.names[package->num_cubes];
        package->cubes[package->num_cubes++] = md5_load_cube2(path, NULL, &opts, NULL);
    }
    return package->cubes[script];
}

// Finds the appearance of a mesh in the contents of an md5.cfg. Returns false and leaves `look`
// unchanged if the file does not load the model or does not declare a texture of the mesh.
static bool find_in_cube(const view_package *package, const md5_cube2 *cube, const char *mesh,
                         view_look *look)
{
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        if (!is_package_model(package, part))
            continue;
        view_look declared = view_cube_look(cube, part, mesh);
        if (declared.diffuse) {
            view_free_look(look);
            *look = declared;
            return true;
        }
        view_free_look(&declared);
    }
    return false;
}

// Finds the appearance of a mesh in an md5.cfg (Cube 2 engines) around the model. Returns false and
// leaves `look` unchanged if no such file declares a texture of the mesh.
static bool find_cube_look(view_package *package, const char *mesh, view_look *look)
{
    view_list_images(package, false);
    for (size_t i = 0; i < package->scripts.count; i++) {
        const md5_cube2 *const cube = get_cube(package, i);
        if (cube && find_in_cube(package, cube, mesh, look))
            return true;
    }
    return false;
}

// Searches the declaration of a shader, first in materials, then in .shader files. Returns false if
// none declares an image. `shader` is NULL if the mesh does not have a shader.
static bool find_shader_declaration(view_package *package, const char *shader, view_look *declared,
                                    view_look *notes, view_listener warnings)
{
    const char *const name = shader ? shader : "no shader";
    const bool is_material = shader && find_material(package, shader, declared, warnings);
    view_add_searched_name(notes, is_material, common_format("materials/*.mtr: %s", name));
    if (is_material)
        return true;
    const bool is_script = shader && find_shader(package, shader, declared, warnings);
    const bool has_image = is_script && declared->diffuse;
    view_add_searched_name(notes, has_image, common_format("scripts/*.shader: %s", name));
    return has_image;
}

// Searches the declarations of a mesh: materials, then .shader files, then md5.cfg files. The first
// declaration with an image is used. `declared` receives paths as they are in the files. `notes`
// lists the searched declarations.
static void find_declaration(view_package *package, const md5_mesh *mesh, view_look *declared,
                             view_look *notes, view_listener warnings)
{
    char *const shader = common_normalize_path(mesh->shader);
    const bool has_shader = shader[0] != '\0';
    const char *const name = has_shader ? shader + 1 : NULL; // without the first slash
    if (!find_shader_declaration(package, name, declared, notes, warnings)) {
        const bool is_in_cube = find_cube_look(package, mesh->name, declared);
        view_add_searched_name(notes, is_in_cube,
                               common_copy("md5.cfg in the model's folder and above"));
    }
    free(shader);
}

// Finds a declared image. If it does not exist, also searches the folder "dds", because id's games
// have compressed images there.
static const view_image_file *find_declared_image(view_package *package, const char *path)
{
    const view_image_file *image = find_image(package, path);
    if (!image && !common_is_absolute(path)) {
        char *const compressed = common_join("dds", path);
        image = find_image(package, compressed);
        free(compressed);
    }
    return image;
}

// Selects the color map that is declared as `diffuse`, or lists it as missing.
static void select_declared_image(view_look *look, view_package *package, const char *diffuse)
{
    const view_image_file *const image = find_declared_image(package, diffuse);
    look->is_declared = image != NULL;
    view_add_searched_name(look, look->is_declared, common_copy(diffuse));
    if (image) {
        view_select_known_image(look, image, BY_DECLARATION);
    } else {
        common_add(&look->tried, common_format("declared image %s not found", diffuse));
    }
}

// Sets the appearance that the caller has specified (search->cfg_look) or that a file declares for
// a mesh. Returns true if an image is declared, even if it does not exist. A missing image is not
// replaced by another image.
bool view_select_declared(view_look *look, const view_named_mesh *subject, view_listener warnings)
{
    view_package *const package = subject->search->package;
    view_look found = {0};
    view_look notes = {0};
    const view_look *declared = subject->search->cfg_look;
    if (!declared) {
        find_declaration(package, subject->mesh, &found, &notes, warnings);
        declared = &found;
    }

    // Replace the paths of the declaration by the paths of existing files.
    *look = *declared;
    look->searched_locations = notes.searched_locations;
    look->diffuse = NULL;
    look->normals = find_image_path(package, declared->normals, warnings);
    look->masks = find_image_path(package, declared->masks, warnings);
    look->is_declared = false;
    if (declared->diffuse)
        select_declared_image(look, package, declared->diffuse);
    view_free_look(&found);
    return look->is_declared || look->tried.count > 0;
}
