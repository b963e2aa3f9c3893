"""Actions and their F-curves. Independent of Blender. Up to 4.3 an action contains its curves. From 4.4 on it
has slots, one per animated object, and layers with strips, in which a channel bag contains the curves of each
slot; 5.0 removed the curves of the action."""


def action_curves(action):
    """Returns the F-curves of all slots of an action."""
    if getattr(action, "layers", None):
        return [curve for layer in action.layers for strip in layer.strips
                for bag in strip.channelbags for curve in bag.fcurves]
    return list(getattr(action, "fcurves", ()))


def assign(data, action):
    """Makes an object play an action."""
    data.action = action
    if action and hasattr(data, "action_slot") and not data.action_slot:
        suitable = list(getattr(data, "action_suitable_slots", ()))
        if suitable:
            data.action_slot = suitable[0]


def curve_maker(action, obj):
    """Returns the function that adds a curve (path, index, group) to a new action of an object."""
    if not hasattr(action, "slots"):
        return lambda path, index, group: action.fcurves.new(path, index=index, action_group=group)
    slot = action.slots.new(id_type="OBJECT", name=obj.name)
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)

    def add_curve(path, index, group):
        curve = bag.fcurves.new(path, index=index)
        curve.group = bag.groups.get(group) or bag.groups.new(group)
        return curve
    return add_curve
