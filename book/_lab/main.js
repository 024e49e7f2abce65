// In a page every panel is filled; in a worker runs are played.
import { fill } from "./panels.js";
import { serve } from "./worker.js";

if (typeof document === "undefined") serve(self);
else for (const host of document.querySelectorAll("[data-lab]")) fill(host);
