#include "demo/viewer/scene/preview_make.h"

#include "demo/common/file.h"
#include "demo/viewer/scene/game_image.h"
#include "demo/viewer/scene/game_scene.h"
#include "demo/viewer/scene/sketch.h"

#include <stdlib.h>
#include <string.h>

// Models beside a clip or a skin that are tried at most, since each is loaded for that.
enum { MOST_TRIED = 8 };

static const char *const divider = "::";

char *view_wish_of(view_section section, const char *name, const char *on)
{
    return section == VIEW_ANIMS || section == VIEW_SKINS
               ? common_format("%s%s%s", on != NULL ? on : "", divider, name)
               : common_copy(name);
}

// -- Drawing --------------------------------------------------------------------------------

static void draw_mesh(view_sketch *sketch, const view_scene *scene, uint32_t mesh,
                      const md5_material *material)
{
    view_image_fault fault;
    view_image texture = {.rgba = NULL};
    md5_game *const game = scene->library->game;
    const md5_mesh *const of = &scene->model->meshes[mesh];
    const md5_image_program *const program =
        material != NULL ? view_material_image(material, VIEW_MAP_DIFFUSE) : NULL;
    const bool is_read = program != NULL && view_read_game_image(game, program, &texture, &fault);
    (void)view_sketch_mesh(sketch, of, scene->skinned[mesh].positions, scene->skinned[mesh].normals,
                           is_read ? &texture : NULL,
                           material != NULL && material->coverage == MD5_COVERAGE_PERFORATED);
    free(texture.rgba);
}

// Flashes and the like would hide what is behind them: they are drawn only if there is nothing
// else, as in a ghost.
static void draw_meshes(view_sketch *sketch, const view_scene *scene)
{
    bool is_drawn = false;
    for (int round = 0; round < 2 && !is_drawn; round++)
        for (uint32_t i = 0; i < scene->model->num_meshes; i++) {
            const md5_material *const material =
                md5_game_material(scene->library->game, scene->model->meshes[i].shader, NULL);
            const bool is_clear =
                material != NULL && material->coverage == MD5_COVERAGE_TRANSLUCENT;
            if (is_clear == (round == 0))
                continue;
            draw_mesh(sketch, scene, i, material);
            is_drawn = true;
        }
}

void view_sketch_joints(view_sketch *sketch, const view_scene *scene)
{
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const int32_t parent = scene->skeleton->joints[i].parent;
        if (parent >= 0)
            view_sketch_bone(sketch, md5_mat34_translation(scene->joints[parent]),
                             md5_mat34_translation(scene->joints[i]));
    }
}

static view_image draw_scene(view_scene *scene, double time)
{
    view_image image = {.rgba = NULL};
    const view_play play = {.speed = 1.0, .time = time};
    view_pose(scene, &play);
    if (scene->model != NULL)
        view_skin(scene);
    view_sketch *const sketch = view_begin_sketch(view_pose_bounds(scene), VIEW_SKETCH_SIZE);
    if (sketch == NULL)
        return image;
    if (scene->model == NULL || view_is_joints_alone(scene))
        view_sketch_joints(sketch, scene);
    else
        draw_meshes(sketch, scene);
    view_end_sketch(sketch, &image);
    return image;
}

// -- Models that are tried ------------------------------------------------------------------

// Names of models, the best first.
typedef struct tried {
    const char *names[MOST_TRIED];
    size_t count;
} tried;

static void try_name(tried *of, const char *name)
{
    bool is_there = name == NULL || name[0] == '\0';
    for (size_t i = 0; i < of->count; i++)
        is_there = is_there || strcmp(of->names[i], name) == 0;
    if (!is_there && of->count < MOST_TRIED)
        of->names[of->count++] = name;
}

// The .md5mesh files in the folder of a file, or of a material: most games keep them together.
static void try_folder(tried *of, const view_library *library, const char *beside)
{
    const char *const slash = beside != NULL ? strrchr(beside, '/') : NULL;
    const size_t length = slash != NULL ? (size_t)(slash - beside) + 1 : 0;
    for (size_t i = 0; i < library->num_names[VIEW_MODELS] && beside != NULL; i++) {
        const char *const name = library->names[VIEW_MODELS][i];
        if (strncmp(name, beside, length) == 0 && strchr(name + length, '/') == NULL
            && common_has_ending(name, ".md5mesh"))
            try_name(of, name);
    }
}

static bool load(view_scene *scene, view_library *library, const char *name, const char *skin)
{
    view_log log = {.level = VIEW_QUIET};
    char *const address = view_make_address(library->place, name, skin);
    const bool is_loaded = view_load_game_scene(scene, library, address, &log);
    free(address);
    return is_loaded;
}

// -- Pictures -------------------------------------------------------------------------------

static view_image picture_of_model(view_library *library, const char *name)
{
    const double faded_in = 0.5;
    view_scene scene;
    if (!load(&scene, library, name, NULL))
        return (view_image){.rgba = NULL};
    const view_image image = draw_scene(&scene, faded_in);
    view_free_scene(&scene);
    return image;
}

// Whether most joints of a clip drive one of the model, and all of the model's are driven if
// `drives_all`. Characters of a game often share names of a few joints, such as "origin".
static bool put_clip(view_scene *scene, const char *clip, bool drives_all)
{
    view_log log = {.level = VIEW_QUIET};
    if (scene->model == NULL || !view_add_game_clip(scene, clip, &log))
        return false;
    const md5_binding *const binding = view_shown_clip(scene)->binding;
    return 2 * (uint64_t)binding->num_extra <= binding->anim->skeleton.num_joints
           && (!drives_all || binding->num_missing == 0);
}

// In the middle, where clips differ most.
static view_image picture_of_clip(view_library *library, const char *clip, const char *on)
{
    view_scene scene;
    view_image image = {.rgba = NULL};
    tried models = {.count = 0};
    bool is_loaded = false;
    try_name(&models, on);
    try_folder(&models, library, clip);
    // A body with a head has joints that the clip need not drive; else the clip of a head is not
    // shown on a body.
    for (size_t i = 0; i < 2 * models.count && !is_loaded; i++) {
        const char *const model = models.names[i % models.count];
        if (!load(&scene, library, model, NULL))
            continue;
        is_loaded = put_clip(&scene, clip, i < models.count && strcmp(model, on) != 0);
        if (!is_loaded)
            view_free_scene(&scene);
    }
    if (!is_loaded && !load(&scene, library, clip, NULL))
        return image;
    image = draw_scene(&scene, 0.5 * view_shown_anim(&scene)->duration);
    view_free_scene(&scene);
    return image;
}

static bool changes(const view_scene *scene, const md5_skin_def *skin)
{
    for (uint32_t i = 0; scene->model != NULL && i < scene->model->num_meshes; i++)
        for (uint32_t row = 0; row < skin->num_rows; row++)
            if (strcmp(scene->model->meshes[i].shader, skin->rows[row].to) == 0)
                return true;
    return false;
}

static view_image picture_of_skin(view_library *library, const char *name, const char *on)
{
    view_scene scene;
    view_image image = {.rgba = NULL};
    tried models = {.count = 0};
    const md5_skin_def *const skin = md5_game_skin_def(library->game, name, NULL);
    if (skin == NULL)
        return image;
    try_name(&models, on);
    for (uint32_t i = 0; i < skin->num_models; i++)
        try_name(&models, skin->models[i]);
    for (uint32_t i = 0; i < skin->num_rows; i++)
        try_folder(&models, library, skin->rows[i].from);
    for (size_t i = 0; i < models.count && image.rgba == NULL; i++) {
        if (!load(&scene, library, models.names[i], name))
            continue;
        if (changes(&scene, skin))
            image = draw_scene(&scene, 0.5);
        view_free_scene(&scene);
    }
    return image;
}

view_image view_make_preview(view_library *library, const char *wish)
{
    const char *const end = strstr(wish, divider);
    if (end == NULL)
        return picture_of_model(library, wish);
    const char *const name = end + strlen(divider);
    char *const on = common_copy(wish);
    on[end - wish] = '\0';
    const view_image image = common_has_ending(name, ".md5anim")
                                 ? picture_of_clip(library, name, on)
                                 : picture_of_skin(library, name, on);
    free(on);
    return image;
}
