// md5tool info: prints a summary of files, as text or as one JSON object per file. Each property is
// one call of PRINT(), which has the text and the JSON member.
#include "demo/looks/look.h"
#include "demo/tool/tool.h"

// Prints a line of text, or a member of the JSON object of a file.
#define PRINT(...) common_print_either(is_json, __VA_ARGS__)

// Prints a text in JSON only.
#define JSON(text) fputs(is_json ? (text) : "", stdout)

// Returns the separator before a member of an array.
static const char *comma(uint32_t i)
{
    return i > 0 ? "," : "";
}

// Prints a part of a Cube 2 model: a mesh with its animations. A Cube 2 model consists of
// several parts.
static void print_cube_part(bool is_json, const md5_cube2_part *part)
{
    PRINT("  mesh               %s\n", "{\"mesh\":%s", part->mesh);
    PRINT("    animations       %u, masks: %u, adjustments: %u\n",
          ",\"num_animations\":%u,\"masks\":%u,\"adjustments\":%u", part->num_anims,
          part->num_masks, part->num_adjustments);
    PRINT("    tags             %u\n", ",\"tags\":%u", part->num_tags);
    PRINT("    material lines   %u\n", ",\"material_lines\":%u,\"animations\":[",
          part->num_commands);
    for (uint32_t i = 0; i < part->num_anims; i++) {
        JSON(comma(i));
        PRINT("    animation        %s, %s, %g frames per second\n",
              "{\"name\":%s,\"file\":%s,\"frame_rate\":%g}", part->anims[i].names,
              part->anims[i].file, part->anims[i].frame_rate);
    }
    JSON("]}");
}

// Prints a model of Cube 2's engines, which an md5.cfg describes.
static void print_cube(bool is_json, const md5_cube2 *cube)
{
    PRINT("  parts              %u, links: %u\n", ",\"num_parts\":%u,\"links\":%u", cube->num_parts,
          cube->num_links);
    PRINT("  scale              %g\n", ",\"scale\":%g", cube->scale);
    PRINT("  other settings     %u\n", ",\"settings\":%u", cube->num_settings);
    PRINT("  warnings           %u\n", ",\"warnings\":%u,\"parts\":[", cube->num_warnings);
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        JSON(comma(i));
        print_cube_part(is_json, &cube->parts[i]);
    }
    JSON("]");
}

// Prints bounds. In JSON, bounds without points are null; their minimum is greater than the
// maximum.
static void print_bounds(bool is_json, md5_bounds bounds)
{
    if (bounds.min.x > bounds.max.x)
        PRINT("  bounds             none\n", ",\"bounds\":null");
    else
        PRINT("  bounds             (%g %g %g) to (%g %g %g)\n", ",\"bounds\":[%g,%g,%g,%g,%g,%g]",
              bounds.min.x, bounds.min.y, bounds.min.z, bounds.max.x, bounds.max.y, bounds.max.z);
}

// Prints the number of frames, the frame rate and the duration of a clip or a camera path.
static void print_frames(bool is_json, uint32_t num_frames, double frame_rate, double seconds)
{
    PRINT("  frames             %u\n", ",\"frames\":%u", num_frames);
    PRINT("  frame rate         %g per second\n", ",\"frame_rate\":%g", frame_rate);
    PRINT("  seconds            %g\n", ",\"seconds\":%g", seconds);
}

// A tree of joints as linked lists: the first child of each joint, and its next sibling. MD5_NONE
// ends a list.
typedef struct child_lists {
    uint32_t *first_child; // [joints + 1]; the last list contains the joints without a parent
    uint32_t *next;        // [joints]
} child_lists;

// Builds the lists of children. Joints are inserted at the front of a list, so the loop runs
// backwards to give the lists the order of the file.
static child_lists build_joint_tree(const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    const child_lists tree = {
        .first_child = common_alloc(count + (size_t)1, sizeof *tree.first_child),
        .next = common_alloc(count, sizeof *tree.next),
    };
    for (uint32_t i = 0; i <= count; i++)
        tree.first_child[i] = MD5_NONE;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t parent = skeleton->joints[i].parent;
        uint32_t *const list = &tree.first_child[parent == MD5_NONE ? count : parent];
        tree.next[i] = *list;
        *list = i;
    }
    return tree;
}

// Prints one joint as a line of the tree. The indentation has at most 40 levels, so that the size
// of the output is linear even for a long chain of joints.
static void print_joint_line(const md5_skeleton *skeleton, uint32_t index, int depth)
{
    enum { MAX_INDENT = 40 }; // levels
    const md5_joint *const joint = &skeleton->joints[index];
    printf("  joint %-13u%*s", index, 2 * (depth < MAX_INDENT ? depth : MAX_INDENT), "");
    common_print(stdout, "%s", joint->name);
    if (joint->parent != MD5_NONE)
        printf(", parent %u", joint->parent);
    putchar('\n');
}

// Prints the joints as a tree, depth first: each joint, then its descendants. A loop replaces
// recursion, because a hostile file may contain a chain of very many joints.
static void print_joint_tree(const md5_skeleton *skeleton)
{
    const child_lists tree = build_joint_tree(skeleton);
    uint32_t joint = tree.first_child[skeleton->num_joints];
    int depth = 0;
    while (joint != MD5_NONE) {
        print_joint_line(skeleton, joint, depth);
        if (tree.first_child[joint] != MD5_NONE) {
            joint = tree.first_child[joint];
            depth++;
            continue;
        }

        // Continue with the next sibling of the joint, or of its nearest ancestor that has one.
        while (tree.next[joint] == MD5_NONE && skeleton->joints[joint].parent != MD5_NONE) {
            joint = skeleton->joints[joint].parent;
            depth--;
        }
        joint = tree.next[joint];
    }
    free(tree.next);
    free(tree.first_child);
}

// Prints the joints as JSON, in the order of the file.
static void print_joint_array(const md5_skeleton *skeleton)
{
    fputs(",\"tree\":[", stdout);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        common_print_json(i > 0 ? ",{\"name\":%s,\"parent\":%d}" : "{\"name\":%s,\"parent\":%d}",
                          skeleton->joints[i].name, (int)skeleton->joints[i].parent);
    putchar(']');
}

// Prints the hierarchy of joints: a tree as text, an array as JSON.
static void print_joints(bool is_json, const md5_skeleton *skeleton)
{
    if (is_json)
        print_joint_array(skeleton);
    else
        print_joint_tree(skeleton);
}

// A clip in the folder of a mesh, compared with the mesh.
typedef struct compared_clip {
    md5_check *check; // NULL if the clip is compressed, or if the clip or the mesh cannot be read
    char *reason;     // if `check` is NULL: "fits", or why the clip cannot be bound
} compared_clip;

// Compares a clip with a mesh by the rules of the requested engines. If one of the two has no text
// that can be checked, tries to bind the clip instead.
static compared_clip compare_clip(const char *path, md5_check *mesh, const md5_model *model,
                                  md5_engines requested)
{
    const md5_load_opts opts = {.allow_partial_binding = true};
    compared_clip result = {0};
    md5_error error = {.message = "fits"};
    md5_check *const check = tool_check_file(NULL, path, requested);
    md5_anim *const anim = md5_load_anim(path, NULL, &error);
    md5_binding *const binding = anim ? md5_bind(model, anim, &opts, &error) : NULL;
    if (mesh && check) {
        check->num_diagnostics = 0; // only violations of the pair are of interest
        md5_check_pair(mesh, check);
        if (binding)
            md5_check_binding(check, binding);
        result.check = check;
    } else {
        result.reason = common_copy(error.message);
        md5_free_check(check);
    }
    md5_free_binding(binding);
    md5_free_anim(anim);
    return result;
}

// Checks whether some clips face another direction than the others. This rule compares all clips of
// a mesh.
static void compare_directions(const compared_clip *clips, size_t count)
{
    md5_check **const checks = common_alloc(count, sizeof(md5_check *));
    size_t num_checks = 0;
    for (size_t i = 0; i < count; i++) {
        if (clips[i].check)
            checks[num_checks++] = clips[i].check;
    }
    md5_check_turns(checks, num_checks);
    free(checks);
}

// Returns how a clip fits its mesh: the message of the first rule that the clip violates, or
// "fits".
static const char *describe_fit(const compared_clip *clip)
{
    if (!clip->check)
        return clip->reason;
    return clip->check->num_diagnostics > 0 ? clip->check->diagnostics[0].error.message : "fits";
}

// Prints the clips in the folder of a mesh, and how each fits the mesh.
static void print_clips(bool is_json, const char *path, const md5_model *model)
{
    const md5_engines requested = {.all = md5_find_engines("doom3")};
    char *const folder = common_folder(path);
    common_list files = common_list_folder(folder, ".md5anim");
    md5_check *const mesh = files.count > 0 ? tool_check_file(NULL, path, requested) : NULL;
    compared_clip *const clips = common_alloc(files.count, sizeof *clips);
    for (size_t i = 0; i < files.count; i++)
        clips[i] = compare_clip(files.names[i], mesh, model, requested);
    compare_directions(clips, files.count);

    JSON(",\"clips\":[");
    for (size_t i = 0; i < files.count; i++) {
        JSON(comma(i > 0));
        PRINT("  clip               %s: %s\n", "{\"file\":%s,\"fit\":%s}",
              common_base(files.names[i]), describe_fit(&clips[i]));
        md5_free_check(clips[i].check);
        free(clips[i].reason);
    }
    JSON("]");

    free(clips);
    md5_free_check(mesh);
    common_free_list(&files);
    free(folder);
}

// For view_listener: discards a warning of the search for images.
static void ignore_warning(void *user, const char *text)
{
    (void)user;
    (void)text;
}

// Prints the path of a color image, and its format and size, or a remark if its header cannot be
// read. `file` is NULL if the image was not found. As JSON, the object remains open.
static void print_image_file(bool is_json, const char *file)
{
    tool_image image;
    if (!file)
        PRINT("    texture          %s\n", ",\"texture\":null", "missing");
    else if (tool_read_image(NULL, file, &image))
        PRINT("    texture          %s, %s, %u x %u, %u bits\n",
              ",\"texture\":{\"file\":%s,\"kind\":%s,\"width\":%u,\"height\":%u,\"bits\":%u", file,
              image.kind, image.width, image.height, image.bits);
    else
        PRINT("    texture          %s, damaged or in an unknown format\n",
              ",\"texture\":{\"file\":%s", file);
}

// Prints the color image of a mesh, which is found as in the viewer. If the image was selected by
// the similarity of names, prints the reason. In text, also prints the candidates that were not
// used.
static void print_texture(bool is_json, const md5_model *model, uint32_t mesh,
                          view_package *package)
{
    const view_look_search search = {.model = model, .mesh = mesh, .package = package};
    view_look look = {.diffuse = NULL};
    if (package)
        look = view_find_look(&search, (view_listener){.warn = ignore_warning});

    const char *const file = look.diffuse;
    print_image_file(is_json, file);
    if (file && look.is_guess && look.why)
        PRINT("    guessed by       %s\n", ",\"guess\":%s", look.why);
    JSON(file ? "}" : "");

    if (!is_json) {
        for (size_t i = 0; i < look.tried.count; i++)
            common_print(stdout, "    not used         %s\n", look.tried.names[i]);
    }
    view_free_look(&look);
}

// Prints the costs of skinning a mesh with a fixed number of influences per vertex. The costs are
// memory and an error: a vertex with more influences loses the smallest ones. `loss` is the largest
// error in units. Joints have 16 bits if possible, and weights are floats.
static void print_skinning_cost(bool is_json, const md5_model *model, const md5_mesh *mesh,
                                uint32_t slots, float loss)
{
    const uint64_t joint_size = model->skeleton.num_joints <= 65536 ? 2 : 4;
    const uint64_t slot_size = joint_size + sizeof(float);
    uint64_t num_kept = 0; // influences; the smallest are dropped
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const uint32_t count = mesh->first_influence[i + 1] - mesh->first_influence[i];
        num_kept += count < slots ? count : slots;
    }
    PRINT("    skinned with %u   %llu of %u influences, %llu bytes, loss %.2g units\n",
          "{\"slots\":%u,\"kept\":%llu,\"influences\":%u,\"bytes\":%llu,\"loss\":%.9g},", slots,
          (unsigned long long)num_kept, mesh->num_influences,
          (unsigned long long)(slots * slot_size * mesh->num_vertices), (double)loss);
}

// Prints the memory for skinning a mesh in three ways: with 4, with 8 and with all influences per
// vertex.
static void print_skinning_costs(bool is_json, const md5_model *model, const md5_mesh *mesh)
{
    const uint64_t influence_size = sizeof(md5_vec4) + sizeof(uint32_t); // weighted point, joint
    const uint64_t num_ranges = (uint64_t)mesh->num_vertices + 1;        // ranges of influences
    const uint64_t exact_size =
        influence_size * mesh->num_influences + sizeof(uint32_t) * num_ranges;
    JSON(",\"paths\":[");
    print_skinning_cost(is_json, model, mesh, 4, mesh->loss4);
    print_skinning_cost(is_json, model, mesh, 8, mesh->loss8);
    PRINT("    skinned exactly  influences: %u, at most %u per vertex, %llu bytes\n",
          "{\"slots\":0,\"influences\":%u,\"max_per_vertex\":%u,\"bytes\":%llu}]",
          mesh->num_influences, mesh->max_influences, (unsigned long long)exact_size);
}

// Prints the properties of a mesh, the memory for skinning, and its texture.
static void print_mesh(bool is_json, const md5_model *model, uint32_t index, view_package *package)
{
    const md5_mesh *const mesh = &model->meshes[index];
    PRINT(mesh->name[0] ? "  mesh %u %s, shader \"%s\"\n" : "  mesh %u%s, shader \"%s\"\n",
          "{\"index\":%u,\"name\":%s,\"shader\":%s", index, mesh->name, mesh->shader);
    PRINT("    vertices         %u, rendered as %u (copies at mirror seams: %u)\n",
          ",\"vertices\":%u,\"drawn_vertices\":%u,\"copies\":%u", mesh->num_file_vertices,
          mesh->num_vertices, mesh->num_vertices - mesh->num_file_vertices);
    PRINT("    triangles        %u\n", ",\"triangles\":%u", mesh->num_triangles);
    PRINT("    weights          %u, at most %u per vertex; vertices with a sum other than 1: %u\n",
          ",\"weights\":%u,\"max_weights\":%u,\"off_sums\":%u", mesh->num_weights,
          mesh->max_weights, mesh->num_off_sums);
    print_skinning_costs(is_json, model, mesh);
    print_texture(is_json, model, index, package);
    JSON("}");
}

// Prints the numbers of vertices, triangles and weights of all meshes, and the largest number of
// weights of a vertex.
static void print_totals(bool is_json, const md5_model *model)
{
    uint64_t num_vertices = 0;
    uint64_t num_triangles = 0;
    uint64_t num_weights = 0;
    uint32_t max_weights = 0; // per vertex
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        num_vertices += mesh->num_file_vertices;
        num_triangles += mesh->num_triangles;
        num_weights += mesh->num_weights;
        if (mesh->max_weights > max_weights)
            max_weights = mesh->max_weights;
    }
    PRINT("  vertices           %llu\n", ",\"vertices\":%llu", (unsigned long long)num_vertices);
    PRINT("  triangles          %llu\n", ",\"triangles\":%llu", (unsigned long long)num_triangles);
    PRINT("  weights            %llu\n", ",\"weights\":%llu", (unsigned long long)num_weights);
    PRINT("  max. weights       %u per vertex\n", ",\"max_weights\":%u", max_weights);
}

// Prints the properties of a model, of its meshes and joints. For a file on disk, also prints
// textures and the clips in its folder.
static void print_model(bool is_json, const char *path, const md5_model *model)
{
    PRINT("  joints             %u\n", ",\"joints\":%u", model->skeleton.num_joints);
    PRINT("  meshes             %u\n", ",\"num_meshes\":%u", model->num_meshes);
    print_totals(is_json, model);
    print_bounds(is_json, model->bounds);
    PRINT("  bytes in memory    %zu\n", ",\"bytes\":%zu", model->size + model->geometry_size);
    PRINT("  warnings           %u\n", ",\"warnings\":%u,\"meshes\":[", model->num_warnings);

    view_package *const package = common_is_file(path) ? view_open_package(path, NULL) : NULL;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        JSON(comma(i));
        print_mesh(is_json, model, i, package);
    }
    JSON("]");
    view_close_package(package);

    print_joints(is_json, &model->skeleton);
    if (tool_file_kind(path) == TOOL_MODEL && common_is_file(path))
        print_clips(is_json, path, model);
}

// Prints which joint carries the figure along the ground, and how far.
static void print_root_motion(bool is_json, const md5_anim *anim)
{
    const md5_root_motion motion = md5_find_root_motion(anim);
    if (motion.joint == MD5_NONE)
        return;
    PRINT("  root motion        joint '%s' moves by (%g, %g, %g)\n",
          ",\"root_motion\":{\"joint\":%s,\"displacement\":[%g,%g,%g]}",
          anim->skeleton.joints[motion.joint].name, motion.displacement.x, motion.displacement.y,
          motion.displacement.z);
}

// Prints the properties of a compressed clip.
static void print_packed_anim(bool is_json, const md5_anim *anim)
{
    const double num_poses = (double)anim->skeleton.num_joints * anim->num_frames;
    PRINT("  error limit        %g units at the skin\n", ",\"tolerance\":%g", anim->tolerance);
    PRINT("  measured error     %.2g units at the skin\n", ",\"error\":%g", anim->max_error);
    PRINT("  bytes for sampling %zu, %.2f per joint and frame\n",
          ",\"packed_bytes\":%zu,\"bytes_per_joint\":%.4g", anim->packed_size,
          (double)anim->packed_size / num_poses);
    PRINT("  bytes in memory    %zu\n", ",\"bytes\":%zu", anim->size);
}

// Prints the properties that only a clip without compression has, such as the number of constant
// tracks. A constant track has the same value in all frames.
static void print_plain_anim(bool is_json, const md5_anim *anim)
{
    const uint32_t joints = anim->skeleton.num_joints;
    PRINT("  components         %u per frame\n", ",\"components\":%u", anim->num_components);
    PRINT("  constant tracks    %u of %u rotations, %u of %u translations\n",
          ",\"constant_rotations\":%u,\"rotations\":%u,\"constant_translations\":%u,"
          "\"translations\":%u",
          joints - anim->num_rotations, joints, joints - anim->num_translations, joints);
    md5_bounds bounds = md5_bounds_from_points(NULL, 0); // bounds of all frames
    if (anim->frame_bounds) {
        for (uint32_t i = 0; i < anim->num_frames; i++)
            bounds = md5_bounds_union(bounds, anim->frame_bounds[i]);
    }
    print_bounds(is_json, bounds);
    PRINT("  bytes in memory    %zu\n", ",\"bytes\":%zu", anim->size);
    PRINT("  warnings           %u\n", ",\"warnings\":%u", anim->num_warnings);
}

// Prints the properties of a clip: first the properties that all clips have, then the properties of
// its file format.
static void print_anim(bool is_json, const md5_anim *anim)
{
    PRINT("  joints             %u\n", ",\"joints\":%u", anim->skeleton.num_joints);
    print_frames(is_json, anim->num_frames, anim->frame_rate, anim->duration);
    if (anim->packed_size)
        print_packed_anim(is_json, anim);
    else
        print_plain_anim(is_json, anim);
    print_root_motion(is_json, anim);
    print_joints(is_json, &anim->skeleton);
}

// Prints the parameters of a state machine as an array.
static void print_parameters(bool is_json, const md5_machine_desc *desc)
{
    static const char *const kinds[] = {"float", "bool", "trigger"};
    JSON(",\"parameters\":[");
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        JSON(comma(i));
        PRINT("  parameter          %s %s\n", "{\"kind\":%s,\"name\":%s}",
              kinds[desc->parameters[i].kind], desc->parameters[i].name);
    }
    JSON("]");
}

// Prints a state machine: its counts, its parameters and its layers.
static void print_machine(bool is_json, const md5_machine_desc *desc)
{
    PRINT("  name               %s\n", ",\"name\":%s", desc->name);
    PRINT("  clips              %u\n", ",\"clips\":%u", desc->num_clips);
    PRINT("  motions            %u\n", ",\"motions\":%u", desc->num_motions);
    PRINT("  masks              %u\n", ",\"masks\":%u", desc->num_masks);
    PRINT("  modifiers          %u\n", ",\"modifiers\":%u", desc->num_modifiers);
    print_parameters(is_json, desc);

    JSON(",\"layers\":[");
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        JSON(comma(i));
        PRINT("  layer              %s, states: %u, transitions: %u\n",
              "{\"name\":%s,\"states\":%u,\"transitions\":%u}", desc->layers[i].name,
              desc->layers[i].num_states, desc->layers[i].num_transitions);
    }
    JSON("]");
}

// Returns the format of a loaded file in the words of the output.
static const char *describe_kind(const tool_asset *asset)
{
    if (asset->model)
        return "md5mesh";
    if (asset->anim)
        return asset->anim->packed_size ? "compressed clip" : "md5anim";
    if (asset->camera)
        return "md5camera";
    return asset->character ? "md5machine" : "md5.cfg";
}

// Prints the properties of a camera.
static void print_camera(bool is_json, const md5_camera *camera)
{
    print_frames(is_json, camera->num_frames, camera->frame_rate, camera->duration);
    PRINT("  cuts               %u, with a separate view: %u\n", ",\"cuts\":%u,\"views\":%u",
          camera->num_cuts, camera->num_cut_views);
    PRINT("  bytes in memory    %zu\n", ",\"bytes\":%zu", camera->size);
    PRINT("  warnings           %u\n", ",\"warnings\":%u", camera->num_warnings);
}

// Prints the properties of a file that was loaded. Counts are taken from the file, except for the
// counts of rendered items.
static void print_asset(bool is_json, const char *path, const tool_asset *asset)
{
    PRINT("%s: %s\n", "{\"file\":%s,\"kind\":%s", path, describe_kind(asset));
    if (asset->model)
        print_model(is_json, path, asset->model);
    if (asset->anim)
        print_anim(is_json, asset->anim);
    if (asset->camera)
        print_camera(is_json, asset->camera);
    if (asset->character)
        print_machine(is_json, md5_machine_tables(asset->character->machine));
    if (asset->cube)
        print_cube(is_json, asset->cube);
    JSON("}\n");
}

// Prints the list of a folder or archive, as md5tool list does. Returns false if it fails.
static bool print_folder(bool is_json, const char *path)
{
    PRINT("%s: %s\n", "{\"file\":%s,\"kind\":%s}\n", path,
          common_is_folder(path) ? "folder" : "archive");
    char *operands[] = {(char *)(uintptr_t)path};
    tool_arguments arguments = {.operands = operands, .num_operands = 1, .is_json = is_json};
    return tool_list.run(&arguments) == TOOL_OK;
}

// Prints the properties of a file, or the list of a folder or archive. Returns false if it cannot
// be read.
static bool print_file(bool is_json, const char *path)
{
    if (tool_file_kind(path) == TOOL_UNKNOWN && common_contains_files(path))
        return print_folder(is_json, path);

    tool_asset asset;
    md5_error error = {0};
    if (!tool_load(path, NULL, &asset, &error)) {
        tool_print_error(NULL, &error);
        return false;
    }
    print_asset(is_json, path, &asset);
    tool_free(&asset);
    return true;
}

// The command `md5tool info`: continues with the next file after an error, and returns an exit
// status.
static int info(tool_arguments *arguments)
{
    int status = TOOL_OK;
    for (int i = 0; i < arguments->num_operands; i++) {
        if (!print_file(arguments->is_json, arguments->operands[i]))
            status = TOOL_BAD_FILE;
    }
    return status;
}

const tool_command tool_info = {
    "info",
    info,
    1,
    INT_MAX,
    "files",
    "usage: md5tool info [OPTION] FILE...\n"
    "\n"
    "Prints a summary of .md5mesh, .md5anim, .md5camera, .md5machine and md5.cfg files and of\n"
    "compressed clips, which are recognized by their contents. For a folder or an archive (.pak\n"
    ".pk3 .pk4 .zip) it prints the same list as \"md5tool list\".\n"
    "Models and animations include the joint hierarchy with the index of each joint and of its\n"
    "parent. Models also include the clips in their folder, with the reason if one does not fit,\n"
    "and the images of their shaders, which are searched in the model's folder or relative to it\n"
    "and its parent folders.\n"
    "The loss of a mesh is the largest error, in units, of skinning it with 4 or 8 influences per\n"
    "vertex, for any rotation of its joints; the bytes are the size of joint indices and weights.\n"
    "Constant tracks of an animation are tracks that do not change in any frame.\n"
    "\n"
    "  --json   print one JSON object per file, with the same values; missing values are null\n"};
