import type { Buffer } from 'node:buffer';
import * as core from '@holdfast/core';
import type { RedisKit } from '@holdfast/testkit';

const keys = core.lockKeys('any');
const granting = { claimMs: 1, trust: true };
const holder = { tenure: 'a:1', seq: 1 };

const release = core.release(keys, { ...holder, tombstoneMs: 0, ...granting });

const commands = {
  ask: core.ask(keys, { tenure: 'a:1', leaseMs: 1, freshMs: 0, ticket: 0, freshTtlMs: 1, ...granting }),
  again: core.again(keys, { ...holder, leaseMs: 1 }),
  handoff: core.handoff(keys, { ...holder, leaseMs: 1 }),
  release,
  renew: core.renew([{ keys, tenure: 'a:1', leaseMs: 1 }]),
  cancel: core.cancel(keys, { tenure: 'a:1', tombstoneMs: 0, end: 'unused', ...granting }),
  force: core.force(keys, { request: 'a:1', tombstoneMs: 1, ...granting }),
  serve: core.serve(keys, granting),
  peek: core.peek(keys, { tenure: 'a:1' }),
  inspect: core.inspect(keys),
};

/** What leaves for several of them at once. */
const sent = {
  ...commands,
  asks: commands.ask.chain?.([commands.ask]) as core.Call<unknown>,
  reasks: commands.ask.joint?.([commands.ask]) as core.Call<unknown>,
  releases: release.joint?.([release]) as core.Call<unknown>,
};

const secondLook = core.readWrite.inspect(core.readWriteKeys('any'), { most: 1 }).script;

/** Names of the commands that a client sends. */
export type CommandName = keyof typeof commands;

/** Makes every script known to the server, so that each command is one EVALSHA. */
export async function loadScripts(kit: RedisKit): Promise<void> {
  await Promise.all(Object.values(sent).map(({ script }) => kit.admin.script('LOAD', script.source)));
}

/** Whether the bytes of a request are that command, by name or in full. */
export function isCommand(name: keyof typeof sent): (request: Buffer) => boolean {
  const { sha, source } = sent[name].script;
  return (request) => request.includes(sha) || request.includes(source);
}

/** Which command sends this script, given by its SHA-1 or its text. */
export function commandOf(script: string): CommandName {
  const found = Object.entries(commands).find(
    ([
      ,
      {
        script: { sha, source },
      },
    ]) => script === sha || script === source,
  );
  // The second look of an inspection, at what the first has called foreign.
  if (script === secondLook.sha || script === secondLook.source) return 'inspect';
  if (found === undefined) throw new Error(`a script of nobody: ${script.slice(0, 200)}`);
  return found[0] as CommandName;
}
