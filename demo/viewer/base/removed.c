#include "demo/viewer/base/removed.h"

#include <assert.h>

const common_removed view_removed_options[] = {
    {.name = "blow", .advice = "drag a limb of the ragdoll with the mouse"},
    {.name = "bounds-of-joints", .advice = "use its new name --joint-bounds"},
    {.name = "crowd-exact",
     .advice = "remove it; culling never changes the image, and --output updates all visible "
               "characters in every image"},
    {.name = "dies", .advice = "use its new name --ragdoll-time"},
    {.name = "docks", .advice = "use its new name --panel-sizes"},
    {.name = "game-demo", .advice = "build demo/examples/walk_game.c, a small game on the library"},
    {.name = "guest",
     .advice = "open the second machine in another window; a program can set its triggers in the "
               "event callback of the first player"},
    {.name = "no-crowd-levels",
     .advice = "use --crowd-reduced 0 --crowd-baked 0 --crowd-impostors 0"},
    {.name = "onion",
     .advice = "use --sheet COLSxROWS, which draws the frames of a clip next to each other"},
    {.name = "onion-step",
     .advice = "use --sheet COLSxROWS, which draws the frames of a clip next to each other"},
    {.name = "page", .advice = "use its new name --lesson"},
    {.name = "path", .advice = "use its new name --skinning-path"},
    {.name = "postcard",
     .advice = "use --output FILE.apng --frames 60 --frame-rate 10 --resolution 192,144"},
    {.name = "retarget-place",
     .advice = "use --retarget-layout side-by-side, overlay or target-only"},
    {.name = "rises", .advice = "press Delete in the window, which ends the fall"},
    {.name = "surface", .advice = "use its new name --shading"},
    {.name = "verify",
     .advice = "in the source tree, make test TEST=gl_skinning compares skinning on the GPU with "
               "the CPU"},
    {.name = "wear", .advice = "use its new name --outfit"},
};
enum { NUM_OPTIONS = sizeof view_removed_options / sizeof view_removed_options[0] };
static_assert((int)NUM_OPTIONS <= (int)VIEW_MAX_REMOVED_OPTIONS,
              "readers of a file store a pointer for each");
const size_t view_num_removed_options = NUM_OPTIONS;

const common_removed *view_find_removed_option(const char *name, size_t length)
{
    return common_find_removed(view_removed_options, NUM_OPTIONS, name, length);
}
