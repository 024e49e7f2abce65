// The list of the largest indices, with ties broken uniformly at random.

// Write the places of the largest indices, equal ones in the order of their numbers; say whether a tie matters.
export function largest(index, ordered, order, values) {
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
  let tied = index.length > size && runnerUp === threshold;
  if (ordered) for (let slot = 1; slot < size; slot++) tied ||= values[slot] === values[slot - 1];
  return tied;
}

// Sort the list of the round before anew; say whether it still is that of the largest, none equal to another.
export function stillLargest(index, order, values) {
  const size = order.length;
  let tied = false;
  for (let slot = 0; slot < size; slot++) {
    const item = order[slot];
    const value = index[item];
    let place = slot;
    while (place > 0 && value > values[place - 1]) {
      values[place] = values[place - 1];
      order[place] = order[place - 1];
      place--;
    }
    if (place > 0 && value === values[place - 1]) tied = true;
    values[place] = value;
    order[place] = item;
  }
  const least = values[size - 1];
  let reaching = 0;
  for (let item = 0; item < index.length; item++) if (index[item] >= least) reaching++;
  return reaching === size && !tied;
}

// A partial Fisher-Yates shuffle of each group of tied items, where their order or their choice matters.
export function breakTies(index, ordered, choice, order, values) {
  const group = new Int32Array(index.length);
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
