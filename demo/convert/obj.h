// A surface of a Wavefront OBJ file.
#ifndef DEMO_CONVERT_OBJ_H
#define DEMO_CONVERT_OBJ_H

#include "demo/convert/convert.h"

// A corner of a triangle.
typedef struct convert_obj_corner {
    uint32_t position, texcoord; // texcoord: 1 + its index; 0: it has none
} convert_obj_corner;

// The triangles of one material, counter-clockwise seen from outside, as in the file.
typedef struct convert_obj_part {
    char *material;              // "" before the first usemtl
    convert_obj_corner *corners; // [3 * num_triangles]
    uint32_t num_triangles;
} convert_obj_part;

typedef struct convert_obj {
    md5_vec3 *positions;
    md5_vec2 *texcoords;
    uint32_t num_positions;
    uint32_t num_texcoords;
    convert_obj_part *parts; // [num_parts] in the order in which materials are first used
    uint32_t num_parts;
} convert_obj;

// Reads positions, texture coordinates, faces of any number of corners, which are cut into fans,
// and names of materials; what else is in the file is skipped. Returns false and sets the error,
// with line and column, if a number, a face or an index is wrong, or if there are no faces. Free in
// both cases.
bool convert_read_obj(const char *path, convert_obj *obj, md5_error *error);
void convert_free_obj(convert_obj *obj);

#endif
