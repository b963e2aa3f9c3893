"""Noise that is the same on every platform: integer hashes, no random module."""

import math


def hash3(i, j, k):
    """Hashes three integers to 0..1."""
    n = (i * 374761393 + j * 668265263 + k * 2147483647 + 1274126177) & 0xFFFFFFFF
    n = ((n ^ (n >> 13)) * 1274126177) & 0xFFFFFFFF
    n = ((n ^ (n >> 15)) * 2246822519) & 0xFFFFFFFF
    return ((n ^ (n >> 16)) & 0xFFFFFF) / 16777215.0


_TABLE = [hash3(n & 31, (n >> 5) & 31, n >> 10) for n in range(32768)]


def value(x, y, z):
    """Returns smooth value noise in 0..1 with a period of 32."""
    fx, fy, fz = math.floor(x), math.floor(y), math.floor(z)
    i, j, k = int(fx), int(fy), int(fz)
    x -= fx
    y -= fy
    z -= fz
    x = x * x * (3.0 - 2.0 * x)
    y = y * y * (3.0 - 2.0 * y)
    z = z * z * (3.0 - 2.0 * z)
    i0, i1 = i & 31, (i + 1) & 31
    j0, j1 = (j & 31) << 5, ((j + 1) & 31) << 5
    k0, k1 = (k & 31) << 10, ((k + 1) & 31) << 10
    t = _TABLE
    a = t[i0 | j0 | k0]
    b = t[i0 | j1 | k0]
    c = t[i0 | j0 | k1]
    d = t[i0 | j1 | k1]
    a += (t[i1 | j0 | k0] - a) * x
    b += (t[i1 | j1 | k0] - b) * x
    c += (t[i1 | j0 | k1] - c) * x
    d += (t[i1 | j1 | k1] - d) * x
    a += (b - a) * y
    c += (d - c) * y
    return a + (c - a) * z


class Spots:
    """Points scattered in space, one per cubic cell; `near` returns the depth of p in a spot."""

    def __init__(self, cell, low, high, probability):
        self.cell, self.low, self.high, self.probability = cell, low, high, probability
        self.cache = {}

    def _around(self, i, j, k):
        found = []
        for a in (i - 1, i, i + 1):
            for b in (j - 1, j, j + 1):
                for c in (k - 1, k, k + 1):
                    if hash3(a, b, c) > self.probability:
                        continue
                    at = [(n + 0.15 + 0.7 * hash3(a + 57 * axis + 7, b, c + 91)) * self.cell
                          for axis, n in enumerate((a, b, c))]
                    size = self.low + (self.high - self.low) * hash3(a, b + 133, c)
                    found.append((at[0], at[1], at[2], 1.0 / size))
        return found

    def near(self, x, y, z):
        """Returns 1 at the center of a spot, 0 at its edge, negative outside."""
        key = (int(x // self.cell), int(y // self.cell), int(z // self.cell))
        spots = self.cache.get(key)
        if spots is None:
            spots = self.cache[key] = self._around(*key)
        best = -1.0
        for sx, sy, sz, inverse in spots:
            dx, dy, dz = x - sx, y - sy, z - sz
            depth = 1.0 - math.sqrt(dx * dx + dy * dy + dz * dz) * inverse
            if depth > best:
                best = depth
        return best
