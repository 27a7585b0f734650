// npm run simulate -- --planted [words of a name]: does each judge of semaphores, latches, elections, shared values, multi-locks, spin locks, locks that rest, locks by majority, what is inherited, what runs leave open, explicit owners, circles of waits, guarded writes, other data under the names of locks, and later versions find what is planted for it?
// The simulated server executes no Lua, so most bugs are planted in its own rules; each in a bundle of its own, and nothing is written to the sources.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { bundle } from './bundle.mjs';
import { plantedForCompany } from './planted-company.mjs';
import { plantedForOwners } from './planted-owners.mjs';
import { plantedForTempers } from './planted-tempers.mjs';

const server = 'packages/memory/src/server/scripts';
const client = 'packages/holdfast/src';

/** `before` stands in the file once. `rules`: as what it may be found. */
export const planted = [
  {
    name: 'one permit too many is given',
    ...{ with: 'semaphore', class: 'calm', rules: ['permits'], file: `${server}/permits/ask.ts` },
    before: 'holders.free >= wanted && redis.existing',
    after: 'holders.free + 1 >= wanted && redis.existing',
  },
  {
    name: 'permits of the dead are lost',
    ...{ with: 'semaphore', class: 'broken', rules: ['permits'], file: `${server}/permits/holders.ts` },
    before: 'this.shrink(field, { n: record?.n ?? 0, untilMs: 0 }, 0);',
    after: 'this.strike(field);',
  },
  {
    name: 'a copy of a release gives back again',
    ...{ with: 'semaphore', class: 'broken', rules: ['permits'], file: `${server}/permits/held.ts` },
    before: 'if (own !== undefined && own.n > left) holders.shrink(tenure, own, left);',
    after:
      'if (own !== undefined && own.n > left) holders.shrink(tenure, own, left); else if (left === 0 && known) holders.put(1);',
  },
  {
    name: 'a renewal revives what others may have',
    ...{ with: 'semaphore', class: 'broken', rules: ['permits', 'ghost'], file: `${server}/permits/held.ts` },
    before: "if (own === undefined || (own.untilMs > 0 && own.untilMs <= nowMs)) return ['lost', 'deleted'];",
    after:
      "if (own === undefined) { redis.hset(permits, tenure, `1 ${nowMs + leaseMs}`); return ['renewed', leaseMs]; }",
  },
  {
    name: 'a late call takes permits for who has ended',
    ...{ with: 'semaphore', temper: 'copies', rules: ['ghost'], file: `${server}/permits/ask.ts` },
    before: 'const dead = given(keys, 3);',
    after: 'const dead = `none-of-${given(keys, 3)}`;',
  },
  {
    name: 'who wants few goes past who wants many',
    ...{ with: 'semaphore', class: 'calm', rules: ['order'], file: `${server}/permits/ask.ts` },
    before: 'holders.free >= wanted && redis.existing(queue, dead).size === 0',
    after: 'holders.free >= wanted && redis.existing(dead).size === 0',
  },
  {
    name: 'a release serves nobody',
    ...{ with: 'semaphore', class: 'calm', rules: ['lost wakeup', 'order'], file: `${server}/permits/held.ts` },
    before: '  step.passOn();\n  step.announce(channel);\n  if (left > 0)',
    after: '  step.announce(channel);\n  if (left > 0)',
  },
  {
    name: 'ids end before their time',
    ...{ with: 'ids', class: 'broken', rules: ['permits'], file: `${server}/permits/ids.ts` },
    before: 'const lastsMs = holders.within(leaseMs,',
    after: 'const lastsMs = holders.within(Math.ceil(leaseMs / 20),',
  },
  {
    name: 'two calls have one id',
    ...{ with: 'ids', class: 'calm', rules: ['permits'], file: `${client}/primitives/expirable-semaphore-handle.ts` },
    before: 'const ids = Array.from({ length: wanted.permits }, () => parts.tenureId(undefined));',
    after: "const ids = Array.from({ length: wanted.permits }, (_, n) => `${'A'.repeat(21)}:${n + 1}.aaaaaaaaaa`);",
  },
  {
    name: 'who issues ids keeps the permits as well',
    ...{ with: 'ids', class: 'calm', rules: ['permits'], file: `${server}/permits/ids.ts` },
    before: "  holders.strike(tenure);\n  tellIfSooner(redis, holders, leased.soonest);\n  return ['issued'",
    after: "  tellIfSooner(redis, holders, leased.soonest);\n  return ['issued'",
  },
  {
    name: 'a copy of a return gives back again',
    ...{ with: 'ids', class: 'broken', rules: ['permits'], file: `${server}/permits/ids.ts` },
    before: "if (known !== undefined) return ['returned', Number(known), 0, question];",
    after: '',
  },
  {
    name: 'a copy of a count counts',
    ...{ with: 'latch', class: 'broken', rules: ['latch'], file: `${server}/latch.ts` },
    before: "if (known !== undefined) return ['counted', known, question];",
    after: '',
  },
  {
    name: 'a copy begins another round',
    ...{ with: 'latch', temper: 'copies', rules: ['latch'], file: `${server}/latch.ts` },
    before: "if (known !== undefined) return ['set', Number(known), question];",
    after: '',
  },
  {
    name: 'who says who it is counts twice',
    ...{ with: 'latch', class: 'calm', rules: ['latch'], file: `${server}/latch.ts` },
    before: "(by === '' || !redis.hexists(round, field))",
    after: 'field !== undefined',
  },
  {
    name: 'who waits goes on at 1',
    ...{ with: 'latch', class: 'calm', rules: ['latch'], file: `${client}/latch/latch-wait.ts` },
    before: 'if (count === 0 ||',
    after: 'if (count <= 1 ||',
  },
  {
    name: 'the last count tells nobody',
    ...{ with: 'latch', class: 'calm', rules: ['lost wakeup'], file: `${server}/latch.ts` },
    before: "if (counts) announceFree(redis, given(args, 2), args[3] === '1');",
    after: '',
  },
  {
    name: 'a leader is told after it has resigned',
    ...{ with: 'election', class: 'calm', rules: ['loss told late'], file: `${client}/election/leadership.ts` },
    before: 'if (!this.signal.aborted) this.#resigned.abort(this.#resignation());',
    after: 'void this.#end.then(() => this.#resigned.abort(this.#resignation()));',
  },
  {
    name: 'terms do not rise',
    ...{ with: 'election', class: 'calm', rules: ['token'], file: `${client}/election/leadership.ts` },
    before: 'return this.#hold.token;',
    after: 'return 1 + (this.#hold.token % 2);',
  },
  {
    name: 'who gets the lock computes without looking',
    ...{ with: 'share', class: 'calm', rules: ['share'], file: `${client}/share/shares.ts` },
    before: '    if (seen.text !== undefined) return seen.text;',
    after: '    if (seen.text === name) return seen.text;',
  },
  {
    name: 'a value stays for ever',
    ...{ with: 'share', class: 'calm', rules: ['share'], file: `${server}/share.ts` },
    before: 'redis.set(value, given(args, 2), ttlMs);',
    after: 'redis.set(value, given(args, 2));',
  },
  {
    name: 'members of a refused call stay taken',
    ...{ with: 'multi', class: 'calm', rules: ['starved'], file: `${client}/primitives/multi-lock-handle.ts` },
    before: '      await withdraw(bundle, call, parts);\n      return { member',
    after: '      return { member',
  },
  {
    name: 'a script gives one permit too many',
    ...{ scripts: 'lua', with: 'semaphore', class: 'calm', rules: ['permits'] },
    file: 'packages/core/src/permits/scripts.gen.ts',
    before: "if free and free>=wanted and redis.call('EXISTS',queue,KEYS[4])==0 then",
    after: "if free and free+1>=wanted and redis.call('EXISTS',queue,KEYS[4])==0 then",
  },
  {
    name: 'members are taken in the order of the call',
    ...{ with: 'multi', class: 'calm', rules: ['starved'], file: `${client}/primitives/members.ts` },
    before: 'placed.sort((a, b) => a.slot - b.slot || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));',
    after: '',
  },
  {
    name: 'who asks without a place takes a lock before its end',
    ...{ with: 'spin', class: 'calm', rules: ['exclusion'], file: `${server}/ask.ts` },
    before: 'const free = holder === undefined;\n  let remainingMs = redis.pttl(lock);',
    after:
      'let remainingMs = redis.pttl(lock);\n  const free = holder === undefined || (freshMs === 0 && remainingMs >= 0 && remainingMs < 300);',
  },
  {
    name: 'who asks takes a lock that rests',
    ...{ with: 'rest', class: 'calm', rules: ['rest'], file: `${server}/ask.ts` },
    before: 'const free = holder === undefined;',
    after: "const free = holder === undefined || fields.has('rest');",
  },
  {
    name: 'the next task of the process has a lock that rests',
    ...{ with: 'rest', class: 'calm', rules: ['rest'], file: `${client}/exclusive/departure.ts` },
    before: '    restUntil === undefined &&\n',
    after: '',
  },
  {
    name: 'a lock that begins to rest tells nobody',
    ...{ with: 'rest', class: 'calm', rules: ['lost wakeup'], file: `${server}/rest.ts` },
    before: 'if (head !== undefined) tell(redis, head, `1 look ${head}`);',
    after: '',
  },
  {
    name: 'a copy makes a lock rest again',
    ...{ with: 'rest', class: 'broken', rules: ['record', 'exclusion', 'ghost'], file: `${server}/rest.ts` },
    before: 'if (count === undefined) {',
    after: 'if (count === undefined && !redis.exists(given(keys, 3))) {',
  },
  {
    name: 'who waited is not told that the lease before ran out',
    ...{ with: 'rest', class: 'calm', rules: ['inheritance'], file: `${server}/grant.ts` },
    before: 'if (inherited !== undefined) words.push(wordsOf(inherited));',
    after: '',
  },
  {
    name: 'who comes after a rest is told that its lease ran out',
    ...{ with: 'rest', class: 'calm', rules: ['inheritance'], file: `${server}/rest.ts` },
    before: "noteReturned(redis, fresh, 'always');",
    after: '',
  },
  {
    name: 'half of the nodes is enough',
    ...{ with: 'majority', class: 'calm', rules: ['exclusion'], file: `${client}/redlock/electorate.ts` },
    before: 'Math.floor(nodes.length / 2) + 1',
    after: 'Math.floor(nodes.length / 2)',
  },
  {
    name: 'a node that has forgotten its locks votes at once',
    ...{ with: 'majority', class: 'broken', rules: ['exclusion'], file: `${client}/redlock/standing.ts` },
    before: 'if (this.#options.now() >= until) return mayVote;',
    after: 'if (until > 0) return mayVote;',
  },
  {
    name: 'a majority is believed for as long as its longest vote',
    ...{ with: 'majority', class: 'broken', rules: ['exclusion', 'loss told late'] },
    file: `${client}/redlock/quorum-lease.ts`,
    before: 'return deadlines[majority - 1] ?? ',
    after: 'return deadlines[0] ?? ',
  },
  {
    name: 'one vote is enough to keep a lock by majority',
    ...{ with: 'majority', temper: 'reborn', rules: ['exclusion', 'loss told late'] },
    file: `${client}/redlock/quorum.ts`,
    before: 'else if (this.standing.length - (isOver ? 0 : this.#anew.length) < this.majority) {',
    after: 'else if (this.standing.length < 1) {',
  },
  {
    name: 'a lock by majority is given back at all nodes but one',
    ...{ with: 'majority', class: 'calm', rules: ['left behind'], file: `${client}/redlock/giving-back.ts` },
    before: 'for (const vote of votes) {',
    after:
      'for (const [place, vote] of votes.entries()) {\n      if (place >= majority) { openVotes--; note({ kind: "released" }); continue; }',
  },
  ...plantedForOwners,
  ...plantedForCompany,
  ...plantedForTempers,
];

const say = (line) => process.stdout.write(`${line}\n`);

/** Changes one file on its way into the bundle. */
function changing({ file, before, after }) {
  const path = join(root, file);
  return {
    name: 'planted',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, (args) => {
        if (args.path !== path) return undefined;
        const [head, tail, ...more] = readFileSync(path, 'utf8').split(before);
        if (tail === undefined || more.length > 0) throw new Error(`${file} does not have this once: ${before}`);
        return { contents: head + after + tail, loader: 'ts' };
      });
    },
  };
}

/** So many worlds are tried for each. */
const MOST_WORLDS = 60;

async function look(plant, from) {
  const file = join(root, `packages/simulation/node_modules/.cache/planted-${process.pid}.mjs`);
  await bundle(root, file, [changing(plant)]);
  const terms = ['--seed', String(from), '--runs', String(MOST_WORLDS)];
  for (const name of ['class', 'with', 'temper']) if (plant[name] !== undefined) terms.push(`--${name}`, plant[name]);
  if (plant.scripts === 'lua') terms.push('--lua');
  const { stdout } = spawnSync(process.execPath, [file, ...terms, '--workers', '1', '--until-violation', '--no-show'], {
    encoding: 'utf8',
  });
  rmSync(file);
  const [, worlds, holds] = / ([\d,]+) worlds, ([\d,]+) holds/.exec(lastProgress(stdout)) ?? [];
  const [, rule] = /^VIOLATED ([a-z ]+) in a /m.exec(stdout) ?? [];
  return { rule, worlds, holds };
}

const lastProgress = (text) => text.split('\n').findLast((line) => line.includes(' worlds, ')) ?? '';

/** @param {string[]} words @param {{ from?: number }} [options] from: the seed of the first world */
export async function findPlanted(words, { from = 1 } = {}) {
  const wanted = planted.filter(({ name }) => name.includes(words.join(' ')));
  if (wanted.length === 0) throw new Error(`nothing is planted whose name has "${words.join(' ')}" in it`);
  const rows = [];
  for (const plant of wanted) {
    const { rule, worlds, holds } = await look(plant, from);
    const isFound = plant.rules.includes(rule);
    say(`${isFound ? 'found ' : 'MISSED'} ${plant.name}: ${rule ?? 'nothing'} (${worlds} worlds, ${holds} holds)`);
    rows.push({
      isFound,
      text: `| ${plant.name} | ${[plant.temper, plant.with].filter(Boolean).join(', ')} | ${rule ?? 'not found'} | ${worlds} | ${holds} |`,
    });
  }
  say(['', '| planted | in | found as | worlds | holds |', '| --- | --- | --- | --: | --: |'].join('\n'));
  for (const { text } of rows) say(text);
  return rows.every(({ isFound }) => isFound);
}
