// Loads an entity of a game as one model and plays it by the rules of the original engine.
//
// join_parts() writes the combined model as MD5 text and parses it. Commands of the user
// (view_order) are recorded with their times. Actors, which play the clips, can only move forward.
// If time moves backward, or after ten minutes, restart_playback() therefore resets all actors and
// executes the commands again. As a result, a time always shows the same pose.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/assets/model_text.h"

// -- Release -------------------------------------------------------------------------------------

// Frees the members of an entity. Destroys the actors first, because they refer to the clips and
// the entity.
void view_free_entity(view_entity *figure)
{
    for (uint32_t i = 0; i < figure->num_parts; i++)
        md5_destroy_actor(figure->parts[i].actor);
    md5_destroy_states(figure->states);
    md5_free_script(figure->script);
    md5_free_figure(figure->bodies);
    md5_destroy_monster(figure->monster);
    free(figure->clips);
    free(figure->anims);
    free(figure->paced);
    free(figure->orders);
    md5_free_entity(figure->entity);
    free(figure->skin);
    free(figure->parts);
    *figure = (view_entity){.entity = NULL};
}

// -- Combined model ------------------------------------------------------------------------------

// Appends the joints of part `index` to the text of the combined model. Two parts may have joints
// of the same name. The names of an attached part's joints therefore begin with the index of the
// part, as in "2:Head". The root of an attached part becomes a child of the joint to which the part
// is attached.
static void append_joints(view_text *text, const view_entity *figure, uint32_t index)
{
    const view_entity_part *const part = &figure->parts[index];
    const md5_model *const model = part->entity->model;
    uint32_t attachment_joint = MD5_NONE; // index in the combined model
    if (part->attached != NULL)
        attachment_joint = figure->parts[part->parent].first_joint + part->attached->joint;

    for (uint32_t k = 0; k < model->skeleton.num_joints; k++) {
        const md5_joint *const joint = &model->skeleton.joints[k];
        const bool is_root = joint->parent == MD5_NONE;
        const uint32_t parent = is_root ? attachment_joint : part->first_joint + joint->parent;
        const md5_mat34 bind = md5_mat34_mul(part->bind, model->bind[k]);
        char *const prefixed_name = common_format("%u:%s", index, joint->name);
        view_append_joint(text, index > 0 ? prefixed_name : joint->name, parent,
                          md5_xform_from_mat34(bind));
        free(prefixed_name);
    }
}

// Returns the material of a mesh. If the skin `skin` replaces the shader of the mesh, this is the
// replacement; otherwise it is the material of the entity. `skin` may be NULL.
static const char *choose_material(md5_game *game, const md5_skin_def *skin,
                                   const md5_entity *entity, uint32_t mesh)
{
    if (skin == NULL)
        return entity->materials[mesh];
    // md5_skin_def_material() returns its argument if the skin does not replace the shader, so a
    // comparison of the pointers is sufficient.
    const char *const shader = entity->model->meshes[mesh].shader;
    const char *const replacement = md5_skin_def_material(game, skin, shader);
    return replacement != shader ? replacement : entity->materials[mesh];
}

// Appends the meshes of a part to the text of the combined model, with their materials as shaders.
static void append_meshes(view_text *text, const view_entity_part *part, md5_game *game,
                          const md5_skin_def *skin)
{
    const md5_entity *const entity = part->entity;
    for (uint32_t m = 0; m < entity->model->num_meshes; m++) {
        const view_mesh_text mesh_text = {
            .mesh = &entity->model->meshes[m],
            .material = choose_material(game, skin, entity, m),
            .first_joint = part->first_joint,
            .scale = 1,
        };
        view_append_mesh(text, &mesh_text);
    }
}

// Returns the number of joints of all parts that have been listed so far.
static uint32_t count_joints(const view_entity *figure)
{
    const view_entity_part *const last = &figure->parts[figure->num_parts - 1];
    return last->first_joint + last->entity->model->skeleton.num_joints;
}

// Returns the number of meshes of all parts.
static uint32_t count_meshes(const view_entity *figure)
{
    uint32_t num_meshes = 0;
    for (uint32_t i = 0; i < figure->num_parts; i++)
        num_meshes += figure->parts[i].entity->model->num_meshes;
    return num_meshes;
}

// Joins the models of all parts to one model. Writes the text of an .md5mesh file and parses it, so
// that the parser checks the result like a model from a file. `name` is the file name in error
// messages. Returns NULL and fills `error` on failure.
static md5_model *join_parts(const view_entity *figure, md5_game *game, const char *name,
                             md5_error *error)
{
    const md5_skin_def *skin = NULL;
    if (figure->skin != NULL)
        skin = md5_game_skin_def(game, figure->skin, NULL);

    view_text text = {0};
    view_begin_model(&text, count_joints(figure), count_meshes(figure));
    for (uint32_t i = 0; i < figure->num_parts; i++)
        append_joints(&text, figure, i);
    view_append(&text, "}\n"); // ends the joints
    for (uint32_t i = 0; i < figure->num_parts; i++)
        append_meshes(&text, &figure->parts[i], game, skin);
    return view_end_model(&text, name, error);
}

// Returns true if a part is the head of the character. The monster, not a clip, controls where the
// head looks.
static bool is_head(const view_entity *figure, const view_entity_part *part)
{
    return part == &figure->parts[1] && strcmp(part->attached->key, "def_head") == 0;
}

// Returns the value of a key of the entityDef, or "".
static const char *entity_value(const view_entity *figure, const char *key)
{
    const md5_entity_def *const def = figure->entity->def;
    const char *const value = def != NULL ? md5_entity_def_value(def, key) : NULL;
    return value != NULL ? value : "";
}

// Loads the articulated figure that the entity references, if it exists. Its name is the value of
// the key "ragdoll". Without this key, it is the value of "articulatedFigure". Logs a problem as a
// warning.
static void load_figure(view_entity *figure, md5_game *game, view_log *log)
{
    const char *name = entity_value(figure, "ragdoll");
    if (name[0] == '\0')
        name = entity_value(figure, "articulatedFigure");
    md5_error problem = {0};
    const md5_figure_def *const def = md5_game_figure_def(game, name, &problem);
    if (def != NULL)
        figure->bodies = md5_create_figure(def, figure->entity, NULL, &problem);
    if (problem.status != MD5_OK)
        view_log_warning(log, &problem);
}

// Loads the script object that the entity references, if the game contains scripts. Script
// functions that the library does not implement have no effect. Logs a problem as a warning.
static void load_script(view_entity *figure, md5_game *game, view_log *log)
{
    static const char path[] = "script/doom_main.script";
    const md5_load_opts opts = {.files = md5_game_files(game)};
    const char *const object = entity_value(figure, "scriptobject");
    md5_error problem = {0};
    if (object[0] != '\0' && md5_game_find_file(game, path, 0) != MD5_NONE)
        figure->script = md5_load_script(path, object, figure->entity, &opts, &problem);
    if (problem.status != MD5_OK)
        view_log_warning(log, &problem);
}

// Returns the actor of the character's head, or NULL if the head is not a separate part.
static md5_actor *find_head_actor(const view_entity *figure)
{
    const bool has_head = figure->num_parts > 1 && is_head(figure, &figure->parts[1]);
    return has_head ? figure->parts[1].actor : NULL;
}

// Creates the monster, which simulates gaze and foot placement, and the states of the script, both
// in their initial state. Destroys the previous monster and states. Only an entity from an
// entityDef gets a monster, and only an entity with a script gets states. Returns false and fills
// `error` if one of them cannot be created.
static bool create_monster(view_entity *figure, const md5_load_opts *opts, md5_error *error)
{
    // The states refer to the monster, so destroy them first.
    md5_destroy_states(figure->states);
    md5_destroy_monster(figure->monster);
    figure->states = NULL;
    figure->monster = NULL;
    figure->has_run_monster = false;
    figure->placement = (md5_xform){.rotation = {.w = 1}};

    md5_actor *const body = figure->parts[0].actor;
    md5_actor *const head = find_head_actor(figure);
    if (figure->entity->def != NULL) {
        const md5_monster_desc desc = {
            .entity = &figure->played, .body = body, .head = head, .is_as_meant = true};
        figure->monster = md5_create_monster(&desc, opts, error);
        if (figure->monster == NULL)
            return false;
    }

    if (figure->script == NULL)
        return true;
    const md5_states_desc desc = {.script = figure->script,
                                  .entity = &figure->played,
                                  .body = body,
                                  .head = head,
                                  .monster = figure->monster};
    figure->states = md5_create_states(&desc, NULL, error);
    return figure->states != NULL;
}

// Logs that an entity could not be loaded. An error without a line number means that the game does
// not contain the name; the message then lists similar names.
static void report_load_error(view_library *library, const char *name, const md5_error *error,
                              view_log *log)
{
    const bool is_unknown_name = error->line == 0;
    if (!is_unknown_name) {
        view_log_error(log, error);
        return;
    }
    char similar[256];
    view_list_similar(library, name, similar, sizeof similar);
    view_error(log, "%s: %s%s%s", library->location, error->message,
               similar[0] != '\0' ? "; similar: " : "", similar);
}

// Loads an entity of a library by its name. Returns NULL and logs an error on failure.
static md5_entity *load_entity(view_library *library, const char *name, view_log *log)
{
    md5_error error = {0};
    library->log = log;
    md5_entity *const entity = md5_load_entity(library->game, name, &library->opts, &error);
    library->log = NULL;
    if (entity == NULL)
        report_load_error(library, name, &error, log);
    return entity;
}

// Stores the name of the skin in which the entity is shown; NULL: the skin of the entity. Logs a
// warning if the game does not declare the skin.
static void set_skin(view_entity *figure, view_library *library, const char *name, view_log *log)
{
    if (name == NULL)
        return;
    figure->skin = common_copy(name);
    const md5_decl *const skin = md5_find_decl(library->game, MD5_DECL_SKIN, name);
    if (skin == NULL || skin->file == NULL)
        view_warn(log, "%s: skin %s not found", library->location, name);
}

// Appends the entities that are attached to part `parent`, such as the head and the weapon of a
// body, to the list of parts. Their joints follow the joints of all earlier parts. An attachment
// stores its placement in the bind pose relative to its parent. `bind` is the product of the
// parent's placement and this one.
static void append_attached_parts(view_entity *figure, uint32_t parent)
{
    const md5_entity *const entity = figure->parts[parent].entity;
    for (uint32_t i = 0; i < entity->num_parts; i++) {
        const md5_entity_part *const attached = &entity->parts[i];
        const md5_mat34 placement_in_parent =
            md5_mat34_from_xform(md5_entity_part_placement(attached, entity->model->bind));
        const view_entity_part part = {
            .entity = attached->entity,
            .attached = attached,
            .parent = parent,
            .first_joint = count_joints(figure),
            .bind = md5_mat34_mul(figure->parts[parent].bind, placement_in_parent),
        };
        figure->parts = common_realloc(figure->parts, figure->num_parts + 1, sizeof part);
        figure->parts[figure->num_parts++] = part;
    }
}

// Lists the parts of the combined model. Part 0 is the body, which is the entity itself. Then
// follow the entities that are attached to the body or to another attached entity.
static void list_parts(view_entity *figure)
{
    const md5_entity *const body = figure->entity;
    const md5_xform placement = {.translation = body->model_offset, .rotation = {.w = 1}};
    figure->num_parts = 1;
    figure->parts = common_alloc(1, sizeof *figure->parts);
    figure->parts[0] = (view_entity_part){.entity = body, .bind = md5_mat34_from_xform(placement)};
    // num_parts grows in the loop, which therefore also visits the appended parts.
    for (uint32_t i = 0; i < figure->num_parts; i++)
        append_attached_parts(figure, i);
}

// Returns a copy of the first animation file of a clip, with the frame rate at which the engine
// plays the clip. The clip still owns the arrays of the copy.
static md5_anim pace_anim(const md5_entity_clip *clip)
{
    md5_anim paced = *clip->anims[0];
    paced.frame_rate *= clip->anim->rate;
    paced.duration /= clip->anim->rate;
    return paced;
}

// Copies the clips of the entity for playback. `clips` and `anims` are the copies. The engine
// begins some clips at a random frame. In the copies, each clip begins at its first frame, because
// the viewer must always show the same pose at the same time. Also fills `paced`, the animations
// that the time bar shows.
static void copy_clips(view_entity *figure)
{
    const md5_entity *const entity = figure->entity;
    figure->clips = common_alloc(entity->num_clips, sizeof *figure->clips);
    figure->anims = common_alloc(entity->num_clips, sizeof *figure->anims);
    figure->paced = common_alloc(entity->num_clips, sizeof *figure->paced);
    figure->played = *entity;
    figure->played.clips = figure->clips;
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        const md5_entity_clip *const clip = &entity->clips[i];
        figure->anims[i] = *clip->anim;
        figure->anims[i].flags &= ~(uint32_t)MD5_ANIM_RANDOM_CYCLE_START;
        figure->clips[i] = *clip;
        figure->clips[i].anim = &figure->anims[i];
        if (clip->num_files > 0)
            figure->paced[i] = pace_anim(clip);
    }
}

// Creates an actor for each part; an actor plays the clips of one entity. Starts the clips that the
// engine starts when the character appears. Then saves the actor, so that playback can restart from
// this state. Returns false and fills `error` if memory runs out.
static bool create_actors(view_entity *figure, md5_error *error)
{
    for (uint32_t i = 0; i < figure->num_parts; i++) {
        view_entity_part *const part = &figure->parts[i];
        // The body plays the copies of its clips: see copy_clips().
        const bool is_body = i == 0;
        const md5_entity *const played = is_body ? &figure->played : part->entity;
        part->actor = md5_create_actor(played, NULL, error);
        if (part->actor == NULL)
            return false;

        // The times between blinks are a property of the entity to which the head is attached.
        const md5_entity *blinking_entity = part->entity;
        if (!is_body && strcmp(part->attached->key, "def_head") == 0)
            blinking_entity = figure->parts[part->parent].entity;
        md5_actor_spawn(part->actor, blinking_entity);
        md5_actor_save(part->actor, part->fresh);
    }
    return true;
}

// Creates the objects that play the entity: actors, articulated figure, script and monster.
static bool start_playback(view_entity *figure, view_library *library, view_log *log,
                           md5_error *error)
{
    if (!create_actors(figure, error))
        return false;
    library->log = log;
    load_figure(figure, library->game, log);
    load_script(figure, library->game, log);
    const bool is_started = create_monster(figure, &library->opts, error);
    library->log = NULL;
    return is_started;
}

// Loads an entity of a game, such as a monster with its head and weapon. Joins the models of its
// parts to one model, because the viewer draws one model per scene.
md5_model *view_load_entity(view_entity *figure, view_library *library, const view_address *address,
                            view_log *log)
{
    md5_entity *const entity = load_entity(library, address->name, log);
    if (entity == NULL)
        return NULL;
    *figure = (view_entity){.entity = entity};
    for (int c = 0; c < MD5_NUM_CHANNELS; c++)
        figure->channels[c] = (view_channel){.clip = -1};
    set_skin(figure, library, address->skin, log);
    list_parts(figure);
    copy_clips(figure);

    md5_error error = {0};
    md5_model *const model = join_parts(figure, library->game, address->name, &error);
    const bool is_loaded = model != NULL && start_playback(figure, library, log, &error);
    if (!is_loaded) {
        view_log_error(log, &error);
        md5_free_model(model);
        return NULL;
    }
    return model;
}

// -- Playing -------------------------------------------------------------------------------------

// Tick of the engine, and usual blend time of its scripts; both in milliseconds.
static const uint32_t tick = 16;
static const uint32_t fade = 200;

// Playback restarts after this many seconds, which limits the simulated time after a jump. The
// second value applies to times before the entity was opened.
static const double seconds_per_run = 600;
static const double seconds_before_origin = 10;

const char *view_channel_name(md5_channel channel)
{
    static const char *const names[MD5_NUM_CHANNELS] = {"all", "torso", "legs", "head", "eyelids"};
    return names[channel];
}

bool view_has_channel(const view_entity *figure, md5_channel channel)
{
    const md5_model_def *const def = figure->entity->model_def;
    return channel == MD5_CHANNEL_ALL || (def != NULL && def->channels[channel].num_joints > 0);
}

// Moves the origin of time to `time`: all stored times decrease by `time`.
static void shift_time(view_entity *figure, double time)
{
    for (int c = 0; c < MD5_NUM_CHANNELS; c++)
        figure->channels[c].start -= time;
    for (uint32_t i = 0; i < figure->num_orders; i++)
        figure->orders[i].time -= time;
    figure->origin -= time;
    figure->begin -= time;
    figure->time -= time;
    for (int i = 0; i < VIEW_EVENTS; i++)
        figure->fired[i].time -= time;
}

// Plays a clip in a channel of the body as if it had begun at `time`; the clip -1 stops the
// channel. If `time` is more than a tick away from the actors' time, the clip starts at the
// position that it would have reached since then.
static void play_in_channel(view_entity *figure, md5_channel channel, int32_t clip, double time)
{
    md5_actor *const body = figure->parts[0].actor;
    figure->channels[channel] = (view_channel){clip, time};
    if (clip < 0) {
        md5_actor_clear(body, channel, fade);
        return;
    }
    md5_actor_play(body, channel, (uint32_t)clip, MD5_ACTOR_CYCLE, 0, fade);

    const md5_model_anim *const anim = figure->entity->clips[clip].anim;
    const double length = anim->milliseconds / (double)anim->rate;       // length of one cycle, ms
    const double passed = 1000 * (figure->begin - time) + figure->clock; // since `time`, ms
    const bool is_cyclic = length > 0 && length < INFINITY;
    if (is_cyclic && fabs(passed) > tick)
        md5_actor_set_start(body, channel, (int64_t)(passed - length * floor(passed / length)));
}

// Ends the clip of the channel "all", because a clip begins in `channel`, which moves only a part
// of the body. The ended clip continues in another part: in the legs if `channel` is the torso,
// otherwise in the torso. It restarts there instead of being synchronized, because synchronized
// channels do not fire frame commands.
static void split_all_channel(view_entity *figure, md5_channel channel, double time)
{
    const int32_t clip = figure->channels[MD5_CHANNEL_ALL].clip;
    if (clip < 0)
        return;
    const md5_channel partner = channel == MD5_CHANNEL_TORSO ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO;
    const bool is_partner_free = figure->channels[partner].clip < 0;
    if (is_partner_free && view_has_channel(figure, partner))
        play_in_channel(figure, partner, clip, time);
    play_in_channel(figure, MD5_CHANNEL_ALL, -1, time);
}

// Executes a command VIEW_PLAYS: plays a clip in a channel, or stops the channel (clip -1). The
// channel "all" and the channels of parts of the body exclude each other, so a clip in "all" stops
// the clips of the parts, and the other way around.
static void execute_play(view_entity *figure, const view_order *order)
{
    const md5_channel channel = (md5_channel)order->item;
    const bool is_stop = order->value < 0;
    if (is_stop) {
        play_in_channel(figure, channel, order->value, order->time);
        return;
    }
    figure->is_in_states = false;
    if (channel == MD5_CHANNEL_ALL) {
        for (int c = MD5_CHANNEL_TORSO; c < MD5_CHANNEL_EYELIDS; c++)
            play_in_channel(figure, (md5_channel)c, -1, order->time);
    } else if (channel != MD5_CHANNEL_EYELIDS) {
        split_all_channel(figure, channel, order->time);
    }
    play_in_channel(figure, channel, order->value, order->time);
}

// Executes a command VIEW_BEGINS, which begins a state of the script. The states of the script then
// select the clips, so a clip that the user selected for all channels ends.
static void begin_state(view_entity *figure, const view_order *order)
{
    enum { BLEND = 4 }; // frames; a usual value in scripts
    const md5_script_state *const state = &figure->script->states[order->item];
    if (!figure->is_in_states)
        play_in_channel(figure, MD5_CHANNEL_ALL, -1, order->time);
    figure->is_in_states = true;
    (void)md5_states_set(figure->states, state->channel, state->name, BLEND);
}

// Executes a recorded command of any kind. Commands to the script have no effect if the entity does
// not have a script.
static void execute_order(view_entity *figure, const view_order *order)
{
    const bool has_script = figure->states != NULL;
    if (order->kind == VIEW_PLAYS) {
        execute_play(figure, order);
    } else if (order->kind == VIEW_BEGINS && has_script) {
        begin_state(figure, order);
    } else if (order->kind == VIEW_SETS && has_script) {
        const char *const name = figure->script->variables[order->item].name;
        (void)md5_states_set_variable(figure->states, name, (float)order->value);
    }
}

// Executes a command of the user at the current time, and records it. If the user has moved back in
// time, later commands are still recorded. They are dropped, because the new command replaces what
// follows.
static void record_order(view_entity *figure, view_order order)
{
    const uint32_t index = figure->num_executed;
    order.time = figure->time;
    figure->orders = common_realloc(figure->orders, index + 1, sizeof *figure->orders);
    figure->orders[index] = order;
    figure->num_orders = index + 1;
    figure->num_executed = index + 1;
    execute_order(figure, &order);
}

// Plays a clip in a channel of the entity's body. Records the command, so that restart_playback()
// can execute it again.
bool view_play_channel(view_entity *figure, md5_channel channel, int32_t clip)
{
    const md5_entity *const entity = figure->entity;
    const bool is_stop = clip < 0;
    if (!is_stop) {
        if (!view_has_channel(figure, channel) || (uint32_t)clip >= entity->num_clips)
            return false;
        if (entity->clips[clip].num_files == 0)
            return false;
        shift_time(figure, figure->time); // time 0 is the begin of this clip
        figure->focus = channel;
    }
    record_order(figure, (view_order){VIEW_PLAYS, channel, clip, 0});
    return true;
}

// Returns the name of variable `number` of a script if the variable is a flag, that is, boolean;
// "" if it is not a flag, and NULL after the last variable.
static const char *flag_name(const md5_script *script, uint32_t number)
{
    if (number >= script->num_variables)
        return NULL;
    const bool is_boolean = script->variables[number].type == MD5_SCRIPT_BOOLEAN;
    return is_boolean ? script->variables[number].name : "";
}

// Returns the name of state `number` of a script if the state plays in a channel; "" if it needs a
// game world, and NULL after the last state.
static const char *state_name(const md5_script *script, uint32_t number)
{
    if (number >= script->num_states)
        return NULL;
    const bool has_channel = script->states[number].channel != MD5_CHANNEL_ALL;
    return has_channel ? script->states[number].name : "";
}

// Returns the name of a state or flag that the user can select.
const char *view_script_name(const view_entity *figure, bool is_flag, uint32_t number)
{
    if (figure->states == NULL)
        return NULL;
    return is_flag ? flag_name(figure->script, number) : state_name(figure->script, number);
}

// Returns true if a flag of the entity's script is set, or if a state is the current state of
// its channel. `number` is an index into the flags or into the states of the script.
bool view_is_script_item_active(const view_entity *figure, bool is_flag, uint32_t number)
{
    const char *const name = view_script_name(figure, is_flag, number);
    if (is_flag)
        return md5_states_variable(figure->states, name) != 0;
    const md5_channel channel = figure->script->states[number].channel;
    return figure->is_in_states
           && strcmp(md5_states_channel(figure->states, channel).name, name) == 0;
}

// Adds one effect of the entity's death to `fired`, such as "drops item_shells at Chest". `key` is
// the key of the entityDef that defines the effect. A key such as "def_dropDeathItem2" may have a
// second key "dropDeathItem2Joint", whose value is the joint at which the item appears.
static void list_drop(view_entity *figure, double time, const char *effect,
                      const md5_entity_key *key)
{
    // Length of the prefix "def_", which the key of the joint does not have.
    enum { LENGTH_OF_DEF = 4 };
    char *const joint_key = common_format("%sJoint", key->name + LENGTH_OF_DEF);
    const char *const joint = entity_value(figure, joint_key);
    const char *const at = joint[0] != '\0' ? " at " : "";
    char *const text = view_push_event(figure->fired, time);
    figure->num_fired++;
    snprintf(text, sizeof figure->fired[0].text, "%s %.60s%s%.40s", effect, key->value, at, joint);
    free(joint_key);
}

// Lists the effects of the entity's death. `fired` has the newest entry first, so later entries of
// the table are displayed above earlier ones.
void view_list_drops(view_entity *figure, double time)
{
    static const struct {
        const char *key_prefix;
        const char *text; // before the value of the key
    } effects[] = {
        {"skin_dropgib", "if gibbed, skin"}, {"def_dropgib", "if gibbed, drops"},
        {"skin_dropdeath", "skin"},          {"burnaway", "burns away (parm 7) after seconds:"},
        {"def_dropdeath", "drops"},          {"def_drops", "drops"}};
    const md5_entity_def *const def = figure->entity->def;
    if (def == NULL)
        return;
    for (size_t i = 0; i < COMMON_LENGTH(effects); i++) {
        const char *const prefix = effects[i].key_prefix;
        const md5_entity_key *key = md5_entity_def_next_key(def, prefix, NULL);
        while (key != NULL) {
            list_drop(figure, time, effects[i].text, key);
            key = md5_entity_def_next_key(def, prefix, key);
        }
    }
}

double view_burn_delay(const view_entity *figure)
{
    const char *const seconds = figure->entity != NULL ? entity_value(figure, "burnaway") : "";
    const double after = strtod(seconds, NULL);
    return after > 0 ? after : INFINITY;
}

void view_run_script_item(view_entity *figure, bool is_flag, uint32_t number, bool is_set)
{
    record_order(figure, (view_order){is_flag ? VIEW_SETS : VIEW_BEGINS, number, is_set, 0});
    const bool is_flag_set = is_flag && is_set;
    if (is_flag_set && strcmp(figure->script->variables[number].name, "AI_DEAD") == 0)
        view_list_drops(figure, figure->time);
}

// Gives the focus to a channel of an entity, and returns the time that shows the same pose. The
// time bar shows the clip of the channel with the focus. All stored times are moved so that this
// clip begins at 0. If the channel plays no clip, nothing changes.
double view_focus_channel(view_entity *figure, md5_channel channel)
{
    const view_channel *const playing = &figure->channels[channel];
    if (playing->clip >= 0) {
        figure->focus = channel;
        shift_time(figure, playing->start);
    }
    return figure->time;
}

// -- Time ----------------------------------------------------------------------------------------

// A frame command is a command of the modelDef that the engine executes when a clip reaches a
// frame, such as playing a sound. An event_listener is the user data of note_command(), which
// receives the frame commands of one time step.
typedef struct event_listener {
    view_entity *figure;
    double time;           // time of the step
    bool records_commands; // add the commands to the list `fired`
} event_listener;

// Writes a frame command as text: channel, clip, frame, command and its argument, then the joint at
// which it acts. If the argument is a key of the entityDef, the value of the key follows. Example:
// "torso sight 4: sound_voice snd_sight = monster_sight at Jaw".
static void describe_command(const view_entity *figure, const md5_frame_command *command,
                             const char *clip_name, md5_channel channel, char *text, size_t size)
{
    const char *const code_name = md5_frame_code_name(command->code);
    const char *const argument = command->text;
    const char *const value = entity_value(figure, argument);
    const md5_joint *const joints = figure->entity->model->skeleton.joints;
    const char *const joint = command->joint != MD5_NONE ? joints[command->joint].name : "";

    snprintf(text, size, "%s %.20s %u: %s", view_channel_name(channel), clip_name, command->frame,
             code_name != NULL ? code_name : "");
    if (argument[0] != '\0')
        common_append(text, size, " ", "%.40s", argument);
    if (value[0] != '\0')
        common_append(text, size, " = ", "%.40s", value);
    if (joint[0] != '\0' && strcmp(joint, argument) != 0)
        common_append(text, size, " at ", "%.30s", joint);
}

// Receives a frame command from an actor, and passes it to the monster. If the listener records
// commands, adds its text to the list `fired`. `user` is an event_listener.
static void note_command(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                         md5_channel channel)
{
    const event_listener *const listener = user;
    view_entity *const figure = listener->figure;
    if (figure->monster != NULL)
        md5_monster_on_frame(figure->monster, command);
    if (!listener->records_commands)
        return;
    char *const text = view_push_event(figure->fired, listener->time);
    figure->num_fired++;
    describe_command(figure, command, clip->anim->name, channel, text,
                     sizeof figure->fired[0].text);
}

// Returns half the side length of the monster's bounding box in units. It is the first number of
// the key "maxs", or half of the first number of the key "size".
static float half_side(const view_entity *figure)
{
    const char *const maxs = entity_value(figure, "maxs");
    if (maxs[0] != '\0')
        return strtof(maxs, NULL);
    return 0.5f * strtof(entity_value(figure, "size"), NULL);
}

// Moves the monster up or down to the ground below its bounding box. The height of a lift depends
// on the time, so it is set first.
static void stand_on_terrain(view_scene *scene)
{
    view_entity *const figure = &scene->entity;
    md5_vec3 *const origin = &figure->placement.translation;
    view_set_lift_time(&scene->terrain, figure->begin - figure->origin + 0.001 * figure->clock);
    if (scene->terrain.kind != VIEW_LEVEL)
        origin->z = view_ground_under(&scene->terrain, *origin, half_side(figure));
}

// Runs one tick of the monster at its current position. The monster looks at its target and places
// its feet on the terrain. If the mouse has not set a target, the target circles in front of the
// face. The first call also runs earlier ticks, because gaze and pose need time to settle and the
// first image must show the result.
static void run_monster(view_scene *scene)
{
    enum { SETTLING_TICKS = 100 };
    view_entity *const figure = &scene->entity;
    stand_on_terrain(scene);

    const md5_vec3 circling = view_orbiting_target(scene->model, 0.001 * figure->clock);
    const md5_vec3 origin = figure->placement.translation;
    md5_monster_tick input = {
        .origin = origin,
        .rotation = figure->placement.rotation,
        .target =
            figure->has_target ? figure->target : md5_xform_point(figure->placement, circling),
        .has_ground = true,
        .is_on_a_lift = scene->terrain.kind == VIEW_LIFT && origin.z > 0,
        .sweep = view_sweep_ground,
        .user = &scene->terrain,
    };
    // The last iteration is the current tick.
    const int num_earlier_ticks = figure->has_run_monster ? 0 : SETTLING_TICKS;
    for (int i = num_earlier_ticks; i >= 0; i--) {
        input.time = (int64_t)figure->clock - i * (int64_t)tick;
        md5_monster_look_at(figure->monster, 0, input.time, 1000);
        md5_monster_think(figure->monster, &input);
    }
    figure->has_run_monster = true;
}

// Returns true if root motion moves the entity over the terrain.
static bool walks_on_terrain(const view_scene *scene)
{
    return scene->terrain.kind != VIEW_LEVEL && scene->root != MD5_ROOT_IN_PLACE;
}

// Copies the clips that the script's states play to figure->channels, which the interface shows.
// `time` is the current time.
static void update_channels(view_entity *figure, double time)
{
    const md5_actor *const body = figure->parts[0].actor;
    for (int c = 0; c < MD5_NUM_CHANNELS; c++) {
        const md5_actor_status status = md5_actor_channel(body, (md5_channel)c);
        const bool is_playing = status.weight > 0;
        figure->channels[c] = (view_channel){
            .clip = is_playing ? (int32_t)status.clip : -1,
            .start = time - 0.001 * status.time,
        };
    }
}

// Advances the actors of all parts by `step` milliseconds. If the states of a script select the
// clips, md5_states_advance() already advances the actors of the body and the head.
static void advance_actors(view_entity *figure, uint32_t step, const event_listener *listener)
{
    void *const user = (void *)(uintptr_t)listener;
    if (figure->is_in_states)
        md5_states_advance(figure->states, step, note_command, user);
    for (uint32_t i = 0; i < figure->num_parts; i++) {
        const view_entity_part *const part = &figure->parts[i];
        const bool is_body_or_head = i == 0 || is_head(figure, part);
        if (!(figure->is_in_states && is_body_or_head))
            md5_actor_advance(part->actor, step, note_command, user);
    }
    if (figure->is_in_states)
        update_channels(figure, listener->time);
}

// Advances the figure's clock and its actors by `step` milliseconds.
static void advance_figure(view_entity *figure, uint32_t step, bool records_commands)
{
    figure->clock += step;
    const double time = figure->begin + 0.001 * figure->clock;
    const event_listener listener = {figure, time, records_commands};
    advance_actors(figure, step, &listener);
}

// Advances a figure with a monster until its clock shows `milliseconds`. A monster acts only in
// whole ticks of the engine, so the clock may stop up to one tick earlier.
static void advance_monster(view_scene *scene, double milliseconds, bool records_commands)
{
    view_entity *const figure = &scene->entity;
    while (figure->clock + (double)tick <= milliseconds) {
        if (!figure->has_run_monster)
            run_monster(scene);
        advance_figure(figure, tick, records_commands);
        if (walks_on_terrain(scene))
            figure->placement =
                md5_xform_mul(figure->placement, md5_actor_root_motion(figure->parts[0].actor));
        run_monster(scene);
    }
}

// Advances the figure to `time`, in seconds, tick by tick. The last tick may be shorter than a tick
// of the engine, unless the figure has a monster.
static void advance_to(view_scene *scene, double time, bool records_commands)
{
    view_entity *const figure = &scene->entity;
    const double milliseconds = floor(1000 * (time - figure->begin) + 1e-6); // since the restart
    md5_actor_set_in_place(figure->parts[0].actor,
                           scene->root != MD5_ROOT_FILE || walks_on_terrain(scene));
    if (figure->monster != NULL) {
        advance_monster(scene, milliseconds, records_commands);
        return;
    }
    while (figure->clock + 1.0 <= milliseconds) {
        const double left = milliseconds - figure->clock;
        advance_figure(figure, left < tick ? (uint32_t)left : tick, records_commands);
    }
}

// Resets the playback to the last restart before `time`, because actors can only move forward.
// Restarts are at fixed distances from the origin of time. The result at a time therefore depends
// only on the commands, not on the times that were shown before.
static void restart_playback(view_scene *scene, double time)
{
    view_entity *const figure = &scene->entity;
    const double length = time < figure->origin ? seconds_before_origin : seconds_per_run;
    const double num_runs = floor((time - figure->origin) / length); // runs before the restart
    figure->begin = figure->origin + length * num_runs;
    figure->clock = 0;

    // Return to the state after the creation of the actors.
    figure->is_in_states = false;
    for (int c = 0; c < MD5_NUM_CHANNELS; c++)
        figure->channels[c].clip = -1;
    for (uint32_t i = 0; i < figure->num_parts; i++) {
        const view_entity_part *const part = &figure->parts[i];
        md5_actor_restore(part->actor, part->fresh, sizeof part->fresh, NULL);
    }
    (void)create_monster(figure, NULL, NULL);

    // The command that was given when the entity was opened also applies to earlier times.
    figure->num_executed = 0;
    const double opening_time = fmax(figure->begin, figure->origin);
    if (figure->num_orders > 0 && figure->orders[0].time <= opening_time)
        execute_order(figure, &figure->orders[figure->num_executed++]);
}

// Returns the first recorded command that is not executed yet if its time is at or before `time`;
// otherwise NULL.
static const view_order *next_due_order(const view_entity *figure, double time)
{
    if (figure->num_executed >= figure->num_orders)
        return NULL;
    const view_order *const next = &figure->orders[figure->num_executed];
    return next->time <= time ? next : NULL;
}

// Advances the figure to `time`, and executes the recorded commands at their times. Restarts the
// playback first if `time` is in the past or after the next restart. After such a jump, frame
// commands are not listed: they belong to times that the user did not see.
static void move_to_time(view_scene *scene, double time)
{
    view_entity *const figure = &scene->entity;
    const double length = figure->begin < figure->origin ? seconds_before_origin : seconds_per_run;
    const bool needs_restart = time < figure->time || time >= figure->begin + length;
    const bool records_commands = !needs_restart && time < figure->time + seconds_before_origin;
    if (needs_restart)
        restart_playback(scene, time);

    const view_order *order = next_due_order(figure, time);
    while (order != NULL) {
        advance_to(scene, order->time, records_commands);
        figure->num_executed++;
        execute_order(figure, order);
        order = next_due_order(figure, time);
    }
    advance_to(scene, time, records_commands);
    figure->time = time;
}

// -- Kind of motion ------------------------------------------------------------------------------

// Returns true if the entity is played in channels.
static bool is_played(const view_scene *scene)
{
    return scene->entity.is_played;
}

// Poses an attached part, such as a head or a weapon. Writes three results:
//
// - scene->pose: the pose of its joints, relative to their parents
// - scene->joints: their matrices in the part's model space
// - part->placed: the placement of the part in the world
//
// The part's parent must be posed before.
static void pose_attached_part(view_scene *scene, view_entity_part *part)
{
    view_entity *const figure = &scene->entity;
    const view_entity_part *const parent = &figure->parts[part->parent];
    const md5_xform *const parent_pose = scene->pose + parent->first_joint;
    const md5_mat34 *const parent_joints = scene->joints + parent->first_joint;
    md5_xform *const pose = scene->pose + part->first_joint;
    md5_mat34 *const joints = scene->joints + part->first_joint;
    if (figure->monster != NULL && is_head(figure, part)) {
        md5_monster_head_pose(figure->monster, pose, joints, NULL);
    } else {
        md5_actor_pose(part->actor, pose, NULL, NULL);
        md5_entity_part_copy_joints(part->attached, parent_pose, parent_joints, pose);
        md5_local_to_model(&part->entity->model->skeleton, pose, joints);
    }

    const md5_xform placement_in_parent = md5_entity_part_placement(part->attached, parent_joints);
    part->placed = md5_mat34_mul(parent->placed, md5_mat34_from_xform(placement_in_parent));
}

// Transforms the joint matrices of a part from its model space to world space. In the combined
// model, the root joints of an attached part are children of the joint that carries the part. Their
// poses relative to this joint are therefore computed again. The joints of the part's parent must
// be transformed first.
static void transform_to_world(view_scene *scene, const view_entity_part *part)
{
    const md5_skeleton *const skeleton = &part->entity->model->skeleton;
    md5_mat34 *const joints = scene->joints;
    md5_mat34 attachment_from_world = {{0}}; // not used for the body
    if (part->attached != NULL) {
        const view_entity_part *const parent = &scene->entity.parts[part->parent];
        const uint32_t attachment_joint = parent->first_joint + part->attached->joint;
        attachment_from_world = md5_mat34_inverse(joints[attachment_joint]);
    }

    for (uint32_t k = 0; k < skeleton->num_joints; k++) {
        const uint32_t joint = part->first_joint + k;
        joints[joint] = md5_mat34_mul(part->placed, joints[joint]);
        const bool is_root = skeleton->joints[k].parent == MD5_NONE;
        if (!is_root)
            continue;
        md5_mat34 local = joints[joint]; // relative to the parent
        if (part->attached != NULL)
            local = md5_mat34_mul(attachment_from_world, local);
        scene->pose[joint] = md5_xform_from_mat34(local);
    }
}

// Poses the parts that are attached to the body, each at the joint that carries it, after the body
// itself was posed.
void view_follow_body(view_scene *scene, md5_mat34 placed)
{
    view_entity *const figure = &scene->entity;
    figure->parts[0].placed = placed;
    for (uint32_t i = 1; i < figure->num_parts; i++) // parents are before the parts that they carry
        pose_attached_part(scene, &figure->parts[i]);
    for (uint32_t i = 0; i < figure->num_parts; i++)
        transform_to_world(scene, &figure->parts[i]);
    // The viewer draws the combined model like any other model, with one palette for all parts.
    md5_build_palette(scene->model, scene->joints, scene->palette);
    view_rotate_pose(scene, NULL); // the rotation that the user has selected
}

// Poses the entity at the time of `play`. On terrain, an entity without its own foot placement is
// posed like the model of a clip, whose feet the viewer places.
static void pose_scene(view_scene *scene, const view_play *play)
{
    if (scene->terrain.num_feet > 0) {
        view_clip_motion.pose(scene, play);
        return;
    }
    const double max_time = 1e9; // also excludes NaN
    if (fabs(play->time) < max_time)
        move_to_time(scene, play->time);

    view_entity *const figure = &scene->entity;
    md5_monster *const monster = figure->monster;
    const view_entity_part *const body = &figure->parts[0];
    if (monster != NULL && !figure->has_run_monster)
        run_monster(scene);
    if (monster != NULL)
        md5_monster_pose(monster, scene->pose, scene->joints, NULL);
    else
        md5_actor_pose(body->actor, scene->pose, scene->joints, NULL);
    const md5_mat34 placement = md5_mat34_from_xform(figure->placement);
    view_follow_body(scene, md5_mat34_mul(placement, body->bind));
}

static md5_xform get_placement(const view_scene *scene)
{
    return scene->entity.placement;
}

// Returns the position of the entity, which the camera follows. On terrain, it includes the offset
// of the waist. At a stair the position of the entity jumps, but the waist moves smoothly, so the
// camera also does.
static md5_vec3 walked(const view_scene *scene, const view_play *play)
{
    const md5_monster *const monster = scene->entity.monster;
    md5_vec3 at = scene->entity.placement.translation;
    (void)play;
    if (monster != NULL && scene->terrain.kind != VIEW_LEVEL)
        at.z += md5_monster_state(monster).waist_offset.z;
    return at;
}

// Lets the monster look at a point in the world instead of the circling target.
static void point(view_scene *scene, md5_vec3 target)
{
    scene->entity.target = target;
    scene->entity.has_target = true;
}

const view_motion_kind view_entity_motion = {
    .name = "channels",
    .clip_use = VIEW_CLIP_PLAYED,
    .mode = VIEW_MODE_CLIPS,
    .moves = is_played,
    .pose = pose_scene,
    .placement = get_placement,
    .walked = walked,
    .point = point,
};

const view_entity *view_active_entity(const view_scene *scene)
{
    const bool is_shown = view_get_motion(scene) == &view_entity_motion;
    return is_shown && scene->entity.entity->model_def != NULL ? &scene->entity : NULL;
}

const md5_model_anim *view_selected_commands(const view_scene *scene)
{
    const uint32_t number = scene->num_clips > 0 ? scene->clips[scene->clip].in_entity : 0;
    return number > 0 && scene->entity.is_played ? scene->entity.entity->clips[number - 1].anim
                                                 : NULL;
}

const float *view_entity_parms(const view_scene *scene)
{
    return scene->entity.entity != NULL ? scene->entity.entity->parms : NULL;
}
