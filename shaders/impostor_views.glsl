// The directions from which the images of an impostor were drawn, called views. Most views are on rings
// around the vertical axis. The last view is from below.
uniform ivec2 view_counts;  // around, above
uniform ivec4 picture_grid; // columns, rows of a block; blocks per row, rows of blocks
uniform vec2 view_range;    // elevation of the lowest and of the highest ring, radians

#define NUM_VIEWS (view_counts.x * view_counts.y + 1)

const float FULL_TURN = 6.28318531; // radians

// Rotates by a unit quaternion.
vec3 rotate(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Returns the axes of a view in model space: to the right, up, and towards the viewer.
mat3 view_axes(int view)
{
    if (view == NUM_VIEWS - 1)
        return mat3(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0);
    float angle = FULL_TURN * float(view % view_counts.x) / float(view_counts.x);
    float rings = max(float(view_counts.y - 1), 1.0);
    float raised = mix(view_range.x, view_range.y, float(view / view_counts.x) / rings);
    vec2 level = vec2(cos(angle), sin(angle));
    vec3 back = vec3(cos(raised) * level, sin(raised));
    return mat3(vec3(-level.y, level.x, 0.0), vec3(-sin(raised) * level, cos(raised)), back);
}
