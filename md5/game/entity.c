// Loading and freeing of entities.
//
// An entity, its parts (head and attachments), their parts and so on form a tree. Each entity of
// the tree has an owner, which frees its objects. The owners form a list, parents before their
// parts, so that the tree is processed without recursion. The list begins at the requested entity.
// Its arena contains the arrays of parts of the whole tree.
#include "md5/core/freed.h"
#include "md5/game/entity.h"

#include "md5/core/math.h"
#include "md5/decl/decls.h"

#include <stdio.h>
#include <string.h>

// A loaded and bound animation file, shared by all clips of an entity that refer to it.
typedef struct md5_entity_file {
    struct md5_entity_file *next;
    md5_anim *anim;
    md5_binding *binding;
} md5_entity_file;

// An entity and the objects that it frees. It is stored in the arena of the entity.
typedef struct md5_entity_owner {
    md5_entity entity;                   // the public part, must be first
    struct md5_entity_owner *next;       // in the list of the tree
    const struct md5_entity_owner *body; // the entity to which it is attached, or NULL
    const char *name;                    // from the key, or as requested by the caller
    md5_model *model;
    md5_entity_file *files;
    md5_allocator allocator;  // allocator of the arena; set when loading is finished
    struct md5_chunk *chunks; // memory of the arena; set when loading is finished
} md5_entity_owner;

// The state while one entity is loaded.
typedef struct md5_entity_load {
    md5_context *context;
    md5_arena arena;
    md5_game *game;
    const char *name;
    md5_load_opts opts;              // options for the loaders, which read files of the game
    const md5_game_entry *open_file; // the file that is being read
    md5_entity_owner *owner;
    md5_name_map files; // name to md5_entity_file; the value is NULL if the file cannot be used
} md5_entity_load;

// Returns the owner of a finished entity.
static inline md5_entity_owner *entity_owner(const md5_entity *entity)
{
    return (md5_entity_owner *)entity->internal.memory;
}

// == Numbers in keys ==============================================================================

// Clamps a value to +-1e9, so that poses remain finite. No game needs larger values. NaN becomes
// -1e9.
static float limit_value(float value)
{
    const float max = 1e9f;
    if (!(value > -max))
        return -max;
    return value < max ? value : max;
}

// Returns the value of a key of an entity, or NULL if the key or the entityDef is missing.
static const char *key_value(const md5_entity *entity, const char *key)
{
    return entity->def ? md5_entity_def_value(entity->def, key) : NULL;
}

// Reads up to `count` numbers from the value of a key. If the text has fewer numbers, the other
// elements of `values` do not change. `text` may be NULL.
void md5i_entity_numbers(const char *text, float *values, int count)
{
    md5_decl_lex lex;
    const char *const present_text = text ? text : "";
    md5i_decl_lex_begin(&lex, NULL, NULL, 0, present_text, strlen(present_text));
    lex.is_silent = true;
    lex.joins_strings = false; // joining would allocate memory
    float value;
    for (int i = 0; i < count && md5i_decl_lex_float(&lex, &value); i++)
        values[i] = limit_value(value);
}

// Reads up to `count` numbers from a key of an entity. Elements of `values` without a number in the
// key do not change.
static void entity_numbers(const md5_entity *entity, const char *key, float *values, int count)
{
    md5i_entity_numbers(key_value(entity, key), values, count);
}

// Converts a vector of a file to the axes and units of a model.
static md5_vec3 entity_vector(const md5_model *model, md5_vec3 vector)
{
    return md5_vec3_scale(md5i_vec3_to_axes(model->skeleton.axes, vector),
                          md5_skeleton_scale(&model->skeleton));
}

// Converts seconds to milliseconds, at most MD5_MAX_BLINK_WAIT. Negative values and NaN become 0.
static uint32_t to_milliseconds(float seconds)
{
    const float time = seconds * 1000.0f;
    if (!(time > 0.0f))
        return 0;
    return time < (float)MD5_MAX_BLINK_WAIT ? (uint32_t)time : MD5_MAX_BLINK_WAIT;
}

// == One entity ===================================================================================
//
// Loads one entity without its parts: declarations, model, clips and materials.

// -- Messages -------------------------------------------------------------------------------------

// Reports a problem of a key of an entityDef, with its file, line and column. If `status` is
// MD5_WARNING, this is a warning, otherwise it is the error of the call. Returns false.
bool md5i_report_key(md5_context *context, md5_status status, const md5_entity_key *key,
                     const char *format, ...)
{
    char message[sizeof context->error.message];
    const md5_decl *const decl = key->decl;
    const uint32_t line = key->line;
    const uint32_t column = key->column;
    MD5_PRINT(message, format);
    // Both functions below take the file name from the context's error.
    if (status == MD5_WARNING || context->error.status == MD5_OK) {
        const char *const file = decl && decl->file ? decl->file : "";
        (void)snprintf(context->error.file, sizeof context->error.file, "%s", file);
    }
    if (status == MD5_WARNING)
        md5i_warn(context, line, column, "%s", message);
    else
        (void)md5i_fail(context, status, line, column, "%s", message);
    return false;
}

// Returns false and sets the context's error if memory ran out in the call that set `error`.
static bool entity_has_memory(md5_context *context, const md5_error *error)
{
    if (error->status == MD5_ERROR_MEMORY)
        (void)MD5_FAIL(context, MD5_ERROR_MEMORY, "%s", error->message);
    return error->status != MD5_ERROR_MEMORY;
}

// -- Declarations ---------------------------------------------------------------------------------

// Returns a key without a name at the location of a declaration, because messages need a key. If
// `decl` is NULL, the key has no location.
static md5_entity_key declaration_location(const md5_decl *decl)
{
    md5_entity_key key = {.decl = decl};
    if (decl) {
        key.line = decl->keyword_line;
        key.column = decl->keyword_column;
    }
    return key;
}

// Returns the location of an entity: its entityDef or, if it has none, its modelDef. An entity that
// is a mesh file has no location.
static md5_entity_key entity_location(const md5_entity *entity)
{
    if (entity->def)
        return declaration_location(entity->def->decl);
    return declaration_location(entity->model_def ? entity->model_def->decl : NULL);
}

// Returns the key with a name, ignoring case. Returns NULL if the key is missing or its value is
// empty.
static const md5_entity_key *find_key(const md5_entity_def *def, const char *name)
{
    const md5_entity_key *key = def ? md5_entity_def_next_key(def, name, NULL) : NULL;
    while (key && key->name[strlen(name)] != '\0')
        key = md5_entity_def_next_key(def, name, key);
    return key && key->value[0] ? key : NULL;
}

static bool is_mesh_file(const char *name)
{
    const char *const extension = strrchr(name, '.');
    return extension && strcmp(extension, ".md5mesh") == 0;
}

// Fails because a modelDef does not have a mesh.
static bool report_missing_mesh(md5_entity_load *load, const md5_model_def *def, const char *model)
{
    const md5_entity_key location = declaration_location(def->decl);
    const char *const problem = def->decl->state == MD5_DECL_DEFAULTED
                                    ? "is invalid: see the warning before this message"
                                    : "has no mesh: expected the keyword 'mesh' in its modelDef";
    return md5i_report_key(load->context, MD5_ERROR_MISMATCH, &location, "model %s %s",
                           MD5_QUOTED(model), problem);
}

// Finds the modelDef `model` of an entity, and sets *file to the file of its mesh. `model` can also
// be a mesh file. The entity then has no modelDef. Returns false and sets the context's error if
// there is no such model or memory runs out.
static bool find_model_def(md5_entity_load *load, const char *model, const char **file)
{
    md5_entity *const entity = &load->owner->entity;
    md5_error error = {.status = MD5_OK};
    entity->model_def = md5_game_model_def(load->game, model, &error);
    TRY(entity_has_memory(load->context, &error));
    const md5_model_def *const def = entity->model_def;
    if (def && !def->mesh[0])
        return report_missing_mesh(load, def, model);
    *file = def ? def->mesh : model;
    if (is_mesh_file(*file))
        return true;
    const md5_entity_key location = entity_location(entity);
    return md5i_report_key(load->context, MD5_ERROR_MISMATCH, &location,
                           "unknown model %s: expected %smodelDef or a .md5mesh file",
                           MD5_QUOTED(*file), entity->def ? "a " : "an entityDef, a ");
}

// The kind of object to which the name of an entity refers.
typedef enum entity_name_kind {
    NAME_OF_ENTITY, // an entityDef; if it does not exist, the same as NAME_OF_MODEL
    NAME_OF_MODEL   // a modelDef or a file, even if an entityDef has the same name
} entity_name_kind;

// Finds the entityDef and the modelDef of load->name, and sets *file to the file of the mesh.
// Returns false and sets the context's error if they do not exist or memory runs out.
static bool find_decls(md5_entity_load *load, entity_name_kind kind, const char **file)
{
    md5_entity *const entity = &load->owner->entity;
    md5_error error = {.status = MD5_OK};
    if (kind == NAME_OF_ENTITY)
        entity->def = md5_game_entity_def(load->game, load->name, &error);
    TRY(entity_has_memory(load->context, &error));
    const char *const model_key = key_value(entity, "model");
    if (entity->def && !model_key) {
        const md5_entity_key location = entity_location(entity);
        return md5i_report_key(load->context, MD5_ERROR_MISMATCH, &location,
                               "entityDef %s has no key \"model\": expected the name of a modelDef",
                               MD5_QUOTED(load->name));
    }
    return find_model_def(load, model_key ? model_key : load->name, file);
}

// -- Files ----------------------------------------------------------------------------------------

// Provides files of the game to the loaders of the library. Only one file is open at a time, so
// files need not be copied as in md5_game_files().
static const void *open_game_file(void *user, const char *path, size_t *size, md5_error *error)
{
    md5_entity_load *const load = (md5_entity_load *)user;
    load->open_file = md5i_game_find_file(load->game, path);
    if (load->open_file)
        return md5i_game_open_file(load->game, load->open_file, 0, size, error);
    (void)snprintf(error->message, sizeof error->message,
                   "file not found in the folders and archives of the game");
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    const md5_entity_load *const load = (const md5_entity_load *)user;
    md5i_game_close_file(load->game, load->open_file, (const char *)bytes, size);
}

// Loads the model of an entity from its file. Returns false and sets the context's error on
// failure.
static bool load_model(md5_entity_load *load, const char *file)
{
    md5_error error = {.status = MD5_OK};
    md5_model *const model = md5_load_model(file, &load->opts, &error);
    if (!model)
        return md5i_fail_as(load->context, &error);
    load->owner->model = model;
    load->owner->entity.model = model;
    load->owner->entity.size += model->size + model->geometry_size;
    load->context->num_warnings += model->num_warnings;
    return true;
}

// Loads and binds an animation. If it cannot be used, warns and sets *result to NULL. Returns false
// if memory runs out.
static bool load_anim(md5_entity_load *load, const char *name, md5_entity_file **result)
{
    md5_entity_owner *const owner = load->owner;
    md5_error error = {.status = MD5_OK};
    md5_entity_file *const file = MD5_ALLOC_ZEROED(&load->arena, md5_entity_file, 1);
    TRY(file);

    md5_anim *const anim = md5_load_anim(name, &load->opts, &error);
    md5_binding *const binding = md5_bind(owner->model, anim, &load->opts, &error);
    if (anim && binding) {
        file->anim = anim;
        file->binding = binding;
        file->next = owner->files;
        owner->files = file;
        owner->entity.size += anim->size;
        load->context->num_warnings += anim->num_warnings;
        *result = file;
        return true;
    }

    md5_free_anim(anim);
    *result = NULL;
    TRY(entity_has_memory(load->context, &error));
    const md5_entity_key location = entity_location(&owner->entity);
    (void)md5i_report_key(load->context, MD5_WARNING, &location, "cannot play anim %s: %.150s",
                          MD5_QUOTED(name), error.message);
    return true;
}

// Finds the animation of a file, and loads it if no earlier clip has used it. Sets *file to NULL if
// the file cannot be used. Returns false if memory runs out.
static bool find_anim(md5_entity_load *load, const char *name, md5_entity_file **file)
{
    void **const found = md5i_name_map_find(&load->files, name);
    if (found) {
        *file = (md5_entity_file *)*found;
        return true;
    }
    TRY(load_anim(load, name, file));
    void **const added = md5i_name_map_add(&load->files, &load->arena, name);
    TRY(added);
    *added = *file;
    return true;
}

// Loads the files of a clip. If one of them cannot be used, the clip has no files (num_files is 0).
// Returns false if memory runs out.
static bool load_clip(md5_entity_load *load, md5_entity_clip *clip)
{
    bool is_complete = true;
    for (uint32_t k = 0; k < clip->anim->num_files; k++) {
        md5_entity_file *file = NULL;
        TRY(find_anim(load, clip->anim->files[k], &file));
        if (file) {
            clip->anims[k] = file->anim;
            clip->bindings[k] = file->binding;
        } else {
            is_complete = false;
        }
    }
    clip->num_files = is_complete ? clip->anim->num_files : 0;
    return true;
}

// Loads a clip for each animation of the modelDef. Returns false if memory runs out.
static bool load_clips(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t count = entity->model_def ? entity->model_def->num_anims : 0;
    md5_entity_clip *const clips = MD5_ALLOC_ZEROED(&load->arena, md5_entity_clip, count);
    TRY(clips);
    entity->clips = clips;
    entity->num_clips = count;
    for (uint32_t i = 0; i < count; i++) {
        clips[i].anim = md5_model_def_anim(entity->model_def, i);
        TRY(load_clip(load, &clips[i]));
    }
    return true;
}

// -- Channels and materials -----------------------------------------------------------------------

// Sets the weights of the joints of a channel to 1. MD5_CHANNEL_ALL contains all joints, even
// without a modelDef.
static void fill_mask(const md5_entity *entity, uint32_t channel, uint32_t num_joints, float *mask)
{
    if (channel == MD5_CHANNEL_ALL) {
        for (uint32_t i = 0; i < num_joints; i++)
            mask[i] = 1.0f;
    }
    if (!entity->model_def)
        return;
    const md5_model_channel *const joints = &entity->model_def->channels[channel];
    for (uint32_t i = 0; i < joints->num_joints; i++) {
        // The loaded mesh may have fewer joints than the modelDef expects.
        const uint32_t joint = joints->joints[i];
        mask[joint < num_joints ? joint : 0] = 1.0f;
    }
}

// Builds a mask for each channel: the weight of each joint in the channel. Returns false if memory
// runs out.
static bool build_masks(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    const float **const masks = MD5_ALLOC_ZEROED(&load->arena, const float *, MD5_NUM_CHANNELS);
    TRY(masks);
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        float *const mask = MD5_ALLOC_ZEROED(&load->arena, float, num_joints);
        TRY(mask);
        fill_mask(entity, channel, num_joints, mask);
        masks[channel] = mask;
    }
    entity->masks = masks;
    return true;
}

// Returns true if a key is in the declaration `decl`, or `decl` is NULL.
static bool is_in_decl(const md5_entity_key *key, const md5_decl *decl)
{
    return !decl || key->decl == decl;
}

// Returns true if a file declares a skin.
static bool skin_exists(md5_game *game, const char *name)
{
    const md5_decl *const decl = md5_find_decl(game, MD5_DECL_SKIN, name);
    return decl && decl->file;
}

// Returns true if a model has an anim with a name or an alias.
static bool has_anim(const md5_model_def *model, const char *name)
{
    for (uint32_t i = 0; i < model->num_anims; i++) {
        const md5_model_anim *const clip = md5_model_def_anim(model, i);
        if (strcmp(clip->name, name) == 0 || strcmp(clip->alias, name) == 0)
            return true;
    }
    return false;
}

// Warns if the skin of an entity does not exist. The skin is the value of the key "skin", or else
// the skin of the model. If `decl` is not NULL, only warns about a value in this declaration.
static void check_skin(md5_context *context, md5_game *game, const md5_entity_def *def,
                       const md5_model_def *model, const md5_decl *decl)
{
    // A warning requires a key with a location, but the skin of a model is not a key. `model_skin`
    // is a key at the location of the modelDef that represents it.
    const md5_entity_key *skin = find_key(def, "skin");
    md5_entity_key model_skin = declaration_location(model ? model->decl : NULL);
    const bool model_has_skin = model && model->skin && model->skin[0];
    if (!skin && model_has_skin) {
        model_skin.value = model->skin;
        skin = &model_skin;
    }
    if (skin && is_in_decl(skin, decl) && !skin_exists(game, skin->value))
        (void)md5i_report_key(context, MD5_WARNING, skin, "Unknown skin %s",
                              MD5_QUOTED(skin->value));
}

// Warns if the skin of an entity does not exist, or if the clip in its key "anim" does not exist.
// If `decl` is not NULL, only warns about values in this declaration.
static void check_skin_and_clip(md5_context *context, md5_game *game, const md5_entity_def *def,
                                const md5_model_def *model, const md5_decl *decl)
{
    check_skin(context, game, def, model, decl);
    const md5_entity_key *const anim = find_key(def, "anim");
    if (!anim || !model || has_anim(model, anim->value))
        return;
    if (is_in_decl(anim, decl))
        (void)md5i_report_key(context, MD5_WARNING, anim, "Unknown anim %s of model %s",
                              MD5_QUOTED(anim->value), MD5_QUOTED(model->decl->name));
}

// Finds the skin in the keys of the entity, or else in its modelDef. Warns if it does not exist.
// Returns false if memory runs out.
static bool find_skin(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const char *name = key_value(entity, "skin");
    md5_error error = {.status = MD5_OK};
    if ((!name || !name[0]) && entity->model_def)
        name = entity->model_def->skin;
    if (name && name[0])
        entity->skin = md5_game_skin_def(load->game, name, &error);
    check_skin_and_clip(load->context, load->game, entity->def, entity->model_def, NULL);
    return entity_has_memory(load->context, &error);
}

// Returns the material with which a mesh is drawn, or NULL. A material that draws something is
// replaced by the key "shader", or else by the skin. The key does not replace a material that draws
// nothing.
static const md5_material *find_material(md5_entity_load *load, const char *shader,
                                         md5_error *error)
{
    const md5_entity *const entity = &load->owner->entity;
    const char *const custom = key_value(entity, "shader");
    const bool has_custom = custom && custom[0];
    const md5_material *const material = md5_game_material(load->game, shader, error);
    const bool is_drawn = material && (material->num_stages > 0 || material->gui);
    if (is_drawn && has_custom)
        return md5_game_material(load->game, custom, error);
    if (!material || !entity->skin)
        return material;
    const char *const replacement = md5_skin_def_material(load->game, entity->skin, shader);
    return md5_game_material(load->game, replacement, error);
}

// Sets the name of the material of each mesh. It is NULL if the mesh is not drawn with a material.
// Returns false if memory runs out.
static bool find_materials(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t count = entity->model->num_meshes;
    const char **const materials = MD5_ALLOC_ZEROED(&load->arena, const char *, count);
    TRY(materials);
    for (uint32_t i = 0; i < count; i++) {
        md5_error error = {.status = MD5_OK};
        const md5_material *const material =
            find_material(load, entity->model->meshes[i].shader, &error);
        materials[i] = material ? material->decl->name : NULL;
        TRY(entity_has_memory(load->context, &error));
    }
    entity->materials = materials;
    return true;
}

// -- All ------------------------------------------------------------------------------------------

// Reads the shader parms of an entity, which are numbers that its materials use. Parms 0 to 2 are
// the color. Parms 0 to 3 have the default 1, and the other parms 0.
static void read_shader_parms(md5_entity *entity)
{
    enum { NUM_COLOR_PARMS = 3, NUM_PARMS = MD5_COUNT(entity->parms) };
    for (uint32_t i = 0; i < NUM_PARMS; i++)
        entity->parms[i] = i <= NUM_COLOR_PARMS ? 1.0f : 0.0f;
    for (uint32_t i = NUM_COLOR_PARMS; i < NUM_PARMS; i++) {
        char key[24];
        (void)snprintf(key, sizeof key, "shaderParm%u", i);
        entity_numbers(entity, key, &entity->parms[i], 1);
    }
    entity_numbers(entity, "_color", entity->parms, NUM_COLOR_PARMS);
}

// Sets the members of an entity that depend only on its keys and its modelDef.
static void set_values(md5_entity_load *load)
{
    load->owner->name = load->name;
    md5_entity *const entity = &load->owner->entity;
    read_shader_parms(entity);

    // The defaults are the same as in the engine; times are in seconds.
    float offset[3] = {0.0f, 0.0f, 0.0f};
    float blink_min = 0.5f;
    float blink_max = 8.0f;
    entity_numbers(entity, "offsetModel", offset, 3);
    entity_numbers(entity, "blink_min", &blink_min, 1);
    entity_numbers(entity, "blink_max", &blink_max, 1);
    const md5_vec3 model_offset = {offset[0], offset[1], offset[2]};
    entity->model_offset = entity_vector(entity->model, model_offset);
    entity->blink_min = to_milliseconds(blink_min);
    entity->blink_max = to_milliseconds(blink_max);
    if (entity->model_def) {
        const md5_vec3 raw = entity->model_def->offset;
        const md5_vec3 limited = {limit_value(raw.x), limit_value(raw.y), limit_value(raw.z)};
        entity->offset = entity_vector(entity->model, limited);
    }
}

// Loads an entity without its parts. Returns false and sets the context's error if the entity does
// not exist or memory runs out. The caller must then call end_entity_load(). After success, it must
// call finish_entity().
static bool load_entity(md5_entity_load *load, md5_game *game, const char *name,
                        entity_name_kind kind, md5_context *context, const md5_load_opts *opts)
{
    // The loaders of the library read files of the game.
    *load = (md5_entity_load){.context = context, .game = game, .name = name};
    load->arena.context = context;
    load->opts = opts ? *opts : (md5_load_opts){.file_name = NULL};
    load->opts.files = (md5_files){.open = open_game_file, .close = close_file, .user = load};

    const char *file = NULL;
    load->owner = MD5_ALLOC_ZEROED(&load->arena, md5_entity_owner, 1);
    TRY(load->owner);
    TRY(find_decls(load, kind, &file));
    TRY(load_model(load, file));
    TRY(load_clips(load));
    TRY(build_masks(load));
    TRY(find_skin(load));
    TRY(find_materials(load));
    set_values(load);
    return true;
}

// Finishes loading: the entity becomes valid and owns its arena. Returns the entity.
static md5_entity *finish_entity(md5_entity_load *load)
{
    md5_entity_owner *const owner = load->owner;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): load_entity() has created it
    owner->allocator = load->context->allocator;
    owner->chunks = load->arena.chunks;
    owner->entity.num_warnings = load->context->num_warnings;
    owner->entity.internal = (md5_internal){.memory = owner, .tag = MD5_TAG_ENTITY};
    return &owner->entity;
}

// Frees the model of an entity, and its clips with their bindings.
static void free_files(const md5_entity_owner *owner)
{
    for (const md5_entity_file *file = owner->files; file; file = file->next) {
        md5_free_binding(file->binding);
        md5_free_anim(file->anim);
    }
    md5_free_model(owner->model);
}

// Frees everything that load_entity() has allocated, after a failure.
static void end_entity_load(md5_entity_load *load)
{
    if (load->owner)
        free_files(load->owner);
    md5i_arena_free(&load->arena);
}

// Frees a finished entity, but not its parts.
static void free_single_entity(const md5_entity *entity)
{
    const md5_entity_owner *const owner = entity_owner(entity);
    md5_context context;
    free_files(owner);
    md5i_context_begin_memory(&context, owner->allocator, NULL);
    md5_arena arena = {.context = &context, .chunks = owner->chunks};
    md5i_arena_free_object(&arena);
}

// == Heads and attachments ========================================================================
//
// Parts are attached to joints of an entity. A head is a model whose joints may copy joints of the
// body. Attachments are entities, which may have parts themselves.
//
// The offset of a part from its joint is computed in one pose of the body, the attach pose. It is
// the base frame of the clip "ik_pose", which the engine holds while it attaches parts. If this
// clip does not exist, it is the bind pose.

// -- Values ---------------------------------------------------------------------------------------

// Returns the vector in a key of an entity. Missing numbers are 0.
static md5_vec3 read_entity_vector(const md5_entity *entity, const char *key)
{
    float values[3] = {0.0f, 0.0f, 0.0f};
    entity_numbers(entity, key, values, 3);
    return (md5_vec3){values[0], values[1], values[2]};
}

// Finds a joint as the engine does, ignoring case. Returns -1 if it does not exist.
int32_t md5i_find_joint(const md5_skeleton *skeleton, const char *name)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (md5_equals_ignore_case(name, skeleton->joints[i].name))
            return (int32_t)i;
    }
    return -1;
}

// Returns the joint of a body to which a part is attached. `joint` is the key with the name of the
// joint, or NULL. If the joint does not exist, warns at the key `location` and returns -1. The
// message contains `use` and `part`, such as "attaching " and the name of the part, and `entity`,
// the name of the body.
static int32_t find_part_joint(md5_context *context, const md5_skeleton *body,
                               const md5_entity_key *joint, const md5_entity_key *location,
                               const char *use, const char *part, const char *entity)
{
    const char *const name = joint ? joint->value : "";
    const int32_t found = joint ? md5i_find_joint(body, name) : -1;
    if (found < 0)
        (void)md5i_report_key(context, MD5_WARNING, location,
                              "Joint %s not found for %s%s on %s: Doom 3 ends the map",
                              MD5_QUOTED(name), use, part, MD5_QUOTED(entity));
    return found;
}

// -- Copied joints --------------------------------------------------------------------------------

// A copy (md5_joint_copy) states that a joint of a part, for example of a head, follows a joint of
// the body. The keys "copy_joint" and "copy_joint_world" of the body define copies.

// Reads a key "copy_joint A" "B" or "copy_joint_world A" "B" into `copy`. A is a joint of the body,
// and B a joint of the part. If one of them does not exist, warns and returns false.
static bool read_copy(md5_entity_load *load, const md5_entity_owner *body,
                      const md5_entity_part *part, const md5_entity_key *key, md5_joint_copy *copy)
{
    const char *const name_in_model = md5_skip_prefix(key->name, "copy_joint_world ");
    const char *const name_in_parent = md5_skip_prefix(key->name, "copy_joint ");
    const char *body_joint = key->name;
    if (name_in_model)
        body_joint = name_in_model;
    else if (name_in_parent)
        body_joint = name_in_parent;
    const int32_t from = md5i_find_joint(&body->entity.model->skeleton, body_joint);
    if (from < 0) {
        (void)md5i_report_key(load->context, MD5_WARNING, key, "Unknown copy_joint %s on entity %s",
                              MD5_QUOTED(body_joint), MD5_QUOTED(body->name));
        return false;
    }

    const int32_t to = md5i_find_joint(&part->entity->model->skeleton, key->value);
    if (to < 0) {
        (void)md5i_report_key(load->context, MD5_WARNING, key,
                              "Unknown copy_joint %s on head of entity %s", MD5_QUOTED(key->value),
                              MD5_QUOTED(body->name));
        return false;
    }
    *copy = (md5_joint_copy){(uint32_t)from, (uint32_t)to, name_in_model != NULL};
    return true;
}

// Sorts the copies of a part so that joints of the part follow their ancestors. When a copy is
// applied, the joints above it then already have their final transforms. skeleton->order[] lists
// the joints of the part, parents first.
static void sort_copies(const md5_skeleton *skeleton, const md5_joint_copy *copies, uint32_t count,
                        md5_joint_copy *sorted)
{
    uint32_t num_sorted = 0;
    for (uint32_t i = 0; i < skeleton->num_joints && num_sorted < count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            if (copies[k].to == skeleton->order[i])
                sorted[num_sorted++] = copies[k];
        }
    }
}

// Reads the keys of a body that copy its joints to joints of the head: see read_copy(). Returns
// false if memory runs out.
static bool read_copies(md5_entity_load *load, const md5_entity_owner *body, md5_entity_part *part)
{
    const md5_entity_def *const def = body->entity.def;
    md5_joint_copy copies[MD5_MAX_JOINT_COPIES];
    uint32_t count = 0;
    for (const md5_entity_key *key = md5_entity_def_next_key(def, "copy_joint", NULL);
         key && count < MD5_MAX_JOINT_COPIES;
         key = md5_entity_def_next_key(def, "copy_joint", key)) {
        if (key->value[0] && read_copy(load, body, part, key, &copies[count]))
            count++;
    }

    md5_joint_copy *const sorted = MD5_ALLOC_ZEROED(&load->arena, md5_joint_copy, count);
    TRY(sorted);
    sort_copies(&part->entity->model->skeleton, copies, count, sorted);
    part->copies = sorted;
    part->num_copies = count;
    return true;
}

// -- Attaching ------------------------------------------------------------------------------------

// The state while the parts of a body are loaded.
typedef struct part_loader {
    md5_entity_load *load;
    md5_entity_owner *body;
    md5_entity_owner **last; // end of the list of the tree
    uint32_t num_tried;      // number of parts of the whole tree that were tried, including
                             // failures
    md5_entity_part *parts;  // parts of the body; capacity for all parts that may still be tried
    const md5_mat34 *attach_pose; // [model joints]
} part_loader;

// Returns the binding of the first playable clip with the alias "ik_pose", or NULL.
static const md5_binding *find_attach_clip(const md5_entity *entity)
{
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        const md5_entity_clip *const clip = &entity->clips[i];
        if (clip->num_files > 0 && strcmp(clip->anim->alias, "ik_pose") == 0)
            return clip->bindings[0];
    }
    return NULL;
}

// Sets loader->attach_pose to the model-space transforms of the body's joints in the attach pose.
// Returns false if memory runs out.
static bool build_attach_pose(part_loader *loader)
{
    const md5_entity *const entity = &loader->body->entity;
    const md5_binding *const clip = find_attach_clip(entity);
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    loader->attach_pose = entity->model->bind;
    if (!clip || num_joints == 0)
        return true;

    md5_arena *const arena = &loader->load->arena;
    md5_xform *const pose = MD5_ALLOC_ZEROED(arena, md5_xform, num_joints);
    md5_mat34 *const joints = MD5_ALLOC_ZEROED(arena, md5_mat34, num_joints);
    TRY(pose && joints);

    md5i_base_frame_pose(clip, pose);
    md5_local_to_model(&entity->model->skeleton, pose, joints);
    loader->attach_pose = joints;
    return true;
}

// The space of a part's rotation: the model space of the body, or the joint to which it is
// attached.
typedef enum rotation_space { ROTATION_IN_MODEL, ROTATION_IN_JOINT } rotation_space;

// Sets the joint of a part, and the offset of the part in the space of the joint. `transform` is in
// the axes and units of files. Its translation is relative to the joint, along the axes of the
// body's model space. Its rotation is in `space`. The model_offset of the part is applied before
// `transform`.
static void attach_part(const part_loader *loader, uint32_t joint, md5_xform transform,
                        rotation_space space, md5_entity_part *part)
{
    // The transform of the part in the model space of the body, in the attach pose.
    const md5_model *const model = loader->body->entity.model;
    const md5_xform parent = md5_xform_from_mat34(loader->attach_pose[joint]);
    md5_quat rotation = md5i_transform_to_axes(model->skeleton.axes, transform).rotation;
    if (space == ROTATION_IN_JOINT)
        rotation = md5_quat_mul(parent.rotation, rotation);
    const md5_vec3 translation = entity_vector(model, transform.translation);
    const md5_xform in_model = {
        .rotation = rotation,
        .translation = md5_vec3_add(parent.translation, translation),
    };

    // The same transform in the space of the joint.
    const md5_xform model_offset = {
        .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
        .translation = part->entity->model_offset,
    };
    part->joint = joint;
    part->offset = md5_xform_mul(md5_xform_inverse(parent), md5_xform_mul(in_model, model_offset));
}

// -- Parts ----------------------------------------------------------------------------------------

// Returns true if a body, or an entity to which it is attached, has the entityDef `def`.
static bool is_attached_to(const md5_entity_owner *body, const md5_entity_def *def)
{
    for (const md5_entity_owner *owner = body; owner; owner = owner->body) {
        if (owner->entity.def == def)
            return true;
    }
    return false;
}

// Warns and returns true if the body is already a part of an entity with the entityDef `def`.
// Loading such an entity would never end.
static bool is_part_recursive(const part_loader *loader, const md5_entity_key *key,
                              const md5_entity_def *def)
{
    if (!def || !is_attached_to(loader->body, def))
        return false;
    (void)md5i_report_key(loader->load->context, MD5_WARNING, key,
                          "key %s: entity %s would be attached to itself; attach another entity",
                          MD5_QUOTED(key->name), MD5_QUOTED(key->value));
    return true;
}

// Loads the entity of a part, such as a head or a weapon. If it cannot be loaded, warns and sets
// *part to NULL. Returns false if memory runs out.
static bool load_part_entity(part_loader *loader, const md5_entity_key *key, entity_name_kind kind,
                             const md5_entity **part)
{
    // The part has a context of its own, so that its errors can become warnings.
    const md5_entity_load *const load = loader->load;
    md5_error error = {.status = MD5_OK};
    md5_context context;
    md5_entity_load part_load;
    md5i_context_begin(&context, &load->opts, NULL, &error);
    *part = NULL;
    loader->num_tried++;

    const md5_entity_def *const def =
        kind == NAME_OF_MODEL ? NULL : md5_game_entity_def(load->game, key->value, &error);
    if (is_part_recursive(loader, key, def))
        return true;
    if (load_entity(&part_load, load->game, key->value, kind, &context, &load->opts)) {
        *part = finish_entity(&part_load);
        return true;
    }

    end_entity_load(&part_load);
    TRY(entity_has_memory(load->context, &error));
    const char *const kind_of_part = kind == NAME_OF_MODEL ? "model" : "entity";
    (void)md5i_report_key(load->context, MD5_WARNING, key, "key %s: cannot load %s %s: %.150s",
                          MD5_QUOTED(key->name), kind_of_part, MD5_QUOTED(key->value),
                          error.message);
    return true;
}

// Adds a part to the body and to the list of the tree, which then owns it.
static void store_part(part_loader *loader, const md5_entity_part *part)
{
    md5_entity_owner *const owner = entity_owner(part->entity);
    owner->body = loader->body;
    *loader->last = owner;
    loader->last = &owner->next;
    loader->parts[loader->body->entity.num_parts++] = *part;
}

// Adds the head of the key "def_head" at the joint of the key "head_joint". Does nothing if the
// body has no head. If the head cannot be added, warns. Returns false if memory runs out.
static bool add_head(part_loader *loader)
{
    const md5_entity *const entity = &loader->body->entity;
    const md5_entity_key *const key = find_key(entity->def, "def_head");
    if (!key)
        return true;

    const md5_entity_key *const neck = find_key(entity->def, "head_joint");
    const int32_t joint =
        find_part_joint(loader->load->context, &entity->model->skeleton, neck, neck ? neck : key,
                        "'head_joint'", "", loader->body->name);
    if (joint < 0)
        return true;

    const md5_xform identity = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_entity_part part = {.key = key->name};
    TRY(load_part_entity(loader, key, NAME_OF_MODEL, &part.entity));
    if (!part.entity)
        return true;
    attach_part(loader, (uint32_t)joint, identity, ROTATION_IN_MODEL, &part);
    store_part(loader, &part);
    return read_copies(loader->load, loader->body, &loader->parts[entity->num_parts - 1]);
}

// Adds the entity in a key "def_attach...". Its own keys "joint", "origin" and "angles" specify
// where it is attached. If it cannot be added, warns. Returns false if memory runs out.
static bool add_attachment(part_loader *loader, const md5_entity_key *key)
{
    md5_entity_part part = {.key = key->name};
    TRY(load_part_entity(loader, key, NAME_OF_ENTITY, &part.entity));
    if (!part.entity)
        return true;

    const int32_t joint =
        find_part_joint(loader->load->context, &loader->body->entity.model->skeleton,
                        find_key(part.entity->def, "joint"), key, "attaching ",
                        MD5_QUOTED(key->value), loader->body->name);
    if (joint < 0) {
        free_single_entity(part.entity);
        return true;
    }

    const md5_vec3 angles = read_entity_vector(part.entity, "angles");
    const md5_xform transform = {
        .rotation = md5_quat_from_euler((md5_euler){angles.x, angles.y, angles.z}),
        .translation = read_entity_vector(part.entity, "origin"),
    };
    attach_part(loader, (uint32_t)joint, transform, ROTATION_IN_JOINT, &part);
    store_part(loader, &part);
    return true;
}

static bool has_part_keys(const md5_entity_def *def)
{
    return md5_entity_def_next_key(def, "def_head", NULL)
           || md5_entity_def_next_key(def, "def_attach", NULL);
}

// Loads the head and the attachments of the body, up to the limit of parts in the whole tree.
// Returns false if memory runs out.
static bool add_parts(part_loader *loader)
{
    md5_entity *const entity = &loader->body->entity;
    const md5_entity_def *const def = entity->def;
    const uint32_t capacity = MD5_MAX_ENTITY_PARTS - loader->num_tried;
    if (!def || capacity == 0 || !has_part_keys(def))
        return true;

    loader->parts = MD5_ALLOC_ZEROED(&loader->load->arena, md5_entity_part, capacity);
    TRY(loader->parts && build_attach_pose(loader));
    entity->parts = loader->parts;

    TRY(add_head(loader));
    for (const md5_entity_key *key = md5_entity_def_next_key(def, "def_attach", NULL);
         key && loader->num_tried < MD5_MAX_ENTITY_PARTS;
         key = md5_entity_def_next_key(def, "def_attach", key)) {
        if (key->value[0])
            TRY(add_attachment(loader, key));
    }
    return true;
}

// == Trees ========================================================================================
//
// Loading and freeing of entities with their parts, and the transforms of parts.

// Frees all entities that follow `owner` in the list of a tree.
static void free_parts(const md5_entity_owner *owner)
{
    const md5_entity_owner *next;
    for (const md5_entity_owner *part = owner->next; part; part = next) {
        next = part->next;
        free_single_entity(&part->entity);
    }
}

// Loads an entity with its model, clips and skin, and all its parts, such as the head and attached
// weapons. Returns NULL and sets the error on failure.
md5_entity *md5_load_entity(md5_game *game, const char *name, const md5_load_opts *opts,
                            md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    if (!game) {
        md5i_fail_missing(error, "game");
        return NULL;
    }

    MD5_ASSERT_NOT_NULL(name);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_entity_load load;
    md5i_context_begin(&context, opts, NULL, error);
    if (load_entity(&load, game, name, NAME_OF_ENTITY, &context, opts)) {
        // Add the parts of each entity. This appends their owners to the list.
        part_loader loader = {.load = &load, .body = load.owner, .last = &load.owner->next};
        while (loader.body && add_parts(&loader))
            loader.body = loader.body->next;
        if (!loader.body)
            return finish_entity(&load);
    }

    if (load.owner)
        free_parts(load.owner);
    end_entity_load(&load);
    return NULL;
}

// Returns true if a name is a modelDef or an existing .md5mesh file.
static bool has_model_decl(md5_game *game, const char *name, md5_error *error)
{
    return md5_game_model_def(game, name, error)
           || (is_mesh_file(name) && md5i_game_find_file(game, name));
}

// A check of the keys of an entity that refer to models, entities and joints.
typedef struct entity_check {
    md5_game *game;
    const md5_entity_def *def;
    const char *name;            // name of the entity
    const md5_entity_key *model; // key "model", may be NULL
    const md5_entity_key *head;  // key "def_head", may be NULL
    md5_skeleton body;           // has no joints if the model is unknown
    md5_error *error;
} entity_check;

static bool is_attachment_key(const md5_entity_key *key)
{
    return md5_skip_prefix(key->name, "def_attach") && key->value[0];
}

// Returns true if a key refers to the model, the head or an attachment.
static bool is_part_key(const entity_check *check, const md5_entity_key *key)
{
    const bool is_head = check->head && key == check->head;
    return is_head || is_attachment_key(key) || key == check->model;
}

// Warns at `key` if a model does not exist. `model` is the key with the name of the model. It is
// `key` itself, or a key of the attached entity.
static void check_model(const entity_check *check, const md5_entity_key *key,
                        const md5_entity_key *model)
{
    // The lookup of the entity's own modelDef has been done already.
    const bool is_checked = key == check->model && !is_mesh_file(key->value);
    if (is_checked || has_model_decl(check->game, model->value, check->error))
        return;
    if (model == key) {
        (void)md5i_report_key(&check->game->context, MD5_WARNING, key,
                              "key %s: unknown model %s: expected a modelDef or an .md5mesh file",
                              MD5_QUOTED(key->name), MD5_QUOTED(key->value));
        return;
    }
    (void)md5i_report_key(
        &check->game->context, MD5_WARNING, key,
        "key %s: entity %s has the unknown model %s: expected a modelDef or an .md5mesh file",
        MD5_QUOTED(key->name), MD5_QUOTED(key->value), MD5_QUOTED(model->value));
}

// Warns if the entity or the model to which a key refers does not exist. `attached` is the entity
// of an attachment, or NULL. Inherited keys are not checked, because they are reported at the
// declaration that contains them.
static void check_part_target(const entity_check *check, const md5_entity_key *key,
                              const md5_entity_def *attached)
{
    const bool is_inherited = key->decl != check->def->decl;
    if (is_inherited)
        return;
    const bool is_attachment = is_attachment_key(key);
    if (is_attachment && !attached) {
        (void)md5i_report_key(&check->game->context, MD5_WARNING, key,
                              "Unknown entityDef %s to attach: Doom 3 ends the map",
                              MD5_QUOTED(key->value));
        return;
    }
    const md5_entity_key *const model = is_attachment ? find_key(attached, "model") : key;
    if (model)
        check_model(check, key, model);
}

// Warns if the body does not have the joint to which the part in a key is attached. `attached` is
// the entity of an attachment, or NULL.
static void check_part_joint(const entity_check *check, const md5_entity_key *key,
                             const md5_entity_def *attached)
{
    md5_context *const context = &check->game->context;
    if (check->body.num_joints == 0)
        return;
    const bool is_head = check->head && key == check->head;
    if (is_head) {
        const md5_entity_key *const joint = find_key(check->def, "head_joint");
        (void)find_part_joint(context, &check->body, joint, joint ? joint : key, "'head_joint'", "",
                              check->name);
    } else if (attached) {
        (void)find_part_joint(context, &check->body, find_key(attached, "joint"), key, "attaching ",
                              MD5_QUOTED(key->value), check->name);
    }
}

// Checks a key that refers to the model, the head or an attachment. Warns if the part does not
// exist, or if the body does not have its joint. The joint is also checked for inherited keys,
// because it depends on the model.
static void check_part_key(const entity_check *check, const md5_entity_key *key)
{
    const md5_entity_def *attached = NULL;
    if (is_attachment_key(key))
        attached = md5_game_entity_def(check->game, key->value, check->error);
    check_part_target(check, key, attached);
    check_part_joint(check, key, attached);
}

// Checks the keys of an entityDef that refer to the model, the head or an attachment.
static void check_part_keys(const entity_check *check)
{
    // Inherited keys are reported at the declaration that contains them. But if this entityDef
    // overrides the model, the new model may lack the joints of inherited keys, so all keys are
    // checked.
    const md5_entity_def *const def = check->def;
    const bool checks_inherited = !check->model || check->model->decl == def->decl;
    uint32_t num_checked = 0;
    for (uint32_t i = 0; i < def->num_keys && num_checked < MD5_MAX_ENTITY_PARTS; i++) {
        const md5_entity_key *const key = &def->keys[i];
        const bool is_inherited = key->decl != def->decl;
        if (is_part_key(check, key) && (checks_inherited || !is_inherited)) {
            check_part_key(check, key);
            num_checked++;
        }
    }
}

// Warns about keys of an entityDef that refer to missing models, skins, clips, entities or joints.
// Returns false only if memory runs out.
bool md5_game_check_entity_keys(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    if (!game)
        return md5i_fail_missing(error, "game");

    md5_error reason = {.status = MD5_OK};
    const md5_entity_def *const def = md5_game_entity_def(game, name, &reason);
    const md5_entity_key *const model = find_key(def, "model");
    const md5_model_def *const model_def =
        model ? md5_game_model_def(game, model->value, &reason) : NULL;
    entity_check check = {
        .game = game,
        .def = def,
        .name = name,
        .model = model,
        .head = find_key(def, "def_head"),
        .error = &reason,
    };
    if (model_def) {
        check.body.num_joints = model_def->num_joints;
        check.body.joints = model_def->joints;
    }

    if (def) {
        check_skin_and_clip(&game->context, game, def, model_def, def->decl);
        check_part_keys(&check);
    }

    // Other errors are reported as warnings.
    if (reason.status == MD5_ERROR_MEMORY && error)
        *error = reason;
    return reason.status != MD5_ERROR_MEMORY;
}

// Frees an entity and its parts. All actors of the entity must be destroyed before. NULL has no
// effect.
void md5_free_entity(md5_entity *entity)
{
    MD5_ASSERT_NULL_OR_ALIVE(entity, MD5_TAG_ENTITY);
    if (!entity)
        return;
    free_parts(entity_owner(entity));
    free_single_entity(entity);
}

// Returns the transform of a joint's parent in model space. Returns the identity for the root.
md5_xform md5i_parent_transform(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    md5_xform transform = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (uint32_t i = skeleton->joints[joint].parent; i != MD5_NONE; i = skeleton->joints[i].parent)
        transform = md5_xform_mul(pose[i], transform);
    return transform;
}

// Returns the transform of a part, such as a head, in the model space of its body, in the current
// pose of the body.
md5_xform md5_entity_part_placement(const md5_entity_part *part, const md5_mat34 *joints)
{
    MD5_ASSERT_PART(part, key);
    MD5_ASSERT_NOT_NULL(joints);
    return md5_xform_mul(md5_xform_from_mat34(joints[part->joint]), part->offset);
}

// Copies joints of the body to the pose of a head, so that the neck of the head follows the body.
// `joints` are the matrices of the body in model space.
void md5_entity_part_copy_joints(const md5_entity_part *part, const md5_xform *body,
                                 const md5_mat34 *joints, md5_xform *head)
{
    MD5_ASSERT_PART(part, key);
    MD5_ASSERT(body != NULL && joints != NULL && head != NULL, "poses: must not be NULL");
    const md5_skeleton *const skeleton = &part->entity->model->skeleton;
    if (part->num_copies == 0)
        return;

    // A transform in model space is converted to the space of the head, and then to the space of
    // the parent joint. The parent must be final, so copies are sorted by their ancestors.
    const md5_xform to_head = md5_xform_inverse(md5_entity_part_placement(part, joints));
    for (uint32_t i = 0; i < part->num_copies; i++) {
        const md5_joint_copy *const copy = &part->copies[i];
        if (!copy->is_model_space) {
            head[copy->to] = body[copy->from];
            continue;
        }
        const md5_xform in_head = md5_xform_mul(to_head, md5_xform_from_mat34(joints[copy->from]));
        const md5_xform parent = md5i_parent_transform(skeleton, head, copy->to);
        head[copy->to] = md5_xform_mul(md5_xform_inverse(parent), in_head);
    }
}
