/* A form over a long table that chooses rows by words and by the values of its columns of few, and counts them. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.filtered")) choose(table);
});

function choose(table) {
  const rows = [...table.querySelectorAll("tbody tr")];
  const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  const cell = (row, place) => row.cells[place].textContent.trim();
  const form = document.createElement("form");
  form.className = "claims-form";
  form.setAttribute("role", "search");
  const add = (words, field) => {
    const label = document.createElement("label");
    label.append(words, " ", field);
    form.append(label);
    return field;
  };
  const choices = new Map();
  heads.forEach((head, place) => {
    const values = [...new Set(rows.map((row) => cell(row, place)))];
    if (values.length < 2 || values.length > 8) return;
    const field = document.createElement("select");
    field.add(new Option("all", ""));
    for (const value of values) field.add(new Option(value || "none", `=${value}`));
    choices.set(place, add(head, field));
  });
  const words = add("Words", document.createElement("input"));
  words.type = "search";
  const count = document.createElement("output");
  form.append(count);
  (table.closest(".pst-scrollable-table-container") ?? table).before(form);

  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      const kept = [...choices].every(([place, field]) => !field.value || field.value === `=${cell(row, place)}`);
      row.hidden = !kept || !wanted.every((word) => texts.get(row).includes(word));
      left += !row.hidden;
    }
    count.textContent = `${left} of ${rows.length} rows`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
