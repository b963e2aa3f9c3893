// The user's camera: moved by the mouse, set by the command line and stored in the configuration.
#ifndef DEMO_VIEWER_BASE_VIEWPOINT_H
#define DEMO_VIEWER_BASE_VIEWPOINT_H

#include "md5/md5model.h"

#include <stdbool.h>

// The azimuth is that of the eye seen from the target: 0 = in front of the model (at +x, looking
// towards -x), 90 = at its left (+y), -90 = at its right. The elevation is 0 when level, 90
// straight above.
typedef struct view_camera {
    float azimuth, elevation; // degrees
    float distance;           // from eye to target, units
    md5_vec3 target;          // centre of rotation
    bool orthographic;        // shows at the target the same size as the perspective does
    float scene_radius;       // of what view_frame_all() framed: determines near and far planes
} view_camera;

#endif
