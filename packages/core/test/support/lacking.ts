import type { Command, Script } from '../../src/index.js';
import { run } from '../../src/index.js';
import { type LockServer, scriptPort } from './lock-server.js';

/** What a command does whose user lacks a right. */
export interface Lacking<State> {
  /** The commands that the user may not call. */
  readonly commands: string;
  readonly refused: boolean;
  /** Of what was looked at afterwards. */
  readonly state: State;
}

/** The commands that these scripts call and the server knows: what it does not know, as Redis 6 SPUBLISH, no user may call anyway. */
export async function calledBy(server: LockServer, scripts: Readonly<Record<string, Script>>): Promise<string[]> {
  const used = new Set<string>();
  for (const { source } of Object.values(scripts)) {
    for (const [, command] of source.matchAll(/(?:call|pcall|step)\('([A-Z]+)'/g)) used.add(command ?? '');
  }
  const names = [...used];
  const known = await server.redis.command('INFO', ...names);
  return names.filter((_, i) => known[i] !== null);
}

/** Runs the command from the same state for each of the sets of commands that its user may not call. */
export async function eachLacking<State>(
  server: LockServer,
  lacking: readonly (readonly string[])[],
  { before, command, look }: { before: () => Promise<void>; command: Command<unknown>; look: () => Promise<State> },
): Promise<Lacking<State>[]> {
  const found: Lacking<State>[] = [];
  await server.redis.acl('SETUSER', 'limited', 'reset', 'on', '>x', '~*', '&*', '+@all');
  const port = scriptPort(server.connect({ username: 'limited', password: 'x' }));
  for (const commands of lacking) {
    await server.redis.flushdb();
    await before();
    await server.redis.acl('SETUSER', 'limited', '+@all', ...commands.map((name) => `-${name.toLowerCase()}`));
    const refused = await run(port, command).then(
      () => false,
      () => true,
    );
    found.push({ commands: commands.join(' '), refused, state: await look() });
  }
  await server.redis.acl('DELUSER', 'limited');
  return found;
}
