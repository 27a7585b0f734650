import type { Redis } from 'ioredis';

/** What a tool does that wraps a method of ioredis, and calls code of the user in there. */
export const ways = {
  'throws before it sends': () => {
    throw new Error('the tool failed');
  },
  'throws behind that': (send: () => unknown) => {
    send();
    throw new Error('the tool failed');
  },
  'returns nothing': (send: () => unknown) => void send(),
};

export type Way = keyof typeof ways;

/** What can be wrapped: a client, or the prototype of all. */
export type Wrapped = Pick<Redis, 'sendCommand'>;

/** A tool in the way of these commands. */
export function failingFor(sent: Wrapped, commands: RegExp, way: Way = 'throws before it sends') {
  return failing(sent, 'sendCommand', way, ([command]) => commands.test((command as { name: string }).name));
}

/** A tool in the way of `connect`. What it makes of that it looks at itself. */
export function failingToConnect(redis: Pick<Redis, 'connect'>, way: Way) {
  return failing(redis, 'connect', way, () => true);
}

function failing<M extends string>(
  wrapped: Record<M, (...call: never[]) => unknown>,
  method: M,
  way: Way,
  concerns: (call: readonly unknown[]) => boolean,
) {
  const original = wrapped[method];
  let left = 0;
  let passed = 0;
  wrapped[method] = function (this: unknown, ...call: unknown[]) {
    const send = () => {
      const sent = Reflect.apply(original, this, call) as Promise<unknown>;
      if (method === 'connect') sent.catch(() => undefined);
      return sent;
    };
    if (!concerns(call)) return send();
    if (left === 0) {
      passed++;
      return send();
    }
    left--;
    return ways[way](send);
  };
  return {
    once: () => void left++,
    always: () => void (left = Number.POSITIVE_INFINITY),
    never: () => void (left = 0),
    /** How many it has let pass. */
    get passed() {
      return passed;
    },
    get over() {
      return left === 0;
    },
    end: () => void (wrapped[method] = original),
  };
}
