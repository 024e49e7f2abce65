"""Numbers as readers write them: powers of ten with a raised exponent. It imports nothing that draws."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """Return 10 with its exponent raised: 10⁵."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def times_power(mantissa: str, exponent: int) -> str:
    """Return a number times a power of ten, or the power alone where it is empty."""
    ten = power_of_ten(exponent)
    return f"{mantissa}·{ten}" if mantissa else ten
