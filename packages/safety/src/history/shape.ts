/** Which fields each kind of event must have. A wrong history must not pass because a checker found nothing in it. */
type Kind = 'string' | 'number' | 'boolean';

const stamp = { at: 'number', worker: 'string' } as const;
const level = { lock: 'string', hold: 'number', scope: 'number' } as const;
const truth = { state: 'string' } as const;
const op = { op: 'number' } as const;

const required: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  'invoke acquire': { ...op, ...level, depth: 'number' },
  'ok acquire': { ...op, ...level, ...truth },
  'fail acquire': { ...op, ...level, code: 'string' },
  'info acquire': { ...op, ...level, code: 'string' },
  'invoke release': { ...op, ...level, ...truth },
  'ok release': { ...op, ...level },
  'fail release': { ...op, ...level },
  'info release': { ...op, ...level },
  'invoke force': { ...op, lock: 'string' },
  'ok force': { ...op, lock: 'string' },
  'fail force': { ...op, lock: 'string' },
  'info force': { ...op, lock: 'string' },
  'invoke latch': { ...op, lock: 'string', call: 'string' },
  'ok latch': { ...op, lock: 'string' },
  'info latch': { ...op, lock: 'string', code: 'string' },
  'event lost': { ...level, code: 'string' },
  'event work': { ...level, ...truth },
  'event store': { ...level, value: 'number' },
  'event guarded': { ...level, token: 'number', from: 'number', outcome: 'string' },
  'event value': { lock: 'string', value: 'string', how: 'string' },
  'event fault': { code: 'string', state: 'string' },
  'event server': { code: 'string', target: 'string' },
};

const optional: Readonly<Record<string, Kind>> = {
  until: 'number',
  aborted: 'boolean',
  inside: 'number',
  leaseMs: 'number',
  waitMs: 'number',
  side: 'string',
  minHoldMs: 'number',
  count: 'number',
  by: 'string',
  left: 'number',
  done: 'boolean',
  permits: 'number',
  permitsInAll: 'number',
  token: 'number',
  wall: 'number',
  tenure: 'string',
  client: 'string',
};

const states = new Set<unknown>(['held', 'suspect', 'lost', 'released']);
const phases = new Set<unknown>(['on', 'off', 'once']);

/** Says what keeps `value` from being an event; undefined when nothing does. */
export function shapeProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'not an object';
  const event = value as Record<string, unknown>;
  const kind = `${String(event['type'])} ${String(event['f'])}`;
  const fields = required[kind];
  if (fields === undefined) return `no such event: ${kind}`;
  for (const [name, type] of Object.entries({ ...stamp, ...fields })) {
    if (typeof event[name] !== type) return `${kind}: ${name} is no ${type}`;
  }
  for (const [name, type] of Object.entries(optional)) {
    if (event[name] !== undefined && typeof event[name] !== type) return `${kind}: ${name} is no ${type}`;
  }
  if (!Number.isSafeInteger(event['at'])) return `${kind}: at is no whole number of microseconds`;
  const { state } = event;
  if (state !== undefined && !(event['f'] === 'fault' ? phases : states).has(state))
    return `${kind}: what is ${JSON.stringify(state)}?`;
  return undefined;
}
