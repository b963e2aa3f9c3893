// Reads the surface of a Wavefront OBJ file.
#ifndef DEMO_CONVERT_OBJ_H
#define DEMO_CONVERT_OBJ_H

#include "demo/convert/convert.h"

// A corner of a triangle, which is a vertex of it.
typedef struct convert_obj_corner {
    uint32_t position; // index of a position
    uint32_t texcoord; // 1 + index; 0: no texture coordinate
} convert_obj_corner;

// The triangles with one material. They are in the order of the file, and counterclockwise seen
// from outside.
typedef struct convert_obj_part {
    char *material;              // "" before the first usemtl
    convert_obj_corner *corners; // [3 * num_triangles]
    uint32_t num_triangles;
} convert_obj_part;

// The content of an OBJ file.
typedef struct convert_obj {
    md5_vec3 *positions;
    md5_vec2 *texcoords;
    uint32_t num_positions;
    uint32_t num_texcoords;
    convert_obj_part *parts; // [num_parts] in the order in which materials are first used
    uint32_t num_parts;
} convert_obj;

// Reads positions, texture coordinates, faces and the names of materials. A face with more than
// three corners becomes a triangle fan. All other data is skipped.
//
// Returns false if a number, a face or an index is invalid, or if there are no faces. The error
// contains the line and the column. The caller must call convert_free_obj() in any case.
bool convert_read_obj(const char *path, convert_obj *obj, md5_error *error);
void convert_free_obj(convert_obj *obj);

#endif
