// How six empty servers become a cluster: no program but the servers is needed.
import type { RedisServer } from '../redis/server.js';
import { waitUntil } from '../wait-until.js';
import { ask, askAll, fieldsOf } from './ask.js';
import { parseClusterNodes } from './cluster-view.js';

const slotCount = 16_384;

/** Nodes share the slots out evenly; the remaining ones become replicas, the first of the first, and so on. */
export async function joinCluster(nodes: readonly RedisServer[], masterCount: number): Promise<void> {
  const masters = nodes.slice(0, masterCount);
  const [first, ...others] = nodes;
  await Promise.all(masters.map((node, index) => ask(node, 'CLUSTER', 'ADDSLOTS', ...shareOf(index, masterCount))));
  // Masters that meet with one epoch would have to fight over it first.
  await Promise.all(nodes.map((node, index) => ask(node, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1)));
  if (first === undefined) throw new Error('a cluster has nodes');
  await Promise.all(others.map((node) => ask(first, 'CLUSTER', 'MEET', node.host, node.port)));
  await waitUntil(() => allKnow(nodes), { what: 'all nodes to know each other', timeoutMs: 30_000, everyMs: 20 });
  await Promise.all(
    nodes.slice(masterCount).map(async (replica, index) => {
      const master = masters[index % masterCount];
      if (master !== undefined)
        await ask(replica, 'CLUSTER', 'REPLICATE', String(await ask(master, 'CLUSTER', 'MYID')));
    }),
  );
}

/** What keeps the cluster from being ready, in words: nothing when every node serves and sees all of it, and every replica is linked. */
export async function shortcomings(nodes: readonly RedisServer[], masterCount: number): Promise<string[]> {
  const perNode = await Promise.all(
    nodes.map(async (node) =>
      (await shortcomingsOf(node, nodes.length, masterCount)).map((what) => `${node.port}: ${what}`),
    ),
  );
  return perNode.flat();
}

async function shortcomingsOf(node: RedisServer, nodeCount: number, masterCount: number): Promise<string[]> {
  try {
    const [info, replication, nodes] = await Promise.all([
      ask(node, 'CLUSTER', 'INFO'),
      ask(node, 'INFO', 'replication'),
      ask(node, 'CLUSTER', 'NODES'),
    ]);
    const state = fieldsOf(info);
    const link = fieldsOf(replication).get('master_link_status') ?? 'up';
    const alive = parseClusterNodes(nodes).filter(({ isFailed }) => !isFailed);
    const masters = alive.filter(({ role }) => role === 'master');
    return [
      ...(state.get('cluster_state') === 'ok' ? [] : [`does not serve, ${state.get('cluster_slots_ok')} slots are`]),
      ...(link === 'up' ? [] : ['is not linked to its master']),
      ...(alive.length === nodeCount ? [] : [`sees ${alive.length} nodes alive`]),
      ...(masters.length === masterCount ? [] : [`sees ${masters.length} masters`]),
      ...(masters.every(({ slots }) => slots.length > 0) ? [] : ['sees a master without slots']),
    ];
  } catch (error) {
    return [`does not answer (${error instanceof Error ? error.message : String(error)})`];
  }
}

function shareOf(index: number, count: number): number[] {
  const start = Math.floor((slotCount * index) / count);
  const end = Math.floor((slotCount * (index + 1)) / count);
  return Array.from({ length: end - start }, (_, offset) => start + offset);
}

async function allKnow(nodes: readonly RedisServer[]): Promise<boolean> {
  const views = await askAll(nodes, 'CLUSTER', 'NODES');
  return views.filter(({ answer }) => parseClusterNodes(answer).length === nodes.length).length === nodes.length;
}
