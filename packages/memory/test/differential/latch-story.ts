/** Random stories of the countdown latch for the differential test. */

import * as core from '@holdfast/core';
import * as fc from 'fast-check';
import { call, faultsOf, oddOf, REQUESTS, send, type Step } from './story.js';

const { latch } = core;
const keys = latch.latchKeys('stock');

const shared = core.share.shareKeys('shop');

/** Every key that such a story touches. */
export const LATCH_KEYS: readonly string[] = [
  ...[shared.lock, shared.value],
  ...[keys.latch, keys.round, keys.mark, keys.dead('u:1')],
  ...REQUESTS.map((id) => keys.dead(id)),
];
export const LATCH_CHANNELS: readonly string[] = [keys.channel];

const request = fc.constantFrom(...REQUESTS);
const common = { request, tombstoneMs: fc.constantFrom(40_000, 60_000), trust: fc.boolean() };

const sound: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ ...common, count: fc.constantFrom(1, 2, 3, Number.MAX_SAFE_INTEGER) })
      .map((options) => call(latch.trySet(keys, options))),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({ ...common, by: fc.constantFrom('', '', 'a', 'b', 'round') })
      .map((options) => call(latch.count(keys, options))),
  },
  { weight: 1, arbitrary: fc.record(common).map((options) => call(latch.remove(keys, options))) },
  { weight: 2, arbitrary: fc.constant(call(latch.look(keys))) },
);

/** Redisson's commands, time that passes, and what is no latch. */
const happenings: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...REQUESTS).map((id): Step[] => [send('del', keys.dead(id))]) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('0', '1', '2', '-1', '7', 'seven', '', '1.5', '9007199254740993', '99999999999999999999')
      .map((text): Step[] => [send('set', keys.latch, text)]),
  },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('set', keys.latch, '3', 'PX', '50000')]) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(keys.latch, keys.round, keys.mark).map((key): Step[] => [{ kind: 'expire', key }]),
  },
  { weight: 1, arbitrary: fc.constantFrom(keys.latch, keys.round, keys.mark).map((key): Step[] => [send('del', key)]) },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('del', keys.latch), send('hset', keys.latch, 'a:1', '1')]) },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('del', keys.round), send('set', keys.round, 'wooden')]) },
  { weight: 1, arbitrary: fc.constant<Step[]>([send('script', 'flush')]) },
);

/** What is shared under a name; put only when its time is over: what is left of a time that does not begin now is told in too small a grain. */
const sharing: fc.Arbitrary<Step[]> = fc.constantFrom<Step[]>(
  [call(core.share.look(shared))],
  [send('set', shared.value, 'v1', 'PX', '60000'), call(core.share.look(shared))],
  [
    send('del', shared.lock),
    send('hset', shared.lock, 'a:1', '1', 'seq', '1'),
    call(core.share.put(shared, { tenure: 'a:1', untilMs: 1, text: 'v2' })),
    call(core.share.put(shared, { tenure: 'a:2', untilMs: 1, text: 'v2' })),
  ],
  [send('set', shared.lock, 'wooden'), call(core.share.put(shared, { tenure: 'a:1', untilMs: 1, text: 'v2' }))],
);

/** Where the server refuses to note something behind the record of a request. */
const unnoted = fc
  .constantFrom(
    call(latch.trySet(keys, { request: 'u:1', tombstoneMs: 60_000, trust: true, count: 3 })),
    call(latch.count(keys, { request: 'u:1', tombstoneMs: 60_000, trust: true, by: 'c' })),
  )
  .map((step): Step[] => [
    ...(step.name === 'latch/set'
      ? [send('del', keys.latch)]
      : [send('set', keys.latch, '4'), send('del', keys.round)]),
    { kind: 'fault', fault: { code: 'NOPERM', command: 'hset' } },
    step,
    { kind: 'fault', fault: undefined },
    step,
    send('del', keys.dead('u:1')),
  ]);

const innerCommands = ['get', 'set', 'del', 'hexists', 'hset', 'hget', 'pexpire', 'publish'];

export const latchStories: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 20, arbitrary: sound.map((step): Step[] => [step]) },
      { weight: 2, arbitrary: oddOf(sound).map((step): Step[] => [step]) },
      { weight: 8, arbitrary: happenings },
      { weight: 1, arbitrary: unnoted },
      { weight: 1, arbitrary: sharing },
      { weight: 12, arbitrary: faultsOf(sound, innerCommands) },
    ),
    { minLength: 8, maxLength: 40, size: 'max' },
  )
  .map((parts) => parts.flat());

/** What the stories have to bring about. */
export const LATCH_REPLIES: readonly string[] = [
  ...['set', 'NOTALATCH', 'READONLY', 'ERR'].map((kind) => `latch/set ${kind}`),
  ...['counted', 'NOTALATCH', 'READONLY', 'ERR'].map((kind) => `latch/count ${kind}`),
  ...['over', 'lost', 'NOTALOCK'].map((kind) => `share/put ${kind}`),
  ...['removed'].map((kind) => `latch/remove ${kind}`),
  ...['NOTALATCH'].map((kind) => `latch/look ${kind}`),
];
