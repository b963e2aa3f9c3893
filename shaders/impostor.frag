// Draws an impostor. Its images contain colors and normals, so it is lit like the model, and it
// writes the model's depth.
uniform ivec3 maps;   // x: 1 if all surfaces are drawn gray. y: 1 if the model has specular maps.
uniform vec2 surface; // x: gloss
uniform int alpha_mode; // 1 if the target is multisampled

out vec4 color;

// A pixel at an edge contains the average of several normals, which can point away from the eye. A
// light from behind would then light the whole pixel instead of a thin rim. The angle between the
// normal and the direction to the eye is therefore limited.
const float MIN_FACING = 0.6;

vec3 facing(vec3 normal, vec3 position)
{
    vec3 to_eye = normalize(eye.xyz - eye.w * position);
    return normalize(normal + max(MIN_FACING - dot(normal, to_eye), 0.0) * to_eye);
}

void main()
{
    if (!dissolves(weights.w))
        discard;
    impostor_point found = find_point();
    // Steeper coverage makes edges as narrow as the edges of the model. If the texels of the image
    // are much smaller than pixels, coverage is used as stored.
    float steepness = 1.0 + clamp(2.0 - frame_and_level.y, 0.0, 1.0);
    float covered = clamp((found.covered - 0.5) * steepness + 0.5, 0.0, 1.0);
    if (covered < (alpha_mode == 1 ? 0.05 : 0.5))
        discard;
    vec3 position = world_position(found);
    vec3 normal = facing(normalize(rotate(model_rotation, found.normal)), position);
    vec4 texel = found.color / found.covered;
    if (maps.x != 0)
        texel = vec4(0.434, 0.434, 0.434, 0.0); // sRGB 176
    vec3 shown = shade(position, normal, normal, texel.rgb, surface.x, maps.y != 0,
                       vec4(vec3(texel.a), 1.0), vec3(0.0), vec3(1.0), vec3(1.0));
    gl_FragDepth = depth_in_picture(position);
    color = vec4(shown, alpha_mode == 1 ? covered : 1.0);
}
