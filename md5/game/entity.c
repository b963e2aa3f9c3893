// Entities with their parts, and the placement of the parts.
#include "md5/game/entity.h"

static void free_parts(const md5_entity_owner *owner)
{
    const md5_entity_owner *next;
    for (const md5_entity_owner *part = owner->next; part; part = next) {
        next = part->next;
        md5i_free_lone_entity(&part->entity);
    }
}

md5_entity *md5_load_entity(md5_game *game, const char *name, const md5_load_opts *opts,
                            md5_error *error)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_entity_load load;
    md5i_context_begin(&context, opts, NULL, error);
    if (md5i_load_entity(&load, game, name, false, &context, opts) && md5i_load_entity_parts(&load))
        return md5i_finish_entity(&load);
    if (load.owner)
        free_parts(load.owner);
    md5i_end_entity_load(&load);
    return NULL;
}

void md5_free_entity(md5_entity *entity)
{
    if (!entity)
        return;
    free_parts(md5_owner_of(entity));
    md5i_free_lone_entity(entity);
}

md5_xform md5_entity_part_placement(const md5_entity_part *part, const md5_mat34 *joints)
{
    MD5_ASSERT(part != NULL, "part: not NULL");
    MD5_ASSERT(joints != NULL, "joints: not NULL");
    return md5_xform_mul(md5_xform_from_mat34(joints[part->joint]), part->offset);
}

// The placement of a joint's parent in model space.
static md5_xform parent_placement(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint)
{
    md5_xform placement = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int32_t i = skeleton->joints[joint].parent; i >= 0; i = skeleton->joints[i].parent)
        placement = md5_xform_mul(pose[i], placement);
    return placement;
}

void md5_entity_part_copy_joints(const md5_entity_part *part, const md5_xform *body,
                                 const md5_mat34 *joints, md5_xform *head)
{
    MD5_ASSERT(part != NULL, "part: not NULL");
    MD5_ASSERT(body != NULL && joints != NULL && head != NULL, "poses: not NULL");
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
        const md5_xform parent = parent_placement(skeleton, head, copy->to);
        head[copy->to] = md5_xform_mul(md5_xform_inverse(parent), in_head);
    }
}
