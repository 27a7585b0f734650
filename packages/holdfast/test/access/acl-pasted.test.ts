/** The lines of docs/security.md, each pasted as it stands there. `npm run versions -- redis-6.2` does it on the oldest server. */
import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type PastedLine, pastedLines } from '../support/acl-rules.js';

const newer = (line: PastedLine) => line.title === 'from-redis-7';

/** What only a Sentinel knows is pasted there: acl-sentinel.test.ts. */
const isOfSentinel = ({ rules }: PastedLine) => rules.some((rule) => rule.startsWith('+sentinel|'));

const served = (version: number) =>
  pastedLines().filter((line) => !isOfSentinel(line) && (version >= 7 || !newer(line)));

describe.each([
  ['as it is here', []],
  ['that lets a new user use every channel, as Redis 6.2 does', ['--acl-pubsub-default', 'allchannels']],
])('on a server %s', (_, args) => {
  const kit = useRedis(() => startPrivateRedis({ args }));

  it('each line can be pasted, and the user has what it says', async () => {
    const version = Number.parseFloat(/redis_version:(\S+)/.exec(await kit.admin.info('server'))?.[1] ?? '');
    const said: string[] = [];
    for (const { user, rules } of served(version)) {
      const answer: unknown = await kit.admin.acl('SETUSER', user, ...rules).catch((error: unknown) => error);
      if (answer !== 'OK') said.push(`ACL SETUSER ${user} ${rules.join(' ')}: ${String(answer)}`);
    }
    expect(said).toEqual([]);
    for (const user of ['locks', 'operator', 'watcher']) {
      const rights = JSON.stringify(await kit.admin.acl('GETUSER', user));
      expect(rights).not.toContain('allchannels');
      const channels = served(version).flatMap((line) => (line.user === user ? line.rules : []));
      for (const channel of channels.filter((rule) => rule.startsWith('&'))) expect(rights).toContain(channel.slice(1));
    }
  });
});

describe('commands that Redis 6.2 does not know', () => {
  const kit = useRedis(() => startPrivateRedis());

  it('are on a line of their own: one of them has the whole line refused', async () => {
    const commands = pastedLines()
      .filter((line) => !newer(line))
      .flatMap(({ rules }) => rules.filter((rule) => rule.startsWith('+')).map((rule) => rule.slice(1)));
    // Redis 6.2 has no such list, and was asked itself.
    const docs = (await kit.admin.call('COMMAND', 'DOCS', ...commands).catch(() => [])) as unknown[];
    const since = docs.flatMap((each, index) => {
      if (index % 2 === 1) return [];
      const fields = docs[index + 1] as string[];
      return [{ command: each, since: Number.parseFloat(fields[fields.indexOf('since') + 1] ?? '') }];
    });
    expect(since.filter((each) => !(each.since <= 6.2))).toEqual([]);
  });
});
