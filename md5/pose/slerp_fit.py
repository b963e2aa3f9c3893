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

The second table is for a t of each joint's own. With s = t - 1/2, r = (2 s)^2 and h = theta / 2, half
the difference of both weights is

    sin(2 s h) / (2 sin(h)) = s + s (1 - r) u H(u, r)

with an H that is as smooth; their sum follows from it, as the result has length 1. The table holds H
as a polynomial in u whose coefficients are short polynomials in r, such that the largest angle
between the result and the exact one is smallest (Lawson's reweighted least squares, 1961).
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


POWERS_OF_R = [1, 2, 3, 2, 1]  # for each power of u


def exact_half(u, r):
    """H: the same series for the angle h, in 1 - cos(h)."""
    cosine = math.sqrt(1 - u / 2)
    return exact(1 - cosine, r) * 0.5 / (1 + cosine)


def monomials(u, r):
    return [u**k * r**m for k, size in enumerate(POWERS_OF_R) for m in range(size)]


def blending_table():
    """The coefficients, and the largest angle between quaternions that they leave."""
    nodes = [0.5 - 0.5 * math.cos(math.pi * (i + 0.5) / 32) for i in range(32)]
    rows, values, scales = [], [], []
    for u in nodes[:-1] + [1]:
        h = math.asin(math.sqrt(u / 2))
        for r in nodes:
            # What an error of 1 in H does to the angle, whose sine is 2 sin(h) times the half.
            s2 = math.sqrt(r)
            scales.append(s2 * (1 - r) * u * math.sin(h) / math.cos(s2 * h))
            rows.append(monomials(u, r))
            values.append(exact_half(u, r))
    weights = [1.0] * len(rows)
    size, best = len(rows[0]), (math.inf, None)
    for _ in range(60):
        squares = [weight * scale * scale for weight, scale in zip(weights, scales)]
        system = [[sum(square * row[i] * row[k] for square, row in zip(squares, rows))
                   for k in range(size)] for i in range(size)]
        right = [sum(square * row[i] * value for square, row, value in zip(squares, rows, values))
                 for i in range(size)]
        fitted = solve(system, right)
        errors = [scale * abs(value - sum(c * x for c, x in zip(fitted, row)))
                  for scale, value, row in zip(scales, values, rows)]
        best = min(best, (max(errors), fitted))
        mean = sum(weight * error for weight, error in zip(weights, errors)) / len(weights)
        weights = [weight * error / mean for weight, error in zip(weights, errors)]
    return best[1], best[0]


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

    coefficients, error = blending_table()
    ends = [sum(POWERS_OF_R[:k]) for k in range(len(POWERS_OF_R) + 1)]
    show("by_power", [coefficients[i:k] for i, k in zip(ends, ends[1:])])
    print("largest angle between quaternions %.2g" % error)


if __name__ == "__main__":
    main()
