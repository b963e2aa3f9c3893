// Builds MD5 files from a plain scene: the model with its morph targets, clips and camera paths.
//
// rig.c finds the joints, meshes.c converts the meshes and morph targets, and clips.c samples the
// animations. If a model was read from an earlier file, the clips of this file are made for it.
#include "demo/convert/meshes.h"

// Parses a model. Returns NULL on failure or if `part` is NULL.
static md5_model *parse_model(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_LOSSES};
    return part ? md5_parse_model(part->bytes, part->size, &opts, error) : NULL;
}

// Adds the model without its morph targets to the scene. If the scene already has a model, a model
// with clips is not added: its clips are then for that model. A model without clips can be a morph
// target or an outfit, so it is added.
static bool add_model(const rig_meshes *meshes, convert_scene *scene)
{
    const convert_rig *const rig = meshes->rig;
    plain_scene *const plain = rig->plain;
    if (meshes->model.num_meshes == 0)
        return true;
    if (rig->model && plain->num_animations > 0) {
        convert_note(plain->job,
                     "%s: only the animations were read, because a model is already loaded",
                     plain->path);
        for (size_t i = 0; i < plain->num_materials; i++) {
            free(plain->materials[i].shader);
            plain->materials[i].shader = NULL;
        }
        return true;
    }

    char *const name = common_stem(plain->path);
    const bool is_added =
        convert_add_doc(plain->job, scene, CONVERT_MODEL, name, &meshes->model, plain->error);

    free(name);
    return is_added;
}

// Marks the parts of the scene from index `first` on as motion capture. If the file contains only
// clips, also stores its skeleton in each of them, because retargeting needs the rest pose.
static bool describe_clips(const rig_meshes *meshes, convert_scene *scene, size_t first,
                           bool has_clips_only)
{
    const plain_scene *const plain = meshes->rig->plain;
    for (size_t i = first; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        part->is_captured = plain->is_captured;
        if (has_clips_only
            && !convert_print_doc(&meshes->model, &part->skeleton_text, &part->skeleton_size,
                                  plain->error))
            return false;
    }
    return true;
}

// Adds the clips of the file: for the model that was read before, or for the model of the file.
static bool add_clips(const rig_meshes *meshes, convert_scene *scene)
{
    const convert_rig *const rig = meshes->rig;
    plain_scene *const plain = rig->plain;
    const bool uses_scene_model = !rig->model && !plain->is_captured;
    const convert_part *const part = uses_scene_model ? convert_find_model(scene) : NULL;
    md5_model *const scene_model = parse_model(part, plain->error);
    if (part && !scene_model)
        return false;

    const size_t first = scene->num_parts;
    const bool has_clips_only = !part && !rig->model;
    const bool is_added = rig_add_clips(meshes, scene_model ? scene_model : rig->model, scene)
                          && describe_clips(meshes, scene, first, has_clips_only);
    md5_free_model(scene_model);
    return is_added;
}

// Stores the file's names of bones in the human body in a part. The part is a model, or a clip with
// a skeleton.
static void add_bones(const convert_rig *rig, convert_part *part)
{
    if (part->kind != CONVERT_MODEL && !part->skeleton_text)
        return;
    for (size_t j = 0; j < rig->num_joints; j++) {
        const rig_joint *const joint = &rig->joints[j];
        const char *const bone = rig->nodes[joint->node].in->bone;
        if (bone)
            *COMMON_ADD_ITEM(part->bones, part->num_bones) =
                (convert_bone){common_copy(joint->name), common_copy(bone)};
    }
}

// Returns true if a mesh contains a primitive of triangles.
static bool has_triangles(const plain_mesh *mesh)
{
    for (size_t i = 0; i < mesh->num_primitives; i++) {
        if (mesh->primitives[i].mode != PLAIN_OTHER && mesh->primitives[i].num_vertices > 0)
            return true;
    }
    return false;
}

// Returns a description of a file that contains neither a model nor a clip, for messages.
static char *describe_content(const plain_scene *plain)
{
    size_t num_nodes = 0;
    for (size_t i = 0; i < plain->num_nodes; i++) {
        if (plain->nodes[i].is_in_scene)
            num_nodes++;
    }
    size_t num_with_triangles = 0;
    size_t num_without_triangles = 0;
    for (size_t i = 0; i < plain->num_meshes; i++) {
        const plain_mesh *const mesh = &plain->meshes[i];
        const bool is_read = mesh->num_primitives > 0; // readers may skip meshes without a node
        if (has_triangles(mesh))
            num_with_triangles++;
        if (is_read && !has_triangles(mesh))
            num_without_triangles++;
    }

    const char *const nodes = common_noun(num_nodes, "node", "nodes");
    if (num_with_triangles > 0)
        return common_format("%zu %s, %zu %s with triangles that have no area, no moving joint",
                             num_nodes, nodes, num_with_triangles,
                             common_noun(num_with_triangles, "mesh", "meshes"));
    if (num_without_triangles > 0)
        return common_format("%zu %s, %zu %s of points or lines, no moving joint", num_nodes, nodes,
                             num_without_triangles,
                             common_noun(num_without_triangles, "mesh", "meshes"));
    return common_format("%zu %s, no mesh, no moving joint", num_nodes, nodes);
}

// Converts the joints, the meshes and the clips of a plain scene, and adds them to the scene. The
// morph targets are last, so that they can use only the budget that the clips leave.
static bool build_parts(convert_rig *rig, rig_meshes *meshes, convert_scene *scene)
{
    const size_t first = scene->num_parts;
    const size_t first_weights = scene->num_weights;
    const bool is_built = rig_open(rig) && rig_convert_meshes(rig, meshes)
                          && add_model(meshes, scene) && add_clips(meshes, scene);
    if (!is_built)
        return false;
    if (!rig->model && !rig_add_targets(meshes, scene, first_weights))
        return false;
    for (size_t i = first; i < scene->num_parts; i++)
        add_bones(rig, &scene->parts[i]);
    return true;
}

// Converts a plain scene to MD5 parts and adds them to the scene. A reader has filled the plain
// scene with the content of a file. plain_build_frames() converts a file with vertex frames instead
// of joints.
bool convert_build(plain_scene *plain, convert_scene *scene)
{
    if (plain->num_frames > 0)
        return plain_build_frames(plain, scene);

    // If the scene already has a model, the clips of the file are made for it. Captured clips are
    // an exception, because they are retargeted to the model later.
    const convert_part *const part = plain->is_captured ? NULL : convert_find_model(scene);
    md5_model *const model = parse_model(part, plain->error);
    if (part && !model)
        return false;
    if (plain->is_captured && !plain_orient_capture(plain))
        return false;

    convert_rig rig = {
        .plain = plain, .model = model, .model_unit = scene->unit, .model_yaw = scene->source_yaw};
    for (size_t i = 0; i < scene->num_materials; i++)
        rig_add_name(&rig.shaders, scene->materials[i].shader, 255, "", 0);
    rig_meshes meshes = {.rig = &rig};
    const bool is_built = build_parts(&rig, &meshes, scene);

    // A captured clip is retargeted to the model of the scene later, so the unit of that model
    // remains valid.
    const bool keeps_unit = model || (plain->is_captured && convert_find_model(scene));
    if (is_built && !keeps_unit) {
        scene->unit = rig.unit;
        scene->source_yaw = rig_source_yaw(&rig);
    }
    if (is_built && scene->num_parts == 0 && !scene->skipped_content)
        scene->skipped_content = describe_content(plain);

    rig_free_meshes(&meshes);
    rig_free(&rig);
    md5_free_model(model);
    return is_built;
}
