/**
 * Slots of a Cluster that are on their way from one server to another. Until all has arrived a script with several keys is refused there (TRYAGAIN), and of a
 * lock that nobody holds there is nothing to arrive: renewals go on, and all else waits. Who moves slots, and is broken off, leaves them so.
 */

import { SLOTS } from '@holdfast/core';
import type { Redis } from 'ioredis';
import { addressOf, inWords } from '../address.js';
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

/** A server, by the id that it has in its Cluster: by which address others know it may be another matter. */
interface Node {
  readonly id: string;
  readonly address: string;
}

/** What one server says of a slot: that it gives it to another, or takes it from there. */
interface Word {
  readonly slot: number;
  readonly does: 'gives' | 'takes';
  readonly node: Node;
  readonly other: Node;
}

/** As those servers say that answer. */
export async function movesOf(servers: readonly Redis[]): Promise<Moves> {
  const said: Word[] = [];
  /** Where those are that were asked, as we reach them. */
  const asked = new Map<string, string>();
  /** Who says of a slot that it keeps it. */
  const keepers = Array.from<string | undefined>({ length: SLOTS });
  for (const redis of servers) {
    const reply: unknown = await redis.call('CLUSTER', 'NODES').catch((error: unknown) => error);
    if (typeof reply !== 'string')
      return {
        findings: [unseen(check, 'CLUSTER NODES', '+cluster|nodes to have slots that move looked at', reply)],
        isUnderWay: () => false,
      };
    const meet = ({ id }: Node) => {
      asked.set(id, addressOf(redis));
      for (const [first, last] of keptIn(reply)) keepers.fill(id, first, last + 1);
    };
    said.push(...wordsIn(reply, meet));
  }
  const reached = ({ id, address }: Node): Node => ({ id, address: asked.get(id) ?? address });
  const words = said.map((word) => ({ ...word, node: reached(word.node), other: reached(word.other) }));
  const findings = Array.from<Finding | undefined>({ length: SLOTS });
  // Who gives is whom locks are asked of, and counts.
  for (const word of words.toSorted((one, other) => (one.does < other.does ? -1 : 1))) {
    const echo = words.some(
      ({ slot, does, node }) => slot === word.slot && does !== word.does && node.id === word.other.id,
    );
    const id = keepers[word.slot];
    const keeper = id === undefined ? undefined : reached({ id, address: id });
    // What a server says that does not answer is not known: the move is taken for whole, unless another one keeps the slot, as where a replica has taken over.
    const isKnown = asked.has(word.other.id) || (word.does === 'takes' && keeper !== undefined);
    const finding = echo || !isKnown ? whole(word) : half(word, keeper);
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
  const detail = `on the way to ${to.address}: until all is there their locks are renewed, and neither taken nor given back; ${MEND}`;
  return { check, status: 'bad', node: from.address, detail };
}

/** Of the two servers only this one knows of the move. */
function half({ does, node: { address: node }, other }: Word, keeper: Node | undefined): Finding {
  if (does === 'takes') {
    const from = `to come from ${other.address}, `;
    // As where it had handed the slot over already, and this one never heard of that.
    if (keeper === undefined)
      return {
        check,
        status: 'bad',
        node,
        detail: `${from}which does not keep them, nor does another: their locks cannot be taken; ${MEND}`,
      };
    const who = keeper.id === other.id ? 'which keeps them' : `while ${keeper.address} keeps them`;
    return { check, status: 'warn', node, detail: `${from}${who}: locks do not mind; ${MEND}` };
  }
  return {
    check,
    status: 'bad',
    node,
    detail: `given to ${other.address}, which does not take them, so that their locks cannot be taken; ${MEND}`,
  };
}

function ownLineIn(nodes: string): string {
  return nodes.split('\n').find((line) => line.split(' ')[2]?.includes('myself')) ?? '';
}

/** The slots that a server says it keeps. */
function keptIn(nodes: string): [first: number, last: number][] {
  const ranges = ownLineIn(nodes).split(' ').slice(8);
  return ranges.flatMap((range) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    return first === undefined ? [] : [[Number(first), Number(last)]];
  });
}

/** In the line of a server itself stands `[93->-id]` for a slot that it gives, and `[93-<-id]` for one that it takes. */
function wordsIn(nodes: string, meet: (itself: Node) => void): Word[] {
  const lines = nodes.split('\n').map((line) => line.split(' '));
  const addresses = new Map(lines.map(([id, address = '']) => [id, /^[^@,]*/.exec(address)?.[0]]));
  const named = (id: string): Node => ({ id, address: inWords(addresses.get(id) ?? id) });
  const own = ownLineIn(nodes);
  const node = named(own.split(' ')[0] ?? '');
  meet(node);
  return [...own.matchAll(/\[(\d+)-([<>])-(\w+)\]/g)].map(([, slot, way, id = '']) => ({
    slot: Number(slot),
    does: way === '>' ? 'gives' : 'takes',
    node,
    other: named(id),
  }));
}
