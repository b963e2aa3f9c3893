"""Spindle, Bobbin's cousin: his proportions and colors."""

# (length, girth) of joints, as in build.py.
LIMB_RATIOS = (("hips", 1.05, 0.80), ("belly", 0.66, 0.80), ("tail_1", 0.90, 0.70),
               ("tail_fin", 1.25, 0.80), ("tail_", 1.08, 0.62), ("thigh", 1.85, 0.88),
               ("shin", 2.05, 0.86), ("foot", 0.95, 0.92), ("toe", 0.95, 0.92), ("spine", 1.35, 0.78),
               ("chest", 1.30, 0.84), ("clavicle", 0.96, 0.90), ("upperarm", 1.45, 0.84),
               ("forearm_twist", 1.55, 0.86), ("forearm", 1.55, 0.84), ("hand", 1.12, 1.06),
               ("finger", 1.25, 1.0), ("thumb", 1.15, 1.0), ("prop", 1.12, 1.06),
               ("neck", 2.6, 0.72), ("head", 0.88, 0.88), ("ear", 1.20, 0.86))

PALETTE = {
    "TEAL": (222, 128, 104), "DEEP": (112, 58, 118), "BACK": (184, 78, 96),
    "CREAM": (255, 240, 208), "CREAM_SHADE": (236, 190, 152), "CORAL": (120, 206, 196),
    "GOLD": (190, 240, 170), "BLUSH": (246, 106, 120), "SPOT": (255, 206, 140),
    "SPOT_DEEP": (206, 122, 176), "IRIS": (140, 226, 120), "IRIS_LOW": (20, 140, 120),
    "IRIS_LIGHT": (222, 255, 160), "IRIS_RIM": (10, 62, 72), "LID": (206, 108, 100),
    "THORN": (52, 132, 150), "BELLY": (5.6, 19.8, 8.4), "BARE": (27.6, 34.0),
}
