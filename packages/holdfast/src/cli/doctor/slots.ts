/** Which slots of a Cluster have a server: locks of the others cannot be taken. */

import { SLOTS } from '@holdfast/core';
import type { Redis } from 'ioredis';
import { addressOf, inWords } from '../address.js';
import { type Finding, unseen } from './finding.js';

/** The slots of a Cluster, as most of its servers see them. */
export interface Slots {
  readonly findings: readonly Finding[];
  /** Whether a server keeps it that answers. */
  isServed(slot: number): boolean;
}

const check = 'slots';

type Range = readonly [first: number, last: number, [host: string | null, port: number, id: string]];

/** Who keeps each slot, as one server has it, by their ids: two that have one server by its name and by its address mean the same. */
interface View {
  readonly node: string;
  readonly keepers: readonly (string | undefined)[];
  /** By addresses. */
  readonly ids: ReadonlyMap<string, string>;
}

/** `servers`: at least one. `lost`: nodes that do not answer. */
export async function slotsOf(servers: readonly Redis[], lost: readonly string[]): Promise<Slots> {
  const views: View[] = [];
  for (const redis of servers) {
    const reply: unknown = await redis.call('CLUSTER', 'SLOTS').catch((error: unknown) => error);
    if (Array.isArray(reply)) views.push(viewOf(reply as Range[], redis));
    else return { findings: [unseen(check, 'CLUSTER SLOTS', '+cluster|slots', reply)], isServed: () => true };
  }
  // Each answers for itself, and a client believes the one that it happens to ask.
  const { keepers } = views.toSorted((one, other) => sharing(views, other) - sharing(views, one))[0] as View;
  const bad = { check, status: 'bad' } as const;
  const ofNobody = rangesOf(keepers, undefined);
  // A node that keeps none any more is no trouble here: a replica has taken over.
  const idsOf = (node: string) => views.flatMap(({ ids }) => ids.get(node) ?? []);
  const findings: Finding[] = lost.flatMap((node) => {
    const [id] = idsOf(node);
    const ranges = id === undefined ? '' : rangesOf(keepers, id);
    const detail = `${ranges}: nobody else keeps them, and their locks cannot be taken`;
    return ranges === '' ? [] : [{ ...bad, node, detail }];
  });
  if (ofNobody !== '') findings.push({ ...bad, detail: `${ofNobody}: no node keeps them` });
  for (const { node, keepers: theirs } of views) {
    const ranges = rangesOf(
      theirs.map((keeper, slot) => (keeper === keepers[slot] ? 'same' : 'other')),
      'other',
    );
    const detail = `${ranges}: it has another node for them than most, or none: clients that ask it may not reach their locks`;
    if (ranges !== '') findings.push({ ...bad, node, detail });
  }
  if (findings.length === 0) findings.push({ check, status: 'ok', detail: 'each has a server' });
  const away = new Set(lost.flatMap(idsOf));
  return {
    findings,
    isServed: (slot) => keepers[slot] !== undefined && !away.has(keepers[slot]),
  };
}

function viewOf(reply: readonly Range[], redis: Redis): View {
  const keepers = Array.from<string | undefined>({ length: SLOTS });
  const ids = new Map<string, string>();
  for (const [first, last, [host, port, id]] of reply) {
    keepers.fill(id, first, last + 1);
    ids.set(inWords(`${host || redis.options.host}:${port}`), id);
  }
  return { node: addressOf(redis), keepers, ids };
}

/** How many have the same. */
const sharing = (views: readonly View[], { keepers }: View) =>
  views.filter((other) => String(other.keepers) === String(keepers)).length;

/** As `0-5460, 10923-16383`. */
export function rangesOf(keepers: readonly (string | undefined)[], node: string | undefined): string {
  const ranges: string[] = [];
  for (let first = 0; first < keepers.length; first++) {
    if (keepers[first] !== node) continue;
    let last = first;
    while (last + 1 < keepers.length && keepers[last + 1] === node) last++;
    ranges.push(first === last ? `${first}` : `${first}-${last}`);
    first = last;
  }
  return ranges.join(', ');
}
