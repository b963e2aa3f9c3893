// The states of scripts: against the original engine (MD5_CORPUS, golden/d3char, whose FORMAT.md
// explains the table), and what is wrong in scripts.
#include "test/game/entity_case.h"
#include "test/own.h"

#include "md5/game/actor.h"

// -- The probe ------------------------------------------------------------------------------------

#define PROBE "models/probe/"
static const char *const files[] = {
    "def/probe.def",
    "script/doom_main.script",
    "script/doom_defs.script",
    PROBE "stilt.md5mesh",
    PROBE "stilt_bind.md5anim",
    PROBE "stilt_ik_pose.md5anim",
    PROBE "stilt_af_pose.md5anim",
    PROBE "stilt_idle.md5anim",
    PROBE "stilt_walk.md5anim",
    PROBE "stilt_pain.md5anim",
};

static const golden_folder probe = {"d3char/game/base", files, COUNT_OF(files)};

static void print_slot(test_text *text, int channel, int index, const md5_actor *actor)
{
    const md5_actor_slot *const slot = &actor->slots[channel][index];
    if (slot->clip == MD5_NONE)
        return;
    test_append(text, "p %d %d %s %lld %lld %lld %g %d %lld %u", channel, index,
                actor->entity->clips[slot->clip].anim->name, (long long)slot->start,
                (long long)slot->end, (long long)slot->offset, (double)slot->rate, slot->cycles,
                (long long)slot->ramp, slot->duration);
}

TEST (states_play_as_in_the_original_engine) {
    REQUIRE_CORPUS();
    OWN_GAME game = open_golden_game(&probe, NULL);
    OWN char *const table = read_golden("d3char/states.txt", NULL);
    REQUIRE(game && table);
    OWN_ENTITY entity = md5_load_entity(game, "probe_stilt", NULL, NULL);
    OWN_ACTOR actor = md5_create_actor(entity, NULL, NULL);
    md5_error error = {0};
    const md5_load_opts opts = {.files = md5_game_files(game)};
    md5_script *const script = md5_load_script("script/doom_main.script", "probe", &opts, &error);
    CHECK_STRING(error.message, "");
    REQUIRE(entity && actor && script);
    const md5_states_desc desc = {.script = script, .entity = entity, .body = actor};
    md5_states *const states = md5_create_states(&desc, NULL, &error);
    REQUIRE(states);
    md5_actor_set_in_place(actor, true);
    double origin = 300.0;
    long long now = 0;
    unsigned num_ticks = 0, num_slots = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char name[64], clip[64];
        double x;
        long long time;
        int channel, slot, end;
        if (sscanf(line, "setState %63s at %lld", name, &time) == 2) {
            md5_states_advance(states, (uint32_t)(time - now), NULL, NULL);
            now = time;
            CHECK(md5_states_set(states, MD5_CHANNEL_ALL, name, 0));
        } else if (sscanf(line, "f %lld probe::%63s %lf", &time, name, &x) == 3) {
            md5_states_advance(states, (uint32_t)(time - now), NULL, NULL);
            now = time;
            origin += (double)md5_actor_root_motion(actor).translation.x;
            CHECK_STRING(md5_states_channel(states, MD5_CHANNEL_ALL).name, name);
            CHECK_THAT(fabs(origin - x) <= 1e-2, "at %lld: at %g, expected %g", time, origin, x);
            num_ticks++;
        } else if (sscanf(line, "c %d", &channel) == 1) {
            const md5_channel_state now_in = md5_states_channel(states, (md5_channel)channel);
            char ours[128];
            snprintf(ours, sizeof ours, "c %d %s %u %u %d %d", channel, now_in.name, now_in.blend,
                     now_in.last_blend, now_in.is_idle, now_in.is_disabled);
            CHECK_STRING(ours, line);
        } else if (sscanf(line, "p %d %d %63s", &channel, &slot, clip) == 3) {
            test_text ours = {0};
            print_slot(&ours, channel, slot, actor);
            end = (int)ours.used;
            double from, to, weight;
            CHECK_THAT(strncmp(line, ours.bytes, ours.used) == 0, "at %lld: %s, expected %s", now,
                       ours.bytes, line);
            REQUIRE(sscanf(line + end, "%lf %lf %lf", &from, &to, &weight) == 3);
            const md5_actor_slot *const it = &actor->slots[channel][slot];
            CHECK_NEAR(it->from, from, 1e-6);
            CHECK_NEAR(it->to, to, 1e-6);
            const double passed = fmin(fmax((double)(now - it->ramp), 0.0), it->duration);
            const double part = it->duration > 0 ? passed / it->duration : 1.0;
            CHECK_NEAR(it->from + (it->to - it->from) * part, weight, 1e-6);
            free(ours.bytes);
            num_slots++;
        }
    }
    CHECK_UINT(num_ticks, 600);
    CHECK(num_slots > 1200);
    md5_destroy_states(states);
    md5_free_script(script);
}
