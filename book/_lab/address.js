// The state of one panel of the page, behind the # of its address.

/** What the address says of a panel, or null. */
export function stateIn(panel) {
  const state = new URLSearchParams(location.hash.slice(1));
  return state.get("lab") === panel ? state : null;
}

export function keep(panel, entries) {
  history.replaceState(history.state, "", `#${new URLSearchParams({ lab: panel, ...entries })}`);
}
