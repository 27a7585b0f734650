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

/** Every node that answers serves, sees all slots and all nodes alive, and every replica is linked. */
export async function isReady(nodes: readonly RedisServer[], masterCount: number): Promise<boolean> {
  const [infos, links, views] = await Promise.all([
    askAll(nodes, 'CLUSTER', 'INFO'),
    askAll(nodes, 'INFO', 'replication'),
    askAll(nodes, 'CLUSTER', 'NODES'),
  ]);
  const serving = infos.filter(({ answer }) => fieldsOf(answer).get('cluster_state') === 'ok').length;
  const linked = links.filter(({ answer }) => fieldsOf(answer).get('master_link_status') === 'up').length;
  const agreeing = views.filter(({ answer }) => {
    const view = parseClusterNodes(answer).filter((node) => !node.isFailed);
    const masters = view.filter((node) => node.role === 'master' && node.slots.length > 0).length;
    return view.length === nodes.length && masters === masterCount;
  }).length;
  return serving === nodes.length && linked === nodes.length - masterCount && agreeing === nodes.length;
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
