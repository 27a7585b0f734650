let sent = 0;

/** Commands that this process has handed to connections so far, by whatever library. */
export const sentCommands = (): number => sent;

type Sender = { sendCommand: (this: unknown, ...given: never[]) => unknown };

const counted = new WeakSet<object>();

/**
 * From now on counts what clients of this one's class send: ioredis and node-redis both have one `sendCommand` that every command passes.
 * The class, because libraries duplicate clients and make their own.
 */
export function countCommandsOf(client: Sender): void {
  let owner: object = client;
  while (!Object.hasOwn(owner, 'sendCommand')) owner = Object.getPrototypeOf(owner) as object;
  if (counted.has(owner)) return;
  counted.add(owner);
  const prototype = owner as Sender;
  const send = prototype.sendCommand;
  prototype.sendCommand = function counting(...given) {
    sent++;
    return send.apply(this, given);
  };
}
