// Loads an md5.cfg of the Cube 2 engines as one model. Merges the skeletons of its parts. Writes
// its meshes to one .md5mesh in memory. Each animation name becomes a clip, which is sampled from
// the animations of all parts.
#include "demo/viewer/assets/cube.h"

#include "demo/viewer/assets/model_text.h"
#include "md5/md5pose.h"

// Limits that keep the cost linear; no model of a game reaches them.
enum {
    MAX_PARTS = 256,
    MAX_NAMES = 1000, // clips of a model
    MAX_ROWS = 4000,  // animations of a part
    MAX_MASKS = 64,   // masks of a part
};
#define MAX_FRAMES 4000.0            // frames of a clip
#define MAX_SIZE ((size_t)128 << 20) // bytes of all clips

// An .md5anim file that is bound to a part, loaded once.
typedef struct cube_file {
    const char *path;
    uint32_t part;
    md5_anim *anim; // both NULL: the file cannot be used, which was logged
    md5_binding *binding;
} cube_file;

// The animation that a mask of a part plays in the current clip. As in the engines, a mask is a
// group of joints. Each joint of a part belongs to one mask, and each mask can play its own
// animation.
typedef struct cube_track {
    const md5_cube2_anim *row; // NULL: the bind pose
    const cube_file *file;
    uint32_t first; // frame
    uint32_t count; // frames
} cube_track;

// A part: its joints in the merged model, and its animation while a clip is sampled.
typedef struct cube_part {
    const md5_cube2_part *part;
    md5_model *model; // NULL: the part is not shown
    uint32_t *joints; // [joints of the part] indices in the merged model
    uint32_t parent;  // joint of the merged model that is the parent of the part's roots
    md5_xform offset; // transform of the part, relative to that joint, file units
    uint32_t shared;  // the part whose joints it uses; the part itself if it has its own joints
    const md5_cube2_link *link;   // its attachment to another part, or NULL
    const md5_cube2_part *player; // the part whose animations it plays; NULL: none
    uint32_t num_rows;            // number of animations of `player`, at most MAX_ROWS
    uint32_t num_masks;
    uint32_t *masks;     // [joints of the part] index of the mask that animates the joint
    md5_xform *pose;     // [joints of the part] result of all masks, relative to the parents
    md5_xform *adjusted; // [joints of the part] sample of one track, relative to the parents
    cube_track *tracks;  // [num_masks]
} cube_part;

// A joint of the merged model, in file units.
typedef struct cube_joint {
    char *name;            // unique
    uint32_t parent;       // MD5_NONE = none
    md5_xform bind_local;  // relative to the parent
    md5_xform bind;        // in model space
    const cube_part *part; // part of the joint; NULL for joint 0
    uint32_t in_part;      // index in the part
} cube_joint;

typedef struct cube_model {
    const char *path; // path of the md5.cfg
    view_log *log;
    const md5_cube2 *cube;
    cube_part *parts; // [cube->num_parts]
    uint32_t num_joints;
    uint32_t num_meshes;
    uint32_t num_files;
    cube_joint *joints; // joint 0 is the origin
    md5_xform *pose;    // [num_joints]
    cube_file *files;
    md5_model *model; // the merged model
} cube_model;

static const float DEGREE = 0.01745329252f;

// -- Placement ------------------------------------------------------------------------------------

// Sets the offset of a part that is not attached to another part. The engines move a model in its
// own space, and then rotate it about -y, x and z. In id's axes y is mirrored, so the angles about
// z and x change their signs.
static void transform_root_part(const md5_cube2 *cube, cube_part *part)
{
    const md5_vec3 x = {1, 0, 0};
    const md5_vec3 y = {0, 1, 0};
    const md5_vec3 z = {0, 0, 1};
    const md5_quat yaw = md5_quat_from_axis_angle(z, -cube->yaw * DEGREE);
    const md5_quat pitch = md5_quat_from_axis_angle(x, -cube->pitch * DEGREE);
    const md5_quat roll = md5_quat_from_axis_angle(y, -cube->roll * DEGREE);
    const md5_quat rotation = md5_quat_mul(md5_quat_mul(yaw, pitch), roll);
    part->offset = (md5_xform){
        .rotation = rotation,
        .translation = md5_quat_rotate(rotation, cube->translation),
    };
}

// Returns the tag with this name to which a part is attached, or NULL. Parts with the same skeleton
// share their tags. If several tags have the name, the last is used.
static const md5_cube2_tag *find_tag(const cube_model *joined, const cube_part *parent,
                                     const char *name)
{
    const md5_cube2 *const cube = joined->cube;
    const md5_cube2_tag *tag = NULL;
    for (uint32_t p = 0; p < cube->num_parts && p < MAX_PARTS; p++) {
        if (joined->parts[p].shared != parent->shared)
            continue;
        for (uint32_t i = 0; i < cube->parts[p].num_tags; i++) {
            if (strcmp(cube->parts[p].tags[i].name, name) == 0)
                tag = &cube->parts[p].tags[i];
        }
    }
    return tag;
}

// Sets the parent and the offset of a part that a link attaches to a tag of an earlier part. If the
// earlier part or the tag does not exist, logs a warning and returns false.
static bool attach_to_tag(const cube_model *joined, uint32_t index, const md5_cube2_link *link)
{
    cube_part *const part = &joined->parts[index];
    const cube_part *const parent = &joined->parts[link->parent];
    if (link->parent >= index || parent->model == NULL) {
        view_warn(joined->log,
                  "%s: skipped part %u: the part is linked to part %u, which must be loaded before",
                  joined->path, index, link->parent);
        return false;
    }
    const md5_cube2_tag *const tag = find_tag(joined, parent, link->tag);
    uint32_t joint = MD5_NONE;
    if (tag != NULL)
        joint = md5_find_joint(&parent->model->skeleton, tag->joint);
    if (joint == MD5_NONE) {
        view_warn(joined->log, "%s: skipped part %u: tag '%s' not found in part %u", joined->path,
                  index, link->tag, link->parent);
        return false;
    }

    const md5_xform displacement = {.rotation = {.w = 1}, .translation = link->translation};
    part->parent = parent->joints[joint];
    part->offset = md5_xform_mul(tag->transform, displacement);
    return true;
}

// Sets the parent and the offset of a part. The first part is at the origin, and so are parts that
// use its skeleton. All other parts need a link. Returns false if the part is not shown.
static bool attach(const cube_model *joined, uint32_t index)
{
    if (index >= MAX_PARTS)
        return false;
    cube_part *const part = &joined->parts[index];
    const bool is_at_origin = index == 0 || (part->link == NULL && part->shared == 0);
    if (is_at_origin) {
        transform_root_part(joined->cube, part);
        return true;
    }
    if (part->link == NULL) {
        view_warn(joined->log, "%s: skipped part %u: the part is not linked to another part",
                  joined->path, index);
        return false;
    }
    return attach_to_tag(joined, index, part->link);
}

// Returns the joint of the merged skeleton for joint `in_part` of a part. For all parts but the
// first, the name begins with the index of the part, so that the names are unique.
static cube_joint make_joint(const cube_model *joined, uint32_t part_index, uint32_t in_part)
{
    cube_part *const part = &joined->parts[part_index];
    const md5_joint *const joint = &part->model->skeleton.joints[in_part];
    const md5_xform local = part->model->bind_local[in_part];
    cube_joint result = {.part = part, .in_part = in_part};
    if (part_index == 0)
        result.name = common_copy(joint->name);
    else
        result.name = common_format("%u/%s", part_index, joint->name);
    if (joint->parent == MD5_NONE) {
        result.parent = part->parent;
        result.bind_local = md5_xform_mul(part->offset, local);
    } else {
        result.parent = part->joints[joint->parent];
        result.bind_local = local;
    }
    result.bind = md5_xform_mul(joined->joints[result.parent].bind, result.bind_local);
    return result;
}

// Returns the joint of the merged skeleton for joint `name` of a part that shares its skeleton. The
// part `owner` has added the joints of this skeleton. Returns MD5_NONE if it has no joint of this
// name.
static uint32_t find_shared_joint(const cube_part *owner, const char *name)
{
    const uint32_t in_owner = md5_find_joint(&owner->model->skeleton, name);
    return in_owner != MD5_NONE ? owner->joints[in_owner] : MD5_NONE;
}

// Adds the joints of a part to the merged skeleton, and fills part->joints. If the part has no link
// and another part has the same skeleton, uses the joints of that part with the same names.
static void add_joints(cube_model *joined, uint32_t index)
{
    cube_part *const part = &joined->parts[index];
    const cube_part *const owner = &joined->parts[part->shared];
    const md5_skeleton *const skeleton = &part->model->skeleton;
    const bool uses_owner = part->shared != index && part->link == NULL && owner->model != NULL;
    const size_t max_joints = (size_t)joined->num_joints + skeleton->num_joints;
    part->joints = common_alloc(skeleton->num_joints, sizeof *part->joints);
    joined->joints = common_realloc(joined->joints, max_joints, sizeof *joined->joints);

    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t in_part = skeleton->order[i]; // parents first
        uint32_t in_merged = MD5_NONE;
        if (uses_owner)
            in_merged = find_shared_joint(owner, skeleton->joints[in_part].name);
        if (in_merged == MD5_NONE) {
            in_merged = joined->num_joints++;
            joined->joints[in_merged] = make_joint(joined, index, in_part);
        }
        part->joints[in_part] = in_merged;
    }
}

// Returns the first link that attaches a part to another part, or NULL.
static const md5_cube2_link *find_link(const md5_cube2 *cube, uint32_t part)
{
    for (uint32_t i = 0; i < cube->num_links; i++) {
        if (cube->links[i].child == part)
            return &cube->links[i];
    }
    return NULL;
}

// Returns the index of the first part with the same skeleton name as a part. This is the part
// itself if its name is empty or unique.
static uint32_t find_skeleton_owner(const md5_cube2 *cube, uint32_t part)
{
    const char *const name = cube->parts[part].skeleton;
    if (name[0] == '\0')
        return part;
    uint32_t owner = 0;
    while (owner < part && owner < MAX_PARTS && strcmp(cube->parts[owner].skeleton, name) != 0)
        owner++;
    return owner;
}

// Loads the meshes of all parts and merges their skeletons. Returns false and logs an error if a
// mesh cannot be read.
static bool join_parts(cube_model *joined, const md5_load_opts *opts)
{
    const md5_cube2 *const cube = joined->cube;
    joined->parts = common_alloc(cube->num_parts, sizeof *joined->parts);
    joined->joints = common_alloc(1, sizeof *joined->joints);
    joined->joints[joined->num_joints++] = (cube_joint){
        .name = common_copy("md5.cfg"),
        .parent = MD5_NONE,
        .bind_local = {.rotation = {.w = 1}},
        .bind = {.rotation = {.w = 1}},
    };
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        md5_error error = {0};
        cube_part *const part = &joined->parts[i];
        part->part = &cube->parts[i];
        part->link = find_link(cube, i);
        part->shared = find_skeleton_owner(cube, i);
        if (!attach(joined, i))
            continue;
        part->model = md5_load_model(part->part->mesh, opts, &error);
        if (part->model == NULL)
            return view_log_error(joined->log, &error);
        add_joints(joined, i);
        joined->num_meshes += part->model->num_meshes;
    }
    return true;
}

// -- Meshes ---------------------------------------------------------------------------------------

// Creates the model that merges all parts of a Cube 2 model. Writes its joints and meshes as the
// text of an .md5mesh, at the scale of the description. Then parses this text. Returns NULL and an
// error on failure.
static md5_model *make_model(const cube_model *joined, md5_error *error)
{
    view_text words = {0};
    view_begin_model(&words, joined->num_joints, joined->num_meshes);
    for (uint32_t i = 0; i < joined->num_joints; i++) {
        cube_joint *const joint = &joined->joints[i];
        md5_xform bind = joint->bind;
        bind.translation = md5_vec3_scale(bind.translation, joined->cube->scale);
        view_append_joint(&words, joint->name, joint->parent, bind);
    }
    view_append(&words, "}\n");
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        const md5_model *const model = joined->parts[p].model;
        for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
            view_append_mesh(&words, &(view_mesh_text){.mesh = &model->meshes[m],
                                                       .material = model->meshes[m].shader,
                                                       .joints = joined->parts[p].joints,
                                                       .scale = joined->cube->scale});
    }
    return view_end_model(&words, joined->path, error);
}

// -- Unsupported commands -------------------------------------------------------------------------

// Commands of an md5.cfg that the viewer does not support. `begin` is the beginning of the keyword
// after "md5" or "mdl". `name` is the name of the feature in messages.
static const struct unsupported_keyword {
    const char *begin;
    const char *name;
} unsupported_keywords[] = {
    {"rd", "ragdoll"},
    {"envmap", "reflections"},
    {"shader", "shaders"},
    {"glare", "glare"},
    {"scroll", "scrolling textures"},
    {"fullbright", "full brightness"},
    {"alphablend", "alpha blending (drawn as cutout)"},
    {"material", "player colors"},
    {"spin", "spinning"},
};

enum { NUM_UNSUPPORTED = COMMON_LENGTH(unsupported_keywords) };

// Returns the index of a keyword in the table of unsupported keywords. The keyword may begin with
// "md5" or "mdl". Returns NUM_UNSUPPORTED if the keyword is supported.
static size_t find_unsupported(const char *keyword)
{
    if (strncmp(keyword, "md5", 3) == 0 || strncmp(keyword, "mdl", 3) == 0)
        keyword += 3;
    for (size_t i = 0; i < NUM_UNSUPPORTED; i++) {
        const char *const begin = unsupported_keywords[i].begin;
        if (strncmp(keyword, begin, strlen(begin)) == 0)
            return i;
    }
    return NUM_UNSUPPORTED;
}

// Lists each unsupported feature once, in the order of unsupported_keywords[], no matter how many
// commands use it.
void view_report_unsupported(const md5_cube2 *cube, const char *path, view_log *log)
{
    // find_unsupported() returns NUM_UNSUPPORTED for supported keywords, so the array needs one
    // more element, which is never read.
    bool is_used[NUM_UNSUPPORTED + 1] = {false};
    for (uint32_t i = 0; i < cube->num_settings; i++)
        is_used[find_unsupported(cube->settings[i].keyword)] = true;
    for (uint32_t p = 0; p < cube->num_parts; p++) {
        for (uint32_t i = 0; i < cube->parts[p].num_commands; i++)
            is_used[find_unsupported(cube->parts[p].commands[i].keyword)] = true;
    }

    char text[512] = "";
    for (int i = 0; i < NUM_UNSUPPORTED; i++) {
        if (is_used[i])
            common_append(text, sizeof text, ", ", "%s", unsupported_keywords[i].name);
    }
    if (text[0] != '\0')
        view_info(log, "%s: not supported: %s", path, text);
}

// -- Clips ---------------------------------------------------------------------------------------

// Loads the file that animates a part, and binds its animation to the part. If it cannot be used,
// logs a warning and returns a file without animation.
static cube_file load_cube_file(const cube_model *joined, uint32_t part, const char *path)
{
    md5_error error = {0};
    cube_file file = {.path = path, .part = part, .anim = md5_load_anim(path, NULL, &error)};
    file.binding = md5_bind(joined->parts[part].model, file.anim,
                            &(md5_load_opts){.allow_partial_binding = true}, &error);
    if (file.binding != NULL)
        return file;

    char text[640];
    md5_format_error(&error, text, sizeof text);
    view_warn(joined->log, "%s", text);
    md5_free_anim(file.anim);
    file.anim = NULL;
    return file;
}

// Returns the file that animates a part. It is loaded on first use, which may move the array of
// files. If it cannot be used, `anim` is NULL; this was logged.
static const cube_file *find_file(cube_model *joined, uint32_t part, const char *path)
{
    for (uint32_t i = 0; i < joined->num_files; i++) {
        if (joined->files[i].part == part && strcmp(joined->files[i].path, path) == 0)
            return &joined->files[i];
    }
    const cube_file loaded = load_cube_file(joined, part, path);
    cube_file *const added = COMMON_ADD_ITEM(joined->files, joined->num_files);
    *added = loaded;
    return added;
}

// Returns true if a mask lists a joint. With `is_excluded`, returns true if it lists the joint with
// a "!", which excludes the joint from the mask.
static bool has_name(const md5_cube2_mask *mask, const char *name, bool is_excluded)
{
    for (uint32_t i = 0; i < mask->num_joints; i++) {
        const char *const entry = mask->joints[i];
        const bool excludes = entry[0] == '!';
        const char *const joint = excludes ? entry + 1 : entry;
        if (excludes == is_excluded && strcmp(joint, name) == 0)
            return true;
    }
    return false;
}

// Returns true if a joint belongs to a mask. This is the case if the mask lists the joint or
// contains its parent, and does not exclude the joint. A mask without joints contains all joints.
static bool is_in_mask(const md5_cube2_mask *mask, const char *name, bool is_parent_inside)
{
    if (has_name(mask, name, true))
        return false;
    return mask->num_joints == 0 || is_parent_inside || has_name(mask, name, false);
}

// Assigns each joint of a part to a mask: the last mask that contains the joint, or mask 0. `masks`
// is zero-initialized.
static void assign_masks(const md5_skeleton *skeleton, const md5_cube2_part *player,
                         uint32_t num_masks, uint32_t *masks)
{
    // The joints in the current mask.
    bool *const inside = common_alloc(skeleton->num_joints, sizeof *inside);
    for (uint32_t mask = 1; mask < num_masks; mask++) {
        for (uint32_t i = 0; i < skeleton->num_joints; i++) {
            const uint32_t joint = skeleton->order[i]; // parents first
            const uint32_t parent = skeleton->joints[joint].parent;
            const bool is_parent_inside = parent != MD5_NONE && inside[parent];
            inside[joint] =
                is_in_mask(&player->masks[mask], skeleton->joints[joint].name, is_parent_inside);
            if (inside[joint])
                masks[joint] = mask;
        }
    }
    free(inside);
}

// Prepares a shown part for sampling its animations. `skeleton_owner` is the part whose joints this
// part uses. A part without animations plays the animations of `skeleton_owner`, if that part is
// shown.
static void begin_part(cube_part *part, const cube_part *skeleton_owner)
{
    const md5_skeleton *const skeleton = &part->model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    part->player = part->part;
    if (part->part->num_anims == 0 && skeleton_owner->model != NULL)
        part->player = skeleton_owner->part;
    const md5_cube2_part *const player = part->player;
    part->num_rows = player->num_anims < MAX_ROWS ? player->num_anims : MAX_ROWS;
    part->num_masks = player->num_masks < MAX_MASKS ? player->num_masks : MAX_MASKS;

    part->masks = common_alloc(num_joints, sizeof *part->masks);
    part->pose = common_alloc(num_joints, sizeof *part->pose);
    part->adjusted = common_alloc(num_joints, sizeof *part->adjusted);
    part->tracks = common_alloc(part->num_masks, sizeof *part->tracks);
    assign_masks(skeleton, player, part->num_masks, part->masks);
}

// -- Frames ---------------------------------------------------------------------------------------

// Samples a track of a part at a time in seconds into part->adjusted. The track loops: its last
// frame is followed by its first frame.
static void sample_track(const cube_part *part, const cube_track *track, double time)
{
    const double position = fmod(time * track->row->frame_rate, track->count); // frames
    const double fraction = position - floor(position);
    // An invalid position shows the first frame.
    const uint32_t frame = (uint32_t)position < track->count ? (uint32_t)position : 0;
    const uint32_t next_frame = frame + 1 < track->count ? frame + 1 : 0;
    const md5_sample_position sample = md5_sample_position_from_frames(
        track->file->anim, track->first + frame, track->first + next_frame, (float)fraction);
    md5_sample(track->file->binding, sample, MD5_ROOT_FILE, part->adjusted);
    md5_cube2_adjust_pose(part->player, track->row, &part->model->skeleton, part->adjusted);
}

// Writes the pose of a part at a time in seconds. Each joint belongs to a mask. It gets its
// transform from the track that the mask plays, or its bind transform if the mask plays nothing.
static void pose_part(const cube_part *part, double time)
{
    const uint32_t num_joints = part->model->skeleton.num_joints;
    memcpy(part->pose, part->model->bind_local, num_joints * sizeof *part->pose);
    for (uint32_t m = 0; m < part->num_masks; m++) {
        if (part->tracks[m].row == NULL)
            continue;
        sample_track(part, &part->tracks[m], time);
        for (uint32_t i = 0; i < num_joints; i++) {
            if (part->masks[i] == m)
                part->pose[i] = part->adjusted[i];
        }
    }
}

// Rotates the joints of a part that follow the view direction of the player. For a view straight
// ahead, their angles are constant. The axis of rotation is the direction to the right in the
// engine. In id's axes it is x, and the angle changes its sign, because y is mirrored.
static void pitch_joints(const cube_model *joined, const cube_part *part)
{
    const md5_vec3 axis = {1, 0, 0};
    for (uint32_t i = 0; i < part->part->num_pitches; i++) {
        const md5_cube2_pitch *const pitch = &part->part->pitches[i];
        const float angle = fminf(fmaxf(pitch->offset, pitch->min), pitch->max); // degrees
        const uint32_t joint = md5_find_joint(&part->model->skeleton, pitch->joint);
        if (angle == 0 || joint == MD5_NONE)
            continue;
        const md5_xform change = {
            .rotation = md5_quat_from_axis_angle(axis, -angle * DEGREE),
            .translation = {NAN, NAN, NAN}, // unchanged
        };
        md5_modify_joint(&joined->model->skeleton, part->joints[joint], MD5_JOINT_MODEL, change, 1,
                         joined->pose);
    }
}

// Returns the transform of a joint of the merged model relative to its parent. It comes from the
// pose of the joint's part, and is in units of the game.
static md5_xform merged_joint_transform(const cube_model *joined, const cube_joint *joint)
{
    const cube_part *const part = joint->part;
    md5_xform local = joint->bind_local;
    if (part != NULL) {
        // The roots of a part are moved by the offset of the part.
        const bool is_root = part->model->skeleton.joints[joint->in_part].parent == MD5_NONE;
        local = part->pose[joint->in_part];
        if (is_root)
            local = md5_xform_mul(part->offset, local);
    }
    local.translation = md5_vec3_scale(local.translation, joined->cube->scale);
    return local;
}

// Writes joined->pose, the pose of the merged model at a time in seconds. Poses each part, merges
// the joints of all parts, and then bends the joints that follow the view direction of the player.
static void pose_all(const cube_model *joined, double time)
{
    const uint32_t num_parts = joined->cube->num_parts;
    for (uint32_t p = 0; p < num_parts; p++) {
        if (joined->parts[p].model != NULL)
            pose_part(&joined->parts[p], time);
    }
    for (uint32_t i = 0; i < joined->num_joints; i++)
        joined->pose[i] = merged_joint_transform(joined, &joined->joints[i]);
    for (uint32_t p = 0; p < num_parts; p++) {
        if (joined->parts[p].model != NULL)
            pitch_joints(joined, &joined->parts[p]);
    }
}

// -- Making clips ---------------------------------------------------------------------------------

// Selects the animation that mask `mask` of a part plays in a clip. This is its animation with the
// name of the clip or, as in the engines, "idle". Returns false if the mask has neither.
static bool select_track(cube_model *joined, uint32_t part_index, uint32_t mask, const char *name)
{
    const cube_part *const part = &joined->parts[part_index];
    cube_track *const track = &part->tracks[mask];
    *track = (cube_track){.row = NULL};
    uint32_t row = md5_find_cube2_anim(part->player, mask, name);
    if (row == MD5_NONE)
        row = md5_find_cube2_anim(part->player, mask, "idle");
    if (row >= MAX_ROWS) // also MD5_NONE
        return false;
    const md5_cube2_anim *const anim = &part->player->anims[row];
    track->file = find_file(joined, part_index, anim->file);
    if (track->file->anim == NULL)
        return false;
    track->row = anim;
    md5_cube2_anim_range(anim, track->file->anim->num_frames, &track->first, &track->count);
    return true;
}

// Selects the tracks of all masks of all parts for a clip. *rate receives the frame rate of the
// fastest animation, and *duration the seconds of the longest animation. An animation with one
// frame has no duration. Returns false if no part has an animation with the name of the clip.
static bool select_tracks(cube_model *joined, const char *name, double *rate, double *duration)
{
    bool is_played = false;
    *rate = 0;
    *duration = 0;
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        const cube_part *const part = &joined->parts[p];
        for (uint32_t m = 0; m < part->num_masks; m++) {
            if (!select_track(joined, p, m, name))
                continue;
            is_played = true;
            const cube_track *const track = &part->tracks[m];
            const double frame_rate = track->row->frame_rate;
            const bool is_moving = track->count > 1;
            if (*rate <= 0 || (is_moving && frame_rate > *rate))
                *rate = frame_rate;
            if (is_moving)
                *duration = fmax(*duration, track->count / frame_rate);
        }
    }
    return is_played;
}

// Creates the clip of an animation name. It has the frame rate of the fastest animation of a part,
// and the duration of the longest. Returns NULL if no part has an animation with this name.
static md5_anim *make_clip(cube_model *joined, const char *name)
{
    double rate;
    double duration;
    if (!select_tracks(joined, name, &rate, &duration))
        return NULL;

    // A clip that would have too many frames is sampled at a lower rate.
    double num_intervals = floor(duration * rate + 0.5);
    if (num_intervals > MAX_FRAMES) {
        rate *= MAX_FRAMES / num_intervals;
        num_intervals = MAX_FRAMES;
    }
    md5_anim *const anim = view_make_anim(joined->model, (uint32_t)num_intervals + 1, rate);
    for (uint32_t i = 0; i < anim->num_frames; i++) {
        pose_all(joined, i / rate);
        view_set_frame(anim, i, joined->pose);
    }
    return anim;
}

// Returns true if the list of clips contains a name.
static bool has_clip(const view_cube *loaded, const char *name)
{
    for (uint32_t i = 0; i < loaded->num_clips; i++) {
        if (strcmp(loaded->clips[i].name, name) == 0)
            return true;
    }
    return false;
}

// Adds the names of an animation, separated by '|', to the list of clips unless they are listed.
static void list_clip_names(view_cube *loaded, const md5_cube2_anim *anim)
{
    const char *next = anim->names;
    while (*next != '\0' && loaded->num_clips < MAX_NAMES) {
        const size_t length = strcspn(next, "|");
        char *const name = common_format("%.*s", (int)length, next);
        if (length > 0 && !has_clip(loaded, name))
            *COMMON_ADD_ITEM(loaded->clips, loaded->num_clips) =
                (view_cube_clip){.name = name, .file = common_copy(anim->file)};
        else
            free(name);
        const bool has_more = next[length] == '|';
        next += has_more ? length + 1 : length;
    }
}

// Prepares all parts for sampling, and lists the names of their animations as clips. Loads all
// files now. The array of files must not move later, because the tracks of a clip refer to its
// elements.
static void list_clips(cube_model *joined, view_cube *loaded)
{
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        cube_part *const part = &joined->parts[p];
        if (part->model != NULL)
            begin_part(part, &joined->parts[part->shared]);
        for (uint32_t i = 0; i < part->num_rows; i++) {
            const md5_cube2_anim *const row = &part->player->anims[i];
            list_clip_names(loaded, row);
            find_file(joined, p, row->file);
        }
    }
}

// Creates the clips of all animation names. Stops with a warning if they exceed MAX_SIZE bytes.
static void make_clips(cube_model *joined, view_cube *loaded)
{
    joined->pose = common_alloc(joined->num_joints, sizeof *joined->pose);
    list_clips(joined, loaded);

    // Names whose clips cannot be created are removed from the list.
    const uint32_t num_listed = loaded->num_clips;
    size_t size = 0; // bytes of the clips so far
    loaded->num_clips = 0;
    for (uint32_t i = 0; i < num_listed; i++) {
        view_cube_clip clip = loaded->clips[i];
        clip.anim = NULL;
        const bool continues = view_log_progress(joined->log, "animations", i, num_listed);
        if (continues && size < MAX_SIZE)
            clip.anim = make_clip(joined, clip.name);
        if (clip.anim == NULL) {
            free(clip.name);
            free(clip.file);
            continue;
        }
        size += clip.anim->size;
        loaded->clips[loaded->num_clips++] = clip;
    }
    if (size >= MAX_SIZE)
        view_warn(joined->log, "too many animations: only the first %u are loaded",
                  loaded->num_clips);
}

// Frees everything that merging needed: files, parts and joints. The merged model remains, because
// it is the result.
static void free_cube_model(cube_model *joined, uint32_t num_parts)
{
    for (uint32_t i = 0; i < joined->num_files; i++) {
        md5_free_binding(joined->files[i].binding);
        md5_free_anim(joined->files[i].anim);
    }
    for (uint32_t i = 0; joined->parts != NULL && i < num_parts; i++) {
        const cube_part *const part = &joined->parts[i];
        md5_free_model(part->model);
        free(part->joints);
        free(part->masks);
        free(part->pose);
        free(part->adjusted);
        free(part->tracks);
    }
    for (uint32_t i = 0; i < joined->num_joints; i++)
        free(joined->joints[i].name);
    free(joined->joints);
    free(joined->parts);
    free(joined->pose);
    free(joined->files);
}

// Adds the appearance of each mesh, such as its texture, in the order of the parts. The md5.cfg
// defines it.
static void add_looks(view_cube *loaded, const cube_model *joined)
{
    const md5_cube2 *const cube = joined->cube;
    loaded->looks = common_alloc(loaded->model->num_meshes, sizeof *loaded->looks);
    for (uint32_t p = 0; p < cube->num_parts; p++) {
        const md5_model *const part = joined->parts[p].model;
        if (part == NULL)
            continue;
        for (uint32_t m = 0; m < part->num_meshes; m++)
            loaded->looks[loaded->num_looks++] =
                view_cube_look(cube, &cube->parts[p], part->meshes[m].name);
    }
}

// Loads a model of a Cube 2 engine. The engine draws several parts, each with its own skeleton;
// the viewer joins them to one model.
bool view_load_cube(view_cube *loaded, const char *path, const md5_load_opts *opts, bool with_clips,
                    view_log *log)
{
    md5_error error = {0};
    *loaded = (view_cube){.model = NULL};
    md5_cube2 *const cube = md5_load_cube2(path, NULL, opts, &error);
    if (cube == NULL)
        return view_log_error(log, &error);

    cube_model joined = {.path = path, .log = log, .cube = cube};
    if (join_parts(&joined, opts)) { // otherwise it has logged an error
        joined.model = make_model(&joined, &error);
        if (joined.model == NULL)
            view_log_error(log, &error);
    }
    loaded->model = joined.model;
    if (loaded->model != NULL) {
        add_looks(loaded, &joined);
        view_report_unsupported(cube, path, log);
        if (with_clips)
            make_clips(&joined, loaded);
    }
    free_cube_model(&joined, cube->num_parts);
    md5_free_cube2(cube);
    return loaded->model != NULL;
}
