import { parentPort, workerData } from 'node:worker_threads';
import { createLockClient } from 'holdfast';

/** A thread with a client of its own: tries the lock once, and says whether it got it. */
const { redis, name } = workerData as { redis: string; name: string };
const client = createLockClient({ redis });
const won = await client.getLock(name).tryLock();
await client.close();
parentPort?.postMessage({ clientId: client.clientId, won }, []);
