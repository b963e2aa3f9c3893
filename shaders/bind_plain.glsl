// The unchanged bind pose, for models without morph targets. See bind_morphed.glsl.
skinned bound(vec3 position, vec3 normal, vec4 tangent)
{
    return skinned(position, normal, tangent);
}

#define BOUND_INFLUENCE(influence) (influence)
