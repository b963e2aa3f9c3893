#include "demo/viewer/assets/cube.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/words.h"
#include "md5/md5pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float DEGREE = 0.01745329252f;

enum { MOST_PARTS = 256 }; // far more than any model has: time grows with their square

void view_free_cube_model(view_cube_model *joined)
{
    for (uint32_t i = 0; joined->parts != NULL && i < joined->cube->num_parts; i++) {
        md5_free_model(joined->parts[i].model);
        free(joined->parts[i].joints);
    }
    for (uint32_t i = 0; i < joined->num_joints; i++)
        free(joined->joints[i].name);
    free(joined->joints);
    free(joined->parts);
    *joined = (view_cube_model){0};
}

// -- Placement ------------------------------------------------------------------------------------

// The engines turn a model about z, x and -y, in this order from the outside, and then move it in
// its own space. In id's axes, where y is mirrored, the angles about z and x change their signs.
static md5_xform placement(const md5_cube2 *cube)
{
    const md5_vec3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
    const md5_quat yaw = md5_quat_from_axis_angle(z, -cube->yaw * DEGREE);
    const md5_quat pitch = md5_quat_from_axis_angle(x, -cube->pitch * DEGREE);
    const md5_quat roll = md5_quat_from_axis_angle(y, -cube->roll * DEGREE);
    const md5_quat turned = md5_quat_mul(md5_quat_mul(yaw, pitch), roll);
    return (md5_xform){
        .rotation = turned,
        .translation = md5_quat_rotate(turned, cube->translation),
    };
}

// The part that part `index` shares joints with: the first of the same skeleton's name.
static uint32_t find_shared(const md5_cube2 *cube, uint32_t index)
{
    uint32_t first = 0;
    if (cube->parts[index].skeleton[0] == '\0')
        return index;
    while (first < MOST_PARTS
           && strcmp(cube->parts[first].skeleton, cube->parts[index].skeleton) != 0)
        first++;
    return first;
}

static const md5_cube2_link *find_link(const md5_cube2 *cube, uint32_t child)
{
    for (uint32_t i = 0; i < cube->num_links; i++)
        if (cube->links[i].child == child)
            return &cube->links[i];
    return NULL;
}

// A tag belongs to a skeleton: parts that share it have the tags of each other. The last of a name
// holds.
static const md5_cube2_tag *find_tag(const view_cube_model *joined, uint32_t part, const char *name)
{
    const md5_cube2_tag *found = NULL;
    for (uint32_t p = 0; p < joined->cube->num_parts && p < MOST_PARTS; p++) {
        const md5_cube2_part *const other = &joined->cube->parts[p];
        if (joined->parts[p].shared != joined->parts[part].shared)
            continue;
        for (uint32_t i = 0; i < other->num_tags; i++)
            if (strcmp(other->tags[i].name, name) == 0)
                found = &other->tags[i];
    }
    return found;
}

// Finds where a part is attached. Returns false if it is not shown.
static bool attach(view_cube_model *joined, uint32_t index, const char *path, view_log *log)
{
    view_cube_part *const part = &joined->parts[index];
    if (index >= MOST_PARTS)
        return false;
    const md5_cube2_link *const link = find_link(joined->cube, index);
    if (index == 0 || (link == NULL && part->shared == 0)) {
        part->offset = placement(joined->cube);
        return true;
    }
    if (link == NULL) {
        view_warn(log, "%s: part %u is not linked to another, so it is not shown", path,
                  (unsigned)index);
        return false;
    }
    const view_cube_part *const parent = &joined->parts[link->parent];
    if (link->parent >= index || parent->model == NULL) {
        view_warn(log, "%s: part %u is linked to part %u, which is not shown before it", path,
                  (unsigned)index, (unsigned)link->parent);
        return false;
    }
    const md5_cube2_tag *const tag = find_tag(joined, link->parent, link->tag);
    const uint32_t joint =
        tag != NULL ? md5_find_joint(&parent->model->skeleton, tag->joint) : MD5_NONE;
    if (joint == MD5_NONE) {
        view_warn(log, "%s: part %u is linked to the tag '%s', which part %u does not have", path,
                  (unsigned)index, link->tag, (unsigned)link->parent);
        return false;
    }
    const md5_xform moved = {.rotation = {.w = 1.0f}, .translation = link->translation};
    part->parent = (int32_t)parent->joints[joint];
    part->offset = md5_xform_mul(tag->transform, moved);
    return true;
}

// -- Joints ---------------------------------------------------------------------------------------

static int32_t find_joint(const view_cube_model *joined, uint32_t part, const char *name)
{
    const view_cube_part *const other = &joined->parts[part];
    const uint32_t joint =
        other->model != NULL ? md5_find_joint(&other->model->skeleton, name) : MD5_NONE;
    return joint != MD5_NONE ? (int32_t)other->joints[joint] : -1;
}

static uint32_t add_joint(view_cube_model *joined, uint32_t part, uint32_t in_part)
{
    const view_cube_part *const of = &joined->parts[part];
    const md5_skeleton *const skeleton = &of->model->skeleton;
    const md5_joint *const joint = &skeleton->joints[in_part];
    const md5_xform local = of->model->bind_local[in_part];
    view_cube_joint added = {.part = part, .in_part = in_part};
    added.name =
        part == 0 ? common_copy(joint->name) : common_format("%u/%s", (unsigned)part, joint->name);
    added.parent = joint->parent < 0 ? of->parent : (int32_t)of->joints[joint->parent];
    added.bind_local = joint->parent < 0 ? md5_xform_mul(of->offset, local) : local;
    added.bind = md5_xform_mul(joined->joints[added.parent].bind, added.bind_local);
    joined->joints[joined->num_joints] = added;
    return joined->num_joints++;
}

static void add_joints(view_cube_model *joined, uint32_t index)
{
    view_cube_part *const part = &joined->parts[index];
    const md5_skeleton *const skeleton = &part->model->skeleton;
    const bool shares = part->shared != index && find_link(joined->cube, index) == NULL;
    part->joints = common_alloc(skeleton->num_joints, sizeof *part->joints);
    joined->joints = common_realloc(
        joined->joints, (size_t)joined->num_joints + skeleton->num_joints, sizeof *joined->joints);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i]; // parents first
        const int32_t known =
            shares ? find_joint(joined, part->shared, skeleton->joints[joint].name) : -1;
        part->joints[joint] = known >= 0 ? (uint32_t)known : add_joint(joined, index, joint);
    }
}

bool view_join_cube(view_cube_model *joined, const md5_cube2 *cube, const char *path,
                    const md5_load_opts *opts, view_log *log)
{
    *joined = (view_cube_model){.cube = cube, .num_joints = 1};
    joined->parts = common_alloc(cube->num_parts, sizeof *joined->parts);
    joined->joints = common_alloc(1, sizeof *joined->joints);
    joined->joints[0] = (view_cube_joint){
        .name = common_copy("md5.cfg"),
        .parent = -1,
        .bind_local = {.rotation = {.w = 1.0f}},
        .bind = {.rotation = {.w = 1.0f}},
        .part = cube->num_parts,
    };
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        md5_error error;
        view_cube_part *const part = &joined->parts[i];
        part->part = &cube->parts[i];
        part->shared = find_shared(cube, i);
        if (!attach(joined, i, path, log))
            continue;
        part->model = md5_load_model(part->part->mesh, opts, &error);
        if (part->model == NULL) {
            view_log_error(log, &error);
            return false;
        }
        add_joints(joined, i);
    }
    return true;
}

// -- Meshes ---------------------------------------------------------------------------------------

static void say_joints(view_words *words, const view_cube_model *joined)
{
    view_say(words, "joints {\n");
    for (uint32_t i = 0; i < joined->num_joints; i++) {
        const view_cube_joint *const joint = &joined->joints[i];
        md5_xform bind = joint->bind;
        bind.translation = md5_vec3_scale(bind.translation, joined->cube->scale);
        view_say_joint(words, joint->name, joint->parent, bind);
    }
    view_say(words, "}\n");
}

static uint32_t count_meshes(const view_cube_model *joined)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < joined->cube->num_parts; i++)
        count += joined->parts[i].model != NULL ? joined->parts[i].model->num_meshes : 0;
    return count;
}

md5_model *view_cube_make_model(const view_cube_model *joined, const char *path, md5_error *error)
{
    view_words words = {0};
    const md5_load_opts opts = {.file_name = path};
    view_say(&words, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes %u\n",
             (unsigned)joined->num_joints, (unsigned)count_meshes(joined));
    say_joints(&words, joined);
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        const md5_model *const model = joined->parts[p].model;
        for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
            view_say_mesh(&words, &(view_said_mesh){.mesh = &model->meshes[m],
                                                    .material = model->meshes[m].shader,
                                                    .joints = joined->parts[p].joints,
                                                    .scale = joined->cube->scale});
    }
    md5_model *const model = md5_parse_model(words.text, words.size, &opts, error);
    free(words.text);
    return model;
}

// -- Looks ---------------------------------------------------------------------------------------

// How the meshes of an md5.cfg look, and what of it is not shown.

// The last value that a line sets for the whole model, or `fallback`.
static float setting_of(const md5_cube2 *cube, const char *word, float fallback)
{
    for (uint32_t i = cube->num_settings; i-- > 0;) {
        const md5_cube2_setting *const setting = &cube->settings[i];
        if (strcmp(setting->word, word) == 0 && setting->num_values > 0)
            return strtof(setting->values[0], NULL);
    }
    return fallback;
}

// What a mesh sets, else the model, else the engines; as a share of `whole`, 0 to 1.
static float share_of(const md5_cube2 *cube, float own, const char *word, float usual, float whole)
{
    const float value = own >= 0.0f ? own : setting_of(cube, word, usual);
    return value > 0.0f ? (value < whole ? value / whole : 1.0f) : 0.0f;
}

// The renderer does not blend: what would be blended is cut out. Without either all is opaque but
// what is wholly transparent.
static float alpha_test_of(const md5_cube2 *cube, const md5_cube2_look *skin)
{
    const float NEXT_TO_NONE = 1e-6f;
    const float test =
        skin->alpha_test >= 0.0f ? skin->alpha_test : setting_of(cube, "mdlalphatest", -1.0f);
    const float blend = skin->alpha_blend != MD5_CUBE2_UNSET
                            ? (float)(skin->alpha_blend == MD5_CUBE2_ON)
                            : setting_of(cube, "mdlalphablend", 1.0f);
    const bool is_opaque = test == 0.0f && blend == 0.0f;
    return is_opaque ? NEXT_TO_NONE : test > 0.0f && test < 1.0f ? test : 0.0f;
}

static char *copy_path(const md5_cube2_image *image)
{
    return image->path != NULL ? common_copy(image->path) : NULL;
}

// Highlights are 100 % unless a line says otherwise, and glow is 300 % in the engines, where light
// may exceed 1; here that is the color of the texture.
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh)
{
    md5_cube2_look skin;
    md5_build_cube2_look(part, mesh, &skin);
    return (view_look){
        .diffuse = copy_path(&skin.texture),
        .normals = copy_path(&skin.normal_map),
        .masks = copy_path(&skin.masks),
        .specular = share_of(cube, skin.specular, "mdlspec", 100.0f, 100.0f),
        .glow = share_of(cube, skin.glow, "mdlglow", 300.0f, 300.0f),
        .alpha_test = alpha_test_of(cube, &skin),
        .two_sided = skin.cull_face == MD5_CUBE2_OFF,
    };
}

view_look *view_cube_looks(const view_cube_model *joined, uint32_t *num_looks)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < joined->cube->num_parts; p++)
        count += joined->parts[p].model != NULL ? joined->parts[p].model->num_meshes : 0;
    view_look *const looks = common_alloc(count, sizeof *looks);
    *num_looks = count;
    count = 0;
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        const md5_model *const model = joined->parts[p].model;
        for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
            looks[count++] =
                view_cube_look(joined->cube, &joined->cube->parts[p], model->meshes[m].name);
    }
    return looks;
}

// -- What is not shown ----------------------------------------------------------------------------

// Words, or their beginnings, and how they are called.
static const struct unshown_word {
    const char *begin, *name;
} unshown_words[] = {
    {"rd", "the ragdoll"},
    {"md5envmap", "reflections"},
    {"mdlenvmap", "reflections"},
    {"md5shader", "shaders"},
    {"mdlshader", "shaders"},
    {"md5glare", "glare"},
    {"mdlglare", "glare"},
    {"md5scroll", "scrolling textures"},
    {"md5fullbright", "full brightness"},
    {"mdlfullbright", "full brightness"},
    {"md5alphablend", "blending by alpha, cut out instead"},
    {"mdlalphablend", "blending by alpha, cut out instead"},
    {"md5material", "colors of players"},
    {"mdlmaterial", "colors of players"},
    {"mdlspin", "spinning"},
};

enum { NUM_UNSHOWN = sizeof unshown_words / sizeof unshown_words[0] };

// Returns the first entry of the same name as that of a word, NUM_UNSHOWN if it has none.
static size_t find_unshown(const char *word)
{
    size_t found = 0;
    while (found < NUM_UNSHOWN
           && strncmp(word, unshown_words[found].begin, strlen(unshown_words[found].begin)) != 0)
        found++;
    size_t first = 0;
    while (found < NUM_UNSHOWN && strcmp(unshown_words[first].name, unshown_words[found].name) != 0)
        first++;
    return found < NUM_UNSHOWN ? first : NUM_UNSHOWN;
}

void view_report_unshown(const md5_cube2 *cube, const char *path, view_log *log)
{
    bool is_used[NUM_UNSHOWN + 1] = {false};
    char text[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < cube->num_settings; i++)
        is_used[find_unshown(cube->settings[i].word)] = true;
    for (uint32_t p = 0; p < cube->num_parts; p++)
        for (uint32_t i = 0; i < cube->parts[p].num_rows; i++)
            is_used[find_unshown(cube->parts[p].rows[i].word)] = true;
    for (size_t i = 0; i < NUM_UNSHOWN; i++) {
        if (!is_used[i])
            continue;
        (void)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                       unshown_words[i].name); // all of them are shorter
        used = strlen(text);
    }
    if (used > 0)
        view_info(log, "%s: not shown: %s", path, text);
}

// -- Clips ---------------------------------------------------------------------------------------

// What no model of a game reaches, so that time does not grow with the square of a file.
enum { MOST_NAMES = 1000, MOST_ROWS = 4000, MOST_MASKS = 64 };
#define MOST_FRAMES 4000.0
#define MOST_SIZE ((size_t)128 << 20)

// A file that animates a part, loaded once.
typedef struct cube_file {
    const char *path;
    uint32_t part;
    md5_anim *anim; // both NULL: cannot be used, which was logged
    md5_binding *binding;
} cube_file;

typedef struct cube_track {
    const md5_cube2_anim *row; // NULL: the bind pose
    const cube_file *file;
    uint32_t first, count; // frames
} cube_track;

// A part while a clip is made.
typedef struct cube_player {
    const md5_cube2_part *part; // whose animations it plays
    uint32_t num_rows, num_masks;
    uint32_t *masks;     // [joints of the part]
    md5_xform *pose;     // [joints of the part]
    md5_xform *adjusted; // [joints of the part]
    cube_track tracks[MOST_MASKS];
} cube_player;

typedef struct cube_band {
    const view_cube_model *joined;
    const md5_model *model;
    cube_player *players; // [num_parts]
    cube_file *files;
    uint32_t num_files;
    md5_xform *pose; // [joints of the model]
    view_log *log;
} cube_band;

// -- Files ----------------------------------------------------------------------------------------

static void load_file(cube_file *file, const md5_model *model, view_log *log)
{
    md5_error error;
    file->anim = md5_load_anim(file->path, NULL, &error);
    file->binding = file->anim != NULL ? md5_bind(model, file->anim, NULL, &error) : NULL;
    if (file->binding != NULL)
        return;
    char text[640];
    (void)md5_format_error(&error, text, sizeof text);
    view_warn(log, "%s", text);
    md5_free_anim(file->anim);
    file->anim = NULL;
}

static uint32_t find_file(cube_band *band, uint32_t part, const char *path)
{
    uint32_t i = 0;
    while (i < band->num_files
           && (band->files[i].part != part || strcmp(band->files[i].path, path) != 0))
        i++;
    if (i < band->num_files)
        return i;
    band->files = common_realloc(band->files, (size_t)i + 1, sizeof *band->files);
    band->files[i] = (cube_file){.path = path, .part = part};
    load_file(&band->files[i], band->joined->parts[part].model, band->log);
    return band->num_files++;
}

// Loads all files first, because the array of them moves while it grows.
static void load_files(cube_band *band)
{
    for (uint32_t p = 0; p < band->joined->cube->num_parts; p++) {
        const cube_player *const player = &band->players[p];
        for (uint32_t i = 0; i < player->num_rows; i++)
            (void)find_file(band, p, player->part->anims[i].file);
    }
}

// -- Masks ----------------------------------------------------------------------------------------

static bool has_name(const md5_cube2_mask *mask, const char *name, bool without)
{
    for (uint32_t i = 0; i < mask->num_joints; i++) {
        const char *const joint = mask->joints[i];
        if ((joint[0] == '!') == without && strcmp(joint + (without ? 1 : 0), name) == 0)
            return true;
    }
    return false;
}

// Joints belong to the last mask that has them or a joint above them.
static void find_masks(cube_player *player, const md5_skeleton *skeleton)
{
    for (uint32_t m = 1; m < player->num_masks; m++) {
        const md5_cube2_mask *const mask = &player->part->masks[m];
        bool *const inside = common_alloc(skeleton->num_joints, sizeof *inside);
        for (uint32_t i = 0; i < skeleton->num_joints; i++) {
            const uint32_t joint = skeleton->order[i];
            const int32_t parent = skeleton->joints[joint].parent;
            const char *const name = skeleton->joints[joint].name;
            inside[joint] = mask->num_joints == 0 || (parent >= 0 && inside[parent]);
            if (has_name(mask, name, true))
                inside[joint] = false;
            else if (has_name(mask, name, false))
                inside[joint] = true;
            if (inside[joint])
                player->masks[joint] = m;
        }
        free(inside);
    }
}

static void make_player(cube_band *band, uint32_t index)
{
    const view_cube_part *const of = &band->joined->parts[index];
    cube_player *const player = &band->players[index];
    if (of->model == NULL)
        return;
    const uint32_t num_joints = of->model->skeleton.num_joints;
    const bool borrows = of->part->num_anims == 0 && band->joined->parts[of->shared].model != NULL;
    player->part = borrows ? band->joined->parts[of->shared].part : of->part;
    player->num_rows = player->part->num_anims < MOST_ROWS ? player->part->num_anims : MOST_ROWS;
    player->num_masks = player->part->num_masks < MOST_MASKS ? player->part->num_masks : MOST_MASKS;
    player->masks = common_alloc(num_joints, sizeof *player->masks);
    player->pose = common_alloc(num_joints, sizeof *player->pose);
    player->adjusted = common_alloc(num_joints, sizeof *player->adjusted);
    find_masks(player, &of->model->skeleton);
}

static void free_band(cube_band *band)
{
    for (uint32_t i = 0; i < band->joined->cube->num_parts; i++) {
        free(band->players[i].masks);
        free(band->players[i].pose);
        free(band->players[i].adjusted);
    }
    for (uint32_t i = 0; i < band->num_files; i++) {
        md5_free_binding(band->files[i].binding);
        md5_free_anim(band->files[i].anim);
    }
    free(band->players);
    free(band->files);
    free(band->pose);
}

// -- Frames ---------------------------------------------------------------------------------------

// What a mask of a part plays under a name.
static cube_track find_track(cube_band *band, uint32_t part, uint32_t mask, const char *name)
{
    const md5_cube2_part *const of = band->players[part].part;
    cube_track track = {NULL, NULL, 0, 0};
    uint32_t row = md5_find_cube2_anim(of, mask, name);
    if (row == MD5_NONE)
        row = md5_find_cube2_anim(of, mask, "idle"); // what the engines play beside others
    if (row >= MOST_ROWS)
        return track;
    const cube_file *const file = &band->files[find_file(band, part, of->anims[row].file)];
    if (file->anim == NULL)
        return track;
    track.row = &of->anims[row];
    track.file = file;
    md5_cube2_anim_range(track.row, file->anim->num_frames, &track.first, &track.count);
    return track;
}

// Finds all tracks of a name. Returns whether there is one, and the clip's rate and duration.
static bool find_tracks(cube_band *band, const char *name, double *rate, double *duration)
{
    bool any = false;
    *rate = *duration = 0.0;
    for (uint32_t p = 0; p < band->joined->cube->num_parts; p++) {
        cube_player *const player = &band->players[p];
        for (uint32_t m = 0; player->part != NULL && m < player->num_masks; m++) {
            const cube_track track = player->tracks[m] = find_track(band, p, m, name);
            if (track.row == NULL)
                continue;
            const double own = (double)track.row->frame_rate;
            any = true;
            if (*rate <= 0.0 || (track.count > 1 && own > *rate))
                *rate = own;
            if (track.count > 1)
                *duration = fmax(*duration, track.count / own);
        }
    }
    return any;
}

static md5_moment moment_of(const cube_track *track, double time)
{
    const double frames = fmod(time * (double)track->row->frame_rate, track->count);
    const uint32_t whole = (uint32_t)frames < track->count ? (uint32_t)frames : 0;
    const uint32_t next = whole + 1 < track->count ? whole + 1 : 0;
    return md5_moment_from_frames(track->file->anim, track->first + whole, track->first + next,
                                  (float)(frames - floor(frames)));
}

// Writes a part's pose: each joint as its mask plays.
static void pose_part(const cube_band *band, uint32_t part, double time)
{
    const cube_player *const player = &band->players[part];
    const md5_model *const model = band->joined->parts[part].model;
    const uint32_t num_joints = model->skeleton.num_joints;
    memcpy(player->pose, model->bind_local, num_joints * sizeof *player->pose);
    for (uint32_t m = 0; m < player->num_masks; m++) {
        const cube_track *const track = &player->tracks[m];
        if (track->row == NULL)
            continue;
        const md5_moment moment = moment_of(track, time);
        md5_sample(track->file->binding, moment, MD5_ROOT_FILE, player->adjusted);
        md5_cube2_adjust_pose(player->part, track->row, &model->skeleton, player->adjusted);
        for (uint32_t i = 0; i < num_joints; i++)
            if (player->masks[i] == m)
                player->pose[i] = player->adjusted[i];
    }
}

// Turns what follows the view, for a view straight ahead: about the entity's axis to the right,
// whose angles are mirrored with y.
static void pitch_part(const cube_band *band, uint32_t part)
{
    const view_cube_part *const of = &band->joined->parts[part];
    const md5_vec3 forward = {1.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < of->part->num_pitches; i++) {
        const md5_cube2_pitch *const pitch = &of->part->pitches[i];
        const float angle = fminf(fmaxf(pitch->offset, pitch->min), pitch->max);
        const uint32_t joint = md5_find_joint(&of->model->skeleton, pitch->joint);
        if (angle == 0.0f || joint == MD5_NONE)
            continue;
        const md5_xform change = {
            .rotation = md5_quat_from_axis_angle(forward, -angle * 0.01745329252f),
            .translation = {NAN, NAN, NAN},
        };
        (void)md5_modify_joint(&band->model->skeleton, of->joints[joint], MD5_JOINT_MODEL, change,
                               1.0f, band->pose);
    }
}

static md5_xform scaled(md5_xform transform, float scale)
{
    transform.translation = md5_vec3_scale(transform.translation, scale);
    return transform;
}

// Writes the joined model's pose at a time.
static void pose_all(const cube_band *band, double time)
{
    const view_cube_model *const joined = band->joined;
    for (uint32_t p = 0; p < joined->cube->num_parts; p++)
        if (joined->parts[p].model != NULL)
            pose_part(band, p, time);
    for (uint32_t i = 0; i < joined->num_joints; i++) {
        const view_cube_joint *const joint = &joined->joints[i];
        md5_xform local = joint->bind_local;
        const view_cube_part *const part =
            joint->part < joined->cube->num_parts ? &joined->parts[joint->part] : NULL;
        if (part != NULL && part->model != NULL) {
            local = band->players[joint->part].pose[joint->in_part];
            if (part->model->skeleton.joints[joint->in_part].parent < 0)
                local = md5_xform_mul(part->offset, local);
        }
        band->pose[i] = scaled(local, joined->cube->scale);
    }
    for (uint32_t p = 0; p < joined->cube->num_parts; p++)
        if (joined->parts[p].model != NULL)
            pitch_part(band, p);
}

// Returns NULL if nothing has the name.
static md5_anim *make_clip(cube_band *band, const char *name)
{
    double rate, duration;
    if (!find_tracks(band, name, &rate, &duration))
        return NULL;
    double frames = floor(duration * rate + 0.5);
    if (frames > MOST_FRAMES) {
        rate *= MOST_FRAMES / frames;
        frames = MOST_FRAMES;
    }
    md5_anim *const anim = view_make_anim(band->model, (uint32_t)frames + 1, rate);
    for (uint32_t i = 0; i < anim->num_frames; i++) {
        pose_all(band, i / rate);
        view_set_frame(anim, i, band->pose);
    }
    return anim;
}

// -- Clips ----------------------------------------------------------------------------------------

void view_free_cube_clips(view_cube_clip *clips, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(clips[i].name);
        free(clips[i].file);
        md5_free_anim(clips[i].anim);
    }
    free(clips);
}

static bool is_listed(const view_cube_clip *clips, uint32_t count, const char *name, size_t length)
{
    for (uint32_t i = 0; i < count; i++)
        if (strlen(clips[i].name) == length && memcmp(clips[i].name, name, length) == 0)
            return true;
    return false;
}

// Adds the alternatives of a row's names that are not listed.
static void list_names(view_cube_clip **clips, uint32_t *count, const md5_cube2_anim *row)
{
    for (const char *name = row->names; *name != '\0' && *count < MOST_NAMES;) {
        const size_t length = strcspn(name, "|");
        if (length > 0 && !is_listed(*clips, *count, name, length)) {
            view_cube_clip added = {.name = common_copy(name), .file = common_copy(row->file)};
            added.name[length] = '\0';
            *clips = common_realloc(*clips, (size_t)*count + 1, sizeof **clips);
            (*clips)[(*count)++] = added;
        }
        name += length + (name[length] != '\0');
    }
}

// Makes the clips, and removes those that could not be made.
static void make_clips(cube_band *band, view_cube_clip *clips, uint32_t *num_clips)
{
    size_t size = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *num_clips; i++) {
        view_log_progress(band->log, "animations", i, *num_clips);
        if (size < MOST_SIZE)
            clips[i].anim = make_clip(band, clips[i].name);
        if (clips[i].anim != NULL) {
            size += clips[i].anim->size;
            clips[kept++] = clips[i];
            continue;
        }
        free(clips[i].name);
        free(clips[i].file);
    }
    view_log_progress(band->log, "animations", *num_clips, *num_clips);
    if (size >= MOST_SIZE)
        view_warn(band->log, "the first %u animations are shown", (unsigned)kept);
    *num_clips = kept;
}

view_cube_clip *view_cube_make_clips(const view_cube_model *joined, const md5_model *model,
                                     uint32_t *num_clips, view_log *log)
{
    const uint32_t num_parts = joined->cube->num_parts;
    view_cube_clip *clips = NULL;
    cube_band band = {.joined = joined, .model = model, .log = log};
    band.players = common_alloc(num_parts, sizeof *band.players);
    band.pose = common_alloc(joined->num_joints, sizeof *band.pose);
    *num_clips = 0;
    for (uint32_t p = 0; p < num_parts; p++) {
        make_player(&band, p);
        for (uint32_t i = 0; i < band.players[p].num_rows; i++)
            list_names(&clips, num_clips, &band.players[p].part->anims[i]);
    }
    load_files(&band);
    make_clips(&band, clips, num_clips);
    free_band(&band);
    return clips;
}
