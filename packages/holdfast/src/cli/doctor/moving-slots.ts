/**
 * Slots of a Cluster that are on their way from one server to another. Until all has arrived a script with several keys is refused there (TRYAGAIN), and of a
 * lock that nobody holds there is nothing to arrive: renewals go on, and all else waits. Who moves slots, and is broken off, leaves them so.
 */

import { SLOTS } from '@holdfast/core';
import type { Redis } from 'ioredis';
import { type Finding, unseen } from './finding.js';
import { rangesOf } from './slots.js';

const check = 'slots';
const MEND = 'what nothing moves any more, redis-cli --cluster fix sets right';

/** Which slots move, and what that means. */
export interface Moves {
  readonly findings: readonly Finding[];
  /** Whether locks of it have to wait. */
  isUnderWay(slot: number): boolean;
}

/** What one server says of a slot: that it gives it to another, or takes it from there. */
interface Word {
  readonly slot: number;
  readonly does: 'gives' | 'takes';
  readonly node: string;
  readonly other: string;
}

/** As those servers say that answer. */
export async function movesOf(servers: readonly Redis[]): Promise<Moves> {
  const words: Word[] = [];
  for (const redis of servers) {
    const reply: unknown = await redis.call('CLUSTER', 'NODES').catch((error: unknown) => error);
    if (typeof reply === 'string') words.push(...wordsIn(reply, addressOf(redis)));
    else
      return {
        findings: [unseen(check, 'CLUSTER NODES', '+cluster|nodes to have slots that move looked at', reply)],
        isUnderWay: () => false,
      };
  }
  const asked = new Set(servers.map(addressOf));
  const findings = Array.from<Finding | undefined>({ length: SLOTS });
  for (const word of words) {
    const echo = words.some(({ slot, does, node }) => slot === word.slot && does !== word.does && node === word.other);
    // What a server says that does not answer is not known: the move is taken for whole.
    const finding = echo || !asked.has(word.other) ? whole(word) : half(word);
    findings[word.slot] ??= finding;
  }
  const told = findings.map((finding) => finding && JSON.stringify(finding));
  return {
    findings: [...new Set(told)].flatMap((text) => {
      if (text === undefined) return [];
      const finding = JSON.parse(text) as Finding;
      return { ...finding, detail: `${rangesOf(told, text)}: ${finding.detail}` };
    }),
    isUnderWay: (slot) => findings[slot]?.status === 'bad',
  };
}

function whole({ does, node, other }: Word): Finding {
  const [from, to] = does === 'gives' ? [node, other] : [other, node];
  const detail = `on the way to ${to}: until all is there their locks are renewed, and neither taken nor given back; ${MEND}`;
  return { check, status: 'bad', node: from, detail };
}

/** Of the two servers only this one knows of the move. */
function half({ does, node, other }: Word): Finding {
  if (does === 'takes')
    return {
      check,
      status: 'warn',
      node,
      detail: `to come from ${other}, which keeps them: locks do not mind; ${MEND}`,
    };
  return {
    check,
    status: 'bad',
    node,
    detail: `given to ${other}, which does not take them, so that their locks cannot be taken; ${MEND}`,
  };
}

/** In the line of a server itself stands `[93->-id]` for a slot that it gives, and `[93-<-id]` for one that it takes. */
function wordsIn(nodes: string, node: string): Word[] {
  const lines = nodes.split('\n').map((line) => line.split(' '));
  const addresses = new Map(lines.map(([id, address = '']) => [id, /^[^@,]*/.exec(address)?.[0]]));
  const own = lines.find(([, , flags = '']) => flags.includes('myself')) ?? [];
  return [...own.join(' ').matchAll(/\[(\d+)-([<>])-(\w+)\]/g)].map(([, slot, way, id = '']) => ({
    slot: Number(slot),
    does: way === '>' ? 'gives' : 'takes',
    node,
    other: addresses.get(id) ?? id,
  }));
}

function addressOf({ options }: Redis): string {
  return `${options.host}:${options.port}`;
}
