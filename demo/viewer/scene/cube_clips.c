#include "demo/viewer/scene/cube_clips.h"

#include "demo/viewer/scene/words.h"
#include "md5/md5pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What no model of a game reaches, so that time does not grow with the square of a file.
enum { MOST_NAMES = 1000, MOST_ROWS = 4000, MOST_MASKS = 64 };
#define MOST_FRAMES 4000.0
#define MOST_TEXT ((size_t)256 << 20)

// A file that animates a part, loaded once.
typedef struct cube_file {
    const char *path;
    uint32_t part;
    md5_anim *anim; // both NULL: cannot be used, which was logged
    md5_binding *binding;
} cube_file;

typedef struct cube_track {
    const md5_cube_anim *row; // NULL: the bind pose
    const cube_file *file;
    uint32_t first, count; // frames
} cube_track;

// A part while a clip is made.
typedef struct cube_player {
    const md5_cube_part *part; // whose animations it plays
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

static bool has_name(const md5_cube_mask *mask, const char *name, bool without)
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
        const md5_cube_mask *const mask = &player->part->masks[m];
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
    const md5_cube_part *const of = band->players[part].part;
    cube_track track = {NULL, NULL, 0, 0};
    int32_t row = md5_find_cube2_anim(of, mask, name);
    if (row < 0)
        row = md5_find_cube2_anim(of, mask, "idle"); // what the engines play beside others
    if (row < 0 || row >= MOST_ROWS)
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
        const md5_cube_pitch *const pitch = &of->part->pitches[i];
        const float angle = fminf(fmaxf(pitch->offset, pitch->least), pitch->most);
        const int32_t joint = md5_find_joint(&of->model->skeleton, pitch->joint);
        if (angle == 0.0f || joint < 0)
            continue;
        const md5_xform change = {
            .rotation = md5_quat_from_axis_angle(forward, -angle * 0.01745329252f),
            .translation = {NAN, NAN, NAN},
        };
        (void)md5_modify_joint(&band->model->skeleton, band->pose, of->joints[joint],
                               MD5_JOINT_MODEL, change, 1.0f);
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

// -- Text -----------------------------------------------------------------------------------------

static void say_pose(view_words *words, const md5_xform *pose, uint32_t num_joints,
                     const char *form)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const float sign = pose[i].rotation.w > 0.0f ? -1.0f : 1.0f; // w is negative in files
        const md5_vec3 at = pose[i].translation;
        view_say(words, form, (double)at.x, (double)at.y, (double)at.z,
                 (double)(sign * pose[i].rotation.x), (double)(sign * pose[i].rotation.y),
                 (double)(sign * pose[i].rotation.z));
    }
}

static void say_anim(view_words *words, const cube_band *band, uint32_t num_frames, double rate)
{
    const view_cube_model *const joined = band->joined;
    view_say(words, "MD5Version 10\ncommandline \"\"\nnumFrames %u\nnumJoints %u\nframeRate %.9g\n",
             (unsigned)num_frames, (unsigned)joined->num_joints, rate);
    view_say(words, "numAnimatedComponents %u\nhierarchy {\n", (unsigned)(6 * joined->num_joints));
    for (uint32_t i = 0; i < joined->num_joints; i++) {
        view_say_name(words, joined->joints[i].name);
        view_say(words, " %d 63 %u\n", (int)joined->joints[i].parent, (unsigned)(6 * i));
    }
    view_say(words, "}\nbounds {\n");
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_bounds box = band->model->bounds;
        view_say(words, "( %.9g %.9g %.9g ) ", (double)box.min.x, (double)box.min.y,
                 (double)box.min.z);
        view_say(words, "( %.9g %.9g %.9g )\n", (double)box.max.x, (double)box.max.y,
                 (double)box.max.z);
    }
    view_say(words, "}\nbaseframe {\n");
    say_pose(words, band->model->bind_local, joined->num_joints,
             "( %.9g %.9g %.9g ) ( %.9g %.9g %.9g )\n");
    view_say(words, "}\n");
    for (uint32_t i = 0; i < num_frames; i++) {
        view_say(words, "frame %u {\n", (unsigned)i);
        pose_all(band, i / rate);
        say_pose(words, band->pose, joined->num_joints, "%.9g %.9g %.9g %.9g %.9g %.9g\n");
        view_say(words, "}\n");
    }
}

// Returns NULL if nothing has the name, or with a warning.
static md5_anim *make_clip(cube_band *band, const char *name, size_t *text_size)
{
    double rate, duration;
    md5_error error;
    if (!find_tracks(band, name, &rate, &duration))
        return NULL;
    double frames = floor(duration * rate + 0.5);
    if (frames > MOST_FRAMES) {
        rate *= MOST_FRAMES / frames;
        frames = MOST_FRAMES;
    }
    view_words words = {0};
    const md5_load_opts opts = {.file_name = name};
    say_anim(&words, band, (uint32_t)frames + 1, rate);
    md5_anim *const anim = md5_parse_anim(words.text, words.size, &opts, &error);
    if (anim == NULL)
        view_log_warning(band->log, &error);
    *text_size += words.size;
    free(words.text);
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
static void list_names(view_cube_clip **clips, uint32_t *count, const md5_cube_anim *row)
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
    size_t text_size = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *num_clips; i++) {
        view_log_progress(band->log, "animations", i, *num_clips);
        if (text_size < MOST_TEXT)
            clips[i].anim = make_clip(band, clips[i].name, &text_size);
        if (clips[i].anim != NULL) {
            clips[kept++] = clips[i];
            continue;
        }
        free(clips[i].name);
        free(clips[i].file);
    }
    view_log_progress(band->log, "animations", *num_clips, *num_clips);
    if (text_size >= MOST_TEXT)
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
