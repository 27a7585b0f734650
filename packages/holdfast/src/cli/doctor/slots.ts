/** Which slots of a Cluster have a server: locks of the others cannot be taken. */

import { SLOTS } from '@holdfast/core';
import type { Redis } from 'ioredis';
import { type Finding, unseen } from './finding.js';

/** The slots of a Cluster, as one of its servers sees them. */
export interface Slots {
  readonly findings: readonly Finding[];
  /** Whether a server keeps it that answers. */
  isServed(slot: number): boolean;
}

type Range = readonly [first: number, last: number, [host: string | null, port: number]];

/** `lost`: nodes that do not answer. */
export async function slotsOf(redis: Redis, lost: readonly string[]): Promise<Slots> {
  const check = 'slots';
  const reply: unknown = await redis.call('CLUSTER', 'SLOTS').catch((error: unknown) => error);
  if (!Array.isArray(reply))
    return { findings: [unseen(check, 'CLUSTER SLOTS', '+cluster|slots', reply)], isServed: () => true };
  const keepers = Array.from<string | undefined>({ length: SLOTS });
  for (const [first, last, [host, port]] of reply as Range[])
    keepers.fill(`${host || redis.options.host}:${port}`, first, last + 1);
  const bad = { check, status: 'bad' } as const;
  const ofNobody = rangesOf(keepers, undefined);
  // A node that keeps none any more is no trouble here: a replica has taken over.
  const findings: Finding[] = lost.flatMap((node) => {
    const ranges = rangesOf(keepers, node);
    const detail = `${ranges}: nobody else keeps them, and their locks cannot be taken`;
    return ranges === '' ? [] : [{ ...bad, node, detail }];
  });
  if (ofNobody !== '') findings.push({ ...bad, detail: `${ofNobody}: no node keeps them` });
  if (findings.length === 0) findings.push({ check, status: 'ok', detail: 'each has a server' });
  return {
    findings,
    isServed: (slot) => keepers[slot] !== undefined && !lost.includes(keepers[slot]),
  };
}

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
