// md5tool info: prints a summary of files.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// A model of Cube 2's engines.
static void print_cube(const char *path, const md5_cube2 *cube)
{
    common_print(stdout, "%s: md5.cfg\n", path);
    printf("  parts              %u, %u links\n", cube->num_parts, cube->num_links);
    printf("  scale              %g\n", (double)cube->scale);
    printf("  other settings     %u\n", cube->num_settings);
    printf("  warnings           %u\n", cube->num_warnings);
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        common_print(stdout, "  mesh               %s\n", part->mesh);
        printf("    animations       %u, %u masks, %u adjustments\n", part->num_anims,
               part->num_masks, part->num_adjustments);
        printf("    tags             %u\n", part->num_tags);
        printf("    looks            %u lines\n", part->num_rows);
        for (uint32_t k = 0; k < part->num_anims; k++)
            common_print(stdout, "    animation        %s, %s, %g a second\n", part->anims[k].names,
                         part->anims[k].file, (double)part->anims[k].frame_rate);
    }
}

// Bounds of no points at all are the wrong way round.
static void print_bounds(md5_bounds bounds)
{
    if (bounds.min.x > bounds.max.x)
        puts("  bounds             none");
    else
        printf("  bounds             (%g %g %g) to (%g %g %g)\n", (double)bounds.min.x,
               (double)bounds.min.y, (double)bounds.min.z, (double)bounds.max.x,
               (double)bounds.max.y, (double)bounds.max.z);
}

static void print_frames(uint32_t num_frames, double frame_rate, double seconds)
{
    printf("  frames             %u\n", num_frames);
    printf("  frame rate         %g a second\n", frame_rate);
    printf("  seconds            %g\n", seconds);
}

// As a tree, children in file order, indented by at most 40 levels.
static void print_joints(const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints; // and the index of what the roots hang on
    uint32_t *const first = common_alloc(count + (size_t)1, sizeof *first); // child of each joint
    uint32_t *const next = common_alloc(count, sizeof *next);               // sibling
    for (uint32_t i = 0; i <= count; i++)
        first[i] = MD5_NONE;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t parent = skeleton->joints[i].parent;
        uint32_t *const list = &first[parent == MD5_NONE ? count : parent];
        next[i] = *list;
        *list = i;
    }
    int depth = 0;
    for (uint32_t i = first[count]; i != MD5_NONE;) {
        const md5_joint *joint = &skeleton->joints[i];
        printf("  joint %-13u%*s", i, 2 * (depth < 40 ? depth : 40), "");
        common_print(stdout, "%s", joint->name);
        if (joint->parent != MD5_NONE)
            printf(", parent %u", joint->parent);
        putchar('\n');
        for (; first[i] == MD5_NONE && next[i] == MD5_NONE && joint->parent != MD5_NONE; depth--) {
            i = joint->parent;
            joint = &skeleton->joints[i];
            first[i] = MD5_NONE; // its children are done
        }
        depth += first[i] != MD5_NONE;
        i = first[i] != MD5_NONE ? first[i] : next[i];
    }
    free(next);
    free(first);
}

// The clips of a mesh's folder, and why those do not fit that id's engine refuses.
static void print_clips(const char *path)
{
    const tool_engines asked = {.all = tool_find_engines("doom3")};
    char *const folder = common_folder(path);
    common_list clips = common_list_folder(folder, ".md5anim");
    tool_facts *const mesh = clips.count > 0 ? tool_load_facts(path, asked) : NULL;
    for (size_t i = 0; mesh && i < clips.count; i++) {
        tool_facts *const clip = tool_load_facts(clips.names[i], asked);
        size_t count = 0;
        const tool_finding *const found = clip ? tool_judge_pair(mesh, clip, &count) : NULL;
        common_print(stdout, "  clip               %s: %s\n", common_base(clips.names[i]),
                     !clip       ? "cannot be read"
                     : count > 0 ? found[0].error.message
                                 : "fits");
        tool_free_facts(clip);
    }
    tool_free_facts(mesh);
    common_free_list(&clips);
    free(folder);
}

// Numbers of the file, not those of what is drawn, unless it says so.
static bool print_file(const char *path)
{
    tool_asset asset;
    md5_error error = {0};
    if (!tool_load(path, NULL, &asset, &error)) {
        tool_print_error(NULL, &error);
        return false;
    }
    if (asset.model) {
        uint64_t vertices = 0, triangles = 0, weights = 0;
        uint32_t max_weights = 0;
        for (uint32_t i = 0; i < asset.model->num_meshes; i++) {
            const md5_mesh *mesh = &asset.model->meshes[i];
            vertices += mesh->num_file_vertices;
            triangles += mesh->num_triangles;
            weights += mesh->num_weights;
            if (mesh->max_weights > max_weights)
                max_weights = mesh->max_weights;
        }
        common_print(stdout, "%s: md5mesh\n", path);
        printf("  joints             %u\n", asset.model->skeleton.num_joints);
        printf("  meshes             %u\n", asset.model->num_meshes);
        printf("  vertices           %llu\n", (unsigned long long)vertices);
        printf("  triangles          %llu\n", (unsigned long long)triangles);
        printf("  weights            %llu\n", (unsigned long long)weights);
        printf("  weights a vertex   %u at most\n", max_weights);
        print_bounds(asset.model->bounds);
        printf("  bytes in memory    %zu\n", asset.model->size + asset.model->geometry_size);
        printf("  warnings           %u\n", asset.model->num_warnings);
        for (uint32_t i = 0; i < asset.model->num_meshes; i++) {
            const md5_mesh *const mesh = &asset.model->meshes[i];
            common_print(stdout, "  mesh %u%s%s, shader \"%s\"\n", i, mesh->name[0] ? " " : "",
                         mesh->name, mesh->shader);
            printf("    vertices         %u, drawn as %u (%u copies at mirror seams)\n",
                   mesh->num_file_vertices, mesh->num_vertices,
                   mesh->num_vertices - mesh->num_file_vertices);
            printf("    triangles        %u\n", mesh->num_triangles);
            printf("    weights          %u, at most %u on a vertex; %u vertices sum to other than "
                   "1\n",
                   mesh->num_weights, mesh->max_weights, mesh->num_off_sums);
            printf("    loss             4 influences %.2g, 8 influences %.2g units\n",
                   (double)mesh->loss4, (double)mesh->loss8);
        }
        print_joints(&asset.model->skeleton);
        if (tool_kind_of(path) == TOOL_MODEL && common_is_file(path))
            print_clips(path);
    }
    if (asset.anim && asset.anim->packed) {
        const double joint_frames =
            (double)asset.anim->skeleton.num_joints * asset.anim->num_frames;
        common_print(stdout, "%s: compressed clip\n", path);
        printf("  joints             %u\n", asset.anim->skeleton.num_joints);
        print_frames(asset.anim->num_frames, asset.anim->frame_rate, asset.anim->duration);
        printf("  tolerance          %g units at the skin\n", (double)asset.anim->tolerance);
        printf("  error              %.2g units at the skin, measured when it was compressed\n",
               (double)asset.anim->max_error);
        printf("  bytes for sampling %zu, %.2f for each joint and frame\n", asset.anim->packed_size,
               (double)asset.anim->packed_size / joint_frames);
        printf("  bytes in memory    %zu\n", asset.anim->size);
    } else if (asset.anim) {
        const uint32_t joints = asset.anim->skeleton.num_joints;
        common_print(stdout, "%s: md5anim\n", path);
        printf("  joints             %u\n", joints);
        print_frames(asset.anim->num_frames, asset.anim->frame_rate, asset.anim->duration);
        printf("  components         %u a frame\n", asset.anim->num_components);
        printf("  constant tracks    %u of %u rotations, %u of %u translations\n",
               joints - asset.anim->num_rotations, joints, joints - asset.anim->num_translations,
               joints);
        md5_bounds bounds = md5_bounds_from_points(NULL, 0); // of all frames
        for (uint32_t i = 0; asset.anim->frame_bounds && i < asset.anim->num_frames; i++)
            bounds = md5_bounds_union(bounds, asset.anim->frame_bounds[i]);
        print_bounds(bounds);
        printf("  bytes in memory    %zu\n", asset.anim->size);
        printf("  warnings           %u\n", asset.anim->num_warnings);
    }
    if (asset.anim)
        print_joints(&asset.anim->skeleton);
    if (asset.camera) {
        common_print(stdout, "%s: md5camera\n", path);
        print_frames(asset.camera->num_frames, asset.camera->frame_rate, asset.camera->duration);
        printf("  cuts               %u, %u with a view of its own\n", asset.camera->num_cuts,
               asset.camera->num_cut_views);
        printf("  bytes in memory    %zu\n", asset.camera->size);
        printf("  warnings           %u\n", asset.camera->num_warnings);
    }
    if (asset.character) {
        const md5_machine_desc *const desc = md5_machine_tables(asset.character->machine);
        common_print(stdout, "%s: md5machine\n", path);
        common_print(stdout, "  name               %s\n", desc->name);
        printf("  clips              %u\n", desc->num_clips);
        printf("  motions            %u\n", desc->num_motions);
        printf("  masks              %u\n", desc->num_masks);
        printf("  modifiers          %u\n", desc->num_modifiers);
        for (uint32_t i = 0; i < desc->num_parameters; i++) {
            static const char *const kinds[] = {"float", "bool", "trigger"};
            common_print(stdout, "  parameter          %s %s\n", kinds[desc->parameters[i].kind],
                         desc->parameters[i].name);
        }
        for (uint32_t i = 0; i < desc->num_layers; i++) {
            common_print(stdout, "  layer              %s, %u states, %u transitions\n",
                         desc->layers[i].name, desc->layers[i].num_states,
                         desc->layers[i].num_transitions);
        }
    }
    if (asset.cube)
        print_cube(path, asset.cube);
    tool_free(&asset);
    return true;
}

static int info(tool_arguments *arguments)
{
    int status = TOOL_OK;
    for (int i = 0; i < arguments->num_words; i++) {
        if (!print_file(arguments->words[i]))
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
    "usage: md5tool info FILE...\n"
    "\n"
    "Prints a summary of each .md5mesh, .md5anim, .md5camera, .md5machine or md5.cfg file, and of\n"
    "clips of \"md5tool compress\", known by their first bytes if the name has no such extension;\n"
    "of models and animations also the tree of joints, with the index of each and of its parent,\n"
    "of models the clips beside them, and why some do not fit.\n"
    "The loss of a mesh is the largest error, in units, of drawing it with 4 or 8 influences per\n"
    "vertex, for any rotation of its joints. Constant tracks of an animation are those that do "
    "not\n"
    "change in any frame.\n"};
