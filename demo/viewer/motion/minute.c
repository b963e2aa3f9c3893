// The first minute: what Bobbin and Thimble do for somebody who has just started the viewer, and
// from where that is seen. A row is due at its second and has an act, a shot or both: it is all in
// the table, and the player knows no scene.
#include "demo/viewer/motion/machine.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/base/sounds.h"

// A cut.
typedef struct cut {
    float azimuth, elevation, distance; // 0: the one before goes on
    md5_vec3 target;                    // from where he stands, units
} cut;

typedef struct row {
    double second;
    // A trigger or another parameter that becomes `value`, or a state. NULL: none.
    const char *act;
    float value;
    const char *guest_act; // likewise, of the guest while it waits
    float guest_value;
    cut shot;   // that begins
    bool looks; // he looks into the camera
} row;

// By the second; the last row ends it.
static const row rows[] = {
    // He notices who has come, and waves.
    {0, .shot = {28, 3, 165, {0, 0, 28}}},
    {1.2, .looks = true},
    {2.6, .act = "smile", .value = 1, .shot = {14, 2, 92, {4, 0, 41}}, .looks = true},
    {3.8, .act = "wave", .value = 1, .shot = {14, 3, 150, {0, 0, 31}}, .looks = true},
    {3.8, .act = "smile", .looks = true}, // a wave has its own, and this is a cut
    // There is something behind him, which he chases until he falls.
    {7.4, .act = "chase", .value = 1, .shot = {-58, 5, 185, {0, 0, 27}}},
    {12.6, .shot = {8, 5, 150, {0, 0, 24}}},
    {14.6, .shot = {12, 4, 92, {0, 0, 26}}},
    {16.6, .shot = {24, 6, 150, {0, 0, 27}}},
    // The sneeze.
    {18.6, .act = "sneeze", .value = 1, .shot = {-34, 3, 150, {14, 0, 30}}},
    // His eyes are on his nose; then he sees who has seen that.
    {20.6, .shot = {10, 2, 80, {0, 0, 40}}},
    // That was much for one day. Thimble has not been there to see the fire, and is on its way.
    {21.2, .guest_act = "fire"},
    {21.2, .guest_act = "snore", .guest_value = 1},
    {21.7, .looks = true},
    {22.8, .act = "yawn", .value = 1, .shot = {-14, 3, 140, {0, 0, 34}}},
    {25.95, .shot = {-28, 5, 128, {0, 0, 26}}},
    // Thimble comes, wakes him and is patted.
    {28.2, .shot = {42, 6, 215, {10, -34, 29}}},
    {30.9, .shot = {8, 4, 148, {8, -8, 27}}},
    {35, .shot = {31, 6, 136, {10, -6, 26}}},
    {38.6, .shot = {-8, 5, 170, {8, -14, 28}}},
    // He turns after it as it leaves, and back to who has seen it all.
    {41.6, .act = "turn", .value = -75},
    {41.9, .act = "turn"},
    {42.4, .act = "wave", .value = 1},
    {45.6, .act = "turn", .value = 75, .looks = true},
    {45.9, .act = "turn", .looks = true},
    {46.4, .act = "smile", .value = 0.85f, .shot = {14, 3, 120, {0, 0, 36}}, .looks = true},
    {47.4, .act = "click", .value = 1, .looks = true},
    {VIEW_MINUTE, .act = "smile", .shot = {18, 3, 185, {0, -8, 31}}},
};
enum { NUM_ROWS = COMMON_LENGTH(rows) };

static void perform(view_machine *machine, const char *act, float value)
{
    const md5_machine *const tables = machine->character->machine;
    if (act == NULL || md5_player_set(machine->player, md5_find_parameter(tables, act), value))
        return;
    for (uint32_t i = 0; i < machine->desc->num_layers; i++)
        md5_player_fade_to(machine->player, i, md5_find_state(tables, i, act), 0.3f, MD5_FADE_CROSS,
                           MD5_EASE_SMOOTH);
}

bool view_find_shot(const view_machine *machine, view_camera *camera)
{
    const row *last = rows;
    if (!machine->acts || machine->next_row == MD5_NONE)
        return false;
    for (uint32_t i = 0; i < NUM_ROWS && rows[i].second <= machine->time; i++)
        last = rows[i].shot.distance > 0 ? &rows[i] : last;
    camera->azimuth = last->shot.azimuth;
    camera->elevation = last->shot.elevation;
    // It comes nearer, by this share of its distance in a second; the last one stays as it is.
    const double now = fmin(machine->time, (double)VIEW_MINUTE);
    camera->distance = last->shot.distance * (1 - 0.008f * (float)(now - last->second));
    camera->target = last->shot.target;
    camera->orthographic = false;
    return true;
}

void view_direct(view_machine *machine)
{
    view_camera camera = {0};
    for (; machine->next_row < NUM_ROWS && rows[machine->next_row].second <= machine->time;
         machine->next_row++) {
        const row *const due = &rows[machine->next_row];
        perform(machine, due->act, due->value);
        if (due->guest_act != NULL && machine->guest != NULL) {
            // It waits out of sight, and comes from where it began.
            machine->guest->place = md5_xform_mul(machine->place, machine->guest->start);
            perform(machine->guest, due->guest_act, due->guest_value);
        }
        machine->has_target = due->looks;
    }
    if (!machine->has_target || !view_find_shot(machine, &camera))
        return;
    const float azimuth = view_radians(camera.azimuth);
    const float elevation = view_radians(camera.elevation);
    const md5_vec3 back = {cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                           sinf(elevation)};
    machine->target =
        view_along(md5_vec3_add(machine->place.translation, camera.target), back, camera.distance);
    machine->pointed = machine->time;
}

void view_hear_minute(view_machine *machine, view_window *window)
{
    view_machine *const all[] = {machine, machine->guest};
    float samples[VIEW_LONGEST_SOUND] = {0};
    bool is_heard = false;
    for (int i = 0; i < (machine->guest != NULL ? 2 : 1); i++) {
        view_machine *const each = all[i];
        const float far = view_distance(each->place.translation, machine->place.translation);
        for (int k = 0; k < VIEW_EVENTS; k++)
            if (machine->acts && machine->time < (double)VIEW_MINUTE
                && each->events[k].time > fmin(each->heard, each->time))
                is_heard |=
                    view_add_sound(samples, each->events[k].text, 1 / (1 + 1e-4f * far * far));
        each->heard = each->time;
    }
    if (is_heard)
        view_play_sound(window, samples, VIEW_LONGEST_SOUND);
}
