import { keySlot, lockKeys } from '@holdfast/core';
import type { LockClient } from 'holdfast';
import type { Redis, RedisOptions } from 'ioredis';
import { addressOf, inWords } from '../address.js';
import type { Call, CliCommand } from '../command-line.js';
import { wordsOf } from '../complaint.js';
import { type Finding } from '../doctor/finding.js';
import { examineLeftovers } from '../doctor/leftovers.js';
import { examineRights } from '../doctor/rights.js';
import { examineSentinels } from '../doctor/sentinels.js';
import { examineServer } from '../doctor/server.js';
import { silenceOf } from '../doctor/silence.js';
import { movesOf } from '../doctor/moving-slots.js';
import { slotsOf } from '../doctor/slots.js';
import { exitCodes } from '../exit-codes.js';
import type { Paint } from '../paint.js';
import { printable } from '../table.js';

const styles = { ok: 'green', warn: 'yellow', bad: 'red', unknown: 'gray' } as const;

/** Looks at a Redis with the eyes of a lock. */
export const doctor: CliCommand = {
  usage: 'doctor',
  about: 'is this Redis fit for locks, and may this user take them; ends with 1 when something is wrong',
  options: {},
  takes: [0, 0],
  behindDashes: 'arguments',
  async run(call) {
    // Made first: options that cannot be are a mistake of whoever typed them, and nothing that is wrong with a Redis. It connects when it is tried.
    const client = call.openClient({ attemptTimeoutMs: call.answerWithinMs });
    const findings: Finding[] = [];
    const tell = (...found: Finding[]) => {
      findings.push(...found);
      if (!call.wantsJson) for (const finding of found) call.io.write(lineOf(finding, call.io.paint));
    };
    const { servers, lost } = await reached(call, tell);
    const [first] = servers;
    if (call.site.kind === 'sentinel')
      tell(...(await examineSentinels(call.site.input() as RedisOptions, call.answerWithinMs)));
    const silences = servers.map(silenceOf);
    for (const redis of servers) tell(...(await examineServer(redis, nodeOf(redis), call.site.kind)));
    const slots = first && call.site.kind === 'cluster' ? await slotsOf(servers, lost) : undefined;
    const moves = slots && (await movesOf(servers));
    tell(...(slots?.findings ?? []), ...(moves?.findings ?? []));
    const isSilent = silences.some((silence) => silence() !== undefined);
    if (isSilent) tell({ check: 'lock', status: 'bad', detail: 'not tried: Redis no longer answers' });
    else if (first !== undefined) {
      const { keyPrefix } = call.site;
      const prefixes = { prefix: call.prefix, keyPrefix };
      tell(...(await examineRights(servers, prefixes, call.site.kind)));
      tell(
        await examineLeftovers(servers, keyPrefix + call.prefix),
        await tried(
          client,
          nameToTry(call, (slot) => slots?.isServed(slot) !== false && !moves?.isUnderWay(slot)),
        ),
      );
    }
    const isFit = !findings.some(({ status }) => status === 'bad');
    if (call.wantsJson) call.printJson({ fit: isFit, findings });
    if (first === undefined || isSilent) return exitCodes.unavailable;
    return isFit ? exitCodes.done : exitCodes.no;
  },
};

/** The servers that answer, and the nodes of a Cluster that do not. */
async function reached(call: Call, tell: (finding: Finding) => void) {
  const { kind, address } = call.site;
  const check = 'reachable';
  try {
    const { servers, failures } = await call.connected();
    const masters = servers.length + failures.length;
    const many = masters > 1 ? `, ${failures.length > 0 ? `${servers.length} of ` : ''}${masters} masters` : '';
    tell({ check, status: 'ok', detail: `${kind} ${address}${many}` });
    for (const { node, why } of failures) tell({ check, status: 'bad', node, detail: wordsOf(why) });
    return { servers, lost: failures.map(({ node }) => node) };
  } catch (error) {
    tell({ check, status: 'bad', detail: `${address}: ${wordsOf(error)}` });
    return { servers: [], lost: [] };
  }
}

/** Takes a lock and gives it back: whatever else was found, this is what counts. */
async function tried(client: LockClient, name: string): Promise<Finding> {
  const check = 'lock';
  try {
    const ran = await client.getLock(name).tryWithLock({ leaseMs: 5_000 }, () => undefined);
    return { check, status: ran.ran ? 'ok' : 'warn', detail: ran.ran ? 'taken and given back' : `${name} was busy` };
  } catch (error) {
    return { check, status: 'bad', detail: wordsOf(error) };
  }
}

/** In a Cluster one whose slot is at a server: that others are not is told by itself. Where the prefix has a hash tag, all names have the same slot. */
function nameToTry({ prefix, site }: Call, isServed: (slot: number) => boolean): string {
  const names = Array.from({ length: 100 }, (_, index) => `doctor-${process.pid}-${index}`) as [string, ...string[]];
  const slotOf = (name: string) => keySlot(site.keyPrefix + lockKeys(name, { prefix, keyPrefix: site.keyPrefix }).lock);
  return names.find((name) => isServed(slotOf(name))) ?? names[0];
}

function nodeOf(redis: Redis): string {
  const { options, stream } = redis;
  // The options name the sentinels, and the master is where the connection leads.
  return options.sentinels ? inWords(`${stream.remoteAddress}:${stream.remotePort}`) : addressOf(redis);
}

function lineOf({ check, status, detail, node }: Finding, paint: Paint): string {
  const where = node === undefined ? '' : `${node} `;
  return `${paint(styles[status], status.padEnd(8))}${check.padEnd(22)}${printable(where + detail)}\n`;
}
