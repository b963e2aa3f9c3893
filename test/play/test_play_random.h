// Random machines for properties that must hold for every machine: clips with events and markers,
// motions of every kind, layers, transitions with every option.
//
// play_random_stock contains the clips; play_random_make() writes the tables of a machine to
// play_random_tables.
#ifndef TEST_PLAY_TEST_PLAY_RANDOM_H
#define TEST_PLAY_TEST_PLAY_RANDOM_H

#include "test/play/test_play_case.h"

enum {
    PLAY_WINDOWS = 3,
    PLAY_EVENTS = 5,
    PLAY_MARKERS = 2,
    PLAY_MOTIONS = 6,
    PLAY_ITEMS = 3,
    PLAY_STATES = 5
};
enum { PLAY_RANDOM_CLIPS = 5, PLAY_TRANSITIONS = 8, PLAY_LAYERS = 3 };
enum { PLAY_ONE_SHOTS = 4, PLAY_SLOTS = 2 };
enum { PLAY_X, PLAY_PACE, PLAY_FLAG, PLAY_LEAP, PLAY_CALL, PLAY_PARAMETERS };

// The clips of random machines. The caller frees them with play_end(&stock.made).
typedef struct play_random_stock {
    play_case assets;
    uint32_t num_frames[PLAY_RANDOM_CLIPS];
} play_random_stock;

// The tables of a machine, and the arrays that they point to.
typedef struct play_random_tables {
    md5_machine_desc desc;
    md5_clip_desc clips[PLAY_RANDOM_CLIPS];
    md5_event events[PLAY_RANDOM_CLIPS][PLAY_EVENTS];
    uint32_t markers[PLAY_RANDOM_CLIPS][PLAY_MARKERS];
    md5_window windows[PLAY_RANDOM_CLIPS][PLAY_WINDOWS];
    md5_morph_key keys[PLAY_RANDOM_CLIPS][2];
    md5_clip_curve curves[PLAY_RANDOM_CLIPS];
    md5_parameter_desc parameters[PLAY_PARAMETERS];
    md5_motion_desc motions[PLAY_MOTIONS];
    md5_motion_item items[PLAY_MOTIONS][PLAY_ITEMS];
    md5_layer_desc layers[PLAY_LAYERS];
    md5_state_desc states[PLAY_LAYERS][PLAY_STATES];
    md5_transition_desc transitions[PLAY_LAYERS][PLAY_TRANSITIONS];
    md5_condition conditions[PLAY_LAYERS][PLAY_TRANSITIONS];
    md5_condition added[PLAY_LAYERS][PLAY_TRANSITIONS][2]; // by play_random_add_times()
    md5_slot_desc slots[PLAY_SLOTS];                       // by play_random_add_one_shots()
    md5_one_shot_desc one_shots[PLAY_ONE_SHOTS];
    md5_condition whens[PLAY_ONE_SHOTS][2], untils[PLAY_ONE_SHOTS];
    bool extracts_rotation, has_fades;
    bool has_crossfades;
    double longest; // duration of the longest fade, seconds
} play_random_tables;

void play_random_begin(play_random_stock *fixture);

// Creates tables from the random state, which advances.
void play_random_make(const play_random_stock *fixture, play_random_tables *to, uint64_t *random);

// Synchronizes some transitions: those between states whose first clips can be synchronized.
void play_random_step(play_random_tables *to, uint64_t *random);
// Adds exits in each cycle and at events to transitions, and conditions on time and events.
void play_random_add_times(play_random_tables *to, uint64_t *random);

// Adds one-shots that begin by conditions and stop at events.
void play_random_add_one_shots(play_random_tables *to, uint64_t *random);

// Returns the highest possible speed of the root, units per second: of the fastest state of each
// layer.
double play_random_speed(const play_random_tables *fixture, double pace);

// Changes a parameter or a state of all players in the same way.
void play_random_change(md5_player *const *players, uint32_t num_players,
                        play_random_tables *fixture, uint64_t *random);

// Returns a random time step, forward or backward. Two of three steps are multiples of units such
// as 0.05 s, a frame of one clip, and 1 s, a cycle: these often end at borders.
double play_random_seconds(uint64_t *random);

// Limit for the events of one step. It is the library's limit because a random machine can leave a
// state and return within a fade of 1e-4 s. More events fail the test.
enum { PLAY_MAX_EVENTS = MD5_MAX_STEP_EVENTS };
typedef struct play_event_log {
    const md5_event *events[PLAY_MAX_EVENTS];
    float weights[PLAY_MAX_EVENTS];
    uint32_t count;
} play_event_log;
void play_log_event(void *user, md5_player *player, const md5_event *event, float weight);
bool play_same_events(const play_event_log *a, const play_event_log *b);

uint32_t play_below(uint64_t *random, uint32_t count);
bool play_random_one_in(uint64_t *random, uint32_t count);

#endif
