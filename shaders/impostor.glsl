// Computes the surface of an impostor at a pixel. The surface is a blend of up to three views,
// images from different directions. Each view is sampled where the ray from the viewer meets the
// depth that its image stores. The images are in an atlas, with one block for each frame that
// contains all views. Positions are relative to the character's bounding sphere, whose center is 0
// and whose radius is 1.
uniform float coarse_level; // mipmap level at which an image has 16 x 16 texels
uniform sampler2D colors;  // linear color; brightness of the specular map; times coverage
uniform sampler2D surfaces; // normal in the axes of the image, depth, 1; times coverage

flat in vec4 sphere;
flat in vec4 model_rotation;
flat in vec4 weights;
flat in ivec3 views;
flat in vec2 frame_and_level;
flat in vec4 viewer;
in vec3 plane_position;

// Sums over views. Each view is weighted by its weight and its coverage.
struct impostor_point {
    vec3 position; // model axes, relative to the sphere
    vec3 normal;   // model axes
    vec4 color;
    float covered; // coverage: the sum of the weights
};

const float MIN_COVERED = 0.02; // texels with less coverage are ignored

// Filtering must not mix neighboring images: samples keep a distance of half a texel of the
// coarsest level.
const float PICTURE_EDGE = 1.0 - 1.0 / 8.0; // MIN_LEVEL_SIDE in render/impostor.c is 8

// Returns a texel of a view's image in the current frame and a mipmap level. `at` is the position
// in the image, from -1 to 1 to the right and up. Returns 0 outside of the image.
vec4 image_at(sampler2D pictures, int view, vec2 at, float level)
{
    if (any(greaterThan(abs(at), vec2(1.0))))
        return vec4(0.0);
    int frame = int(frame_and_level.x + 0.5);
    ivec2 block = ivec2(frame % picture_grid.z, frame / picture_grid.z);
    ivec2 cell = ivec2(view % picture_grid.x, view / picture_grid.x) + block * picture_grid.xy;
    vec2 inside = 0.5 + 0.5 * clamp(at, -PICTURE_EDGE, PICTURE_EDGE);
    vec2 cells = vec2(picture_grid.xy * picture_grid.zw);
    return textureLod(pictures, (vec2(cell) + inside) / cells, level);
}

// Returns the depth in a texel of `surfaces`, from -1 (far from the viewer) to 1. An empty texel
// has depth 0.
float image_depth(vec4 surface)
{
    return surface.w > MIN_COVERED ? 2.0 * surface.z / surface.w - 1.0 : 0.0;
}

// Adds a view to a sum. `origin` and `ray` are the viewer's ray through the pixel, in model axes.
// The ray is first intersected with the plane through the center of the sphere. There the image
// gives a depth, and the ray is intersected with the plane at that depth. The depth is read from a
// coarse mipmap level, because it changes smoothly. The exact depth would separate the parts of a
// character.
void add_view(inout impostor_point sum, int view, float weight, vec3 origin, vec3 ray)
{
    // In the axes of a view, z points to its viewer, as depth does. The slope is the movement of
    // the ray along x and y per z.
    mat3 axes = view_axes(view);
    vec3 from = origin * axes, along = ray * axes;
    vec2 slope = along.xy / min(along.z, -0.25);
    vec2 at = from.xy - slope * from.z;
    bool is_oblique = dot(slope, slope) > 1e-4; // otherwise, the depth has no effect
    if (is_oblique) {
        vec4 around = image_at(surfaces, view, at, max(frame_and_level.y, coarse_level));
        at = from.xy + slope * (image_depth(around) - from.z);
    }
    vec4 surface = image_at(surfaces, view, at, frame_and_level.y);
    if (surface.w <= MIN_COVERED)
        return;

    // The image contains x and y of the unit normal, 0..1 for -1..1. z follows from them.
    vec2 tilt = 2.0 * surface.xy / surface.w - 1.0;
    vec3 normal = vec3(tilt, sqrt(max(1.0 - dot(tilt, tilt), 0.0)));
    float covered_weight = weight * surface.w;
    sum.position += covered_weight * (axes * vec3(at, image_depth(surface)));
    sum.normal += covered_weight * (axes * normal);
    sum.covered += covered_weight;
    sum.color += weight * image_at(colors, view, at, frame_and_level.y);
}

// Returns the weighted sums of all views at the pixel. `covered` is 0 if no view has a texel there.
impostor_point find_point()
{
    vec4 model_from_world = vec4(-model_rotation.xyz, model_rotation.w); // the inverse rotation
    vec3 origin = rotate(model_from_world, plane_position - sphere.xyz) / sphere.w;
    bool is_orthographic = viewer.w == 0.0; // `viewer` is then the direction to the viewer
    vec3 world_ray = is_orthographic ? -viewer.xyz : normalize(plane_position - viewer.xyz);
    vec3 ray = rotate(model_from_world, world_ray);
    impostor_point sum = impostor_point(vec3(0.0), vec3(0.0), vec4(0.0), 0.0);
    for (int i = 0; i < 3; i++) {
        if (weights[i] > 0.004)
            add_view(sum, views[i], weights[i], origin, ray);
    }
    return sum;
}

// Returns the mean position of all views in world space.
vec3 world_position(impostor_point point)
{
    return sphere.xyz + sphere.w * rotate(model_rotation, point.position / point.covered);
}

// Returns the depth of a position in world space, 0..1, for gl_FragDepth.
float depth_in_picture(vec3 position)
{
    vec4 clip = clip_from_world * vec4(position, 1.0);
    return clamp(0.5 + 0.5 * clip.z / clip.w, 0.0, 1.0);
}
