/* What scrolls in a frame of its own can be reached by the keyboard, and a drawer closes on the way to what it lists. */
"use strict";

const FRAMES = ".pst-scrollable-table-container, div.math, span.long, pre, div.cell_output div.output";

function reach() {
  for (const frame of document.querySelectorAll(FRAMES)) {
    const scrolls = frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight;
    if (scrolls) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  }
}

window.addEventListener("load", reach);
window.addEventListener("resize", reach);
document.addEventListener("toggle", reach, true);
document.addEventListener("click", ({ target }) => target.closest("dialog[open] a[href]")?.closest("dialog").close());
