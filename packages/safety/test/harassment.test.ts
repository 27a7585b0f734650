import { expect, it } from '@jest/globals';
import { Harassment, type Ground } from '../src/campaign/harassment.js';
import type { Operator } from '../src/campaign/operator.js';
import type { Deed, Nemesis } from '../src/faults/nemesis.js';
import type { Site } from '../src/site/site.js';

/** A server that is not well when it is restored for the first time, and a history. */
function ground() {
  const told: string[] = [];
  let ills = 1;
  const admin = {
    call: (...words: string[]) => Promise.resolve(void told.push(words.slice(0, 2).join(' '))),
    config: (...words: string[]) => Promise.resolve(void told.push(words.join(' '))),
  };
  const node = { continueProcess: () => Promise.resolve(), admin: () => Promise.resolve(admin) };
  const site = {
    nodes: [node],
    whenReady: () => (ills-- > 0 ? Promise.reject(new Error('it loads')) : Promise.resolve()),
  } as unknown as Site;
  const operator = {
    note: ({ code, state, target }: Deed) => void told.push(`${code} ${state} ${target}`),
  } as unknown as Operator;
  return { told, ground: { site, operator, intensity: 1 } as unknown as Ground };
}

it('what a strike was about to take back when it was cut short is taken back, and its end is in the history', async () => {
  const { told, ground: at } = ground();
  let end: Promise<void> | undefined;
  const cutShort: Nemesis = {
    name: 'cut short',
    rest: [0, 0],
    strike({ note }) {
      note({ code: 'oom', state: 'on', target: 'a' });
      note({ code: 'acl', state: 'on', target: 'a' });
      note({ code: 'acl', state: 'off', target: 'a' });
      end = harassment.end();
      return Promise.reject(new Error('the server is down'));
    },
  };
  const harassment = new Harassment(at, [cutShort], 1);
  while (end === undefined) await new Promise((resolve) => setImmediate(resolve));
  await end;
  expect(told).toEqual([
    ...['oom on a', 'acl on a', 'acl off a'],
    ...['ACL SETUSER', 'CLIENT UNPAUSE', 'SET maxmemory 0'],
    'oom off a',
  ]);
  expect([harassment.missed, harassment.counts]).toEqual([1, { oom: 1, acl: 1 }]);
});
