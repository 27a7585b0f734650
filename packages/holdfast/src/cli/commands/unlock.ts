import type { LockClient, LockInspection } from 'holdfast';
import { tellIfBehind, tellNamesAway } from '../blind-spots.js';
import type { CliCommand } from '../command-line.js';
import { lockOrCounter } from '../counters.js';
import { inWords } from '../durations.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { freeInWords, tellPrefixTwice } from '../free.js';
import { holderInWords } from '../owners.js';
import { tellRedissonsWaiters } from '../redissons-waiters.js';
import { printable } from '../table.js';

/** Takes a lock from whoever has it. */
export const unlock: CliCommand = {
  usage: 'unlock NAME [--yes]',
  about: 'takes a lock from its holder, who is told; ends with 1 when it was free',
  options: { yes: { type: 'boolean', short: 'y' } },
  takes: [1, 1],
  behindDashes: 'arguments',
  async run(call) {
    const [name = ''] = call.positionals;
    const client = call.openClient();
    const found = await lockOrCounter(client, name, () => client.inspect(name));
    await tellIfBehind(call);
    if ('counter' in found) {
      call.complain('LOCK_REFUSED', `${name} is a ${found.counter.kind} and no lock: there is nothing to take`);
      return exitCodes.refused;
    }
    const seen = found.lock;
    const naming = tellNamesAway(call, seen.holders);
    const from = seen.holders.map(({ id, kind, client: card }) => ({ id, kind, client: card }));
    const whom = seen.holders.map(holderInWords).join(', ');
    if (seen.owner === undefined) {
      tellPrefixTwice(call, name);
      if (call.wantsJson) call.printJson({ name, taken: false, from });
      else call.io.write(`${freeInWords(call, name)}: nothing to take\n`);
      return exitCodes.no;
    }
    const words = seen.owner.resting ? ofResting(seen) : ofHeld(name, whom);
    if (!call.flag('yes')) {
      await naming;
      if (!call.io.isTerminal || call.wantsJson) throw new UsageError(words.refusal);
      const answer = await call.io.ask(`${words.question} [y/N] `);
      if (!/^y(?:es)?$/i.test(answer.trim())) {
        call.io.write('left as it is\n');
        return exitCodes.no;
      }
    }
    // Servers that are away keep nobody from it who has said yes.
    const taken = await force(client, seen);
    await Promise.all([naming, taken && tellRedissonsWaiters(call, name)]);
    if (call.wantsJson) call.printJson({ name, taken, from });
    else call.io.write(`${printable(taken ? words.taken : words.gone)}\n`);
    return taken ? exitCodes.done : exitCodes.no;
  },
};

/** What is said of taking a lock. The question is as it is shown. */
interface Words {
  readonly refusal: string;
  readonly question: string;
  readonly taken: string;
  readonly gone: string;
}

function ofHeld(name: string, whom: string): Words {
  return {
    refusal: `${name} is held by ${whom}: say --yes to take it from there`,
    question: `Take ${printable(`${name} from ${whom}`)}? It may be in the middle of its work.`,
    taken: `took ${name} from ${whom}`,
    gone: `${name} was given back meanwhile`,
  };
}

/** Nobody is disturbed who works; what it kept from running twice is what is at stake. */
function ofResting({ name, remainingMs }: LockInspection): Words {
  const left = remainingMs === undefined ? '' : ` for another ${inWords(remainingMs)}`;
  const rests = `nobody holds ${name}: it was given back, and rests${left}, so that what it guards does not run again before`;
  return {
    refusal: `${rests}. Say --yes to let it run again at once`,
    question: `${printable(`N${rests.slice(1)}`)}. Let it run again at once?`,
    taken: `${name} rests no more: it can be taken at once`,
    gone: `${name} had ended its rest meanwhile`,
  };
}

function force(client: LockClient, { name, side }: LockInspection): Promise<boolean> {
  if (side === undefined) return client.getLock(name).forceUnlock();
  const lock = client.getReadWriteLock(name);
  return (side === 'read' ? lock.readLock() : lock.writeLock()).forceUnlock();
}
