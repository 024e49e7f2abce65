/* A form over the ledger of a page that chooses and finds its claims; it keeps its state in the address. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  if (document.querySelector("div.claims")) arm(document.querySelectorAll("div.claims"));
  window.addEventListener("hashchange", open);
  open();
});

function open() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row && row.matches("details:is(.claim, .verdict, .claim-group)")) {
    row.hidden = false;
    for (let fold = row; fold; fold = fold.parentElement.closest("details")) fold.open = true;
    row.scrollIntoView();
  }
}

const GREEK = { epsilon: "ε", ϵ: "ε", delta: "δ" };

function wordsOf(text) {
  return (text.toLowerCase().match(/\d+(?:\.\d+)+|[\p{L}\p{N}]+/gu) ?? []).map((word) => GREEK[word] ?? word);
}

/** The words of an element; those of its parts stand apart. */
function wordsIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode.data);
  return wordsOf(texts.join(" "));
}

/** A word is found whole, or as the beginning of one; a number is found whole. */
function has(words, wanted) {
  return wanted.every((one) => words.some((word) => word === one || (!/^\d/.test(one) && word.startsWith(one))));
}

function arm(boxes) {
  const rows = [...boxes].flatMap((box) => [...box.querySelectorAll("details.claim")]);
  const home = new Map(rows.map((row) => [row, row.parentElement]));
  const paper = (row) => home.get(row).closest("section")?.id.replace("ledger-", "") ?? "";
  const texts = new Map(rows.map((row) => [row, [row.querySelector(".claim-place"), row.querySelector("summary"), row].map(wordsIn)]));
  const form = document.createElement("form");
  const found = document.createElement("div"); // what was asked for in words or in an order
  const asked = new URLSearchParams(location.search);
  form.className = "claims-form";
  form.setAttribute("role", "search");
  found.className = "claims";
  found.setAttribute("aria-label", "found");
  const fields = {};

  const more = document.createElement("details"); // folded on a phone, where the form would cover what it finds
  more.append(document.createElement("summary"));
  more.open = matchMedia("(min-width: 44rem)").matches;
  const add = (name, words, field, into = more) => {
    const label = document.createElement("label");
    label.append(words, " ", field);
    field.name = name;
    fields[name] = field;
    into.append(label);
    if (asked.has(name)) field.value = asked.get(name);
  };
  const choice = (name, words, values) => {
    const field = document.createElement("select");
    for (const [value, shown] of values) field.add(new Option(shown, value));
    add(name, words, field);
    if (field.selectedIndex < 0) field.selectedIndex = 0;
  };
  const all = (values) => [["", "all"], ...[...new Set(values)].map((value) => [value, value])];

  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "theorem 9";
  add("words", "Words", words, form);
  if (boxes.length > 1) {
    const head = (row) => home.get(row).closest("section").querySelector("h2").firstChild.textContent;
    choice("paper", "Paper", [["", "all"], ...new Map(rows.map((row) => [paper(row), head(row)]))]);
  }
  choice("of", "Claims of", all(rows.map((row) => row.dataset.of)));
  choice("verdict", "Verdict", all(rows.map((row) => row.dataset.verdict)));
  choice("evidence", "Evidence", all(rows.map((row) => row.dataset.evidence).filter(Boolean)));
  const count = document.createElement("output");
  const reset = document.createElement("button");
  reset.type = "button";
  reset.append("Show all");
  reset.addEventListener("click", () => {
    for (const field of Object.values(fields)) field.value = "";
    changed();
  });
  form.append(count, reset, more);
  const parts = boxes.length > 1 ? [...boxes].map((box) => box.closest("section")) : [...boxes];
  if (boxes.length > 1) document.querySelector("article h1").after(form, found); // what is found stands below the form
  else parts[0].before(form, found);

  /** How well a row answers: by its place, by what it shows, by what it unfolds; 0 for not at all. */
  const answers = (row, wanted) => 3 - [0, 1, 2, 3].find((part) => part === 3 || has(texts.get(row)[part], wanted));
  const show = () => {
    const state = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const wanted = wordsOf(state.words);
    const fits = rows.filter((row) => (!state.paper || paper(row) === state.paper)
      && (!state.of || row.dataset.of === state.of)
      && (!state.verdict || row.dataset.verdict === state.verdict)
      && (!state.evidence || row.dataset.evidence === state.evidence));
    const rank = new Map(fits.map((row) => [row, answers(row, wanted)]));
    const least = fits.some((row) => rank.get(row) > 1) ? 2 : 1;
    const left = fits.filter((row) => rank.get(row) >= least);
    const listed = wanted.length > 0 || fits.length < rows.length;
    left.sort((a, b) => rank.get(b) - rank.get(a));
    for (const row of rows) row.hidden = !left.includes(row);
    for (const row of rows) home.get(row).append(row);
    found.replaceChildren(...(listed ? left : []));
    if (!left.length) found.append("No claim is like this.");
    for (const part of parts) part.hidden = listed;
    const heirs = left.filter((row) => row.dataset.evidence === "inherited").length;
    count.textContent = `${left.length} of ${rows.length}${heirs ? `, ${heirs} of which follow from others` : ""}`;
    reset.hidden = !listed;
    const chosen = Object.values(fields).filter((field) => field.value && field.selectedOptions).map((field) => field.selectedOptions[0].text);
    more.firstChild.textContent = ["More", ...chosen].join(" · ");
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
