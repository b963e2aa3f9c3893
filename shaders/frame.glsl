// What all programs know of the frame. target.c fills it; std140, so the order is the layout.
layout(std140) uniform Frame {
    mat4 clip_from_world;
    vec4 eye;             // world space: (place of the eye, 1), or (direction to it, 0)
    vec4 light_direction; // world space, unit length, from the scene to the key light
    vec4 light;           // linear colour of the key light
    vec4 ambient;         // linear colour of the sky
    vec4 viewport;        // width, height in pixels; 1 / width, 1 / height
};
