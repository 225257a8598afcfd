// Which elements of one list have become which of another.
import { equal, isList, isRecord } from "./difference.js";

// alignment returns for each element of after the index of the element of before that it was, -1 for a new
// one. The indices ascend. Elements that are the same or equal are matched first; what is between them, where
// it looks like a changed copy.
export function alignment(before, after) {
  const from = new Array(after.length).fill(-1);
  let start = 0;
  let end = before.length;
  let last = after.length;
  while (start < end && start < last && same(before[start], after[start])) {
    from[start] = start;
    start++;
  }
  while (start < end && start < last && same(before[end - 1], after[last - 1])) {
    end--;
    last--;
    from[last] = end;
  }
  if (start < end && start < last) middle(before, after, start, end, last, from);
  return from;
}

const same = (a, b) => a === b || equal(a, b);

function middle(before, after, start, end, last, from) {
  const found = keepAscending(candidates(before, after, start, end, last));
  let b = start;
  let a = start;
  const gap = (endB, endA) => {
    pair(before, after, b, endB, a, endA, from);
    b = endB + 1;
    a = endA + 1;
  };
  found.forEach((index, i) => {
    if (index < 0) return;
    from[start + i] = index;
    gap(index, start + i);
  });
  gap(end, last);
}

// candidates finds for each element of after one of before that is the same or equal, each of them once.
function candidates(before, after, start, end, last) {
  const places = new Map();
  const put = (key, index) => {
    if (places.has(key)) places.get(key).push(index);
    else places.set(key, [index]);
  };
  const take = (key) => places.get(key)?.shift() ?? -1;
  for (let i = start; i < end; i++) put(before[i], i);
  const found = [];
  for (let i = start; i < last; i++) found.push(take(after[i]));
  if (!found.some((index, i) => index < 0 && typeof after[start + i] === "object")) return found;
  // Copies: compared as text, which is fast and tells the order of members.
  const used = new Set(found);
  places.clear();
  for (let i = start; i < end; i++) {
    if (!used.has(i) && typeof before[i] === "object") put(JSON.stringify(before[i]), i);
  }
  return found.map((index, i) => {
    const copy = after[start + i];
    return index >= 0 || typeof copy !== "object" ? index : take(JSON.stringify(copy));
  });
}

// keepAscending keeps a longest ascending part of the indices and makes the others -1.
function keepAscending(indices) {
  const ends = []; // ends[n]: where the best ascending part of n+1 indices ends so far
  const previous = [];
  indices.forEach((index, i) => {
    if (index < 0) return;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const half = (low + high) >> 1;
      if (indices[ends[half]] < index) low = half + 1;
      else high = half;
    }
    previous[i] = low > 0 ? ends[low - 1] : -1;
    ends[low] = i;
  });
  const kept = new Array(indices.length).fill(-1);
  for (let i = ends.length > 0 ? ends[ends.length - 1] : -1; i >= 0; i = previous[i]) kept[i] = indices[i];
  return kept;
}

// More comparisons than this are not worth it for one gap.
const mostPairs = 4096;

// pair matches changed copies in a gap: before[b:endB] has become after[a:endA]. Each takes what it has most of. One
// that has nothing of any, as when all that it holds has changed inside, takes its place if none was added or removed.
function pair(before, after, b, endB, a, endA, from) {
  if ((endB - b) * (endA - a) > mostPairs) return;
  for (; a < endA && b < endB; a++) {
    let most = 0;
    if (endB - b === endA - a && alike(before[b], after[a])) from[a] = b;
    for (let i = b; i < endB; i++) {
      const n = shared(before[i], after[a]);
      if (n > most) [most, from[a]] = [n, i];
    }
    if (from[a] >= 0) b = from[a] + 1;
  }
}

// alike tells whether a value may be another one that has changed all through: two lists, or an object with all
// members of the other one, in that order and before any new ones.
function alike(original, copy) {
  if (isList(original)) return isList(copy);
  if (!isRecord(original) || !isRecord(copy)) return false;
  const others = Object.keys(copy);
  return Object.keys(original).every((key, i) => key === others[i]);
}

// shared counts what a value may have from another: elements of a list, members of an object. Members are in the
// order of the original, new ones behind them, so that edits of the original yield the order of the copy.
function shared(original, copy) {
  if (isList(original) && isList(copy)) {
    const elements = new Set(original);
    return copy.filter((v) => elements.has(v)).length;
  }
  if (!isRecord(original) || !isRecord(copy)) return 0;
  const keys = Object.keys(original).filter((key) => Object.hasOwn(copy, key));
  const others = Object.keys(copy);
  if (!keys.every((key, i) => key === others[i])) return 0;
  return keys.filter((key) => equal(original[key], copy[key])).length;
}
