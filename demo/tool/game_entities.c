// Checks the entities of a game folder. Checks the joints, declarations and scripts that their keys
// name, and the character that the engine creates from an entity. Problems of inherited keys are
// reported only for the entity that contains the key.
#include "demo/tool/game.h"

#include <ctype.h>

// == Characters ===================================================================================

const char *const tool_figure_keys[2] = {"articulatedFigure", "ragdoll"};

bool tool_has_character_keys(const md5_entity_def *entity)
{
    return md5_entity_def_next_key(entity, "articulatedFigure", NULL)
           || md5_entity_def_next_key(entity, "ragdoll", NULL)
           || md5_entity_def_next_key(entity, "look_joint", NULL)
           || md5_entity_def_next_key(entity, "ik_numLegs", NULL);
}

// Returns the actor of an entity's head, which is always its first part. Returns NULL if the entity
// does not have a head.
static md5_actor *create_head(const md5_entity *entity, md5_error *problem)
{
    const bool has_head = entity->num_parts > 0 && strcmp(entity->parts[0].key, "def_head") == 0;
    return has_head ? md5_create_actor(entity->parts[0].entity, NULL, problem) : NULL;
}

// Returns the mass of an articulated figure of an entity, or 0 if it cannot be created.
static float measure_mass(const md5_figure_def *def, const md5_entity *entity,
                          const md5_load_opts *opts, md5_error *problem)
{
    md5_figure *const figure = md5_create_figure(def, entity, opts, problem);
    const uint32_t num_bodies = figure ? figure->num_bodies : 0;
    float mass = 0;
    for (uint32_t i = 0; i < num_bodies; i++)
        mass += figure->bodies[i].mass;
    md5_free_figure(figure);
    return mass;
}

// Creates the objects of a character as the engine does. They are the actors of body and head, the
// articulated figure, and the monster with its legs. Their creation finds problems in the keys of
// the entity. Each function stores its error in `problem`, so the last error is reported.
tool_character_info tool_evaluate_character(tool_game *game, const md5_entity_def *def,
                                            const md5_figure_def *figure, md5_error problem)
{
    const md5_load_opts opts = tool_game_load_options(game);
    tool_character_info info = {0};
    md5_entity *const entity = md5_load_entity(game->md5, def->decl->name, &opts, &problem);
    if (entity) {
        md5_monster_desc desc = {.entity = entity};
        desc.body = md5_create_actor(entity, NULL, &problem);
        desc.head = create_head(entity, &problem);
        if (figure)
            info.mass = measure_mass(figure, entity, &opts, &problem);

        md5_monster *const monster = desc.body ? md5_create_monster(&desc, &opts, &problem) : NULL;
        if (monster)
            info.num_legs = md5_monster_state(monster).num_legs;
        md5_destroy_monster(monster);
        md5_destroy_actor(desc.head);
        md5_destroy_actor(desc.body);
        md5_free_entity(entity);
    }
    if (problem.status != MD5_OK)
        tool_store_game_warning(game, &problem);
    return info;
}

// Compiles the scripts of the game for a script object. *num_stubs receives the number of functions
// that the library does not implement; calls of these functions return 0.
bool tool_has_script_object(tool_game *game, const char *object, size_t *num_stubs,
                            md5_error *reason)
{
    static const char path[] = "script/doom_main.script";
    *num_stubs = 0;
    if (md5_game_find_file(game->md5, path, 0) == MD5_NONE)
        return true;
    const md5_load_opts opts = {.files = md5_game_files(game->md5)};
    md5_script *const script = md5_load_script(path, object, NULL, &opts, reason);
    if (script)
        *num_stubs = script->num_unknown;
    md5_free_script(script);
    return script;
}

// == Keys =========================================================================================

// Returns true if the name of a key starts with a prefix. Names are not case-sensitive.
static bool has_prefix(const char *name, const char *prefix)
{
    for (size_t i = 0; prefix[i]; i++) {
        if (tolower((unsigned char)name[i]) != tolower((unsigned char)prefix[i]))
            return false;
    }
    return true;
}

// Stores a warning or an error about the value of a key.
static void report_key(tool_game *game, const md5_entity_key *key, md5_status status,
                       const char *reason)
{
    md5_error error = {.status = status, .line = key->line, .column = key->column};
    COMMON_TEXT(error.message, "'%.60s': %.180s", key->name, reason);
    convert_name_file(&error, key->decl->file);
    tool_store_game_warning(game, &error);
}

// Returns true if a model has the joint name[length]. Also returns true if this is unknown, because
// there is no model or the limit of comparisons is reached. The caller therefore never warns by
// mistake.
static bool may_have_joint(tool_game *game, const md5_model_def *model, const char *name,
                           size_t length)
{
    const size_t num_joints = model ? model->num_joints : 0;
    if (num_joints == 0 || game->work < num_joints)
        return true;
    game->work -= num_joints;
    for (uint32_t i = 0; i < num_joints; i++) {
        const char *const joint = model->joints[i].name;
        if (strlen(joint) == length && has_prefix(name, joint)) // name[length] equals the joint
            return true;
    }
    return false;
}

// Stores a warning if a joint in a key does not exist; name[length] is its name.
static void check_key_joint(tool_game *game, const md5_model_def *model, const md5_entity_key *key,
                            const char *name, size_t length)
{
    if (length == 0 || may_have_joint(game, model, name, length))
        return;
    char *const reason = common_format("joint '%.*s' not found in the model", (int)length, name);
    report_key(game, key, MD5_WARNING, reason);
    free(reason);
}

// Checks the joints of a damage zone. Its value is a list of names; the prefix * adds all
// descendants of a joint, and - removes a joint.
static void check_zone(tool_game *game, const md5_model_def *model, const md5_entity_key *key)
{
    const char *name = key->value;
    while (*name) {
        name += strspn(name, " \t*-");
        const size_t length = strcspn(name, " \t");
        check_key_joint(game, model, key, name, length);
        name += length;
    }
}

// Checks that a declaration exists. Its name is the first `length` bytes of a key's value.
static void check_key_decl(tool_game *game, const md5_entity_key *key, md5_decl_type type,
                           const char *kind, size_t length)
{
    char *const name = common_format("%.*s", (int)length, key->value);
    if (name[0] && !tool_decl_exists(game, type, name)) {
        const char *const similar = tool_find_similar_decl(game, type, name);
        char *const reason = similar ? common_format("%s '%.60s' not found: did you mean '%.60s'?",
                                                     kind, name, similar)
                                     : common_format("%s '%.100s' not found", kind, name);
        report_key(game, key, MD5_WARNING, reason);
        free(reason);
    }
    free(name);
}

// Checks the particles of a smoke_ key, whose value is PARTICLE or PARTICLE-JOINT.
static void check_particles(tool_game *game, const md5_model_def *model, const md5_entity_key *key)
{
    const char *const dash = strrchr(key->value, '-');
    const size_t length = dash ? (size_t)(dash - key->value) : strlen(key->value);
    check_key_decl(game, key, MD5_DECL_PARTICLE, "particle", length);
    if (dash)
        check_key_joint(game, model, key, dash + 1, strlen(dash + 1));
}

// Checks the keys of an entity that name dropped items, particles and the joints of damage zones.
// Inherited keys are checked for the entity that contains them.
static void check_named_items(tool_game *game, const md5_entity_def *entity,
                              const md5_model_def *model)
{
    const bool has_particles = md5_game_num_decls(game->md5, MD5_DECL_PARTICLE) > 0;
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        const md5_entity_key *const key = &entity->keys[i];
        if (key->decl != entity->decl)
            continue;
        if (has_prefix(key->name, "damage_zone"))
            check_zone(game, model, key);
        else if (has_prefix(key->name, "def_drop"))
            check_key_decl(game, key, MD5_DECL_ENTITY, "entityDef", strlen(key->value));
        else if (has_particles && has_prefix(key->name, "smoke_"))
            check_particles(game, model, key);
    }
}

void tool_report_script_object(tool_game *game, const md5_entity_key *key, const md5_error *reason)
{
    const bool has_location = reason->line > 0;
    char *const text = has_location
                           ? common_format("%s:%u:%u: %s", reason->file, (unsigned)reason->line,
                                           (unsigned)reason->column, reason->message)
                           : common_copy(reason->message);
    report_key(game, key, MD5_ERROR_MISMATCH, text);
    free(text);
}

// Checks that the script object of an entity exists. Compiling takes long, so each object is
// compiled only for the first entity that names it.
static void check_script(tool_game *game, const md5_entity_def *entity)
{
    const md5_entity_key *const key = md5_entity_def_next_key(entity, "scriptobject", NULL);
    if (!key || key->decl != entity->decl || !key->value[0])
        return;
    for (size_t i = 0; i < game->script_objects.count; i++) {
        if (strcmp(game->script_objects.names[i], key->value) == 0)
            return;
    }
    common_add(&game->script_objects, common_copy(key->value));

    size_t num_stubs = 0;
    md5_error reason = {0};
    if (!tool_has_script_object(game, key->value, &num_stubs, &reason))
        tool_report_script_object(game, key, &reason);
}

// == Characters of entities =======================================================================

// Returns true if an entity itself contains a key that affects its character. If all such keys are
// inherited, the character has the problems of the parent, and these are reported for the parent.
static bool changes_character(const md5_entity_def *entity)
{
    static const char *const prefixes[] = {"model", "def_head",          "look_joint",
                                           "ik_",   "articulatedFigure", "ragdoll"};
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        if (entity->keys[i].decl != entity->decl)
            continue;
        for (size_t k = 0; k < COMMON_LENGTH(prefixes); k++) {
            if (has_prefix(entity->keys[i].name, prefixes[k]))
                return true;
        }
    }
    return false;
}

// Returns true if a warning has the location of a key.
static bool is_at_key(const md5_error *warning, const md5_entity_key *key)
{
    if (key->line != warning->line || key->column != warning->column || !key->decl->file)
        return false;
    return strcmp(key->decl->file, warning->file) == 0;
}

// Returns true if the same warning is also reported for the parent of an entity. This applies to
// inherited keys, if the model is inherited, too: with another model, the same key can have other
// problems. game->work limits the number of comparisons.
static bool is_about_parent(tool_game *game, const md5_entity_def *entity, const md5_error *warning)
{
    const md5_entity_key *const model = md5_entity_def_next_key(entity, "model", NULL);
    const bool inherits_model = model && model->decl != entity->decl;
    if (!inherits_model || game->work < entity->num_keys)
        return false;
    game->work -= entity->num_keys;
    for (uint32_t i = 0; i < entity->num_keys; i++) {
        const md5_entity_key *const key = &entity->keys[i];
        const bool is_inherited = key->decl != entity->decl;
        if (is_inherited && is_at_key(warning, key))
            return true;
    }
    return false;
}

// Returns true if one of warnings[count] has the location of a warning.
static bool has_warning_at(const md5_error *warnings, size_t count, const md5_error *warning)
{
    for (size_t i = 0; i < count; i++) {
        if (warnings[i].line == warning->line && warnings[i].column == warning->column
            && strcmp(warnings[i].file, warning->file) == 0)
            return true;
    }
    return false;
}

// Removes warnings from index `first` on that repeat other warnings. A warning is removed if it is
// also reported for the parent, or if a warning before `first` has the same location.
static void drop_repeated_warnings(tool_game *game, const md5_entity_def *entity, size_t first)
{
    if (first >= game->num_warnings)
        return;
    size_t num_kept = first;
    for (size_t i = first; i < game->num_warnings; i++) {
        const md5_error *const warning = &game->warnings[i];
        if (!is_about_parent(game, entity, warning)
            && !has_warning_at(game->warnings, first, warning))
            game->warnings[num_kept++] = *warning;
    }
    game->num_warnings = num_kept;
}

// Returns true if the model of an entity was already reported as replaced by the default.
static bool has_defaulted_model(const tool_game *game, const md5_entity_def *entity)
{
    const char *const name = md5_entity_def_value(entity, "model");
    const md5_decl *const decl = name ? md5_find_decl(game->md5, MD5_DECL_MODEL, name) : NULL;
    return decl && decl->file && game->defaulted_models[decl->index].is_defaulted;
}

// Warns of figures that the keys of an entity name but the game does not declare. Returns the
// figure that the engine uses, or NULL. If several keys name figures, the last key applies.
static const md5_figure_def *check_figure_keys(tool_game *game, const md5_entity_def *entity,
                                               md5_error *problem)
{
    const md5_figure_def *figure = NULL;
    for (size_t i = 0; i < COMMON_LENGTH(tool_figure_keys); i++) {
        const md5_entity_key *const key =
            md5_entity_def_next_key(entity, tool_figure_keys[i], NULL);
        if (!key || !key->value[0])
            continue;
        figure = md5_game_figure_def(game->md5, key->value, problem);
        const bool is_inherited = key->decl != entity->decl;
        if (!is_inherited && !tool_decl_exists(game, MD5_DECL_ARTICULATED_FIGURE, key->value)) {
            char *const reason = common_format(
                "articulatedFigure '%.150s' not found: expected its declaration in the game",
                key->value);
            report_key(game, key, MD5_WARNING, reason);
            free(reason);
        }
    }
    return figure;
}

// Creates the character of an entity and reports its problems. This loads a model and clips, so the
// number of characters is limited. Prints a warning when the limit is reached.
static void check_character(tool_game *game, const md5_entity_def *entity)
{
    enum { MAX_CHARACTERS = 2000 };
    static const md5_error limit = {
        .status = MD5_WARNING,
        .message = "too many characters (limit: 2000): the remaining characters are not checked",
    };
    if (!changes_character(entity))
        return;
    md5_error problem = {0};
    const md5_figure_def *const figure = check_figure_keys(game, entity, &problem);
    const size_t num_warnings = game->num_warnings; // number before the character is loaded
    if (has_defaulted_model(game, entity) || !tool_has_character_keys(entity))
        return;
    game->num_characters++;
    if (game->num_characters <= MAX_CHARACTERS)
        tool_evaluate_character(game, entity, figure, problem);
    else if (game->num_characters == MAX_CHARACTERS + 1)
        tool_print_game_error(game, &limit);
    drop_repeated_warnings(game, entity, num_warnings);
}

// Checks the names in the keys of an entity. In a long chain of entities, each entity inherits the
// keys of all its ancestors. Each key is compared with the joints and clips of a model. The total
// number of keys, joints and clips is therefore limited.
bool tool_check_entity_keys(tool_game *game, const md5_decl *decl, md5_error *error)
{
    enum { MAX_KEYS = 4 << 20 };
    static const md5_error limit = {
        .status = MD5_WARNING,
        .message = "entity inherits too many keys: the remaining keys are not checked",
    };
    if (game->num_keys > MAX_KEYS)
        return true;
    const md5_entity_def *const entity = md5_game_entity_def(game->md5, decl->name, error);
    if (!entity)
        return false;

    const char *const name = md5_entity_def_value(entity, "model");
    const md5_model_def *const model = name ? md5_game_model_def(game->md5, name, error) : NULL;
    game->num_keys += entity->num_keys;
    if (model)
        game->num_keys += (size_t)model->num_joints + model->num_anims;
    if (game->num_keys > MAX_KEYS) // this is the last entity that is checked
        tool_print_game_error(game, &limit);

    if (!md5_game_check_entity_keys(game->md5, decl->name, error))
        return false;
    check_named_items(game, entity, model);
    check_script(game, entity);
    check_character(game, entity);
    return true;
}
