import { ElectionOperations } from '../primitives/election-operations.js';
import type { Backend } from '../backend.js';
import type { LockHost } from '../primitives/acquisition.js';
import type { Election } from '../primitives/election.js';
import { ElectionHandle } from './election-handle.js';

/** The election `name`. @throws TypeError or RangeError when there can be none of that name. */
export function election(host: LockHost, backend: Backend, name: string): Election {
  const { parts, broadcasts, inLine } = backend;
  const home = {
    host: { ...host, parts },
    parts: { ...parts, broadcasts },
    registry: host.registry,
    partsOf: (id: string | undefined) =>
      id === undefined
        ? inLine
        : backend.partsWith({ wakeup: inLine.wakeup, tenureId: (owner) => parts.tenureId(owner ?? id) }),
  };
  return new ElectionHandle(home, new ElectionOperations(name, backend));
}
