// The list of the largest indices, with ties broken uniformly at random.

// Write the list and its indices, in their order if it is `ordered`; return the largest index of the others.
export function topList(index, ordered, choice, order, values) {
  const runnerUp = largest(index, order, values);
  let tied = index.length > order.length && runnerUp === values[order.length - 1];
  if (ordered) for (let slot = 1; slot < order.length; slot++) tied ||= values[slot] === values[slot - 1];
  if (tied) breakTies(index, ordered, choice, order, values);
  return runnerUp;
}

// The places of the largest indices, equal ones in the order of their numbers, and the largest index of the others.
function largest(index, order, values) {
  const size = order.length;
  let threshold = -Infinity;
  let runnerUp = -Infinity;
  for (let item = 0; item < index.length; item++) {
    const value = index[item];
    if (item >= size) {
      if (value <= threshold) {
        if (value > runnerUp) runnerUp = value;
        continue;
      }
      if (threshold > runnerUp) runnerUp = threshold;
    }
    let slot = item < size ? item : size - 1;
    while (slot > 0 && value > values[slot - 1]) {
      values[slot] = values[slot - 1];
      order[slot] = order[slot - 1];
      slot--;
    }
    values[slot] = value;
    order[slot] = item;
    threshold = values[size - 1];
  }
  return runnerUp;
}

let group = new Int32Array(0); // of tied items, made once

// A partial Fisher-Yates shuffle of each group of tied items, where their order or their choice matters.
function breakTies(index, ordered, choice, order, values) {
  if (group.length < index.length) group = new Int32Array(index.length);
  const size = order.length;
  let start = 0;
  while (start < size) {
    const value = values[start];
    let members = 0;
    for (let item = 0; item < index.length; item++) if (index[item] === value) group[members++] = item;
    const slots = Math.min(members, size - start);
    if (members > 1 && (ordered || members > slots)) {
      for (let slot = 0; slot < slots; slot++) {
        const left = members - slot;
        if (left > 1) {
          const other = slot + Math.floor(choice.random() * left);
          swap(group, slot, other);
        }
        order[start + slot] = group[slot];
      }
    }
    start += slots;
  }
}

// Swap the item with the fewest reports, the first of them if several, to the top of the list.
export function leastFirst(pulls, order) {
  let least = 0;
  for (let slot = 1; slot < order.length; slot++) if (pulls[order[slot]] < pulls[order[least]]) least = slot;
  swap(order, 0, least);
}

export function swap(order, one, other) {
  const held = order[one];
  order[one] = order[other];
  order[other] = held;
}
