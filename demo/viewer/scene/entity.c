#include "demo/viewer/scene/entity.h"

#include "demo/viewer/scene/mesh_words.h"

#include <stdlib.h>

// -- Parts ----------------------------------------------------------------------------------

static void add_part(view_entity *of, const md5_entity_part *hung, uint32_t above)
{
    const view_entity_part *const body = &of->parts[above];
    view_entity_part part = {.entity = hung->entity, .hung = hung, .above = above};
    const view_entity_part *const last = &of->parts[of->num_parts - 1];
    part.first_joint = last->first_joint + last->entity->model->skeleton.num_joints;
    const md5_xform place = md5_entity_part_placement(hung, body->entity->model->bind);
    part.bind = md5_mat34_mul(body->bind, md5_mat34_from_xform(place));
    of->parts = common_realloc(of->parts, of->num_parts + 1, sizeof *of->parts);
    of->parts[of->num_parts++] = part;
}

void view_take_entity(view_entity *of, md5_entity *entity, const char *skin)
{
    const md5_xform place = {.translation = entity->model_offset, .rotation = {.w = 1.0f}};
    *of = (view_entity){.entity = entity, .num_parts = 1};
    of->skin = skin != NULL ? common_copy(skin) : NULL;
    of->parts = common_alloc(1, sizeof *of->parts);
    of->parts[0] = (view_entity_part){.entity = entity, .bind = md5_mat34_from_xform(place)};
    // Those that are added are looked at in their turn.
    for (uint32_t i = 0; i < of->num_parts; i++) {
        const md5_entity *const with_parts = of->parts[i].entity;
        for (uint32_t p = 0; p < with_parts->num_parts; p++)
            add_part(of, &with_parts->parts[p], i);
    }
}

void view_free_entity(view_entity *of)
{
    for (uint32_t i = 0; i < of->num_parts; i++)
        md5_destroy_actor(of->parts[i].actor);
    free(of->clips);
    free(of->anims);
    free(of->paced);
    md5_free_entity(of->entity);
    free(of->skin);
    free(of->parts);
    *of = (view_entity){.entity = NULL};
}

// -- Joined model ---------------------------------------------------------------------------

static int32_t parent_of(const view_entity *of, const view_entity_part *part, uint32_t joint)
{
    const int32_t parent = part->entity->model->skeleton.joints[joint].parent;
    if (parent >= 0)
        return (int32_t)part->first_joint + parent;
    if (part->hung == NULL)
        return -1;
    return (int32_t)(of->parts[part->above].first_joint + part->hung->joint);
}

static void say_joints(view_words *words, const view_entity *of, uint32_t number)
{
    const view_entity_part *const part = &of->parts[number];
    const md5_model *const model = part->entity->model;
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const char *const name = model->skeleton.joints[i].name;
        const md5_xform bind = md5_xform_from_mat34(md5_mat34_mul(part->bind, model->bind[i]));
        char *const unique = number > 0 ? common_format("%u:%s", (unsigned)number, name) : NULL;
        view_say_joint(words, number > 0 ? unique : name, parent_of(of, part, i), bind);
        free(unique);
    }
}

// The other skin's material if it replaces the mesh's own, else that of the entity.
static const char *material_of(const view_entity *of, md5_game *game, const md5_entity *entity,
                               uint32_t mesh)
{
    const char *const own = entity->model->meshes[mesh].shader;
    const md5_skin_def *const skin =
        of->skin != NULL ? md5_game_skin_def(game, of->skin, NULL) : NULL;
    const char *const other = skin != NULL ? md5_skin_def_material(game, skin, own) : own;
    return other != own ? other : entity->materials[mesh];
}

md5_model *view_join_entity(const view_entity *of, md5_game *game, const char *name,
                            md5_error *error)
{
    view_words words = {0};
    const md5_load_opts opts = {.file_name = name};
    const view_entity_part *const last = &of->parts[of->num_parts - 1];
    uint32_t num_meshes = 0;
    for (uint32_t i = 0; i < of->num_parts; i++)
        num_meshes += of->parts[i].entity->model->num_meshes;
    view_say(&words, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes %u\njoints {\n",
             (unsigned)(last->first_joint + last->entity->model->skeleton.num_joints),
             (unsigned)num_meshes);
    for (uint32_t i = 0; i < of->num_parts; i++)
        say_joints(&words, of, i);
    view_say(&words, "}\n");
    for (uint32_t i = 0; i < of->num_parts; i++) {
        const md5_entity *const entity = of->parts[i].entity;
        for (uint32_t m = 0; m < entity->model->num_meshes; m++)
            view_say_mesh(&words, &(view_said_mesh){.mesh = &entity->model->meshes[m],
                                                    .material = material_of(of, game, entity, m),
                                                    .first_joint = of->parts[i].first_joint,
                                                    .scale = 1.0f});
    }
    md5_model *const model = md5_parse_model(words.text, words.size, &opts, error);
    free(words.text);
    return model;
}
