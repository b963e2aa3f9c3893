// A small game: Bobbin carries his lantern over uneven ground at night and lights seven others
// before his oil is used up, while a crowd watches. It plays itself until somebody takes over.
//
// The document is his machine; keys drive that as they do without a game. The game adds rules in
// fixed steps, so that the same input gives the same game, and what view_extra has: lanterns,
// crowd, lights, footprints, a camera behind him.
#ifndef DEMO_VIEWER_LANTERNS_GAME_H
#define DEMO_VIEWER_LANTERNS_GAME_H

#include "demo/viewer/ui/ui.h"

typedef enum view_game_phase { VIEW_GAME_PLAYS, VIEW_GAME_WON, VIEW_GAME_LOST } view_game_phase;

enum { VIEW_GAME_LANTERNS = 7, VIEW_GAME_NIGHTS = 5 };

// What the panel shows, and tests ask.
typedef struct view_game_facts {
    view_game_phase phase;
    bool is_demo;          // it plays itself
    uint32_t night, round; // night: 0 is the easiest; round: those played before, 0 is the demo's
    uint32_t num_lit, num_steps;
    double seconds, rest; // played; since it ended
    double missed;        // of `seconds`: he passed a dark lantern closely; 0: never
    float oil;            // 0 to 1
} view_game_facts;

typedef struct view_game view_game;

// The files of the game in the folder of our models.
#define VIEW_GAME_CHARACTER "bobbin/bobbin.md5machine"
#define VIEW_GAME_LANTERN "lantern/lantern.md5machine"

// Makes a game of a document of that character, which must outlive it and becomes a part of it.
// Without a renderer it can be played, but not drawn. Returns NULL and logs an error on failure.
view_game *view_make_game(view_document *document, const char *models, const view_loader *loader);
void view_free_game(view_game *game, md5gl_renderer *renderer); // NULL is allowed

// Plays on to `time`, that of view_play, and poses everybody. An earlier time begins anew.
void view_run_game(view_game *game, double time);
view_game_facts view_get_game_facts(const view_game *game);

// Begins a round of a night, driven by keys; round 0 is the demo, whose night is 0. Where the
// lanterns stand is another place in each round.
void view_begin_night(view_game *game, uint32_t night, uint32_t round);

// Back to the title, while it plays itself. Returns whether it was elsewhere; NULL: false.
bool view_show_title(view_game *game);

// Begins anew, driven by keys, if a round has ended or it plays itself, or at any time if that
// `is_asked`: after one that was won the next night. Returns whether it did.
bool view_play_again(view_game *game, bool is_asked);

// Plays the sounds of what has happened since the last call: steps, lanterns that are lit, the end;
// of the demo none. `is_silent`: ends those that are still heard.
void view_hear_game(view_game *game, view_window *window, bool is_silent);

// Lets a stage show the game.
void view_stage_game(view_game *game, view_stage *stage);

#endif
