/* The code of a cell, fetched as a script when it is first unfolded. */
"use strict";

document.addEventListener(
  "toggle",
  async ({ target: box }) => {
    if (!box.open || !box.dataset.code) return;
    const [file, place] = box.dataset.code.split("#");
    delete box.dataset.code;
    if (!window.cells) {
      await new Promise((done) => {
        const script = document.createElement("script");
        script.addEventListener("load", done);
        script.src = file;
        document.head.append(script);
      });
    }
    box.querySelector("summary ~ *").outerHTML = window.cells[place];
    const code = box.querySelector("div.highlight pre");
    const button = document.querySelector("button.copybtn")?.cloneNode(true);
    if (!button) return;
    code.id = `unfolded-${place}`;
    button.dataset.clipboardTarget = `#${code.id}`;
    code.after(button);
  },
  true,
);
