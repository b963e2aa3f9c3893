// Draws one impostor as a square through the center of the character's bounding sphere. The square
// faces the viewer. Also selects the three nearest views and their weights.
layout(location = 0) in vec4 rotation; // model to world
layout(location = 1) in vec4 translation;    // translation; w: scale
layout(location = 2) in vec2 state;    // frame; fraction of the pixels that is visible

uniform vec4 model_sphere; // center in model space; w: radius
uniform float picture_texels;
uniform bool casts; // true while drawing a shadow map, whose frame block has another `eye`

flat out vec4 sphere;  // center in world space; w: radius
flat out vec4 model_rotation; // to world space
flat out vec4 weights; // weights of three views; w: fraction of the pixels that is visible
flat out ivec3 views;
flat out vec2 frame_and_level; // frame; level of detail
flat out vec4 viewer; // same format as `eye` of the frame
out vec3 plane_position;

// If the sphere is smaller than this, one view suffices: the next view differs by less than a
// pixel.
const float SINGLE_VIEW_PIXELS = 10.0;
const float SHARPER = 0.5; // mipmap level offset, because the images are already smoothed
const float BELOW = -0.9; // z of a unit direction below which the view from below is used

// Selects the three views around a direction in model space, and their weights. The views are the
// points of a grid, in which columns are azimuths and rows are elevations. Each cell of the grid
// consists of two triangles with views at their corners. The weights are the barycentric
// coordinates of the direction in its triangle.
void choose_views(vec3 direction)
{
    weights.xyz = vec3(1.0, 0.0, 0.0);
    views = ivec3(NUM_VIEWS - 1); // the view from below
    if (direction.z < BELOW)
        return;

    // The position of the direction in the grid.
    float around = atan(direction.y, direction.x) / FULL_TURN;
    float column = (around - floor(around)) * float(view_counts.x);
    float range = max(view_range.y - view_range.x, 1e-6);
    float raised = (asin(clamp(direction.z, -1.0, 1.0)) - view_range.x) / range;
    float row = clamp(raised, 0.0, 1.0) * float(view_counts.y - 1);
    ivec2 first = ivec2(int(column) % view_counts.x, int(row));
    ivec2 next = ivec2((first.x + 1) % view_counts.x, min(first.y + 1, view_counts.y - 1));
    vec2 part = vec2(column - floor(column), row - floor(row));

    // The diagonal divides the cell into the triangle at its first corner and the triangle at its
    // last corner.
    bool far = part.x + part.y > 1.0;
    if (far)
        part = 1.0 - part;
    ivec2 corner = far ? next : first, opposite = far ? first : next;
    weights.xyz = vec3(1.0 - part.x - part.y, part);
    views = ivec3(corner.y * view_counts.x + corner.x, corner.y * view_counts.x + opposite.x,
                  opposite.y * view_counts.x + corner.x);
}

// Keeps only the view with the largest weight.
void keep_nearest()
{
    float largest = max(max(weights.x, weights.y), weights.z);
    views.x = weights.x == largest ? views.x : weights.y == largest ? views.y : views.z;
    weights.xyz = vec3(1.0, 0.0, 0.0);
}

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0; // of the square, -1..1
    sphere.xyz = translation.xyz + translation.w * rotate(rotation, model_sphere.xyz);
    sphere.w = translation.w * model_sphere.w;
    model_rotation = rotation;
    viewer = eye;
    vec3 back = normalize(viewer.xyz - viewer.w * sphere.xyz);
    vec3 right = cross(abs(back.z) < 0.999 ? vec3(0, 0, 1) : vec3(1, 0, 0), back);
    right = normalize(right);
    vec3 up = cross(back, right);
    choose_views(rotate(vec4(-rotation.xyz, rotation.w), back));
    weights.w = state.y;
    plane_position = sphere.xyz + sphere.w * (corner.x * right + corner.y * up);
    gl_Position = clip_from_world * vec4(plane_position, 1.0);

    // Select the level of detail from the size of the sphere on the screen.
    vec4 center = clip_from_world * vec4(sphere.xyz, 1.0);
    vec4 top = clip_from_world * vec4(sphere.xyz + sphere.w * up, 1.0);
    vec2 half_size = viewport.xy * (top.xy / max(top.w, 1e-6) - center.xy / max(center.w, 1e-6));
    float pixels = max(length(half_size), 1e-3); // size of the diameter
    frame_and_level = vec2(state.x, max(log2(picture_texels / pixels) - SHARPER, 0.0));
    if (pixels < SINGLE_VIEW_PIXELS)
        keep_nearest();
    // Characters that fade in or out do not cast shadows: move the square out of the clip volume.
    if (state.y <= 0.0 || (casts && state.y < 1.0))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
