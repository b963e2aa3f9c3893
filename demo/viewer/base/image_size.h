// The largest picture that is read: a limit for the check of a file as well as for stb_image. The
// library has the same limits for TGA and DDS.
#ifndef DEMO_VIEWER_BASE_IMAGE_SIZE_H
#define DEMO_VIEWER_BASE_IMAGE_SIZE_H

enum {
    VIEW_IMAGE_MAX_SIDE = 16384,
    VIEW_IMAGE_MAX_PIXELS = 1 << 26, // 256 MiB as RGBA, as much as a model may take
};

#endif
