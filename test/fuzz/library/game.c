// Fuzz target for declarations. The input consists of materials, a NUL byte, skins, a NUL byte, and
// models and entities. Everything that they declare is looked up, evaluated and played. The folder
// also contains a mesh m.md5mesh, with a chain of the joints origin, a, b and c, and an animation
// m.md5anim.
#include "test/fuzz/folder.h"

enum { NUM_TEXTS = 3, NUM_FILES = 5, MAX_ENTITIES = 8 };

static const char fuzz_mesh_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 4\nnumMeshes 0\njoints {\n"
    "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"a\" 0 ( 0 0 9 ) ( 0 0 0 )\n"
    "\"b\" 1 ( 1 0 5 ) ( 0 0 0 )\n\"c\" 2 ( 0 0 1 ) ( 0 0 0 )\n}\n";
static const char fuzz_anim_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 4\nframeRate 24\n"
    "numAnimatedComponents 1\nhierarchy {\n\"origin\" -1 1 0\n\"a\" 0 0 0\n\"b\" 1 0 0\n"
    "\"c\" 2 0 0\n}\nbounds {\n"
    "( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n"
    "( 0 0 9 ) ( 0 0 0 )\n( 1 0 -4 ) ( 0 0 0 )\n( -1 0 -4 ) ( 0 0 0 )\n}\n"
    "frame 0 {\n0\n}\nframe 1 {\n5\n}\n";

static void split_files(fuzz_file files[NUM_FILES], const char *bytes, size_t size)
{
    static const char *const names[NUM_TEXTS] = {"materials/a.mtr", "skins/b.skin", "def/c.def"};
    for (int i = 0; i < NUM_TEXTS; i++) {
        const char *const end = memchr(bytes, '\0', size);
        const size_t length = end && i < NUM_TEXTS - 1 ? (size_t)(end - bytes) : size;
        files[i] = (fuzz_file){names[i], bytes, length};
        bytes += length < size ? length + 1 : length;
        size -= length < size ? length + 1 : length;
    }
    files[3] = (fuzz_file){"m.md5mesh", fuzz_mesh_text, sizeof fuzz_mesh_text - 1};
    files[4] = (fuzz_file){"m.md5anim", fuzz_anim_text, sizeof fuzz_anim_text - 1};
}

static const char *image_fault(const md5_image_program *image)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < image->num_steps; i++) {
        const md5_image_kind kind = image->steps[i].kind;
        const bool is_pair = kind == MD5_IMAGE_ADD || kind == MD5_IMAGE_ADD_NORMALS;
        uint32_t num_operands = is_pair ? 2 : 1;
        if (kind == MD5_IMAGE_FILE)
            num_operands = 0;
        if (depth < num_operands)
            return "an image operation without its images";
        depth = depth - num_operands + 1;
    }
    const uint32_t num_images = image->text[0] ? 1 : 0;
    return depth == num_images ? NULL : "an image program that gives no image";
}

static const char *game_stage_fault(const md5_material *material, const md5_stage *stage)
{
    for (int i = 0; i < 4; i++) {
        if (stage->color[i] >= material->num_registers)
            return "a color without a register";
    }
    for (int i = 0; i < 6; i++) {
        if (stage->matrix[i / 3][i % 3] >= material->num_registers)
            return "a matrix without a register";
    }
    if (stage->condition >= material->num_registers || stage->alpha_test >= material->num_registers)
        return "a condition without a register";
    return image_fault(&stage->image);
}

static const char *game_material_fault(const md5_material *material)
{
    static float registers[MD5_MAX_REGISTERS];
    const md5_material_input input = {.time = 1.5f, .parms = {1, 1, 1, 1, -3}};
    float matrix[2][3];
    const char *fault = NULL;
    if (material->decl->state == MD5_DECL_UNPARSED)
        return "a material that is not parsed";
    md5_evaluate_material(material, &input, registers);
    for (uint32_t i = 0; i < material->num_stages && !fault; i++) {
        fault = game_stage_fault(material, &material->stages[i]);
        if (!fault)
            md5_stage_matrix(&material->stages[i], registers, matrix);
    }
    return fault;
}

static const char *ask_for_materials(md5_game *game)
{
    const char *fault = NULL;
    md5_error error = {0};
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MATERIAL) && !fault; i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_MATERIAL, i)->name;
        const md5_material *const material = md5_game_material(game, name, &error);
        if (material)
            fault = game_material_fault(material);
        else if (error.status != MD5_ERROR_MEMORY)
            fault = "no material and no error message";
    }
    return fault;
}

static const char *look_up_entities(md5_game *game)
{
    md5_error error = {0};
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_ENTITY); i++) {
        const md5_decl *const decl = md5_game_decl(game, MD5_DECL_ENTITY, i);
        // A look-up cuts the name at its last dot, so it can find another declaration.
        if (md5_find_decl(game, MD5_DECL_ENTITY, decl->name) != decl)
            continue;
        const md5_entity_def *const def = md5_game_entity_def(game, decl->name, &error);
        if (!def && error.status != MD5_ERROR_MEMORY)
            return "no entity and no error message";
        const char *const class_name = def ? md5_entity_def_value(def, "CLASSNAME") : decl->name;
        if (!class_name || strcmp(class_name, decl->name) != 0)
            return "an entity of another class";
        if (def && md5_entity_def_next_key(def, "inherit", NULL))
            return "an entity whose parents are keys";
    }
    return NULL;
}

static void count_command(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                          md5_channel channel)
{
    (void)clip, (void)channel;
    *(uint32_t *)user += command->frame;
}

// Saves an actor and restores it with some changed bytes, except in the header that identifies the
// format.
static const char *restore_changed(md5_actor *actor, uint32_t choice)
{
    enum { HEAD = 16 };
    uint8_t bytes[MD5_ACTOR_SAVE_SIZE], again[MD5_ACTOR_SAVE_SIZE];
    static md5_xform pose[64];
    md5_error error = {0};
    md5_actor_save(actor, bytes);
    for (uint32_t i = 0; i < 1 + choice % 3; i++)
        bytes[HEAD + (choice * 7 + i * 131) % (MD5_ACTOR_SAVE_SIZE - HEAD)] ^=
            (uint8_t)(choice >> i);
    if (!md5_actor_restore(actor, bytes, sizeof bytes, &error))
        return error.message[0] ? NULL : "an actor was rejected without a message";
    md5_actor_save(actor, again);
    if (memcmp(bytes, again, sizeof bytes) != 0)
        return "a restored actor is saved as different bytes";
    md5_actor_advance(actor, 500, NULL, NULL);
    md5_actor_pose(actor, pose, NULL, NULL);
    return pose[0].translation.x > -2e9f && pose[0].translation.x < 2e9f
               ? NULL
               : "a restored actor whose pose is not finite";
}

static float find_floor(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)user, (void)from;
    return is_waist ? to.z : to.z + size;
}

// Saves a monster and restores it with one changed byte.
static const char *restore_monster(md5_monster *monster, uint32_t choice)
{
    static uint8_t bytes[1 << 14], again[1 << 14];
    const size_t size = md5_monster_save_size(monster);
    md5_error error = {0};
    md5_monster_save(monster, bytes);
    bytes[choice * 7919 % size] ^= (uint8_t)(1 + choice);
    if (!md5_monster_restore(monster, bytes, size, &error))
        return error.message[0] ? NULL : "a monster was rejected without a message";
    md5_monster_save(monster, again);
    return memcmp(bytes, again, size) == 0 ? NULL
                                           : "a restored monster is saved as different bytes";
}

// Looks at a point and walks for some ticks, with the parameters of the entity.
static const char *play_monster(const md5_entity *entity, md5_actor *body, uint32_t choice)
{
    static md5_xform pose[64];
    const char *fault = NULL;
    const md5_monster_desc desc = {.entity = entity, .body = body};
    md5_monster *const monster = md5_create_monster(&desc, NULL, NULL);
    for (int i = 1; monster && i < 6 && !fault; i++) {
        const md5_monster_tick tick = {.time = 400 * i,
                                       .origin = {(float)i, 2, 3},
                                       .rotation = {0, 0, 0, 1},
                                       .look = (md5_look_kind)(i % 3),
                                       .target = {10, (float)(i * i), 4},
                                       .has_ground = true,
                                       .sweep = find_floor};
        md5_monster_look_at(monster, (uint64_t)i / 2, tick.time, 500);
        fault = restore_monster(monster, choice + (uint32_t)i);
        md5_monster_think(monster, &tick);
        md5_monster_pose(monster, pose, NULL, NULL);
        for (uint32_t k = 0; k < entity->model->skeleton.num_joints; k++) {
            if (!isfinite(pose[k].translation.x + pose[k].rotation.w))
                fault = "a monster whose pose is not finite";
        }
    }
    md5_destroy_monster(monster);
    return fault;
}

// Creates a figure for an entity, and moves it back and forth.
static const char *move_figure(const md5_figure_def *def, const md5_entity *entity)
{
    static md5_body_state bodies[MD5_MAX_FIGURE_PARTS];
    static md5_xform pose[64];
    static md5_mat34 joints[64];
    const md5_xform transform = {.rotation = {0, 0, 0, 1}, .translation = {1, 2, 3}};
    md5_error error = {0};
    md5_figure_hit hit;
    const md5_load_opts opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};
    md5_figure *const figure = md5_create_figure(def, entity, &opts, &error);
    if (!figure)
        return error.message[0] ? NULL : "no figure of an entity and no error message";
    md5_local_to_model(&entity->model->skeleton, entity->model->bind_local, joints);
    md5_figure_from_joints(figure, joints, transform, 0, bodies);
    md5_figure_to_pose(figure, bodies, pose);
    md5_figure_bounds(figure, bodies, transform);
    const bool is_hit =
        md5_raycast_figure(figure, bodies, (md5_vec3){99, 0, 0}, (md5_vec3){-99, 1, 0}, &hit);
    const bool is_wrong = is_hit && hit.body >= figure->num_bodies;
    if (is_hit)
        md5_entity_damage_zone(entity, hit.joint);
    md5_free_figure(figure);
    return is_wrong ? "a hit of no body" : NULL;
}

// Plays the clips of an entity with steps from 0 ms to 100 s. Returns a fault or NULL.
static const char *play_entity(const md5_entity *entity, const md5_entity *body)
{
    static const uint32_t steps[] = {0, 16, 30, 100, 100000};
    static md5_xform pose[64];
    uint32_t sum = 0;
    if (entity->model->skeleton.num_joints > COUNT_OF(pose))
        return "an entity of another model";
    md5_actor *const actor = md5_create_actor(entity, NULL, NULL);
    const char *fault = NULL;
    if (actor)
        md5_actor_spawn(actor, body);
    for (uint32_t i = 0; actor && i < COUNT_OF(steps) && !fault; i++) {
        const uint32_t clip = entity->num_clips > 0 ? i % entity->num_clips : MD5_NONE;
        md5_actor_play(actor, (md5_channel)(i % MD5_NUM_CHANNELS), clip, MD5_ACTOR_CYCLE, 0,
                       20 * i);
        md5_actor_play(actor, MD5_CHANNEL_ALL, clip, MD5_ACTOR_ONCE, 0, 10);
        md5_actor_choose(actor, "a", "b");
        md5_actor_advance(actor, steps[i], count_command, &sum);
        md5_actor_pose(actor, pose, NULL, NULL);
        if (!(pose[0].translation.x > -2e9f && pose[0].translation.x < 2e9f))
            fault = "a pose that is not finite";
    }
    if (actor && !fault && entity->def)
        fault = play_monster(entity, actor, sum);
    if (actor && !fault)
        fault = restore_changed(actor, sum);
    md5_destroy_actor(actor);
    return fault;
}

// Plays an entity, its parts, their parts and so on.
static const char *play_tree(const md5_entity *entity)
{
    const md5_entity *tree[MD5_MAX_ENTITY_PARTS + 1] = {entity};
    static md5_mat34 joints[64];
    uint32_t count = 1;
    const char *fault = play_entity(entity, entity);
    for (uint32_t i = 0; i < count && !fault; i++) {
        const md5_entity *const body = tree[i];
        md5_local_to_model(&body->model->skeleton, body->model->bind_local, joints);
        for (uint32_t k = 0; k < body->num_parts && !fault; k++) {
            const md5_entity_part *const part = &body->parts[k];
            const bool is_head = strcmp(part->key, "def_head") == 0;
            if (count > MD5_MAX_ENTITY_PARTS || part->joint >= body->model->skeleton.num_joints)
                return "too many parts, or one without a joint";
            md5_entity_part_placement(part, joints);
            fault = play_entity(part->entity, is_head ? body : part->entity);
            tree[count++] = part->entity;
        }
    }
    return fault;
}

static const char *play_entities(md5_game *game)
{
    const md5_load_opts opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};
    md5_error error = {0};
    const char *fault = NULL;
    for (uint32_t i = 0; i < MAX_ENTITIES && !fault; i++) {
        const md5_decl *const decl = md5_game_decl(game, MD5_DECL_ENTITY, i);
        md5_entity *const entity = decl ? md5_load_entity(game, decl->name, &opts, &error) : NULL;
        if (decl && !entity && error.status == MD5_OK)
            fault = "no entity to play and no error message";
        fault = entity ? play_tree(entity) : fault;
        const md5_decl *const figure = md5_game_decl(game, MD5_DECL_ARTICULATED_FIGURE, i);
        const md5_figure_def *const def =
            figure ? md5_game_figure_def(game, figure->name, &error) : NULL;
        if (entity && def && !fault)
            fault = move_figure(def, entity);
        md5_free_entity(entity);
    }
    return fault;
}

// Parses all skins, tables, figures and models of a game. Returns a fault if one is missing without
// an error.
static const char *look_up_remaining(md5_game *game)
{
    md5_error error = {0};
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_SKIN); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_SKIN, i)->name;
        const md5_skin_def *const skin = md5_game_skin_def(game, name, &error);
        if (!skin && error.status != MD5_ERROR_MEMORY)
            return "no skin and no error message";
        if (skin)
            md5_skin_def_material(game, skin, "a");
    }
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_TABLE); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_TABLE, i)->name;
        md5_game_table(game, name, &error);
    }
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_ARTICULATED_FIGURE); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_ARTICULATED_FIGURE, i)->name;
        if (!md5_game_figure_def(game, name, &error) && error.status != MD5_ERROR_MEMORY
            && md5_find_decl(game, MD5_DECL_ARTICULATED_FIGURE, name))
            return "no figure and no error message";
    }
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MODEL); i++) {
        const char *const name = md5_game_decl(game, MD5_DECL_MODEL, i)->name;
        if (!md5_find_decl(game, MD5_DECL_MODEL, name))
            continue;
        const md5_model_def *const model = md5_game_model_def(game, name, &error);
        if (!model && error.status != MD5_ERROR_MEMORY)
            return "no model and no error message";
        if (model && (model->num_joints > 0) != (model->mesh[0] != '\0'))
            return "a model whose joints have no mesh";
    }
    return NULL;
}

static const char *ask_for_all(md5_game *game)
{
    const char *fault = look_up_remaining(game);
    if (!fault)
        fault = look_up_entities(game);
    if (!fault)
        fault = play_entities(game);
    return fault ? fault : ask_for_materials(game);
}

// Looks everything up in lenient mode, then in engine mode.
static const char *open_and_look_up(const md5_game_path *path, asset_heap *heap)
{
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(heap, &warnings);
    md5_error error = {0};
    opts.allocator.limit = FUZZ_MEMORY_LIMIT;
    md5_game *const game = md5_create_game(path, 1, &opts, &error);
    if (!game)
        return error.status == MD5_ERROR_MEMORY ? NULL : "no game and no error message";
    const char *fault = ask_for_all(game);
    if (!fault && md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, &error))
        fault = ask_for_all(game);
    md5_destroy_game(game);
    return fault ? fault : asset_heap_fault(heap);
}

// Runs twice; in the second run one of the allocations of the game fails.
const char *fuzz_game(const uint8_t *data, size_t size)
{
    fuzz_file files[NUM_FILES];
    split_files(files, (const char *)data, size);
    const md5_game_path path = fuzz_folder(files, NUM_FILES);
    asset_heap heap = {0};
    const char *const fault = open_and_look_up(&path, &heap);
    asset_heap failing = {.fail_at = 1 + size % (heap.num_allocs > 0 ? heap.num_allocs : 1)};
    return fault ? fault : open_and_look_up(&path, &failing);
}
