"""The armature: the bones that become joints, their bind pose and their pose in a frame."""

from contextlib import contextmanager

import numpy as np

from . import maths
from .settings import armature_options, array, bone_to_joint, some, to_file
from .text import Md5Error

# Stretch of a bone above which a warning is reported; smaller values are rounding of single precision.
STRETCH = 1e-4


def find_armature(context):
    """Returns the active object if it is an armature, the armature that deforms it, or the only armature."""
    active = context.view_layer.objects.active
    if active and active.type == "ARMATURE":
        return active
    if active and active.type == "MESH" and deforming_armature(active):
        return deforming_armature(active)
    found = [obj for obj in context.view_layer.objects if obj.type == "ARMATURE"]
    if len(found) == 1:
        return found[0]
    raise Md5Error("The scene has no armature" if not found else
                   "The scene has %d armatures. Select the one to use" % len(found))


def scene_options(context):
    """Returns the options with which the armature of find_armature() was imported, or an empty dict if there
    is no such armature."""
    try:
        return armature_options(find_armature(context))
    except Md5Error:
        return {}


def deforming_armature(obj):
    """Returns the armature that deforms an object or is its parent, or None."""
    for modifier in obj.modifiers:
        if modifier.type == "ARMATURE" and modifier.object:
            return modifier.object
    parent = obj.parent
    return parent if parent and parent.type == "ARMATURE" else None


class Rig:
    """The exported joints of an armature. names, parents, bones (None: the added root) are indexed by
    joint; joint_by_bone: by bone name the joint of the bone or of its nearest exported ancestor."""

    def __init__(self, armature, settings):
        self.armature, self.settings = armature, settings
        self.names, self.parents, self.bones, self.joint_by_bone = [], [], [], {}
        bones = _in_order(armature.data.bones)
        if not bones:
            raise Md5Error("Armature '%s' has no bones" % armature.name)
        exported = {bone.name for bone in bones if bone.use_deform or not settings.deform_only}
        if not exported:
            raise Md5Error("No bone of armature '%s' has Deform enabled" % armature.name)
        roots = [bone for bone in bones if bone.name in exported
                 and not any(up.name in exported for up in bone.parent_recursive)]
        self.has_origin = settings.origin == "ALWAYS" or settings.origin == "AUTO" and (
            len(roots) > 1 or bool(armature.get("md5_origin")))
        if self.has_origin:
            name = "origin"
            while name in exported:
                name += "_"
            self._add(name, -1, None)
        for bone in bones:
            parent = self.joint_by_bone.get(bone.parent.name, -1) if bone.parent else -1
            if parent < 0 and self.bones and self.bones[0] is None:
                parent = 0
            if bone.name in exported:
                self._add(bone.get("md5_name", bone.name), parent, bone.name)
            elif parent >= 0:
                self.joint_by_bone[bone.name] = parent

    def _add(self, name, parent, bone):
        if bone is not None:
            self.joint_by_bone[bone] = len(self.names)
        self.names.append(name)
        self.parents.append(parent)
        self.bones.append(bone)

    def settle(self):
        """Computes the bind pose from the armature's current transform and the bones' rest position:
        self.rest (J, 4, 4), which includes the armature's scale, and self.bind, which is rigid."""
        world = to_file(self.settings) @ array(self.armature.matrix_world)
        lengths = np.linalg.svd(world[:3, :3])[1]
        if np.linalg.det(world[:3, :3]) <= 0 or lengths.max() > lengths.min() * (1 + STRETCH):
            raise Md5Error("Armature '%s' has negative or non-uniform scale. "
                           "Apply the scale (Ctrl A)" % self.armature.name)
        joints = bone_to_joint(self.settings)
        bones = self.armature.data.bones
        self.rest = np.array([np.eye(4) if bone is None else
                              world @ array(bones[bone].matrix_local) @ joints
                              for bone in self.bones])
        bind = self.rest.copy()
        if self.settings.bone_axis == "MODEL":
            bind[:, :3, :3] = np.eye(3)
        else:
            bind[:, :3, :3] /= np.cbrt(np.linalg.det(bind[:, :3, :3]))[:, None, None]
        self.bind = maths.rigid(bind)[0]

    def shapes(self):
        """Returns properties of bones that joints do not have, (length, rotation or None), or None for the
        added root: lengths relative to the rig's reach, so that scaling preserves them; rotations if joints
        have the model's axes."""
        size = np.cbrt(np.linalg.det(self.rest[:, :3, :3])) / maths.reach(self.rest[:, :3, 3])
        rotations = maths.stored_sign(maths.quaternion_from_matrix(maths.rigid(self.rest)[0]))
        bones = self.armature.data.bones
        return [bone and (bones[bone].length * size[joint], rotations[joint][:3].tolist()
                          if self.settings.bone_axis == "MODEL" else None)
                for joint, bone in enumerate(self.bones)]

    def sample(self, context, frames, clip_name, report):
        """Returns the joints in the given frames of the scene, (frames, J, 4, 4), rigid, and whether
        the armature object moves."""
        posed, worlds = zip(*[self._pose(context, frame) for frame in frames])
        posed = np.array(posed)
        # The bones' transforms of the mesh, which are rigid unless something is scaled.
        moved, off = maths.rigid(posed @ np.linalg.inv(self.rest))
        bad = np.nonzero(off.max(axis=0) > STRETCH)[0]
        if len(bad):
            report.warn("%s: MD5 cannot store bone scale; ignored for: %s"
                        % (clip_name, some(self.names[joint] for joint in bad)))
        joints = moved @ self.bind
        joints[..., :3, 3] = posed[..., :3, 3]
        return joints, bool(np.ptp(worlds, axis=0).max() > STRETCH)

    def _pose(self, context, frame):
        context.scene.frame_set(frame)
        evaluated = self.armature.evaluated_get(context.evaluated_depsgraph_get())
        world = to_file(self.settings) @ array(evaluated.matrix_world)
        joints = bone_to_joint(self.settings)
        return [np.eye(4) if bone is None else world @ array(evaluated.pose.bones[bone].matrix) @ joints
                for bone in self.bones], world


def _in_order(bones):
    """Returns bones with parents first: in the order of the imported file if all were imported, else depth
    first, siblings by name."""
    joints = [bone.get("md5_joint") for bone in bones]
    if all(isinstance(joint, int) for joint in joints) and len(set(joints)) == len(joints):
        listed = sorted(bones, key=lambda bone: bone["md5_joint"])
        order = {bone.name: n for n, bone in enumerate(listed)}
        if all(not bone.parent or order[bone.parent.name] < order[bone.name] for bone in listed):
            return listed
    result, waiting = [], sorted((bone for bone in bones if not bone.parent),
                                 key=lambda bone: bone.name, reverse=True)
    while waiting:
        bone = waiting.pop()
        result.append(bone)
        waiting += sorted(bone.children, key=lambda child: child.name, reverse=True)
    return result


@contextmanager
def pose_position(context, armature, position):
    """Sets the armature to REST or POSE within a `with` block."""
    before = armature.data.pose_position
    armature.data.pose_position = position
    context.view_layer.update()
    try:
        yield
    finally:
        armature.data.pose_position = before
        context.view_layer.update()
