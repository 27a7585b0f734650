import { sentCommands } from '../peers/sent-commands.js';
import type { Locker, PeerClient } from '../peers/peer.js';
import type { Calls, WindowOrder, WindowReport } from './messages.js';

/** Kept as they are; more would only say the same. */
const MAX_FAILURES = 5;

const nothing = (): void => undefined;

type Call = (locker: Locker, task: number) => Promise<unknown>;

function callOf({ what, name }: WindowOrder): Call {
  if (what === 'sections') return (locker, task) => locker.run(`${name}:${task}`, nothing);
  return async (locker, task) => {
    if (await locker.tryOnce(`${name}:${task}`)) throw new Error('got a lock that somebody else holds');
  };
}

/**
 * Exactly so many calls, then exactly so many that are measured. Nothing is written down for each of them: in a process that has compiled nothing yet,
 * that too would be part of what is measured.
 */
export async function measureWindow(client: PeerClient, order: WindowOrder): Promise<WindowReport> {
  const failures: string[] = [];
  const call = callOf(order);
  const make = async ({ count, atOnce }: Calls): Promise<void> => {
    let left = count;
    const task = async (index: number): Promise<void> => {
      const locker = client.locker();
      while (left > 0) {
        left--;
        try {
          await call(locker, index);
        } catch (error) {
          if (failures.length < MAX_FAILURES) failures.push(String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, index) => task(index)));
  };
  await make(order.before);
  const commands = sentCommands();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await make(order.measured);
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  const sent = sentCommands() - commands;
  return { calls: order.measured.count, tookMs, cpuUs: user + system, commands: sent, failures };
}
