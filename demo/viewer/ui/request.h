// Requests that the user makes by mouse and keys over the interface. The interface changes only
// itself: everything that concerns the document or the program is returned as a request, which app/
// carries out.
#ifndef DEMO_VIEWER_UI_REQUEST_H
#define DEMO_VIEWER_UI_REQUEST_H

#include "demo/viewer/base/keys.h"

#include <stddef.h>

typedef enum view_request_kind {
    VIEW_REQUEST_PASS,     // the interface did not handle the event
    VIEW_REQUEST_DONE,     // it handled the event; nothing else to do
    VIEW_REQUEST_LISTED,   // done: the open list has another choice or filter
    VIEW_REQUEST_CLOSED,   // done: the open list was closed
    VIEW_REQUEST_MARKED,   // done: another joint is chosen, or none
    VIEW_REQUEST_BROWSE,   // list the folder `path`
    VIEW_REQUEST_OPEN,     // open the file `path`
    VIEW_REQUEST_GAME,     // list the contents of the folder `path`
    VIEW_REQUEST_SECTION,  // list section `number` of the game
    VIEW_REQUEST_NAMED,    // show what has the name `path` in section `number` of the game
    VIEW_REQUEST_CLIP,     // show clip `number`
    VIEW_REQUEST_PERFORM,  // perform `action`
    VIEW_REQUEST_MESH,     // show or hide mesh `number`
    VIEW_REQUEST_TEXTURES, // list the textures that mesh `number` may have
    VIEW_REQUEST_TEXTURE,  // give mesh `number` the texture `path`; NULL: the one that is found
    VIEW_REQUEST_STATE,    // go to `state` of the machine's layer `number`
    VIEW_REQUEST_FOCUS,    // show the time of `channel`
    VIEW_REQUEST_CHANNEL,  // list the clips for `channel`
    VIEW_REQUEST_PLAY_IN,  // play clip `number` in `channel`; SIZE_MAX: none
} view_request_kind;

typedef struct view_request {
    view_request_kind kind;
    view_action action;
    size_t number, state;
    uint32_t channel; // md5_channel
    char *path;       // for the receiver to free; NULL if the kind has none
} view_request;

#endif
