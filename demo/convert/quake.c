// The 162 directions of normals.
#include "demo/convert/quake.h"

// They are the points of an icosahedron whose edges are cut in four, put on the sphere, in the
// order in which a walk over its faces meets them: of each corner of a face six points, in rows
// from it.
void quake_make_normals(convert_vec *normals)
{
    static const char faces[] = "ciacfifkiikeieaegaebgkbekdbdlblgbljglhjhcjcajjagfchfhdfdkldh";
    const double side = 0.5257311121191336, top = 0.8506508083520399; // of points of length 1
    uint32_t count = 0;
    COMMON_FOR (i, 6 * (sizeof faces - 1)) {
        const char *const face = faces + i / 18 * 3;
        const int corner = (int)(i / 6 % 3), row = i % 6 > 2 ? 2 : i % 6 > 0,
                  column = (int)(i % 6) - row * (row + 1) / 2;
        const int parts[3] = {4 - row, row - column, column}; // of the corner, and the other two
        const int corners[3] = {corner, corner == 0, corner == 2 ? 1 : 2};
        double at[3] = {0.0, 0.0, 0.0};
        COMMON_FOR (k, 3) {
            const int vertex = face[corners[k]] - 'a', axis = vertex / 4;
            at[axis] += parts[k] * (vertex % 4 < 2 ? side : -side);
            at[(axis + 2) % 3] += parts[k] * (vertex % 2 == 0 ? top : -top);
        }
        const convert_vec sum = {at[0], at[1], at[2]};
        const convert_vec point = convert_times(sum, 1.0 / sqrt(convert_dot(sum, sum)));
        uint32_t same = 0;
        while (same < count && convert_dot(normals[same], point) < 0.999)
            same++;
        normals[same] = point;
        count += same == count;
    }
}
