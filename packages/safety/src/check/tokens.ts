/** Fencing tokens: one tenure one token, and later tenures larger ones. Only outermost levels begin a tenure. */
import type { Finding } from './findings.js';
import type { Level } from './levels.js';

interface Fenced {
  readonly level: Level;
  readonly token: number;
}

export function* wrongTokens(levels: readonly Level[]): Generator<Finding> {
  const fenced = levels.flatMap((level): Fenced[] =>
    level.ok?.token === undefined ? [] : [{ level, token: level.ok.token }],
  );
  const outermost = fenced.filter(({ level }) => level.acquire.depth === 1);
  yield* changed(fenced);
  yield* shared(outermost);
  yield* disordered(outermost);
}

/** By owner, because a re-entry belongs to the last outermost level of its owner before it. */
function* changed(fenced: readonly Fenced[]): Generator<Finding> {
  const current = new Map<string, Fenced>();
  for (const one of [...fenced].sort((a, b) => begin(a) - begin(b))) {
    const { level, token } = one;
    const around = current.get(level.owner);
    if (level.acquire.depth === 1 || around === undefined) current.set(level.owner, one);
    else if (around.token !== token) {
      yield {
        rule: 'token-changed',
        at: begin(one),
        lock: level.lock,
        between: [around.level.id, level.id],
        text: `${level.id} has token ${token} inside ${around.level.id} with ${around.token}`,
      };
    }
  }
}

function* shared(outermost: readonly Fenced[]): Generator<Finding> {
  const owners = new Map<number, Fenced>();
  for (const one of outermost) {
    const other = owners.get(one.token);
    if (other === undefined) owners.set(one.token, one);
    else {
      yield {
        rule: 'token-shared',
        at: begin(one),
        lock: one.level.lock,
        between: [other.level.id, one.level.id],
        text: `both have token ${one.token}`,
      };
    }
  }
}

/** `outermost` is ordered by invocation: whoever was asked for after another had its answer must have a larger token. */
function* disordered(outermost: readonly Fenced[]): Generator<Finding> {
  const answered = [...outermost].sort((a, b) => begin(a) - begin(b));
  let next = 0;
  let largest: Fenced | undefined;
  for (const one of outermost) {
    for (
      let before = answered[next];
      before !== undefined && begin(before) < one.level.acquire.at;
      before = answered[next]
    ) {
      if (largest === undefined || before.token > largest.token) largest = before;
      next += 1;
    }
    if (largest === undefined || one.token >= largest.token) continue;
    yield {
      rule: 'token-order',
      at: begin(one),
      lock: one.level.lock,
      between: [largest.level.id, one.level.id],
      text: `${one.level.id} has token ${one.token}, and was asked for after ${largest.level.id} had ${largest.token}`,
    };
  }
}

const begin = ({ level }: Fenced): number => level.ok?.at ?? 0;
