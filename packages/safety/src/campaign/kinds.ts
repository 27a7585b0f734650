/** How many holds of each kind of lock a history has. The plain lock, which most of them are of, is not counted again. */
import type { AcquireInvoke } from '../history/event.js';
import type { History } from '../history/read.js';

/** By what the workload calls its rounds. */
const kindOfMode: Readonly<Record<string, string>> = {
  reading: 'write',
  writing: 'write',
  downgrading: 'write',
  audience: 'write',
  shared: 'write',
  several: 'member of a multi-lock',
  resting: 'resting',
  fair: 'fair',
  leading: 'leader',
  computing: 'computed',
  permits: 'permits',
  ids: 'permits with ids',
};

const kindOf = ({ side, mode = '' }: AcquireInvoke): string | undefined =>
  side === 'read' && mode !== 'several' ? 'read' : kindOfMode[mode];

export function holdsByKind(history: History): Record<string, number> {
  const asked = new Map<string, AcquireInvoke>();
  const counts: Record<string, number> = {};
  const count = (kind: string | undefined): void => {
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
  };
  for (const event of history) {
    if (event.f === 'guarded') count(`guarded write, ${event.outcome}`);
    if (event.f !== 'acquire') continue;
    const level = `${event.worker}/${event.hold}`;
    if (event.type === 'invoke') asked.set(level, event);
    else if (event.type === 'ok') {
      const invoke = asked.get(level);
      const kind = invoke && kindOf(invoke);
      if (event.token !== undefined && kind !== 'leader') count('fenced');
      count(kind);
    }
  }
  return counts;
}
