// One worker process: applies the transfers it is handed, several at once, until it is told to finish.
import { createLockClient } from 'holdfast';
import { lockGuard, noGuard } from './guard.js';
import { Ledger } from './ledger.js';
import type { FromWorker, ToWorker } from './messages.js';
import { connect } from './redis.js';
import { Teller } from './transfer.js';

const [keyPrefix = '', guarding] = process.argv.slice(2);
const redis = connect(keyPrefix);
const locks = createLockClient({ redis });
const teller = new Teller(new Ledger(redis), guarding === 'locks' ? lockGuard(locks) : noGuard);

const tell = (message: FromWorker) => process.send?.(message);

// An error that nobody expected ends this process: the main process sees it, and the leases free what was locked.
process.on('message', (message: ToWorker) => void serve(message));

async function serve(message: ToWorker): Promise<void> {
  if (message.kind === 'apply') {
    tell({ kind: 'settled', id: message.transfer.id, ...(await teller.apply(message.transfer)) });
  } else {
    tell({ kind: 'finished', stats: locks.stats() });
    await locks.close();
    redis.disconnect();
    process.disconnect();
  }
}
// Without the main process there is nobody to work for.
process.once('disconnect', () => process.exit());

tell({ kind: 'ready', clientId: locks.clientId });
