// Environments: light from all around, given as a picture.
//
//   md5gl_create_environment()          once for each picture
//   md5gl_begin_frame()                 with md5gl_frame.environment
//     md5gl_draw_environment()          the picture as the background, if wanted: before models
//     md5gl_draw_model() ...            lit by the picture instead of by a sky of one colour
//   md5gl_end_frame()
//
// The picture takes the place of the sky of MD5GL_LIGHTING_STUDIO: it lights matt surfaces by
// spherical harmonics, and glossy ones, those with a specular map, reflect it, blurred by their
// roughness. Key light, point lights and shadows are added as in other frames. Frames without an
// environment cost what they did: they are drawn by other programs.
//
// Pictures are equirectangular panoramas, rgb[3 * width * height], linear colour, top row first:
// the top row is +z, the bottom row -z, the middle of a row +x; columns go on to the right, to -y.
#ifndef MD5GL_ENVIRONMENT_H
#define MD5GL_ENVIRONMENT_H

#include "md5gl.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// Projects the light of a picture, `width` * `height` at least 1, to spherical harmonics of degrees
// 0 to 2: harmonics[9], each red, green and blue, in the order (0,0) (1,-1) (1,0) (1,1) (2,-2)
// (2,-1) (2,0) (2,1) (2,2), real and orthonormal: (0,0) is 0.282095, (1,1) 0.488603 x. Each texel
// counts by its solid angle. Source: Ramamoorthi and Hanrahan, "An Efficient Representation for
// Irradiance Environment Maps", 2001. Needs no context; thread-safe.
MD5GL_API void md5gl_project_light(uint32_t width, uint32_t height, const float *rgb,
                                   md5_vec3 harmonics[9]);

// Writes polynomial[9], what a white matt surface whose unit normal is n reflects of that light:
// the sum of the products with 1, x, y, z, xy, yz, xz, z^2 and x^2 - y^2 of n. By the same source,
// exact for light of degree 2, within some per cent for pictures. May be negative opposite of very
// bright light. Thread-safe.
MD5GL_API void md5gl_reflect_light(const md5_vec3 harmonics[9], md5_vec3 polynomial[9]);

// Creates an environment from a picture, which is read during the call: projects its light, and
// filters its reflections on the CPU, some hundredths of a second. Uses 4 to 6 bytes of GPU memory
// for each texel of up to 4096 x 2048; larger pictures are reduced. Components below 0 and those
// that are not numbers count as 0, those above 65000 as that. Call it outside of a frame. Returns
// NULL with MD5_ERROR_MEMORY, or with MD5_ERROR_GPU, also if a side is 0.
MD5GL_API md5gl_environment *md5gl_create_environment(md5gl_renderer *renderer, uint32_t width,
                                                      uint32_t height, const float *rgb,
                                                      md5_error *error);
MD5GL_API void md5gl_destroy_environment(md5gl_renderer *renderer,
                                         md5gl_environment *environment); // NULL is allowed

// Returns the polynomial of the environment's light, [9]; owned by the environment.
MD5GL_API const md5_vec3 *md5gl_environment_light(const md5gl_environment *environment);

// Draws the frame's environment behind everything: over the whole viewport, opaque, without depth.
// Tone mapping, `ambient` and rotation are those of surfaces. A parallel projection shows it as
// from a point, 45 degrees high. Does nothing in a frame without one.
MD5GL_API void md5gl_draw_environment(md5gl_renderer *renderer);

#ifdef __cplusplus
}
#endif

#endif
