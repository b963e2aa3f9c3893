// Waiting for what another thread does, on machines of any speed.
#ifndef TEST_VIEWER_TEST_VIEW_WAIT_H
#define TEST_VIEWER_TEST_VIEW_WAIT_H

#include "test/test.h"

#include <SDL.h>

// Waits until the condition holds. Only a failure takes five minutes.
#define WAIT_UNTIL(condition)                                                      \
    for (Uint32 begun = SDL_GetTicks();                                            \
         !(condition) && CHECK(SDL_GetTicks() - begun < 300000 && "" #condition);) \
    SDL_Delay(1)

#endif
