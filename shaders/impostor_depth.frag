// Writes the depth of an impostor to a shadow map.
void main()
{
    impostor_point found = find_point();
    if (found.covered < 0.5)
        discard;
    gl_FragDepth = depth_in_picture(world_position(found));
}
