#!/usr/bin/env python3
"""Computes the tables of md5/pose/slerp.c and md5/pose/blend_wide.h.
Usage: python3 md5/pose/slerp_fit.py

For unit quaternions at the angle theta, with u = 1 - cos(theta) in 0..1, slerp weighs the second
by w(t, u) = sin(t theta) / sin(theta). As a function of u it solves a hypergeometric equation,
whose power series is

    w = t * sum over i >= 0 of u^i * product over m = 1..i of (m^2 - t^2) / (m (2 m + 1))

so w = t + t (1 - t^2) u G(u, t^2) with a G that is smooth on the whole square: the nearest
singularity is u = 2. The first table holds G as a polynomial: in u the minimax one for the weight
u (Remez' exchange), whose coefficients are then interpolated in t^2 at Chebyshev's nodes.

The other tables are for a t of each joint's own. With s = t - 1/2 and h = theta / 2, the sum of both
weights is cos(2 s h) / cos(h) and their difference sin(2 s h) / sin(h), which functions of one
variable make up: (2 h)^2, 1 / cos(h) and h / sin(h) of u, and cos(sqrt(y)) and sin(sqrt(y)) /
sqrt(y) of y = (2 s h)^2, which is at most (pi / 4)^2. All but the first are 1 at 0: the tables hold
what comes after that.
"""
import math

POWERS_OF_U = 8
POWERS_OF_T2 = 4


def exact(u, t2):
    term = total = 1 / 3
    for m in range(2, 100):
        term *= (m * m - t2) / (m * (2 * m + 1)) * u
        total += term
    return total


def polynomial(coefficients, x):
    return sum(c * x**power for power, c in enumerate(coefficients))


def solve(rows, right):
    size = len(right)
    system = [row[:] + [value] for row, value in zip(rows, right)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(system[r][column]))
        system[column], system[pivot] = system[pivot], system[column]
        for r in range(size):
            if r != column:
                factor = system[r][column] / system[column][column]
                for k in range(column, size + 1):
                    system[r][k] -= factor * system[column][k]
    return [system[i][size] / system[i][i] for i in range(size)]


def minimax(function, end, size):
    """Coefficients that make the largest x * |function - polynomial| on 0..end smallest."""
    points = [end * (0.5 - 0.5 * math.cos(math.pi * (k + 1) / (size + 1)))
              for k in range(size + 1)]
    grid = [end * i / 2000 for i in range(1, 2001)]
    values = [function(x) for x in grid]
    for _ in range(15):
        rows = [[x**k for k in range(size)] + [(-1) ** i / x] for i, x in enumerate(points)]
        fitted = solve(rows, [function(x) for x in points])[:size]
        errors = [x * (value - polynomial(fitted, x)) for x, value in zip(grid, values)]
        extremes, best = [], 0
        for i, error in enumerate(errors):
            if error * errors[best] < 0:
                extremes.append(best)
                best = i
            elif abs(error) > abs(errors[best]):
                best = i
        extremes.append(best)
        assert len(extremes) == size + 1, "the exchange lost an extreme"
        points = [grid[i] for i in extremes]
    return fitted, max(abs(error) for error in errors)


def table():
    nodes = [0.5 - 0.5 * math.cos(math.pi * (2 * i + 1) / (2 * POWERS_OF_T2))
             for i in range(POWERS_OF_T2)]
    rows = [minimax(lambda u, t2=t2: exact(u, t2), 1, POWERS_OF_U)[0] for t2 in nodes]
    vandermonde = [[t2**m for m in range(POWERS_OF_T2)] for t2 in nodes]
    by_u = [solve(vandermonde, [row[k] for row in rows]) for k in range(POWERS_OF_U)]
    return [[by_u[k][m] for k in range(POWERS_OF_U)] for m in range(POWERS_OF_T2)]


def show(name, rows):
    print(name)
    for row in rows:
        print("    {" + ", ".join("%.9gf" % value for value in row) + "},")


def half_angle(u):
    return math.asin(math.sqrt(u / 2))


BLENDING = [
    ("SQUARE", lambda u: 4 * half_angle(u) ** 2 / u, 1, 6),
    ("COSINE", lambda u: (1 / math.cos(half_angle(u)) - 1) / u, 1, 7),
    ("SINE", lambda u: (half_angle(u) / math.sin(half_angle(u)) - 1) / u, 1, 5),
    ("COSINE_OF", lambda y: (math.cos(math.sqrt(y)) - 1) / y, (math.pi / 4) ** 2, 3),
    ("SINE_OF", lambda y: (math.sin(math.sqrt(y)) / math.sqrt(y) - 1) / y, (math.pi / 4) ** 2, 3),
]


def main():
    rows = table()
    show("md5_slerp_table", rows)

    def fitted(t, u):
        return t + t * (1 - t * t) * u * polynomial([polynomial(c, t * t) for c in zip(*rows)], u)

    def right(t, u):
        return t + t * (1 - t * t) * u * exact(u, t * t)

    square = [(i / 100, j / 100) for i in range(101) for j in range(101)]
    error = max(abs(fitted(t, u) - right(t, u)) for t, u in square)
    error_of_sum = max(abs(fitted(t, u) + fitted(1 - t, u) - right(t, u) - right(1 - t, u))
                       for t, u in square)
    print("largest error of a weight %.2g, of the sum of both %.2g" % (error, error_of_sum))

    for name, function, end, size in BLENDING:
        coefficients, error = minimax(function, end, size)
        show(name, [coefficients])
        print("largest error %.2g" % error)


if __name__ == "__main__":
    main()
