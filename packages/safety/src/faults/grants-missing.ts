import { WORKER_USER } from '../site/reach.js';
import { mostlyShort, type Nemesis } from './nemesis.js';

/** What scripts of ours need. */
export const usedInScripts = ['publish', 'pexpire', 'del', 'hset', 'zadd', 'zrem', 'set', 'exists'] as const;

/** That, and what the client itself sends. */
const grants = ['evalsha', 'eval', 'subscribe', ...usedInScripts];

/** A right of the workers' user is taken away for a while, as in a hasty change of an ACL. */
export const grantsMissing: Nemesis = {
  name: 'acl',
  rest: [1_500, 5_000],
  async strike({ anyMaster, random, pause, note }) {
    const master = await anyMaster();
    const admin = await master.admin();
    const grant = random.pick(grants);
    const ms = mostlyShort(random, [50, 1_000]);
    await admin.call('ACL', 'SETUSER', WORKER_USER, `-${grant}`);
    note({ code: 'acl', state: 'on', target: `${master.port} -${grant}` });
    await pause(ms);
    await admin.call('ACL', 'SETUSER', WORKER_USER, '+@all');
    note({ code: 'acl', state: 'off', target: `${master.port} -${grant}` });
  },
};
