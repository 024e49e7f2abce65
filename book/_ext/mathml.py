"""Mathematics as MathML, made when the book is built: no script, and what a reader's device speaks and prints."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

# docutils takes a run of digits and commas for one number, knows no primes and fewer names, and sets the index of what
# has an accent under it.
_AS_DOCUTILS_READS = {
    r"\\([dt]?frac) *(\d) *(\d)": r"\\\1{\2}{\3}",
    r"([\^_])(\d)": r"\1{\2}",
    r"(\d),(?=\d)": r"\1, ",
    r"(\d)\{,\}(?=\d)": r"\1,",
    r"'(_(?:\w|\{(?:[^{}]|\{[^{}]*\})*\}))": r"\1'",
    r"'\^(\\\w+|\w)": r"^{\\prime\1}",
    r"'": r"^{\\prime}",
    r"\\dots\b": r"\\ldots",
    r"\\lt\b": "<",
    r"\\square\b": r"\\text{□}",
}
_UNDER_AN_ACCENT = re.compile(r"<munderover>(<mi>\w</mi>)(.+?)(<mo[^>]*>[ˆ~ˉ]</mo>)</munderover>")


def mathml(tex: str, block: bool = False) -> str:
    """Return TeX as one line of MathML; raise a MathError where it is not understood."""
    for pattern, reading in _AS_DOCUTILS_READS.items():
        tex = re.sub(pattern, reading, tex)
    made = re.sub(r"\n *", "", tex2mathml(tex, as_block=block))
    made = _UNDER_AN_ACCENT.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', made)
    made = made.replace("ˉ", "¯").replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")  # which the font has
    return made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")


def _add(translator: Any, node: nodes.Element, block: bool = False) -> None:
    try:
        translator.body.append(mathml(node.astext(), block))
    except (MathError, SyntaxError) as error:
        logging.getLogger(__name__).warning("not understood: %s: %s", node.astext(), error, location=node)


def _inline(translator: Any, node: nodes.math) -> None:
    _add(translator, node)
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math", tabindex="0"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})</span>')
    _add(translator, node, block=True)
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
