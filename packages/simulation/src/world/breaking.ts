/** Does what a fault says, to a world. */

import { lockKeys } from '@holdfast/core';
import type { MemoryServer, Trouble } from '@holdfast/memory';
import type { FaultPlan } from '../plan/faults.js';
import type { Scenario } from '../plan/scenario.js';
import type { Direction } from './network.js';
import { asOperator } from './operator.js';
import type { WorldServer } from './servers.js';
import { Phase } from './timeline.js';
import type { Life, World } from './world.js';

const ways: Readonly<Record<'both' | Direction, readonly Direction[]>> = {
  both: ['to the server', 'to the client'],
  'to the server': ['to the server'],
  'to the client': ['to the client'],
};

/** What faults do beyond the world itself. */
export interface Consequences {
  /** A lock, or every lock, is taken away from its owner. */
  taken(lock: string | undefined): void;
  /** Nobody stands in line for a lock any more. */
  lineLost(lock: string): void;
  /** A server has forgotten all that it had. */
  emptied(server: MemoryServer): void;
  /** A process begins again. */
  began(life: Life): void;
  /** Somebody forces a lock. */
  force(life: Life, lock: string): void;
}

/** Carries out a fault now. Returns false when the world has nothing at present that it could break. */
export function breakNow(
  fault: FaultPlan,
  world: World,
  { locks, wakeup, workMs }: Scenario,
  then: Consequences,
): boolean {
  const { timeline } = world;
  const server = fault.node === undefined ? world.server : (world.nodes[fault.node] ?? world.server);
  switch (fault.kind) {
    case 'reset':
    case 'reply-lost':
    case 'dead':
    case 'answers-swapped':
    case 'late': {
      const life = world.lifeOf(fault.process);
      const connections =
        life === undefined
          ? []
          : world.network.connectionsOf(life.process, fault.node === undefined ? undefined : server);
      const connection = connections[fault.connection % Math.max(1, connections.length)];
      if (fault.kind === 'reset') connection?.reset();
      else if (fault.kind === 'reply-lost') connection?.loseNextReply();
      else if (fault.kind === 'dead') connection?.goDead();
      else if (fault.kind === 'late') connection?.arriveLate(fault.brokenMs, fault.forMs);
      else connection?.swapNextReplies();
      return connection !== undefined;
    }
    case 'partition': {
      const life = world.lifeOf(fault.process);
      if (life !== undefined) world.network.hold(life.process, server, ways[fault.way], timeline.now + fault.forMs);
      return life !== undefined;
    }
    case 'stop':
    case 'stall': {
      const life = world.lifeOf(fault.process);
      if (fault.kind === 'stop') life?.process.stop(fault.forMs);
      else life?.process.at(timeline.now, Phase.timer, () => life.process.compute(fault.forMs));
      return life !== undefined;
    }
    case 'stall-inside': {
      const life = world.lifeOf(fault.process);
      life?.process.stallBefore(fault.readings, fault.forMs);
      return life !== undefined;
    }
    case 'kill': {
      const life = world.lifeOf(fault.process);
      if (life === undefined) return false;
      world.kill(life, fault.how);
      // In time for the last turns.
      const backAt = Math.min(timeline.now + fault.backMs, Math.max(timeline.now, workMs - 1));
      timeline.at(backAt, Phase.timer, undefined, () => then.began(world.start(life.plan)));
      return true;
    }
    case 'server-stop':
      server.stop(fault.forMs);
      return true;
    case 'oom':
      refuse(server, world, { code: 'OOM' }, fault.forMs);
      return true;
    case 'noperm':
      refuse(server, world, { code: 'NOPERM', commands: ['evalsha', 'eval'] }, fault.forMs);
      return true;
    case 'busy':
      refuse(server, world, { code: 'BUSY' }, fault.forMs);
      return true;
    case 'restart':
    case 'restart-empty':
      if (server.server === undefined) return false;
      if (fault.kind === 'restart-empty') {
        // A majority does without what one of its nodes has forgotten.
        if (server === world.server) then.taken(undefined);
        then.emptied(server.master);
      }
      server.restart(fault.kind === 'restart' ? 'data kept' : 'data lost', fault.awayMs);
      refuse(server, world, { code: 'LOADING' }, fault.awayMs + fault.loadingMs);
      return true;
    case 'reborn':
      if (server.server === undefined || server === world.server) return false;
      then.emptied(server.master);
      server.restart('data lost', fault.awayMs);
      server.setClock(fault.aheadMs);
      refuse(server, world, { code: 'LOADING' }, fault.awayMs + fault.loadingMs);
      return true;
    case 'failover':
      if (server.server === undefined || !server.hasReplica) return false;
      if (server.failOver(fault.awayMs) === 'lost') then.taken(undefined);
      return true;
    case 'script-flush':
      server.master.flushScripts();
      return true;
    case 'clients-killed':
      server.master.hangUp();
      return true;
    case 'clock-back':
      server.setClock(-fault.byMs);
      return true;
    case 'queue-lost':
    case 'counter-lost':
    case 'del': {
      const lock = locks[fault.lock];
      if (lock === undefined) return false;
      if (fault.kind === 'queue-lost') then.lineLost(lock);
      deleteKeys(world, keysLost(fault.kind, lock, wakeup));
      // A server that refuses everything has refused that as well.
      if (fault.kind === 'del' && world.server.master.keysOf().find(lockKeys(lock).lock) === undefined)
        then.taken(lock);
      return true;
    }
    case 'force': {
      const life = world.lifeOf(fault.process);
      const lock = locks[fault.lock];
      if (life === undefined || lock === undefined) return false;
      then.force(life, lock);
      return true;
    }
  }
}

function refuse(server: WorldServer, { timeline }: World, trouble: Trouble, forMs: number): void {
  const end = server.master.refuse(trouble);
  timeline.at(timeline.now + forMs, Phase.immediate, undefined, end);
}

function keysLost(
  kind: 'queue-lost' | 'counter-lost' | 'del',
  name: string,
  wakeup: Scenario['wakeup'],
): readonly string[] {
  const { lock, queue, fresh, tokenCounter } = lockKeys(name);
  if (kind === 'del') return [lock];
  if (kind === 'counter-lost') return [tokenCounter];
  return wakeup === 'queue' ? [queue, fresh] : [];
}

function deleteKeys({ server }: World, keys: readonly string[]): void {
  if (keys.length > 0) asOperator(server.master, ['del', ...keys]);
}
