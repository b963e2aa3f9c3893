// The parts of platform_sdl.c that tests look at.
#ifndef DEMO_VIEWER_PLATFORM_PLATFORM_SDL_H
#define DEMO_VIEWER_PLATFORM_PLATFORM_SDL_H

#include "demo/viewer/platform/platform.h"

#include <SDL.h>

enum { VIEW_RING = 4 * VIEW_SOUND_RATE }; // samples

struct view_window {
    SDL_Window *window;
    SDL_GLContext context;
    float desktop_scale; // of the X server's resources; 0: unknown
    char driver[32];
    bool hears_pads;
    SDL_GameController *controller; // or NULL
    view_pad pad;
    view_fingers fingers;
    int num_dropped; // at once, of the last drop
    // What is heard: samples that the device takes, and sets to 0, from next_sample on.
    SDL_AudioDeviceID speaker; // 0: there is none
    bool has_sound_begun;
    size_t next_sample;
    float ring[VIEW_RING];
};

// The scale of "Xft.dpi: 144" among the resources of an X server, over the usual 96; 0 if there is
// none. NULL: there are none.
float view_scale_of_resources(const char *resources);

// The viewer's code of an SDL_Keycode; VIEW_KEY_OTHER if it has none.
int32_t view_key_of_sdl(SDL_Keycode code);

view_input view_input_of_sdl(view_window *window, const SDL_Event *from);

#endif
