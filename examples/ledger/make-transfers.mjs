// node examples/ledger/make-transfers.mjs
//
// Writes transfers.csv: 2,000 transfers between 50 accounts, a few of them hot. Seeded, so that it always writes the same file.
import { writeFileSync } from 'node:fs';

const transferCount = 2_000;
const accountCount = 50;
const random = mulberry32(20_260_101);

// Zipf: the account of rank r is drawn 1/r as often as the first. Ranks are dealt at random, so that the hot accounts
// are spread over the alphabet, and with it over the order in which transfers lock them.
const accounts = shuffled(Array.from({ length: accountCount }, (_, n) => `acct-${String(n + 1).padStart(2, '0')}`));
const weights = accounts.map((_, index) => 1 / (index + 1));
const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);

const rows = Array.from({ length: transferCount }, (_, index) => {
  const from = drawAccount();
  let to = drawAccount();
  while (to === from) to = drawAccount();
  const cents = 1 + Math.floor(random() * 20_000);
  return `t${String(index + 1).padStart(4, '0')},${from},${to},${cents}`;
});

writeFileSync(new URL('transfers.csv', import.meta.url), `${['id,from,to,amount', ...rows].join('\n')}\n`);

function drawAccount() {
  let left = random() * totalWeight;
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return accounts[index];
  }
  return accounts[0];
}

function shuffled(values) {
  const deck = [...values];
  for (let last = deck.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
  return deck;
}

/** A small random generator with a seed: numbers in [0, 1). */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
