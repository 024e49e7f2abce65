/* On the search's page, first what is named by every word that was asked for, whole: claims, then sections. */
"use strict";

const MOST = 30; // names that are put first; more tell nothing
const ALSO = { "Run it here": "simulator" };

/** Sections in whose heading, and the title of whose page, every word stands; Sphinx takes whole headings only. */
function sections(wanted) {
  const { alltitles, titles, docnames, filenames } = Search._index;
  return Object.entries(alltitles).flatMap(([title, places]) => {
    const own = wordsOf(`${title} ${ALSO[title] ?? ""}`);
    if (!wanted.some((word) => has(own, [word]))) return [];
    return places.filter(([file]) => has([...own, ...wordsOf(titles[file].replace(/<[^>]*>/g, "").replace(/^\d+\. /, ""))], wanted)).map(([file, id]) => {
      const shown = titles[file] === title ? title : `${titles[file]} > ${title}`;
      return [docnames[file], shown, id === null ? "" : `#${id}`, null, 0, filenames[file]];
    });
  });
}

const performed = Search._performSearch;
Search._performSearch = (query, ...rest) => {
  const wanted = wordsOf(query);
  const results = performed(query, ...rest); // the best is the last
  const claims = results.filter(([, title, , kind]) => kind?.startsWith("claim") && has(wordsOf(title), wanted)).reverse();
  const named = [...claims.sort((a, b) => a[1].length - b[1].length), ...sections(wanted)];
  if (!wanted.length || named.length > MOST) return results;
  const place = ([page, , anchor]) => page + anchor;
  const first = new Map(named.reverse().map((result) => [place(result), result]));
  return [...results.filter((result) => !first.has(place(result))), ...first.values()];
};
