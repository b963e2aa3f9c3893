// What all programs know of the frame. render/target.c and render/shadow.c fill it; std140, so the
// order is the layout.
layout(std140) uniform Frame {
    mat4 clip_from_world;
    vec4 eye;             // world space: (place of the eye, 1), or (direction to it, 0)
    vec4 light_direction; // world space, unit length, from the scene to the key light
    vec4 light;           // linear colour of the key light
    vec4 ambient;         // linear colour of the sky
    vec4 viewport;        // width, height in pixels; 1 / width, 1 / height
    mat4 sun_from_world;     // 0..1: place in the key light's shadow map, depth
    mat4 contact_from_world; // 0..1: place in the map of what is near the ground, height
    vec4 shadow;  // 1 = there are shadows; softness; units across the map, and of its depth;
                  // half a shadow's widest edge, of what the map spans
    vec4 contact; // of its map: units across, units of height above the ground and below it
    vec4 mode;    // 1 = classic; 1 = tone mapped; number of point lights
    vec4 point_places[8];  // world space, reach
    vec4 point_colours[8]; // linear
};
