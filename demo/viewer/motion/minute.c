// The demo scene. It defines what our models Bobbin and Thimble do in the first 50 seconds after
// the start of the viewer, and the camera shots. An act is an action of a model, such as waving.
// Each entry of the table contains an act, a shot or both, which begin at its time. The functions
// after the table also work with other tables of this form.
#include "demo/viewer/motion/machine.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/base/sounds.h"

// A camera shot. While it lasts, the camera slowly approaches its target.
typedef struct camera_shot {
    float azimuth, elevation, distance; // distance 0: the previous shot continues
    md5_vec3 target;                    // relative to the character, units
    float min_distance; // distance from which an image of 4:3 is wide enough for the characters
} camera_shot;

enum { ONLY_BOBBIN = 86 }; // value of min_distance if only Bobbin is shown, with stretched arms

static const float shot_aspect = 4.0f / 3; // the shots are made for images with this aspect ratio

typedef struct scene_entry {
    double second;
    // Name of a parameter of the machine that becomes `value` (1 fires a trigger), or of a state
    // that begins. NULL: no act.
    const char *act;
    float value;
    const char *guest_act; // act of the companion while it waits; NULL: no act
    float guest_value;
    camera_shot shot;     // shot that begins at this time
    bool looks_at_camera; // the character looks into the camera
} scene_entry;

// Sorted by time. The last entry ends the scene.
static const scene_entry entries[] = {
    // Bobbin notices the user, and waves.
    {0, .shot = {28, 3, 165, {0, 0, 28}, ONLY_BOBBIN}},
    {1.2, .looks_at_camera = true},
    {2.6, .act = "smile", .value = 1, .shot = {14, 2, 92, {4, 0, 41}, ONLY_BOBBIN},
     .looks_at_camera = true},
    {3.8, .act = "wave", .value = 1, .shot = {14, 3, 150, {0, 0, 31}, ONLY_BOBBIN},
     .looks_at_camera = true},
    // The wave contains its own smile, and the shot changes here.
    {3.8, .act = "smile", .looks_at_camera = true},
    // Bobbin sees an object behind itself and chases it until it falls.
    {7.4, .act = "chase", .value = 1, .shot = {-58, 5, 185, {0, 0, 27}, 110}},
    {12.6, .shot = {8, 5, 150, {0, 0, 24}, ONLY_BOBBIN}},
    {14.6, .shot = {12, 4, 92, {0, 0, 26}, ONLY_BOBBIN}},
    {16.6, .shot = {24, 6, 150, {0, 0, 27}, ONLY_BOBBIN}},
    // Bobbin sneezes.
    {18.6, .act = "sneeze", .value = 1, .shot = {-34, 3, 150, {14, 0, 30}, 114}},
    // Its eyes look at its nose, then at the user.
    {20.6, .shot = {10, 2, 80, {0, 0, 40}, ONLY_BOBBIN}},
    // Bobbin is tired. Thimble did not see the fire, and is on the way.
    {21.2, .guest_act = "fire"},
    {21.2, .guest_act = "snore", .guest_value = 1},
    {21.7, .looks_at_camera = true},
    {22.8, .act = "yawn", .value = 1, .shot = {-14, 3, 140, {0, 0, 34}, ONLY_BOBBIN}},
    {25.95, .shot = {-28, 5, 128, {0, 0, 26}, ONLY_BOBBIN}},
    // Thimble arrives, wakes Bobbin and is patted.
    {28.2, .shot = {42, 6, 215, {10, -34, 29}, 180}},
    {30.9, .shot = {8, 4, 148, {8, -8, 27}, 125}},
    {35, .shot = {31, 6, 136, {10, -6, 26}, 125}},
    {38.6, .shot = {-8, 5, 170, {8, -14, 28}, 125}},
    // Bobbin turns after Thimble as it leaves, and back to the user.
    {41.6, .act = "turn", .value = -75},
    {41.9, .act = "turn"},
    {42.4, .act = "wave", .value = 1},
    {45.6, .act = "turn", .value = 75, .looks_at_camera = true},
    {45.9, .act = "turn", .looks_at_camera = true},
    {46.4, .act = "smile", .value = 0.85f, .shot = {14, 3, 120, {0, 0, 36}, ONLY_BOBBIN},
     .looks_at_camera = true},
    {47.4, .act = "click", .value = 1, .looks_at_camera = true},
    // The scene ends on the face.
    {48.6, .shot = {14, 2, 88, {4, 0, 41}, ONLY_BOBBIN}, .looks_at_camera = true},
    {VIEW_DEMO_SECONDS, .act = "smile", .shot = {14, 2, 87, {4, 0, 41}, ONLY_BOBBIN}},
};
enum { NUM_ENTRIES = COMMON_LENGTH(entries) };

// Starts an act of a machine. `act` is the name of a parameter, which is set to `value`. If the
// machine has no such parameter, `act` is the name of a state. The layers that have this state then
// fade to it. If `act` is NULL, does nothing.
static void start_act(view_machine *machine, const char *act, float value)
{
    const md5_machine *const tables = machine->character->machine;
    if (act == NULL || md5_player_set(machine->player, md5_find_parameter(tables, act), value))
        return;
    for (uint32_t i = 0; i < machine->desc->num_layers; i++)
        md5_player_fade_to(machine->player, i, md5_find_state(tables, i, act), 0.3f, MD5_FADE_CROSS,
                           MD5_EASE_SMOOTH);
}

// Returns the last entry with a shot that has begun at `time`.
static const scene_entry *find_shot(double time)
{
    const scene_entry *current = entries;
    for (uint32_t i = 0; i < NUM_ENTRIES && entries[i].second <= time; i++) {
        const bool has_shot = entries[i].shot.distance > 0;
        if (has_shot)
            current = &entries[i];
    }
    return current;
}

// Returns the distance of the camera of a shot for an image with this aspect ratio (width divided
// by height). If the image is narrower than 4:3, for example on a phone, the camera moves back
// until the image is wide enough for the characters.
static float fit_distance(const camera_shot *shot, float aspect)
{
    const float min_distance = fminf(shot->distance, shot->min_distance);
    return fmaxf(shot->distance, min_distance * shot_aspect / aspect);
}

// Sets a perspective camera with the direction, the distance and the target of the current shot
// of the demo scene. Returns false if the scene is not playing.
bool view_find_demo_camera(const view_machine *machine, float aspect, view_camera *camera)
{
    if (!machine->plays_demo)
        return false;
    // During a shot, the camera slowly approaches. After the end of the scene it stands still.
    const float approach_rate = 0.008f; // fraction of the distance per second
    const scene_entry *const entry = find_shot(machine->time);
    const double time = fmin(machine->time, (double)VIEW_DEMO_SECONDS);
    const float seconds_in_shot = (float)(time - entry->second);
    camera->azimuth = entry->shot.azimuth;
    camera->elevation = entry->shot.elevation;
    const float distance = fit_distance(&entry->shot, aspect);
    camera->distance = distance * (1 - approach_rate * seconds_in_shot);
    camera->target = entry->shot.target;
    camera->orthographic = false;
    return true;
}

// Starts the acts of an entry. The companion waits out of sight. Before its act begins, it is moved
// to its start placement, from which it enters.
static void start_entry(view_machine *machine, const scene_entry *entry)
{
    start_act(machine, entry->act, entry->value);
    view_machine *const companion = machine->guest;
    if (entry->guest_act != NULL && companion != NULL) {
        companion->placement = md5_xform_mul(machine->placement, companion->start);
        start_act(companion, entry->guest_act, entry->guest_value);
    }
    machine->has_target = entry->looks_at_camera;
}

// Lets the character look at the camera of the current shot. The camera takes the place of the
// user's mouse pointer.
static void look_at_camera(view_machine *machine)
{
    view_camera camera = {0};
    if (!view_find_demo_camera(machine, shot_aspect, &camera))
        return;
    const float azimuth = view_radians(camera.azimuth);
    const float elevation = view_radians(camera.elevation);
    const md5_vec3 to_camera = {cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                                sinf(elevation)};
    const md5_vec3 camera_target = md5_vec3_add(machine->placement.translation, camera.target);
    machine->target = view_along(camera_target, to_camera, camera.distance);
    machine->pointer_time = machine->time;
}

// Starts the acts of all entries that have become due since the last call.
void view_run_demo_acts(view_machine *machine)
{
    while (machine->next_act < NUM_ENTRIES && entries[machine->next_act].second <= machine->time) {
        start_entry(machine, &entries[machine->next_act]);
        machine->next_act++;
    }
    if (machine->has_target)
        look_at_camera(machine);
}

// Adds the sounds of a machine's events since the last call to `samples`, at a volume from 0 to 1.
// Returns true if at least one of these events has a sound.
static bool mix_new_events(const view_machine *speaker, float volume,
                           float samples[VIEW_LONGEST_SOUND])
{
    // After a restart of the scene, `heard` is in the future. No sound has been played since then.
    const double last_time = fmin(speaker->sounds_played_until, speaker->time);
    bool has_sound = false;
    for (int i = 0; i < VIEW_EVENTS; i++) {
        const view_event *const event = &speaker->events[i];
        const bool is_new = event->time > last_time;
        if (is_new && view_add_sound(samples, event->text, volume))
            has_sound = true;
    }
    return has_sound;
}

// Mixes the sounds of the events since the last call and plays them. A companion is less loud if it
// is far away.
void view_play_demo_sounds(view_machine *machine, view_window *window)
{
    view_machine *const speakers[] = {machine, machine->guest};
    const bool is_scene_playing = machine->plays_demo && machine->time < (double)VIEW_DEMO_SECONDS;
    float samples[VIEW_LONGEST_SOUND] = {0};
    bool has_sound = false;
    for (size_t i = 0; i < COMMON_LENGTH(speakers); i++) {
        view_machine *const speaker = speakers[i];
        if (speaker == NULL)
            continue;
        const float distance =
            view_distance(speaker->placement.translation, machine->placement.translation);
        const float volume = 1 / (1 + 1e-4f * distance * distance); // half at 100 units
        if (is_scene_playing && mix_new_events(speaker, volume, samples))
            has_sound = true;
        speaker->sounds_played_until = speaker->time;
    }
    if (has_sound)
        view_play_sound(window, samples, VIEW_LONGEST_SOUND);
}
