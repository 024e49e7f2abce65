// The super arm of the largest sum of indices, equal ones at random.

export function findSet(sets, indices, choice) {
  let best = -Infinity;
  let found = 0;
  let tied = 0;
  for (let row = 0; row < sets.length; row++) {
    const worth = setSum(sets[row], indices);
    if (worth > best) {
      best = worth;
      found = row;
      tied = 1;
    } else if (worth === best) {
      tied++;
    }
  }
  if (tied === 1) return sets[found];
  let left = Math.floor(choice.random() * tied);
  for (;; found++) if (setSum(sets[found], indices) === best && left-- === 0) return sets[found];
}

function setSum(arms, indices) {
  let sum = 0;
  for (let place = 0; place < arms.length; place++) sum += indices[arms[place]];
  return sum;
}
