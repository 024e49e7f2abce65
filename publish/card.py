"""Make the picture that a link to the book shows elsewhere, from the figure of the first page."""

from __future__ import annotations

import tempfile
from pathlib import Path

from chromium import show

BOOK = Path(__file__).parents[1] / "book"
FIGURE = BOOK / "figures" / "comparison" / "figure-price.svg"
CARD = BOOK / "_static" / "card.png"

_PAGE = f"""<!doctype html><meta charset="utf-8"><style>
body {{ align-items: center; background: #fff; color: #1a1a1a; display: flex; font: 26px/1.35 sans-serif; gap: 60px;
       height: 630px; margin: 0; padding: 0 60px; width: 1080px }}
h1 {{ font-size: 64px; line-height: 1.1; margin: 0 0 24px }}
img {{ height: 540px }}
</style><div><h1>Private Bandits</h1>What does privacy cost a bandit learner?<br>Five papers, run and judged.</div>
<img src="{FIGURE.as_uri()}">"""

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "card.html"
    page.write_text(_PAGE, encoding="utf-8")
    show(page, "--window-size=1200,630", "--force-device-scale-factor=1", f"--screenshot={CARD}")
