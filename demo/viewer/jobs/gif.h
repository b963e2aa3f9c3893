// One picture in 256 colours, and its GIF data.
#ifndef DEMO_VIEWER_JOBS_GIF_H
#define DEMO_VIEWER_JOBS_GIF_H

#include <stdint.h>
#include <stdio.h>

enum { VIEW_GIF_COLORS = 256 };

// Writes header and endless loop of a GIF, one picture, and the end. `delay`: hundredths of a
// second.
void view_write_gif_header(FILE *file, uint32_t width, uint32_t height);
void view_write_gif_picture(FILE *file, uint32_t width, uint32_t height, uint32_t delay,
                            const uint8_t *rgba);
void view_write_gif_end(FILE *file);

#endif
