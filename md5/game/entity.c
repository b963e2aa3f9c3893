// Entities while they are loaded, and what they own.
//
// An entity, its parts, their parts and so on form a tree. Its owners form a list, parents before
// their parts, so that the tree is walked without recursion. The list begins at the requested
// entity, whose arena holds the tables of parts of the whole tree.
#include "md5/core/freed.h"
#include "md5/game/entity.h"

#include "md5/core/math.h"
#include "md5/decl/decls.h"

#include <stdio.h>
#include <string.h>

// An animation file, loaded and bound once for all clips of an entity that name it.
typedef struct md5_entity_file {
    struct md5_entity_file *next;
    md5_anim *anim;
    md5_binding *binding;
} md5_entity_file;

// An entity with what it frees. All of this is in its arena.
typedef struct md5_entity_owner {
    md5_entity entity;                   // first: the public part
    struct md5_entity_owner *next;       // in the list of the tree
    const struct md5_entity_owner *body; // what it is a part of, NULL for the first one
    const char *name;                    // as in the key, or as asked for
    md5_model *model;
    md5_entity_file *files;
    md5_allocator allocator;  // of the arena, once it is loaded
    struct md5_chunk *chunks; // likewise
} md5_entity_owner;

// The load of one entity.
typedef struct md5_entity_load {
    md5_context *context;
    md5_arena arena;
    md5_game *game;
    const char *name;
    md5_load_opts opts;              // for files of the game
    const md5_game_entry *open_file; // the one that is being read
    md5_entity_owner *owner;
    md5_name_map files; // of md5_entity_file; NULL for one that cannot be used
} md5_entity_load;

static inline md5_entity_owner *md5_owner_of(const md5_entity *entity)
{
    return (md5_entity_owner *)entity->internal.memory;
}

// == Numbers in keys ==============================================================================
//
// Values of an entity's keys.

// Clamps to +-1e9, more than any game needs, so that poses stay finite. NaN becomes -1e9.
static float limited(float value)
{
    const float most = 1e9f;
    return !(value > -most) ? -most : value < most ? value : most;
}

static const char *value_of(const md5_entity *entity, const char *key)
{
    return entity->def ? md5_entity_def_value(entity->def, key) : NULL;
}

void md5i_entity_numbers(const char *text, float *values, int count)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, NULL, NULL, 0, text ? text : "", text ? strlen(text) : 0);
    lex.is_silent = true;
    lex.joins_strings = false; // that would need memory
    float value;
    for (int i = 0; i < count && md5i_decl_lex_float(&lex, &value); i++)
        values[i] = limited(value);
}

static void entity_numbers(const md5_entity *entity, const char *key, float *values, int count)
{
    md5i_entity_numbers(value_of(entity, key), values, count);
}

// A vector or transform of a file, in the axes and units of a model.
static md5_vec3 entity_vector(const md5_model *model, md5_vec3 vector)
{
    return md5_vec3_scale(md5i_vec3_to_axes(model->skeleton.axes, vector),
                          md5_scale_of(&model->skeleton));
}

// Converts seconds to milliseconds, at most MD5_MAX_BLINK_WAIT; negative values and NaN to 0.
static uint32_t milliseconds(float seconds)
{
    const float most = (float)MD5_MAX_BLINK_WAIT;
    const float time = seconds * 1000.0f;
    return !(time > 0.0f) ? 0 : time < most ? (uint32_t)time : MD5_MAX_BLINK_WAIT;
}

// == One entity ===================================================================================
//
// One entity: its declarations, its model, its clips, the materials of its meshes.

// -- Messages -------------------------------------------------------------------------------------

bool md5i_report_key(md5_context *context, md5_status status, const md5_entity_key *key,
                     const char *format, ...)
{
    char message[sizeof context->error.message];
    const md5_decl *const decl = key->decl;
    const uint32_t line = key->line;
    const uint32_t column = key->column;
    MD5_PRINT(message, format);
    // Messages take the file's name from the error.
    if (status == MD5_WARNING || context->error.status == MD5_OK)
        (void)snprintf(context->error.file, sizeof context->error.file, "%s",
                       decl && decl->file ? decl->file : "");
    if (status == MD5_WARNING)
        md5i_warn(context, line, column, "%s", message);
    else
        (void)md5i_fail(context, status, line, column, "%s", message);
    return false;
}

// Returns false if `error`, of another call, says that memory ran out, and then sets the context's
// error. Else returns true.
static bool entity_has_memory(md5_context *context, const md5_error *error)
{
    if (error->status == MD5_ERROR_MEMORY)
        (void)MD5_FAIL(context, MD5_ERROR_MEMORY, "%s", error->message);
    return error->status != MD5_ERROR_MEMORY;
}

// -- Declarations ---------------------------------------------------------------------------------

// Returns a key without name that is where a declaration is, or nowhere: NULL.
static md5_entity_key key_at(const md5_decl *decl)
{
    md5_entity_key key = {.decl = decl};
    if (decl) {
        key.line = decl->keyword_line;
        key.column = decl->keyword_column;
    }
    return key;
}

// The same of what the load is about: of a file it is nowhere.
static md5_entity_key place_of(const md5_entity *entity)
{
    return key_at(entity->def         ? entity->def->decl
                  : entity->model_def ? entity->model_def->decl
                                      : NULL);
}

// Returns the key of a name, ignoring case, unless its value is empty; NULL if there is none.
static const md5_entity_key *key_of(const md5_entity_def *def, const char *name)
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

// Finds entityDef and modelDef. `file` becomes that of the mesh. `is_model`: the name is that of a
// modelDef or file, even if an entityDef has it, too.
static bool find_decls(md5_entity_load *load, bool is_model, const char **file)
{
    md5_entity *const entity = &load->owner->entity;
    md5_error error = {.status = MD5_OK};
    if (!is_model)
        entity->def = md5_game_entity_def(load->game, load->name, &error);
    TRY(entity_has_memory(load->context, &error));
    const char *const own = value_of(entity, "model");
    md5_entity_key place = place_of(entity);
    if (entity->def && !own)
        return md5i_report_key(load->context, MD5_ERROR_MISMATCH, &place,
                               "entityDef %s has no key \"model\"", MD5_QUOTED(load->name));
    const char *const model = own ? own : load->name;
    entity->model_def = md5_game_model_def(load->game, model, &error);
    TRY(entity_has_memory(load->context, &error));
    const md5_model_def *const def = entity->model_def;
    place = def ? key_at(def->decl) : place;
    if (def && !def->mesh[0])
        return md5i_report_key(load->context, MD5_ERROR_MISMATCH, &place, "model %s %s",
                               MD5_QUOTED(model),
                               def->decl->state == MD5_DECL_DEFAULTED
                                   ? "is invalid; see the warning before this message"
                                   : "has no mesh");
    *file = def ? def->mesh : model;
    place = place_of(entity);
    if (!is_mesh_file(*file))
        return md5i_report_key(load->context, MD5_ERROR_MISMATCH, &place,
                               "unknown model %s: expected %smodelDef or a .md5mesh file",
                               MD5_QUOTED(*file), entity->def ? "a " : "an entityDef, a ");
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
    (void)snprintf(error->message, sizeof error->message, "file not found in the game");
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    const md5_entity_load *const load = (const md5_entity_load *)user;
    md5i_game_close_file(load->game, load->open_file, (const char *)bytes, size);
}

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

// Loads and binds an animation. *result is NULL if it cannot be used, which is a warning.
static bool load_anim(md5_entity_load *load, const char *name, md5_entity_file **result)
{
    md5_entity_owner *const owner = load->owner;
    md5_error error = {.status = MD5_OK};
    md5_entity_file *const file = MD5_NEW(&load->arena, md5_entity_file, 1);
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
    const md5_entity_key place = place_of(&owner->entity);
    (void)md5i_report_key(load->context, MD5_WARNING, &place, "cannot play anim %s: %.150s",
                          MD5_QUOTED(name), error.message);
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

static bool load_clips(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t count = entity->model_def ? entity->model_def->num_anims : 0;
    md5_entity_clip *const clips = MD5_NEW(&load->arena, md5_entity_clip, count);
    TRY(clips);
    entity->clips = clips;
    entity->num_clips = count;
    for (uint32_t i = 0; i < count; i++) {
        clips[i].anim = md5_model_def_anim(entity->model_def, i);
        md5_entity_clip *const clip = &clips[i];
        bool is_complete = true;
        for (uint32_t k = 0; k < clip->anim->num_files; k++) {
            md5_entity_file *file = NULL;
            TRY(find_anim(load, clip->anim->files[k], &file));
            is_complete &= file != NULL;
            clip->anims[k] = file ? file->anim : NULL;
            clip->bindings[k] = file ? file->binding : NULL;
        }
        clip->num_files = is_complete ? clip->anim->num_files : 0;
    }
    return true;
}

// -- Channels and materials -----------------------------------------------------------------------

static bool make_masks(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    const float **const masks = MD5_NEW(&load->arena, const float *, MD5_NUM_CHANNELS);
    TRY(masks);
    for (uint32_t channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        float *const mask = MD5_NEW(&load->arena, float, num_joints);
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

// Warns of the skin and the clip that an entity names if there are none; `only` if a key is in that
// declaration, unless that is NULL.
static void check_names(md5_context *context, md5_game *game, const md5_entity_def *def,
                        const md5_model_def *model, const md5_decl *only)
{
    const md5_entity_key *const anim = key_of(def, "anim");
    const md5_entity_key *skin = key_of(def, "skin");
    md5_entity_key of_model = key_at(model ? model->decl : NULL);
    if (!skin && model && model->skin && model->skin[0]) {
        of_model.value = model->skin;
        skin = &of_model;
    }
    const md5_decl *const decl = skin ? md5_find_decl(game, MD5_DECL_SKIN, skin->value) : NULL;
    if (skin && !(decl && decl->file) && (!only || only == skin->decl))
        (void)md5i_report_key(context, MD5_WARNING, skin, "Unknown skin %s",
                              MD5_QUOTED(skin->value));
    bool is_known = !anim || !model;
    for (uint32_t i = 0; !is_known && i < model->num_anims; i++) {
        const md5_model_anim *const clip = md5_model_def_anim(model, i);
        is_known = strcmp(clip->name, anim->value) == 0 || strcmp(clip->alias, anim->value) == 0;
    }
    if (!is_known && (!only || only == anim->decl))
        (void)md5i_report_key(context, MD5_WARNING, anim, "Unknown anim %s of model %s",
                              MD5_QUOTED(anim->value), MD5_QUOTED(model->decl->name));
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
    check_names(load->context, load->game, entity->def, entity->model_def, NULL);
    return entity_has_memory(load->context, &error);
}

static bool find_materials(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const uint32_t count = entity->model->num_meshes;
    const char **const materials = MD5_NEW(&load->arena, const char *, count);
    TRY(materials);
    for (uint32_t i = 0; i < count; i++) {
        // A material that draws nothing is never replaced, else the key "shader" is preferred to
        // the skin.
        const char *const shader = entity->model->meshes[i].shader;
        const char *const custom = value_of(entity, "shader");
        md5_error error = {.status = MD5_OK};
        const md5_material *shown = md5_game_material(load->game, shader, &error);
        const bool is_drawn = shown && (shown->num_stages > 0 || shown->gui);
        if (shown && is_drawn && custom && custom[0])
            shown = md5_game_material(load->game, custom, &error);
        else if (shown && entity->skin)
            shown = md5_game_material(
                load->game, md5_skin_def_material(load->game, entity->skin, shader), &error);
        materials[i] = shown ? shown->decl->name : NULL;
        TRY(entity_has_memory(load->context, &error));
    }
    entity->materials = materials;
    return true;
}

// -- All ------------------------------------------------------------------------------------------

// Sets the members that depend only on the keys of an entity and on its modelDef.
static bool add_values(md5_entity_load *load)
{
    load->owner->name = load->name;
    md5_entity *const entity = &load->owner->entity;
    // Without keys color and parm 3 are 1, the others 0.
    char key[24];
    for (uint32_t i = 0; i < 12; i++) {
        entity->parms[i] = i <= 3 ? 1.0f : 0.0f;
        (void)snprintf(key, sizeof key, "shaderParm%u", i);
        if (i >= 3)
            entity_numbers(entity, key, &entity->parms[i], 1);
    }
    entity_numbers(entity, "_color", entity->parms, 3);
    float offset[3] = {0.0f, 0.0f, 0.0f};
    float blink_min = 0.5f;
    float blink_max = 8.0f;
    entity_numbers(entity, "offsetModel", offset, 3);
    entity_numbers(entity, "blink_min", &blink_min, 1);
    entity_numbers(entity, "blink_max", &blink_max, 1);
    const md5_vec3 model_offset = {offset[0], offset[1], offset[2]};
    entity->model_offset = entity_vector(entity->model, model_offset);
    entity->blink_min = milliseconds(blink_min);
    entity->blink_max = milliseconds(blink_max);
    if (entity->model_def) {
        const md5_vec3 own = entity->model_def->offset;
        const md5_vec3 cut = {limited(own.x), limited(own.y), limited(own.z)};
        entity->offset = entity_vector(entity->model, cut);
    }
    return true;
}

// Loads an entity without parts. `is_model`: the name is that of a modelDef or of a file. Returns
// false and sets the context's error if there is no such entity or memory runs out. Then call
// finish_entity(), or end_entity_load() after a failure.
static bool load_entity(md5_entity_load *load, md5_game *game, const char *name, bool is_model,
                        md5_context *context, const md5_load_opts *opts)
{
    *load = (md5_entity_load){.context = context, .game = game, .name = name};
    load->arena.context = context;
    load->opts = opts ? *opts : (md5_load_opts){.file_name = NULL};
    load->opts.files = (md5_files){.open = open_file, .close = close_file, .user = load};
    const char *file = NULL;
    load->owner = MD5_NEW(&load->arena, md5_entity_owner, 1);
    return load->owner && find_decls(load, is_model, &file) && load_model(load, file)
           && load_clips(load) && make_masks(load) && find_skin(load) && find_materials(load)
           && add_values(load);
}

static md5_entity *finish_entity(md5_entity_load *load)
{
    md5_entity_owner *const owner = load->owner;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): load_entity() has made it
    owner->allocator = load->context->allocator;
    owner->chunks = load->arena.chunks;
    owner->entity.num_warnings = load->context->num_warnings;
    owner->entity.internal = (md5_internal){.memory = owner, .tag = MD5_TAG_ENTITY};
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

static void end_entity_load(md5_entity_load *load)
{
    if (load->owner)
        free_files(load->owner);
    md5i_arena_free(&load->arena);
}

// Frees a finished entity, but not its parts.
static void free_lone_entity(const md5_entity *entity)
{
    const md5_entity_owner *const owner = md5_owner_of(entity);
    md5_context context;
    free_files(owner);
    md5i_context_begin_memory(&context, owner->allocator, NULL);
    md5_arena arena = {.context = &context, .chunks = owner->chunks};
    md5i_arena_free_object(&arena);
}

// == Heads and attachments ========================================================================
//
// Parts attached to the joints of an entity: a head, whose joints may follow the body's, and other
// entities with parts of their own. They are placed in one pose of the body, and then follow the
// joint. That pose is the base frame of the clip "ik_pose", which the engine holds while it
// attaches things, or the bind pose if there is no such clip.

// -- Values ---------------------------------------------------------------------------------------

static md5_vec3 vector_of(const md5_entity *entity, const char *key)
{
    float values[3] = {0.0f, 0.0f, 0.0f};
    entity_numbers(entity, key, values, 3);
    return (md5_vec3){values[0], values[1], values[2]};
}

int32_t md5i_find_joint(const md5_skeleton *skeleton, const char *name)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (md5_is_same_word(name, skeleton->joints[i].name))
            return (int32_t)i;
    }
    return -1;
}

// Returns the joint of a body that a key of it or of an attachment names, or -1 after a warning at
// `place`. `use` and `what` say what for.
static int32_t joint_of(md5_context *context, const md5_skeleton *body, const md5_entity_key *joint,
                        const md5_entity_key *place, const char *use, const char *what,
                        const char *name)
{
    const int32_t found = joint ? md5i_find_joint(body, joint->value) : -1;
    if (found < 0)
        (void)md5i_report_key(context, MD5_WARNING, place,
                              "Joint %s not found for %s%s on %s: Doom 3 ends the map",
                              MD5_QUOTED(joint ? joint->value : ""), use, what, MD5_QUOTED(name));
    return found;
}

// -- Copied joints --------------------------------------------------------------------------------

static bool read_copies(md5_entity_load *load, const md5_entity_owner *body, md5_entity_part *part)
{
    const md5_entity_def *const def = body->entity.def;
    const md5_skeleton *const skeleton = &part->entity->model->skeleton;
    md5_joint_copy copies[MD5_MAX_JOINT_COPIES];
    uint32_t count = 0;
    for (const md5_entity_key *key = md5_entity_def_next_key(def, "copy_joint", NULL);
         key && count < MD5_MAX_JOINT_COPIES;
         key = md5_entity_def_next_key(def, "copy_joint", key)) {
        if (!key->value[0])
            continue;
        // "copy_joint A" "B" or "copy_joint_world A" "B"
        const char *const in_model = md5_behind_prefix(key->name, "copy_joint_world ");
        const char *const in_parent = md5_behind_prefix(key->name, "copy_joint ");
        const char *const joint = in_model ? in_model : in_parent ? in_parent : key->name;
        const int32_t from = md5i_find_joint(&body->entity.model->skeleton, joint);
        const int32_t to = md5i_find_joint(skeleton, key->value);
        if (from >= 0 && to >= 0)
            copies[count++] = (md5_joint_copy){(uint32_t)from, (uint32_t)to, in_model != NULL};
        else
            (void)md5i_report_key(load->context, MD5_WARNING, key,
                                  "Unknown copy_joint %s on %sentity %s",
                                  MD5_QUOTED(from < 0 ? joint : key->value),
                                  from < 0 ? "" : "head of ", MD5_QUOTED(body->name));
    }
    md5_joint_copy *const sorted = MD5_NEW(&load->arena, md5_joint_copy, count);
    TRY(sorted);
    // Move each copy behind those of its joint's ancestors.
    uint32_t used = 0;
    for (uint32_t i = 0; i < skeleton->num_joints && used < count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            if (copies[k].to == skeleton->order[i])
                sorted[used++] = copies[k];
        }
    }
    part->copies = sorted;
    part->num_copies = count;
    return true;
}

// -- Placement ------------------------------------------------------------------------------------

// A body while its parts are loaded.
typedef struct part_loader {
    md5_entity_load *load;
    md5_entity_owner *body;
    md5_entity_owner **last;  // the end of the list of the tree
    uint32_t num_tried;       // parts of the whole tree
    md5_entity_part *parts;   // of the body, with room for as many as may still be tried
    const md5_mat34 *placing; // [model joints] the pose that parts are placed in
} part_loader;

static bool make_placing_pose(part_loader *loader)
{
    const md5_entity *const entity = &loader->body->entity;
    const md5_binding *clip = NULL;
    for (uint32_t i = 0; !clip && i < entity->num_clips; i++) {
        if (entity->clips[i].num_files > 0 && strcmp(entity->clips[i].anim->alias, "ik_pose") == 0)
            clip = entity->clips[i].bindings[0];
    }
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    loader->placing = entity->model->bind;
    if (!clip || num_joints == 0)
        return true;
    md5_arena *const arena = &loader->load->arena;
    md5_xform *const pose = MD5_NEW(arena, md5_xform, num_joints);
    md5_mat34 *const joints = MD5_NEW(arena, md5_mat34, num_joints);
    TRY(pose && joints);
    md5i_base_frame_pose(clip, pose);
    md5_local_to_model(&entity->model->skeleton, pose, joints);
    loader->placing = joints;
    return true;
}

// Sets the joint of a part, and the part's offset in the space of the joint. `place` is as in
// files: a translation from the joint along the axes of the body's model space, and a rotation,
// which is relative to the joint if `is_turned`, else to model space. The part's own model_offset
// is applied inside of that.
static void place_part(const part_loader *loader, uint32_t joint, md5_xform place, bool is_turned,
                       md5_entity_part *part)
{
    const md5_model *const model = loader->body->entity.model;
    md5_xform own = md5i_transform_to_axes(model->skeleton.axes, place);
    own.translation = entity_vector(model, place.translation);
    const md5_xform from = md5_xform_from_mat34(loader->placing[joint]);
    const md5_xform placed = {
        .rotation = is_turned ? md5_quat_mul(from.rotation, own.rotation) : own.rotation,
        .translation = md5_vec3_add(from.translation, own.translation),
    };
    const md5_xform inside = {
        .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
        .translation = part->entity->model_offset,
    };
    part->joint = joint;
    part->offset = md5_xform_mul(md5_xform_inverse(from), md5_xform_mul(placed, inside));
}

// -- Parts ----------------------------------------------------------------------------------------

// Loads the entity of a part. If that fails, *part is NULL; returns false if memory runs out, else
// true after a warning.
static bool load_part_entity(part_loader *loader, const md5_entity_key *key, bool is_model,
                             const md5_entity **part)
{
    const md5_entity_load *const load = loader->load;
    md5_error error = {.status = MD5_OK};
    md5_context context;
    md5_entity_load own;
    md5i_context_begin(&context, &load->opts, NULL, &error);
    *part = NULL;
    loader->num_tried++;
    const md5_entity_def *const def =
        is_model ? NULL : md5_game_entity_def(load->game, key->value, &error);
    const md5_entity_owner *above = loader->body; // what the body is a part of
    while (above && above->entity.def != def)
        above = above->body;
    if (def && above) {
        (void)md5i_report_key(load->context, MD5_WARNING, key,
                              "%s %s: the entity would be attached to itself",
                              MD5_QUOTED(key->name), MD5_QUOTED(key->value));
        return true;
    }
    if (load_entity(&own, load->game, key->value, is_model, &context, &load->opts)) {
        *part = finish_entity(&own);
        return true;
    }
    end_entity_load(&own);
    TRY(entity_has_memory(load->context, &error));
    (void)md5i_report_key(load->context, MD5_WARNING, key, "%s %s: %.150s", MD5_QUOTED(key->name),
                          MD5_QUOTED(key->value), error.message);
    return true;
}

// Adds a part to the body. From here on it belongs to the tree.
static void keep_part(part_loader *loader, const md5_entity_part *part)
{
    md5_entity_owner *const owner = md5_owner_of(part->entity);
    owner->body = loader->body;
    *loader->last = owner;
    loader->last = &owner->next;
    loader->parts[loader->body->entity.num_parts++] = *part;
}

static bool add_head(part_loader *loader)
{
    const md5_entity *const entity = &loader->body->entity;
    const md5_entity_key *const key = key_of(entity->def, "def_head");
    if (!key)
        return true;
    const md5_entity_key *const neck = key_of(entity->def, "head_joint");
    const int32_t joint = joint_of(loader->load->context, &entity->model->skeleton, neck,
                                   neck ? neck : key, "'head_joint'", "", loader->body->name);
    if (joint < 0)
        return true;
    const md5_xform place = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_entity_part part = {.key = key->name};
    TRY(load_part_entity(loader, key, true, &part.entity));
    if (!part.entity)
        return true;
    place_part(loader, (uint32_t)joint, place, false, &part);
    keep_part(loader, &part);
    return read_copies(loader->load, loader->body, &loader->parts[entity->num_parts - 1]);
}

static bool add_attachment(part_loader *loader, const md5_entity_key *key)
{
    md5_entity_part part = {.key = key->name};
    TRY(load_part_entity(loader, key, false, &part.entity));
    if (!part.entity)
        return true;
    const int32_t joint = joint_of(loader->load->context, &loader->body->entity.model->skeleton,
                                   key_of(part.entity->def, "joint"), key, "attaching ",
                                   MD5_QUOTED(key->value), loader->body->name);
    if (joint < 0) {
        free_lone_entity(part.entity);
        return true;
    }
    const md5_vec3 angles = vector_of(part.entity, "angles");
    const md5_xform place = {
        .rotation = md5_quat_from_euler((md5_euler){angles.x, angles.y, angles.z}),
        .translation = vector_of(part.entity, "origin"),
    };
    place_part(loader, (uint32_t)joint, place, true, &part);
    keep_part(loader, &part);
    return true;
}

static bool add_parts(part_loader *loader)
{
    md5_entity *const entity = &loader->body->entity;
    const md5_entity_def *const def = entity->def;
    const uint32_t room = MD5_MAX_ENTITY_PARTS - loader->num_tried;
    if (!def || room == 0
        || (!md5_entity_def_next_key(def, "def_head", NULL)
            && !md5_entity_def_next_key(def, "def_attach", NULL)))
        return true;
    loader->parts = MD5_NEW(&loader->load->arena, md5_entity_part, room);
    TRY(loader->parts && make_placing_pose(loader));
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
// Entities with their parts, and the placement of the parts.

static void free_parts(const md5_entity_owner *owner)
{
    const md5_entity_owner *next;
    for (const md5_entity_owner *part = owner->next; part; part = next) {
        next = part->next;
        free_lone_entity(&part->entity);
    }
}

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
    if (load_entity(&load, game, name, false, &context, opts)) {
        // The heads and attachments of the tree.
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

// Whether a name is that of a modelDef or of a .md5mesh file.
static bool has_model(md5_game *game, const char *name, md5_error *error)
{
    return md5_game_model_def(game, name, error)
           || (is_mesh_file(name) && md5i_game_find_file(game, name));
}

bool md5_game_check_entity_keys(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    if (!game)
        return md5i_fail_missing(error, "game");
    md5_error reason = {.status = MD5_OK};
    md5_context *const context = &game->context;
    const md5_entity_def *const def = md5_game_entity_def(game, name, &reason);
    const md5_entity_key *const model = key_of(def, "model");
    const md5_model_def *const model_def =
        model ? md5_game_model_def(game, model->value, &reason) : NULL;
    // What an heir inherits is reported where it is, unless it is the heir's model that lacks it.
    const md5_decl *const only = def && model && model->decl != def->decl ? def->decl : NULL;
    md5_skeleton body = {0};
    body.num_joints = model_def ? model_def->num_joints : 0;
    body.joints = model_def ? model_def->joints : NULL;
    if (def)
        check_names(context, game, def, model_def, def->decl);
    const md5_entity_key *const head = key_of(def, "def_head");
    uint32_t num_tried = 0;
    for (uint32_t i = 0; def && i < def->num_keys && num_tried < MD5_MAX_ENTITY_PARTS; i++) {
        const md5_entity_key *const key = &def->keys[i];
        const bool is_head = head && key == head;
        const bool is_attached = md5_behind_prefix(key->name, "def_attach") && key->value[0];
        const bool is_own = key->decl == def->decl;
        if ((!is_head && !is_attached && key != model) || (only && only != key->decl))
            continue;
        num_tried++;
        const md5_entity_def *const attached =
            is_attached ? md5_game_entity_def(game, key->value, &reason) : NULL;
        const md5_entity_key *const shape = is_attached ? key_of(attached, "model") : key;
        if (is_own && is_attached && !attached)
            (void)md5i_report_key(context, MD5_WARNING, key,
                                  "Unknown entityDef %s to attach: Doom 3 ends the map",
                                  MD5_QUOTED(key->value));
        else if (is_own && shape && (key != model || is_mesh_file(key->value))
                 && !has_model(game, shape->value, &reason))
            (void)md5i_report_key(
                context, MD5_WARNING, key,
                "%s %s: unknown model %s: expected a modelDef or an .md5mesh file",
                MD5_QUOTED(key->name), MD5_QUOTED(key->value), MD5_QUOTED(shape->value));
        const md5_entity_key *const joint =
            is_head ? key_of(def, "head_joint") : key_of(attached, "joint");
        if (body.num_joints > 0 && (is_head || attached))
            (void)joint_of(context, &body, joint, is_head && joint ? joint : key,
                           is_head ? "'head_joint'" : "attaching ",
                           is_head ? "" : MD5_QUOTED(key->value), name);
    }
    if (reason.status == MD5_ERROR_MEMORY && error)
        *error = reason;
    return reason.status != MD5_ERROR_MEMORY;
}

void md5_free_entity(md5_entity *entity)
{
    MD5_ASSERT_NULL_OR_ALIVE(entity, MD5_TAG_ENTITY);
    if (!entity)
        return;
    free_parts(md5_owner_of(entity));
    free_lone_entity(entity);
}

md5_xform md5i_parent_place(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    md5_xform place = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (uint32_t i = skeleton->joints[joint].parent; i != MD5_NONE; i = skeleton->joints[i].parent)
        place = md5_xform_mul(pose[i], place);
    return place;
}

md5_xform md5_entity_part_placement(const md5_entity_part *part, const md5_mat34 *joints)
{
    MD5_ASSERT_PART(part, key);
    MD5_ASSERT_NOT_NULL(joints);
    return md5_xform_mul(md5_xform_from_mat34(joints[part->joint]), part->offset);
}

void md5_entity_part_copy_joints(const md5_entity_part *part, const md5_xform *body,
                                 const md5_mat34 *joints, md5_xform *head)
{
    MD5_ASSERT_PART(part, key);
    MD5_ASSERT(body != NULL && joints != NULL && head != NULL, "poses: must not be NULL");
    const md5_skeleton *const skeleton = &part->entity->model->skeleton;
    if (part->num_copies == 0)
        return;
    const md5_xform to_head = md5_xform_inverse(md5_entity_part_placement(part, joints));
    for (uint32_t i = 0; i < part->num_copies; i++) {
        const md5_joint_copy *const copy = &part->copies[i];
        if (!copy->is_model_space) {
            head[copy->to] = body[copy->from];
            continue;
        }
        const md5_xform in_head = md5_xform_mul(to_head, md5_xform_from_mat34(joints[copy->from]));
        const md5_xform parent = md5i_parent_place(skeleton, head, copy->to);
        head[copy->to] = md5_xform_mul(md5_xform_inverse(parent), in_head);
    }
}
