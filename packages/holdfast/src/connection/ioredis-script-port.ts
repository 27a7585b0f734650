import type { ScriptPort } from '@holdfast/core';
import type { Command, Redis } from 'ioredis';
import { attempt } from './attempt.js';
import { commandClassOf, scriptCallOf } from './script-call.js';

/** Sends WAIT beside scripts, and as they are sent: no auto-pipelining of ioredis tells its answer behind those of what was sent after it. */
export interface IoredisPort extends ScriptPort {
  wait(replicas: number, timeoutMs: number): Promise<number>;
}

/**
 * Sends scripts through ioredis, with its `keyPrefix`, if any, in front of the keys. `onUnknown`: the server has answered that it does not know
 * one, which leaves now in full.
 */
export function ioredisScriptPort(redis: Redis, onUnknown: () => void): IoredisPort {
  const Own = commandClassOf(redis);
  const ScriptCall = scriptCallOf(Own);
  // Some hand over null.
  const keyPrefix = redis.options.keyPrefix ?? '';
  // What it returns and not the call's own promise: monitoring tools wrap this method, and theirs must not be left alone with its rejection.
  const send = (call: Command) => attempt(() => redis.sendCommand(call) as Promise<unknown>, call.promise);
  return {
    evalsha: (sha, keys, args) => send(new ScriptCall('evalsha', sha, { keys, keyPrefix }, args)),
    eval: (source, keys, args) => send(new ScriptCall('eval', source, { keys, keyPrefix }, args)),
    wait: (...terms) => send(new Own('wait', terms)) as Promise<number>,
    onUnknown,
    inFull: new Set(),
  };
}

/** The same as `port` for a server that takes over a slot and must be told, for each command, that it is meant although it does not own it yet. */
export function askingPort(redis: Redis, port: ScriptPort): ScriptPort {
  // Where the user may not say so, the command is sent back to where it came from, and that is why.
  const asked = (send: () => Promise<unknown>) => {
    const asking = attempt(() => redis.asking());
    asking.catch(() => undefined);
    return send().catch(async (error: unknown) => {
      await asking;
      throw error;
    });
  };
  return {
    ...port,
    evalsha: (...call) => asked(() => port.evalsha(...call)),
    eval: (...call) => asked(() => port.eval(...call)),
  };
}
