// A blob shadow: a square in the plane of the ground. One instance per blob.
layout(location = 0) in vec4 center;  // position in world space; w: radius
layout(location = 1) in vec4 facing; // normal of the ground; w: darkness

out vec2 from_center; // offset from the center in multiples of the radius
flat out float darkness;

// Uneven ground would hide parts of the flat square. Its depth is therefore moved towards the eye
// by this fraction of the radius.
const float LIFT = 0.15;

void main()
{
    vec3 normal = dot(facing.xyz, facing.xyz) > 0.0 ? normalize(facing.xyz) : vec3(0, 0, 1);
    vec3 along = normalize(cross(abs(normal.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0), normal));
    from_center = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    darkness = facing.w == 0.0 ? 0.5 : clamp(facing.w, 0.0, 1.0);
    vec3 offset = from_center.x * along + from_center.y * cross(normal, along);
    vec3 position = center.xyz + max(center.w, 0.0) * offset;
    gl_Position = clip_from_world * vec4(position, 1.0);
    vec3 to_eye = normalize(eye.xyz - eye.w * position);
    vec4 nearer = clip_from_world * vec4(position + LIFT * center.w * to_eye, 1.0);
    gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}
