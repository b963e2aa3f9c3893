#!/usr/bin/env python3
"""Computes the table of md5/pose/slerp.c. Usage: python3 md5/pose/slerp_fit.py

For unit quaternions at the angle theta, with u = 1 - cos(theta) in 0..1, slerp weighs the second
by w(t, u) = sin(t theta) / sin(theta). As a function of u it solves a hypergeometric equation,
whose power series is

    w = t * sum over i >= 0 of u^i * product over m = 1..i of (m^2 - t^2) / (m (2 m + 1))

so w = t + t (1 - t^2) u G(u, t^2) with a G that is smooth on the whole square: the nearest
singularity is u = 2. The table holds G as a polynomial: in u the minimax one for the weight u
(Remez' exchange), whose coefficients are then interpolated in t^2 at Chebyshev's nodes.
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


def minimax(t2, size):
    """Coefficients that make the largest u * |G - polynomial| on 0..1 smallest."""
    points = [0.5 - 0.5 * math.cos(math.pi * (k + 1) / (size + 1)) for k in range(size + 1)]
    grid = [i / 2000 for i in range(1, 2001)]
    for _ in range(15):
        rows = [[u**k for k in range(size)] + [(-1) ** i / u] for i, u in enumerate(points)]
        fitted = solve(rows, [exact(u, t2) for u in points])[:size]
        errors = [u * (exact(u, t2) - polynomial(fitted, u)) for u in grid]
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
    return fitted


def table():
    nodes = [0.5 - 0.5 * math.cos(math.pi * (2 * i + 1) / (2 * POWERS_OF_T2))
             for i in range(POWERS_OF_T2)]
    rows = [minimax(t2, POWERS_OF_U) for t2 in nodes]
    vandermonde = [[t2**m for m in range(POWERS_OF_T2)] for t2 in nodes]
    by_u = [solve(vandermonde, [row[k] for row in rows]) for k in range(POWERS_OF_U)]
    return [[by_u[k][m] for k in range(POWERS_OF_U)] for m in range(POWERS_OF_T2)]


def main():
    rows = table()
    for row in rows:
        print("    {" + ", ".join("%.9gf" % value for value in row) + "},")

    def fitted(t, u):
        return t + t * (1 - t * t) * u * polynomial([polynomial(c, t * t) for c in zip(*rows)], u)

    def right(t, u):
        return t + t * (1 - t * t) * u * exact(u, t * t)

    square = [(i / 100, j / 100) for i in range(101) for j in range(101)]
    error = max(abs(fitted(t, u) - right(t, u)) for t, u in square)
    error_of_sum = max(abs(fitted(t, u) + fitted(1 - t, u) - right(t, u) - right(1 - t, u))
                       for t, u in square)
    print("largest error of a weight %.2g, of the sum of both %.2g" % (error, error_of_sum))


if __name__ == "__main__":
    main()
