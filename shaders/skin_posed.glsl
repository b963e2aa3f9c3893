// Reads a vertex that md5_skin() or preskin.comp has already skinned into a buffer.
layout(location = 0) in vec3 posed_position; // model space
layout(location = 1) in vec3 posed_normal;
layout(location = 3) in vec4 posed_tangent;
#ifdef HAS_PREVIOUS
layout(location = 9) in vec3 previous_position;
#endif

skinned skin()
{
#ifdef HAS_PREVIOUS
    if (shift.x != 0)
        return skinned(previous_position, posed_normal, posed_tangent);
#endif
    return skinned(posed_position, posed_normal, posed_tangent);
}
