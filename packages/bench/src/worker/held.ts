import type { PeerClient } from '../peers/peer.js';
import type { HeldReport } from './messages.js';
import { liveHeapBytes } from './resources.js';

const AT_ONCE = 64;

/** Many locks of one process, held at the same time. */
export class Held {
  #releases: (() => Promise<unknown>)[] = [];

  async take(client: PeerClient, name: string, count: number): Promise<HeldReport> {
    const locker = client.locker();
    await (await locker.hold(`${name}:first`))();
    const before = await liveHeapBytes();
    const startedAt = performance.now();
    for (let from = 0; from < count; from += AT_ONCE) {
      const wanted = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => `${name}:${from + i}`);
      this.#releases.push(...(await Promise.all(wanted.map((one) => locker.hold(one)))));
    }
    const acquiredInMs = performance.now() - startedAt;
    return { bytesEach: ((await liveHeapBytes()) - before) / count, acquiredInMs };
  }

  async giveBack(): Promise<void> {
    const releases = this.#releases;
    this.#releases = [];
    for (let from = 0; from < releases.length; from += AT_ONCE) {
      await Promise.all(releases.slice(from, from + AT_ONCE).map((release) => release()));
    }
  }
}
