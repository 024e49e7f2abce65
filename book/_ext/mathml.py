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
_SPACE = '<mspace width=".17em"/>'
_POWER = r"(?:<m[ni]>[^<]+</m[ni]>|<mrow>(?:(?!</?mrow>).)*</mrow>)"
_NAME = rf"<mi>[A-Za-z]{{2,}}</mi><mo>\u2061</mo>|<msup><mi>[a-z]{{2,}}</mi>{_POWER}</msup>"
_AS_BROWSERS_SET = {
    r"<mo>&ApplyFunction;</mo>": "<mo>\u2061</mo>",
    r'<mspace width="0.1667em">(?:</mspace>)?': _SPACE,
    r"<mo>(min|max)</mo>(?=<mo[^>]*>[({[])": "<mi>\\1</mi><mo>\u2061</mo>",
    # a name stands apart from what is multiplied by it, and from its argument if that has no brackets
    rf"(</m(?:[in]|sub|sup|subsup|frac|sqrt)>|\)</mo>)(?={_NAME})": rf"\1{_SPACE}",
    rf"({_NAME})(?=<m(?!o|space|tr|td|table))": rf"\1{_SPACE}",
    r'<mo stretchy="false">/</mo>': "<mi>/</mi>",  # an operator would stand apart
    # bars and brackets of one height, whatever they hold, and as close to it as TeX sets them
    r'<mo(?: stretchy="false"| class="math(?:open|close)")?>([|‖⌊⌋⌈⌉⟨⟩])</mo>': (
        r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>'
    ),
    r' class="capital-greek"': ' class="g"',
    "ϵ": "ε",  # as figures and panels have it
}
_LIMIT = re.compile(r"<msub>(<mi>lim.(?:inf|sup)</mi>)(<m[in]>[^<]*</m[in]>|<mrow>(?:(?!</?mrow>).)*</mrow>)</msub>")
_LINE = 24  # letters of a formula that fit on a phone
_BELONGS = re.compile(r"[^\s\w]*-\w+[^\s\w-]*|[^\s\w]+|\w+")  # to a formula: the comma after it, the rest of its word
_UNDER_AN_ACCENT = re.compile(r"<munderover>(<mi>\w</mi>)(.+?)(<mo[^>]*>[ˆ~ˉ]</mo>)</munderover>")


def mathml(tex: str, block: bool = False) -> str:
    """Return TeX as one line of MathML; raise a MathError where it is not understood."""
    for pattern, reading in _AS_DOCUTILS_READS.items():
        tex = re.sub(pattern, reading, tex)
    made = re.sub(r"\n *", "", tex2mathml(tex, as_block=block))
    made = made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    for pattern, setting in _AS_BROWSERS_SET.items():
        made = re.sub(pattern, setting, made)
    if block:
        made = _LIMIT.sub(r"<munder>\1\2</munder>", made)
    made = _UNDER_AN_ACCENT.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', made)
    return made.replace("ˉ", "¯").replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")  # which the font has


def _add(translator: Any, node: nodes.Element, block: bool = False) -> None:
    try:
        translator.body.append(mathml(node.astext(), block))
    except (MathError, SyntaxError) as error:
        logging.getLogger(__name__).warning("not understood: %s: %s", node.astext(), error, location=node)


def _inline(translator: Any, node: nodes.math) -> None:
    """A formula is not broken into lines, so a long one gets a frame to scroll in."""
    at = len(translator.body)
    _add(translator, node)
    long = len(re.sub("<[^>]*>|&[a-z]+;", "", "".join(translator.body[at:]))) > _LINE
    if after := translator.encode(node.get("after", "")):
        translator.body.append(after)
    if long or after:
        translator.body.insert(at, f'<span class="{"long" if long else "kept"}">')
        translator.body.append("</span>")
    raise nodes.SkipNode


def _keep(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give a formula what belongs to it of the text that follows, as a browser would break the line between them."""
    for node in list(doctree.findall(nodes.math)):
        rest = node.parent[node.parent.index(node) + 1 :]
        found = _BELONGS.match(rest[0]) if rest and isinstance(rest[0], nodes.Text) else None
        if found:
            node["after"] = found[0]
            node.parent[node.parent.index(node) + 1] = nodes.Text(rest[0][found.end() :])


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})</span>')
    _add(translator, node, block=True)
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", _keep)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
