"""What the bounds compute with: a product, a quotient or a power that no float holds is infinite, and no error.

All numbers are >= 0. A factor of 0 makes a product 0: what overflows is a finite number.
"""

import math


def times(*factors: float) -> float:
    """The product of numbers, 0 where one of them is 0."""
    return 0.0 if 0.0 in factors else math.prod(map(float, factors))


def over(top: float, bottom: float) -> float:
    """The quotient of two numbers, infinite where the second is as good as 0 and the first is not."""
    if top == 0.0 or bottom == math.inf:
        return 0.0
    return top / bottom if bottom > 0.0 else math.inf


def log_ratio(top: float, bottom: float) -> float:
    """The logarithm of the quotient of two numbers > 0."""
    ratio = top / bottom
    return math.log(ratio) if 0.0 < ratio < math.inf else math.log(top) - math.log(bottom)


def power(base: float, exponent: float) -> float:
    """A power of a number."""
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def powers(*terms: tuple[float, float]) -> float:
    """The product of bases to their exponents, also where a factor alone over- or underflows."""
    terms = tuple(term for term in terms if term[1] != 0.0)
    if any(base == 0.0 and exponent > 0.0 for base, exponent in terms):
        return 0.0
    found = [power(base, exponent) for base, exponent in terms]
    if 0.0 not in found and math.inf not in found and 0.0 < (product := math.prod(found)) < math.inf:
        return product
    return exp(sum(exponent * math.log(base) for base, exponent in terms))


def inverse(x: float) -> float:
    """1/x of a number > 0, as an exponent: at most 1e300, so that it times a logarithm is a number."""
    return min(1.0 / x, 1e300)


def root(*factors: float) -> float:
    """The square root of a product, also where a float holds the root alone."""
    product = times(*factors)
    return math.sqrt(product) if 0.0 < product < math.inf else times(*map(math.sqrt, factors))


def exp(exponent: float) -> float:
    """The exponential function."""
    return math.exp(exponent) if exponent < 709.0 else math.inf
