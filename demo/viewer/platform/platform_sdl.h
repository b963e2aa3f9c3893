// Declarations of platform_sdl.c that tests use.
#ifndef DEMO_VIEWER_PLATFORM_PLATFORM_SDL_H
#define DEMO_VIEWER_PLATFORM_PLATFORM_SDL_H

#include "demo/viewer/platform/platform.h"

#include <SDL.h>

enum { VIEW_RING = 4 * VIEW_SOUND_RATE }; // samples

struct view_window {
    SDL_Window *window;
    SDL_GLContext context;
    float desktop_scale; // scale in the X server's resources; 0 if unknown
    char driver[32];
    bool has_gamepads;              // gamepads are available
    SDL_GameController *controller; // or NULL
    view_pad pad;
    view_fingers fingers;
    view_clicks clicks;
    uint32_t press_time; // time of the next SDL_MOUSEBUTTONDOWN, in ms on the X server's clock
    bool has_press_time;
    int num_dropped; // number of files in the last drop
    // A ring buffer with the sum of all sounds. The audio device reads samples from next_sample on,
    // and sets them to 0.
    SDL_AudioDeviceID speaker; // 0: no device
    bool has_sound_begun;
    size_t next_sample;
    float ring[VIEW_RING];
};

// Returns the text scale of the desktop, relative to 96 dots per inch. `resources` are the
// resources of the X server, for example "Xft.dpi: 144". Returns 0 if this line is missing or
// `resources` is NULL.
float view_scale_from_resources(const char *resources);

// Returns the viewer's code of a key, or VIEW_KEY_OTHER if it has none.
int32_t view_key_from_sdl(SDL_Keycode code);

// Converts an event of SDL. Frees the memory that a dropped file or text owns. Therefore `from`
// must not be used afterwards.
view_input view_input_from_sdl(view_window *window, const SDL_Event *from);

// Removes all events from SDL's queue, and frees the memory of dropped files and texts.
void view_discard_events(void);

#endif
