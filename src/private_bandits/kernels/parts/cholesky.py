"""Cholesky factors of small matrices, written out: the same bits whatever linear algebra library is installed.

A factor is the upper triangular R with R'R = A. Matrices are C-contiguous; only their upper triangle is read and
written, and every inner loop runs along a row.
"""

import math

from private_bandits.compilation import compiled

_PIVOT = 1e-12  # of the largest diagonal entry: a pivot below that is rounding


@compiled(inline="always")
def factorise(matrix, shift, factor):
    """Write the factor of matrix + shift I.

    Parameters
    ----------
    matrix : float64 array, shape (dim, dim)
    shift : float
        What the diagonal gets, any.
    factor : float64 array, shape (dim, dim), written

    Returns
    -------
    bool
        Whether the sum is positive definite, rounding apart.
    """
    dim = len(matrix)
    largest = 0.0
    for i in range(dim):
        for j in range(i, dim):
            factor[i, j] = matrix[i, j]
        factor[i, i] += shift
        largest = max(largest, factor[i, i])
    return eliminate(factor, _PIVOT * largest)


@compiled(borrows=True)
def eliminate(factor, least):
    """Replace the upper triangle of a matrix by its factor.

    Parameters
    ----------
    factor : float64 array, shape (dim, dim), written
    least : float
        >= 0: a pivot not above it stops the elimination.

    Returns
    -------
    bool
        Whether it came to its end.
    """
    dim = len(factor)
    for i in range(dim):
        for k in range(0, i - 3, 4):  # four rows a pass: an entry is read and written a quarter as often
            a, b, c, d = factor[k, i], factor[k + 1, i], factor[k + 2, i], factor[k + 3, i]
            for j in range(i, dim):
                entry = factor[i, j] - a * factor[k, j] - b * factor[k + 1, j]
                factor[i, j] = entry - c * factor[k + 2, j] - d * factor[k + 3, j]
        for k in range(i - i % 4, i):
            a = factor[k, i]
            for j in range(i, dim):
                factor[i, j] -= a * factor[k, j]
        if not factor[i, i] > least:
            return False
        pivot = math.sqrt(factor[i, i])
        factor[i, i] = pivot
        scale = 1.0 / pivot
        for j in range(i + 1, dim):
            factor[i, j] *= scale
    return True


@compiled(borrows=True)
def solve_transposed(factor, vector):
    """Overwrite b with the solution z of R'z = b; |z|^2 is b'A^-1 b.

    Parameters
    ----------
    factor : float64 array, shape (dim, dim)
    vector : float64 array, shape (dim,), written
    """
    for k in range(len(vector)):
        vector[k] /= factor[k, k]
        entry = vector[k]
        for i in range(k + 1, len(vector)):
            vector[i] -= entry * factor[k, i]


@compiled(inline="always")
def solve(factor, vector):
    """Overwrite b with the solution x of A x = b.

    Parameters
    ----------
    factor : float64 array, shape (dim, dim)
    vector : float64 array, shape (dim,), written
    """
    solve_transposed(factor, vector)
    solve_upper(factor, vector)


@compiled(borrows=True)
def solve_upper(factor, vector):
    """Overwrite b with the solution x of R x = b.

    Parameters
    ----------
    factor : float64 array, shape (dim, dim)
    vector : float64 array, shape (dim,), written
    """
    for i in range(len(vector) - 1, -1, -1):
        total = vector[i]
        for j in range(i + 1, len(vector)):
            total -= factor[i, j] * vector[j]
        vector[i] = total / factor[i, i]


@compiled(inline="always")
def inverse_norms(factor, columns, work, squares):
    """Write b'A^-1 b for every column b, by one pass over the factor.

    Parameters
    ----------
    factor : float64 array, shape (dim, dim)
    columns : float64 array, shape (dim, n)
    work : float64 array, shape (dim, n), scratch
    squares : float64 array, shape (n,), written
    """
    dim, n = columns.shape
    for action in range(n):
        squares[action] = 0.0
    for i in range(dim):
        for action in range(n):
            work[i, action] = columns[i, action]
        for k in range(0, i - 3, 4):
            a, b, c, d = factor[k, i], factor[k + 1, i], factor[k + 2, i], factor[k + 3, i]
            for action in range(n):
                entry = work[i, action] - a * work[k, action] - b * work[k + 1, action]
                work[i, action] = entry - c * work[k + 2, action] - d * work[k + 3, action]
        for k in range(i - i % 4, i):
            a = factor[k, i]
            for action in range(n):
                work[i, action] -= a * work[k, action]
        scale = 1.0 / factor[i, i]
        for action in range(n):
            work[i, action] *= scale
            squares[action] += work[i, action] * work[i, action]


@compiled(inline="always")
def dot(a, b):
    """Return the inner product of two vectors.

    Parameters
    ----------
    a, b : float64 array, shape (dim,)

    Returns
    -------
    float
    """
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@compiled(borrows=True)
def project(matrix, shift, point, factor, slope, target):
    """Overwrite a point with the point of the unit ball nearest to it in the norm of A = matrix + shift I.

    The multiplier m of (A + m I) x = A point, |x| = 1, by Newton's method on 1 - 1/|x| from m = 0, which climbs to
    the root without passing it (More and Sorensen 1983).

    Parameters
    ----------
    matrix : float64 array, shape (dim, dim)
    shift : float
        What the diagonal gets, such that A is positive definite.
    point : float64 array, shape (dim,), written
    factor : float64 array, shape (dim, dim), scratch
    slope, target : float64 array, shape (dim,), scratch
    """
    dim = len(point)
    if dot(point, point) <= 1.0:
        return
    for i in range(dim):
        target[i] = shift * point[i]
        for j in range(dim):
            target[i] += (matrix[i, j] if i <= j else matrix[j, i]) * point[j]
    multiplier = 0.0
    for _ in range(50):
        factorise(matrix, shift + multiplier, factor)
        for i in range(dim):
            point[i] = target[i]
        solve(factor, point)
        for i in range(dim):
            slope[i] = point[i]
        norm = math.sqrt(dot(point, point))
        if norm <= 1.0 + 1e-12:
            break
        solve_transposed(factor, slope)
        multiplier += norm * norm / dot(slope, slope) * (norm - 1.0)
    for i in range(dim):
        point[i] /= max(norm, 1.0)
