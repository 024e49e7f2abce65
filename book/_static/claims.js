/* A form over a ledger that chooses and sorts its claims; it keeps its state in the address. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("div.claims")) arm(box);
  window.addEventListener("hashchange", open);
  open();
});

function open() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row && row.matches("details:is(.claim, .verdict)")) {
    row.hidden = false;
    const group = row.closest("details.claim-group");
    if (group) group.open = true;
    row.open = true;
    row.scrollIntoView();
  }
}

function arm(box) {
  const rows = [...box.querySelectorAll("details.claim")];
  const paper = (row) => row.querySelector(".claim-place .claim-small").textContent;
  const order = new Map(rows.map((row, place) => [row, place]));
  const home = new Map(rows.map((row) => [row, row.parentElement]));
  const form = document.createElement("form");
  const asked = new URLSearchParams(location.search);
  form.className = "claims-form";
  form.setAttribute("role", "search");
  const fields = {};

  const add = (name, words, field) => {
    const label = document.createElement("label");
    label.append(words, " ", field);
    field.name = name;
    fields[name] = field;
    form.append(label);
    if (asked.has(name)) field.value = asked.get(name);
  };
  const choice = (name, words, values) => {
    const field = document.createElement("select");
    for (const [value, shown] of values) field.add(new Option(shown, value));
    add(name, words, field);
    if (field.selectedIndex < 0) field.selectedIndex = 0;
  };
  const all = (values) => [["", "all"], ...[...new Set(values)].map((value) => [value, value])];

  if (box.dataset.papers > 1) choice("paper", "Paper", all(rows.map(paper)));
  choice("verdict", "Verdict", all(rows.map((row) => row.dataset.verdict)));
  choice("evidence", "Evidence", all(rows.map((row) => row.dataset.evidence).filter(Boolean)));
  choice("sort", "Sort by", [["", "place"], ["verdict", "verdict"], ["evidence", "evidence"]]);
  const words = document.createElement("input");
  words.type = "search";
  add("words", "Words", words);
  const count = document.createElement("output");
  form.append(count);
  box.prepend(form);

  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const show = () => {
    const state = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const wanted = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      row.hidden =
        (state.paper && paper(row) !== state.paper) ||
        (state.verdict && row.dataset.verdict !== state.verdict) ||
        (state.evidence && row.dataset.evidence !== state.evidence) ||
        !wanted.every((word) => texts.get(row).includes(word));
      left += !row.hidden;
    }
    const key = (row) => (state.sort ? row.dataset[state.sort] : "");
    const chosen = Object.values(state).some(Boolean);
    for (const group of box.querySelectorAll("details.claim-group")) group.hidden = chosen;
    for (const row of [...rows].sort((a, b) => key(a).localeCompare(key(b)) || order.get(a) - order.get(b)))
      (chosen ? box : home.get(row)).append(row);
    count.textContent = `${left} of ${rows.length}`;
    return state;
  };
  const changed = () => {
    const left = new URLSearchParams(Object.entries(show()).filter(([, value]) => value));
    history.replaceState(null, "", `${location.pathname}${left.size ? `?${left}` : ""}${location.hash}`);
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
