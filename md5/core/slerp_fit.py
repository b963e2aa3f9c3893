#!/usr/bin/env python3
"""Computes the table of md5/core/slerp.h. Usage: python3 md5/core/slerp_fit.py

For unit quaternions at the angle 2 h, with u = 1 - cos(2 h) in 0..1, s = t - 1/2 and r = (2 s)^2, half
the difference of slerp's weights is

    sin(2 s h) / (2 sin(h)) = s + s (1 - r) u H(u, r)

As a function of x = 1 - cos(h), sin(2 s h) / sin(h) solves a hypergeometric equation, whose power
series is

    2 s * sum over i >= 0 of x^i * product over m = 1..i of (m^2 - r) / (m (2 m + 1))

so H is smooth on the whole square: the nearest singularity is u = 2. The sum of the weights follows
from the difference, because the result has length 1. The table contains H as a polynomial in u whose
coefficients are short polynomials in r. The fit minimizes the largest angle between the result and the exact
quaternion (Lawson's reweighted least squares, 1961).
"""
import math

POWERS_OF_R = [1, 2, 3, 2, 1]  # for each power of u


def exact(u, r):
    cosine = math.sqrt(1 - u / 2)
    x = (u / 2) / (1 + cosine)
    term = total = 1 / 3
    for m in range(2, 60):
        term *= (m * m - r) / (m * (2 * m + 1)) * x
        total += term
    return total * 0.5 / (1 + cosine)


def monomials(u, r):
    return [u**k * r**m for k, size in enumerate(POWERS_OF_R) for m in range(size)]


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


def fit():
    """Returns the coefficients, and the largest angle between the fitted and the exact quaternion."""
    nodes = [0.5 - 0.5 * math.cos(math.pi * (i + 0.5) / 32) for i in range(32)]
    rows, values, scales = [], [], []
    for u in nodes[:-1] + [1]:
        h = math.asin(math.sqrt(u / 2))
        for r in nodes:
            # Error of the angle for an error of 1 in H: its sine is 2 sin(h) times half the difference.
            s2 = math.sqrt(r)
            scales.append(s2 * (1 - r) * u * math.sin(h) / math.cos(s2 * h))
            rows.append(monomials(u, r))
            values.append(exact(u, r))
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
    coefficients, error = fit()
    for size in POWERS_OF_R:
        row, coefficients = coefficients[:size], coefficients[size:]
        print("    {" + ", ".join("%.9gf" % value for value in row) + "},")
    print("largest angle between quaternions %.2g" % error)


if __name__ == "__main__":
    main()
