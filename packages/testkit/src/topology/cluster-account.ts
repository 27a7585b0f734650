// For the error of somebody who has waited in vain: what every node of a cluster says about a slot.
import type { RedisServer } from '../redis/server.js';
import { ask, fieldsOf } from './ask.js';
import { parseClusterNodes, serves } from './cluster-view.js';
import type { ClusterNode } from './cluster-view.js';

/** A line for each node: what it is, whom it takes for the slot's master, and whom for dead. */
export async function accountOf(nodes: readonly RedisServer[], slot: number): Promise<string> {
  return (await Promise.all(nodes.map(async (node) => `  ${node.port} ${await lineOf(node, slot)}`))).join('\n');
}

async function lineOf(node: RedisServer, slot: number): Promise<string> {
  try {
    const [nodes, info, replication] = await Promise.all([
      ask(node, 'CLUSTER', 'NODES'),
      ask(node, 'CLUSTER', 'INFO'),
      ask(node, 'INFO', 'replication'),
    ]);
    const view = parseClusterNodes(nodes);
    const master = view.find((other) => serves(other, slot));
    const failed = view.filter(({ isFailed }) => isFailed).map(({ port }) => port);
    const state = fieldsOf(info);
    return [
      roleOf(view, fieldsOf(replication)),
      `slot ${slot} is ${master === undefined ? "nobody's" : `of ${master.port} (epoch ${master.epoch})`}`,
      `failed: ${failed.length === 0 ? 'none' : failed.join(' ')}`,
      `${view.length} nodes known, epoch now ${state.get('cluster_current_epoch')}, state ${state.get('cluster_state')}`,
    ].join('; ');
  } catch (error) {
    return `does not answer (${error instanceof Error ? error.message : String(error)})`;
  }
}

function roleOf(view: readonly ClusterNode[], replication: ReadonlyMap<string, string>): string {
  const self = view.find(({ isSelf }) => isSelf);
  if (self?.role !== 'replica') return `is a master of epoch ${self?.epoch}`;
  const master = view.find(({ id }) => id === self.masterId);
  return `is a replica of ${master?.port}, link ${replication.get('master_link_status')}`;
}
