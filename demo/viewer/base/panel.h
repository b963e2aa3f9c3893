// Colors and distances that all code of the user interface shares.
#ifndef DEMO_VIEWER_BASE_PANEL_H
#define DEMO_VIEWER_BASE_PANEL_H

#include "demo/viewer/base/canvas.h"
#include "demo/common/memory.h"

// Colors of the panels. They are subdued, so that they do not distract from the model.
#define VIEW_BOX 0x12151AD8u
#define VIEW_BRIGHT 0xF1F3F6FFu
#define VIEW_PLAIN 0xC9CFD8FFu
#define VIEW_DIM 0x9AA4B2FFu
#define VIEW_ACCENT 0x6FA8FFFFu
#define VIEW_AMBER 0xF0B95AFFu
#define VIEW_WRONG 0xFF8A80FFu
#define VIEW_FINE 0x7BD88FFFu
#define VIEW_POPOVER 0x12151AFAu
#define VIEW_EDGE 0x4A5361FFu
#define VIEW_FIELD 0x1E232BFFu
#define VIEW_CONTROL 0x2A303AFFu
#define VIEW_HOVERED 0x333C49FFu
#define VIEW_SELECTED 0x33507FFFu
#define VIEW_DISABLED 0x717B89FFu
#define VIEW_RECORDING 0x7A1F1FFFu
#define VIEW_DOCK 0x12151AEBu
#define VIEW_SECTION 0x2A303A73u

// Distances in layout units. A layout unit is one pixel times the scale of the font.
#define VIEW_MARGIN 14.0f
#define VIEW_PADDING 14.0f
#define VIEW_RADIUS 8.0f
#define VIEW_INSET 9.0f // inner margin of a dock

#endif
