// The fewest bytes that one of each takes in an .md5mesh. A count that the rest of the text could
// not hold is an error, so that memory stays linear in the size of the text.
#ifndef MD5_READ_MESH_BYTES_H
#define MD5_READ_MESH_BYTES_H

enum {
    MD5_JOINT_BYTES = sizeof "a 0(0 0 0)(0 0 0)" - 1,
    MD5_MESH_BYTES = sizeof "mesh{numverts 0 numtris 0 numweights 0}" - 1,
    MD5_VERTEX_BYTES = sizeof "vert 0(0 0)0 0" - 1,
    MD5_TRIANGLE_BYTES = sizeof "tri 0 0 0 0" - 1,
    MD5_WEIGHT_BYTES = sizeof "weight 0 0 0(0 0 0)" - 1,
    MD5_OLD_WEIGHT_BYTES = sizeof "weight 0 0 0 0 0 0" - 1, // version 6
    MD5_BONE_BYTES = sizeof "bone 0{name a bindpos 0 0 0 bindmat 0 0 0 0 0 0 0 0 0}" - 1,
    MD5_COLOR_BYTES = sizeof "vertexcolor 0(0 0 0 0)" - 1,
};

#endif
