/**
 * The users that docs/security.md describes, made on a real server as they stand there, or with something taken away.
 */
import { readFileSync } from 'node:fs';
import type { RedisServer } from '@holdfast/testkit';
import type { Redis } from 'ioredis';

const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8');

/** A grant of a documented user: a command, a pattern of keys or one of channels. */
export type Grant = `+${string}` | `~${string}` | `&${string}`;

/** The grants of a user of the page. */
export function documentedGrants(user: string): Grant[] {
  const grants = rulesOf(user).filter((rule): rule is Grant => /^[+~&]/.test(rule));
  if (grants.length === 0) throw new Error(`docs/security.md knows no user ${user}`);
  return grants;
}

/** Makes `name` on the server with the rules of the page's `user`, but without `missing`. The password is the page's too. */
export async function createUser(admin: Redis, name: string, user: string, missing?: Grant): Promise<void> {
  await admin.acl('SETUSER', name, ...rulesOf(user).filter((rule) => rule !== missing));
}

/** A line of the page, as it is pasted. */
export interface PastedLine {
  /** Its title there. */
  readonly title: string;
  /** Who is to get it: a title without a line that begins with `reset` is for the user that the application has. */
  readonly user: string;
  readonly rules: readonly string[];
}

/** Every line of the page, in order. */
export function pastedLines(): PastedLine[] {
  const lines = [...page.matchAll(/^ACL SETUSER (\S+) (.+)$/gm)].map(([, title = '', rules = '']) => ({
    title,
    rules,
  }));
  const users = new Set(lines.filter(({ rules }) => rules.startsWith('reset ')).map(({ title }) => title));
  return lines.map(({ title, rules }) => ({
    title,
    user: users.has(title) ? title : 'locks',
    rules: rules.split(' '),
  }));
}

/** What the page says that a client in Redisson's mode may be without. */
export function dispensable(): Grant[] {
  const [, commands = ''] = /does without `([^`]+)`/.exec(page) ?? [];
  return commands.split(' ') as Grant[];
}

/** The password in the examples. */
export const password = 'change-me';

/** Makes `name` on several servers, since rules are not replicated, with the rules of all these users of the page. */
export async function createUserOn(servers: readonly RedisServer[], name: string, ...users: string[]): Promise<void> {
  const rules = users.flatMap(rulesOf);
  await Promise.all(servers.map(async (server) => (await server.admin()).acl('SETUSER', name, ...rules)));
}

/** More than any test has a server keep of what it refused. */
const ALL = 10_000;

/** How ioredis introduces itself from Redis 7.2 on, and what Redis 6.2 calls that: the page says what becomes of it. */
const INTRODUCTION = ['client|setinfo', 'client'];

/** What the server has refused a user since the log was last reset, but for the introduction of ioredis. */
export async function refusedTo(admin: Redis, name: string): Promise<string[]> {
  const entries = (await admin.acl('LOG', ALL)) as unknown as (string | number)[][];
  return entries
    .map((flat) => new Map(flat.map((field, index) => [field, flat[index + 1]])))
    .filter((entry) => entry.get('username') === name && !INTRODUCTION.includes(String(entry.get('object'))))
    .map((entry) => `${entry.get('reason')} ${entry.get('object')}`);
}

/** The rules of every `ACL SETUSER` line of the page for this user, in order. */
function rulesOf(user: string): string[] {
  return pastedLines().flatMap(({ title, rules }) => (title === user ? rules : []));
}
