// Finds the appearance of a mesh: in declarations of files, by the rules of the Quake re-releases,
// or by the names of images.
//
// The mesh is called the subject of the search (view_named_mesh). declarations.c and quake_skins.c
// find images that belong to it for certain. If they find none, rating.c compares the names of the
// subject with the names of the images that package.c lists. names.c defines the meaning of words
// in names.
#include "demo/looks/names.h"
#include "demo/looks/search.h"

#include "demo/common/memory.h"

// Returns true if meshes of the model have different shaders or, without shaders, different names.
static bool has_several_materials(const md5_model *model)
{
    for (uint32_t i = 1; i < model->num_meshes; i++) {
        if (strcmp(view_mesh_identity(&model->meshes[i]), view_mesh_identity(&model->meshes[0]))
            != 0)
            return true;
    }
    return false;
}

// Returns the shader as a path with a slash before each part, without drive and extension. The
// caller frees it.
static char *shader_path(const char *shader)
{
    const bool has_drive = shader[0] != '\0' && shader[1] == ':';
    char *const stem = view_remove_extension(shader + (has_drive ? 2 : 0));
    char *const path = common_normalize_path(stem);
    free(stem);
    return path;
}

// Splits all names of a mesh into words: its shader, its name, and the names of the model and of
// the folder.
static void split_names(view_named_mesh *subject)
{
    const view_package *const package = subject->search->package;
    char *const model_stem = common_stem(package->model);
    const view_name model = view_split_name(model_stem);
    subject->shader = view_split_name(common_base(subject->path));
    subject->name = view_split_name(subject->mesh->name);
    subject->model = view_main_words(model, WORD_GENERIC);
    subject->folder = view_split_name(common_base(package->folder));
    char *const combined = common_format("%s%s%s%s", subject->shader.words, subject->name.words,
                                         subject->model.words, subject->folder.words);
    subject->combined = view_split_name(combined);
    free(combined);
    free(model_stem);
}

// Collects the names of a mesh and the properties that follow from them. The caller frees `path`.
static view_named_mesh describe_mesh(const view_look_search *search)
{
    const md5_mesh *const mesh = &search->model->meshes[search->mesh];
    view_named_mesh subject = {
        .search = search,
        .mesh = mesh,
        .path = shader_path(mesh->shader),
        .is_foreign = common_is_absolute(mesh->shader),
        .has_multiple_materials = has_several_materials(search->model),
    };
    split_names(&subject);

    // A mesh named after a part of a body probably has an image of its own.
    const bool has_part_name =
        view_has_word(&subject.shader, WORD_PART) || view_has_word(&subject.name, WORD_PART);
    subject.is_part = subject.has_multiple_materials && has_part_name
                      && !view_has_word(&subject.model, WORD_PART);

    // An image that is named after the model does not belong to a mesh with an unrelated shader.
    const bool has_unrelated_shader =
        view_is_specific_name(&subject.shader)
        && view_name_similarity(&subject.shader, &subject.model) == 0
        && view_name_similarity(&subject.shader, &subject.folder) == 0;
    subject.is_main =
        !subject.has_multiple_materials || (!subject.is_part && !has_unrelated_shader);
    return subject;
}

// Selects one of the images that are listed in a step of the search. Returns false if none of them
// fits.
static bool search_images(view_look *look, view_named_mesh *subject, view_search_step step)
{
    view_list_images(subject->search->package, step == WHOLE_PACKAGE);
    return view_select_at_path(look, subject) || view_select_best(look, subject, step);
}

// Finds the appearance of a mesh. A declared appearance is used first, then a skin of Quake.
// Otherwise paths and names are compared with the images around the model. If none of them is sure,
// they are compared with all images of the package.
view_look view_find_look(const view_look_search *search, view_listener warnings)
{
    view_look look;
    view_named_mesh subject = describe_mesh(search);
    if (!view_select_declared(&look, &subject, warnings)
        && !view_select_skin(&look, &subject, warnings)) {
        free(view_add_named_folder(search->package,
                                   subject.path[0] != '\0' ? subject.path + 1 : ""));
        if (!search_images(&look, &subject, AROUND_MODEL))
            search_images(&look, &subject, WHOLE_PACKAGE);
    }
    free(subject.path);
    return look;
}
