/** One line of CLUSTER NODES. */
export interface ClusterNode {
  readonly id: string;
  readonly port: number;
  readonly role: 'master' | 'replica';
  /** Id of its master; undefined for a master. */
  readonly masterId: string | undefined;
  readonly epoch: number;
  readonly isFailed: boolean;
  /** Whether it is the one that answers. */
  readonly isSelf: boolean;
  /** First and last slot of each range it serves. */
  readonly slots: readonly (readonly [number, number])[];
  /** Slots on their way to or from it, which a node tells of itself only. */
  readonly openSlots: readonly number[];
}

/** CLUSTER NODES as one node answers it; lines of nodes that still shake hands are left out. */
export function parseClusterNodes(reply: unknown): ClusterNode[] {
  const lines = String(reply)
    .split('\n')
    .filter((line) => line !== '' && !line.includes('handshake'));
  return lines.map((line) => {
    const [id = '', address = '', flags = '', masterId = '', , , epoch, , ...slots] = line.split(' ');
    const served = slots.filter((slot) => !slot.startsWith('[')); // [slot->-node]: on its way, still served here
    return {
      id,
      port: Number(/:(\d+)@/.exec(address)?.[1]),
      role: flags.includes('master') ? 'master' : 'replica',
      masterId: masterId === '-' ? undefined : masterId,
      epoch: Number(epoch),
      isFailed: /fail/.test(flags),
      isSelf: flags.includes('myself'),
      slots: served.map((range) => {
        const [first = '', last = first] = range.split('-');
        return [Number(first), Number(last)] as const;
      }),
      openSlots: slots.flatMap((slot) => /^\[(\d+)-/.exec(slot)?.slice(1).map(Number) ?? []),
    };
  });
}

/** Whether the node serves this slot. */
export const serves = (node: ClusterNode, slot: number): boolean =>
  node.slots.some(([first, last]) => first <= slot && slot <= last);
