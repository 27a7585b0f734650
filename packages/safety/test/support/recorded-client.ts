import type { AcquireOptions, Hold, LockClient } from 'holdfast';
import { nowMicros } from '../../src/history/clock.js';
import type { LevelName } from '../../src/history/event.js';
import { Recorder } from '../../src/history/recorder.js';
import { truthOf } from '../../src/history/truth.js';

export interface Section extends LevelName {
  readonly held: Hold;
}

/** A client whose acquisitions are written down, each with the tenure that Redis names as owner. */
export class RecordedClient {
  readonly client: LockClient;
  readonly #recorder: Recorder;
  #levels = 0;

  constructor(client: LockClient, file: string, worker: string) {
    this.client = client;
    this.#recorder = new Recorder({ file, worker });
  }

  /** `around`: the level that this one re-enters. */
  async acquire(
    lock: string,
    options: AcquireOptions = {},
    around?: Section & { readonly depth: number },
  ): Promise<Section> {
    this.#levels += 1;
    const name = { lock, hold: this.#levels, scope: around?.scope ?? this.#levels };
    const { leaseMs } = options;
    const lease = leaseMs === undefined ? {} : { leaseMs };
    const op = this.#recorder.invoke({
      at: nowMicros(),
      type: 'invoke',
      f: 'acquire',
      ...name,
      ...lease,
      depth: (around?.depth ?? 0) + 1,
    });
    const ask = (): Promise<Hold> => this.client.getLock(lock).acquire(options);
    const held = await (around === undefined ? ask() : around.held.run(ask));
    // Before anything else looks at the hold, which may find it over: a loss is told once.
    const { signal } = held;
    const told = () => this.#recorder.record({ type: 'event', f: 'lost', ...name, code: 'told' });
    if (signal.aborted) told();
    else signal.addEventListener('abort', told);
    const truth = truthOf(held);
    const { owner } = await this.client.inspect(lock);
    const tenure = owner?.kind === 'this-client' ? { tenure: owner.id } : {};
    this.#recorder.record({ type: 'ok', f: 'acquire', op, ...name, ...truth, ...tenure });
    return { ...name, held };
  }

  sample({ held, ...name }: Section): void {
    this.#recorder.record({ type: 'event', f: 'work', ...name, ...truthOf(held) });
  }

  async release({ held, ...name }: Section): Promise<void> {
    const op = this.#recorder.invoke({ type: 'invoke', f: 'release', ...name, ...truthOf(held) });
    const type = await held.release().then(
      () => 'ok' as const,
      () => 'fail' as const,
    );
    this.#recorder.record({ type, f: 'release', op, ...name });
  }

  async close(): Promise<void> {
    await this.client.close();
    this.#recorder.close();
  }
}
