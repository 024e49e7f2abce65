/* A table that is too wide for a phone is read by rows, what scrolls in a frame of its own can be reached by the keyboard,
   a drawer closes on the way to what it lists, and of the buttons that copy one a section is a stop of the Tab key: arrows
   lead on from it. */
"use strict";

const FRAMES = ".pst-scrollable-table-container, div.math, span.long, pre, div.cell_output div.output";

function reach() {
  for (const frame of document.querySelectorAll(FRAMES)) {
    const scrolls = frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight;
    if (scrolls) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  }
}

const COPY = "article button.copybtn";

function rove() {
  let last = null;
  for (const button of document.querySelectorAll(COPY)) {
    const section = button.closest("section");
    button.tabIndex = section === last ? -1 : 0;
    last = section;
  }
}

document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.matches(COPY)) return;
  const buttons = [...document.querySelectorAll(COPY)].filter((one) => one.checkVisibility());
  event.preventDefault();
  buttons[buttons.indexOf(event.target) + step]?.focus();
});

const COLUMNS = 4; // that a phone has room for
const ROWS = 40; // of cards, which would fill many screens

/** Let a wide table keep its first column in view, which names the rows; rows that share a name are cards. */
function fold() {
  for (const frame of document.querySelectorAll(".pst-scrollable-table-container")) {
    const table = frame.querySelector("table");
    const [heads, rows] = [[...(table?.tHead?.rows[0]?.cells ?? [])], [...(table?.tBodies[0]?.rows ?? [])]];
    if (heads.length <= COLUMNS || frame.scrollWidth <= frame.clientWidth) continue;
    const named = new Set(rows.map((row) => row.cells[0].textContent)).size === rows.length;
    table.classList.add(named || rows.length > ROWS ? "named-rows" : "cards");
    rows.forEach((row, at) => {
      [...row.cells].forEach((cell, place) => { cell.dataset.head = heads[place]?.textContent.trim() ?? ""; });
      const [first, above] = [row.cells[0], rows[at - 1]?.cells[0]];
      if (above && !named && !first.hasChildNodes()) first.append(...above.cloneNode(true).childNodes); // as a card stands alone
    });
  }
}

window.addEventListener("load", fold);
window.addEventListener("load", rove);
window.addEventListener("load", reach);
window.addEventListener("resize", reach);
document.addEventListener("toggle", reach, true);
document.addEventListener("click", ({ target }) => target.closest("dialog[open] a[href]")?.closest("dialog").close());
