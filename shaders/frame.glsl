// The parameters of the frame, which all programs share. md5gl_frame_block in render/gl_internal.h
// is the same block in C, so the order of the members must match (std140 layout). render/target.c
// and render/shadow.c fill it.
layout(std140) uniform Frame {
    mat4 clip_from_world;
    vec4 eye;             // world space: (position, 1), or (direction to it, 0) if orthographic
    vec4 light_direction; // world space, unit length, from the scene to the key light
    vec4 light;           // linear color of the key light
    vec4 ambient;         // linear color of the sky
    vec4 viewport;        // width, height in pixels; 1 / width, 1 / height
    vec4 origin;          // lower left corner of the viewport in pixels
    mat4 sun_from_world;     // 0..1: position in the key light's shadow map, depth
    mat4 contact_from_world; // 0..1: position in the contact map, height
    vec4 shadow;  // 1 if shadows are enabled; softness; width and depth of the key light's map, units;
                  // largest radius of a shadow's edge, as a fraction of the map's width
    vec4 contact; // size of the contact map in units: width, height above the ground, depth below it
    vec4 mode;    // 1 if lighting is classic; 1 if tone mapped; number of point lights
    vec4 point_positions[8]; // world space, range
    vec4 point_colors[8];   // linear; w: 1 + index of the light's shadow map, or 0
    vec4 point_cones[8];     // dot(xyz, direction to the light) + w is 0 outside of the cone, 1 inside
    mat4 spot_from_world[4]; // 0..1 after division by w: position in a spot light's map, depth
    vec4 spot_texels;        // width of a texel of each map at distance 1 from the light
    vec4 environment;  // cosine and sine of the panorama's rotation about z; last level of its
                       // reflections; 1 if the frame has an environment
    vec4 harmonics[9]; // polynomial of the sky's or environment's light times `ambient`; see environment.glsl
    mat4 previous_clip_from_world; // of the previous frame
};
