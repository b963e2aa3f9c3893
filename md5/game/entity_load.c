// One entity: its declarations, its model, its clips, the materials of its meshes.
#include "md5/game/entity.h"

#include "md5/game/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Messages -------------------------------------------------------------------------------------

// Messages take the file's name from the error.
static void set_place(const md5_context *context, const md5_decl *decl)
{
    (void)snprintf(context->error->file, sizeof context->error->file, "%s",
                   decl && decl->file ? decl->file : "");
}

bool md5i_entity_fail(md5_context *context, const md5_decl *decl, const char *format, ...)
{
    char message[sizeof context->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (context->error->status == MD5_OK)
        set_place(context, decl);
    return md5i_fail(context, MD5_ERROR_MISMATCH, decl ? decl->line : 0, decl ? 1 : 0, "%s",
                     message);
}

void md5i_entity_warn(md5_context *context, const md5_decl *decl, const char *format, ...)
{
    char message[sizeof context->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    set_place(context, decl);
    md5i_warn(context, decl ? decl->line : 0, decl ? 1 : 0, "%s", message);
    set_place(context, NULL);
}

bool md5i_entity_has_memory(md5_context *context, const md5_error *error)
{
    if (error->status == MD5_ERROR_MEMORY)
        return md5i_fail(context, MD5_ERROR_MEMORY, 0, 0, "%s", error->message);
    return true;
}

static md5_quoted quote(const char *text)
{
    return md5i_quote(text, strlen(text));
}

// -- Declarations ---------------------------------------------------------------------------------

static const char *value_of(const md5_entity *entity, const char *key)
{
    return entity->def ? md5_entity_def_value(entity->def, key) : NULL;
}

// Returns the declaration that the load is about, NULL for a file.
static const md5_decl *place_of(const md5_entity *entity)
{
    return entity->def ? entity->def->decl : entity->model_def ? entity->model_def->decl : NULL;
}

static bool has_extension(const char *file)
{
    const char *const dot = strrchr(file, '.');
    return dot && strcmp(dot, ".md5mesh") == 0;
}

// Finds entityDef and modelDef. `file` becomes that of the mesh. `is_model`: the name is that of a
// modelDef or file, even if an entityDef has it, too.
static bool find_decls(md5_entity_load *load, bool is_model, const char **file)
{
    md5_entity *const entity = &load->owner->entity;
    md5_error error = {.status = MD5_OK};
    if (!is_model)
        entity->def = md5_game_entity_def(load->game, load->name, &error);
    TRY(md5i_entity_has_memory(load->context, &error));
    const char *const own = value_of(entity, "model");
    if (entity->def && !own)
        return md5i_entity_fail(load->context, entity->def->decl,
                                "entityDef %s has no key \"model\"", quote(load->name).text);
    const char *const model = own ? own : load->name;
    entity->model_def = md5_game_model_def(load->game, model, &error);
    TRY(md5i_entity_has_memory(load->context, &error));
    const md5_model_def *const def = entity->model_def;
    if (def && !def->mesh[0])
        return md5i_entity_fail(load->context, def->decl, "model %s %s", quote(model).text,
                                def->decl->state == MD5_DECL_DEFAULTED
                                    ? "has a mistake, of which a warning was given"
                                    : "has no mesh");
    *file = def ? def->mesh : model;
    if (!has_extension(*file))
        return md5i_entity_fail(load->context, place_of(entity),
                                "%s is no %smodelDef and no .md5mesh file", quote(*file).text,
                                entity->def ? "" : "entityDef, ");
    return true;
}

// -- Files ----------------------------------------------------------------------------------------

// Files of the game for the library's loaders. Here one file is open at a time, so that no copies
// are needed, unlike in md5_game_files().
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    md5_entity_load *const load = (md5_entity_load *)user;
    load->open_file = md5i_game_find_file(load->game, path);
    if (load->open_file)
        return md5i_game_open_file(load->game, load->open_file, 0, size, error);
    (void)snprintf(error->message, sizeof error->message, "no such file in the game");
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    const md5_entity_load *const load = (const md5_entity_load *)user;
    md5i_game_close_file(load->game, load->open_file, (const char *)bytes, size);
}

static bool load_model(md5_entity_load *load, const char *file)
{
    md5_model *const model = md5_load_model(file, &load->opts, load->context->error);
    TRY(model);
    load->owner->model = model;
    load->owner->entity.model = model;
    load->owner->entity.size += model->size + model->geometry_size;
    load->context->num_warnings += model->num_warnings;
    return true;
}

// Loads and binds an animation. *result is NULL if it cannot be used, which is a warning.
static bool load_anim(md5_entity_load *load, const char *name, md5_entity_file **result)
{
    md5_entity_owner *const owner = load->owner;
    md5_error error = {.status = MD5_OK};
    md5_entity_file *const file =
        (md5_entity_file *)md5i_arena_alloc(&load->arena, 1, sizeof *file);
    TRY(file);
    md5_anim *const anim = md5_load_anim(name, &load->opts, &error);
    md5_binding *const binding = anim ? md5_bind(owner->model, anim, &load->opts, &error) : NULL;
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
    TRY(md5i_entity_has_memory(load->context, &error));
    md5i_entity_warn(load->context, place_of(&owner->entity), "anim %s cannot be played: %.150s",
                     quote(name).text, error.message);
    return true;
}

// The same, but each file once.
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

static bool load_clip(md5_entity_load *load, md5_entity_clip *clip)
{
    bool is_complete = true;
    for (uint32_t i = 0; i < clip->anim->num_files; i++) {
        md5_entity_file *file = NULL;
        TRY(find_anim(load, clip->anim->files[i], &file));
        is_complete &= file != NULL;
        clip->anims[i] = file ? file->anim : NULL;
        clip->bindings[i] = file ? file->binding : NULL;
    }
    clip->num_files = is_complete ? clip->anim->num_files : 0;
    return true;
}

static bool load_clips(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t count = entity->model_def ? entity->model_def->num_anims : 0;
    md5_entity_clip *const clips =
        (md5_entity_clip *)md5i_arena_alloc(&load->arena, count, sizeof *clips);
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

static bool make_masks(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    const float **const masks =
        (const float **)md5i_arena_alloc(&load->arena, MD5_NUM_CHANNELS, sizeof(float *));
    TRY(masks);
    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        float *const mask = (float *)md5i_arena_alloc(&load->arena, num_joints, sizeof *mask);
        TRY(mask);
        masks[channel] = mask;
        for (uint32_t i = 0; channel == MD5_CHANNEL_ALL && i < num_joints; i++)
            mask[i] = 1.0f;
        const md5_model_channel *const joints =
            entity->model_def ? &entity->model_def->channels[channel] : NULL;
        for (uint32_t i = 0; joints && i < joints->num_joints; i++)
            mask[joints->joints[i] < num_joints ? joints->joints[i] : 0] = 1.0f;
    }
    entity->masks = masks;
    return true;
}

// Finds the skin: the entity's own, or that of the modelDef.
static bool find_skin(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const char *name = value_of(entity, "skin");
    md5_error error = {.status = MD5_OK};
    if ((!name || !name[0]) && entity->model_def)
        name = entity->model_def->skin;
    if (name && name[0])
        entity->skin = md5_game_skin_def(load->game, name, &error);
    return md5i_entity_has_memory(load->context, &error);
}

// The material of a mesh: a material that draws nothing is never replaced, else the key "shader" is
// preferred to the skin.
static bool find_material(md5_entity_load *load, const char *shader, const char **result)
{
    const md5_entity *const entity = &load->owner->entity;
    const char *const custom = value_of(entity, "shader");
    md5_error error;
    const md5_material *material = md5_game_material(load->game, shader, &error);
    const bool is_drawn = material && (material->num_stages > 0 || material->gui);
    if (material && is_drawn && custom && custom[0])
        material = md5_game_material(load->game, custom, &error);
    else if (material && entity->skin)
        material = md5_game_material(
            load->game, md5_skin_def_material(load->game, entity->skin, shader), &error);
    *result = material ? material->decl->name : NULL;
    return md5i_entity_has_memory(load->context, &error);
}

static bool find_materials(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t count = entity->model->num_meshes;
    const char **const materials =
        (const char **)md5i_arena_alloc(&load->arena, count, sizeof(char *));
    TRY(materials);
    for (uint32_t i = 0; i < count; i++)
        TRY(find_material(load, entity->model->meshes[i].shader, &materials[i]));
    entity->materials = materials;
    return true;
}

// -- All ------------------------------------------------------------------------------------------

static bool add_values(md5_entity_load *load)
{
    load->owner->name = load->name;
    md5i_set_entity_values(load->game, &load->owner->entity);
    return true;
}

static bool load_all(md5_entity_load *load, bool is_model)
{
    const char *file = NULL;
    load->owner = (md5_entity_owner *)md5i_arena_alloc(&load->arena, 1, sizeof *load->owner);
    return load->owner && find_decls(load, is_model, &file) && load_model(load, file)
           && load_clips(load) && make_masks(load) && find_skin(load) && find_materials(load)
           && add_values(load);
}

bool md5i_load_entity(md5_entity_load *load, md5_game *game, const char *name, bool is_model,
                      md5_context *context, const md5_load_opts *opts)
{
    *load = (md5_entity_load){.context = context, .game = game, .name = name};
    load->arena.context = context;
    load->opts = opts ? *opts : (md5_load_opts){.file_name = NULL};
    load->opts.files = (md5_files){.open = open_file, .close = close_file, .user = load};
    return load_all(load, is_model);
}

md5_entity *md5i_finish_entity(md5_entity_load *load)
{
    md5_entity_owner *const owner = load->owner;
    owner->allocator = load->context->allocator;
    owner->chunks = load->arena.chunks;
    owner->entity.num_warnings = load->context->num_warnings;
    owner->entity.owned = owner;
    return &owner->entity;
}

static void free_files(const md5_entity_owner *owner)
{
    for (const md5_entity_file *file = owner->files; file; file = file->next) {
        md5_free_binding(file->binding);
        md5_free_anim(file->anim);
    }
    md5_free_model(owner->model);
}

void md5i_end_entity_load(md5_entity_load *load)
{
    if (load->owner)
        free_files(load->owner);
    md5i_arena_free(&load->arena);
}

void md5i_free_lone_entity(const md5_entity *entity)
{
    const md5_entity_owner *const owner = md5_owner_of(entity);
    const md5_load_opts opts = {.allocator = owner->allocator};
    md5_context context;
    free_files(owner);
    md5i_context_begin(&context, &opts, NULL, NULL);
    md5_arena arena = {.context = &context, .chunks = owner->chunks};
    md5i_arena_free(&arena);
}
