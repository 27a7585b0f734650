import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import type { LockClient, LockClientEvents } from 'holdfast';

/** What a tenure id looks like, after an explicit owner or not. */
export const tenureId = /[\w-]{21}:\d+\.[\w-]{10}/;

const events: Record<keyof LockClientEvents, true> = {
  lost: true,
  suspect: true,
  leak: true,
  'held-long': true,
  'self-wait': true,
  deadlock: true,
  'foreign-owner': true,
  'unsafe-setting': true,
  error: true,
};
const channels = ['acquired', 'refused', 'released', 'lost', 'renewal'].map((name) => `holdfast:${name}`);

/** Everything that clients and the process say while it listens. */
export class Sayings {
  readonly heard: [where: string, what: unknown][] = [];

  constructor() {
    for (const each of channels) subscribe(each, this.#onMessage);
    process.on('warning', this.#onWarning);
  }

  readonly #onMessage = (message: unknown, name: string | symbol): void =>
    void this.heard.push([String(name), message]);
  readonly #onWarning = (warning: Error): void => void this.heard.push(['warning', warning]);

  listenTo(client: LockClient): void {
    for (const event of Object.keys(events) as (keyof LockClientEvents)[]) {
      client.on(event, (payload: unknown) => this.heard.push([event, payload]));
    }
  }

  /** A call that may fail: its error is one of the sayings. */
  async note(where: string, call: () => unknown): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.heard.push([where, error]);
    }
  }

  end(): void {
    for (const each of channels) unsubscribe(each, this.#onMessage);
    process.off('warning', this.#onWarning);
  }

  /** Where one of the secrets was said, and around which words. */
  leaks(secrets: readonly (string | RegExp)[]): string[] {
    return this.heard.flatMap(([where, what]) =>
      textsOf(what).flatMap((text) =>
        secrets
          .map((secret) => (typeof secret === 'string' ? text.indexOf(secret) : text.search(secret)))
          .filter((at) => at >= 0)
          .map((at) => `${where}: ${text.slice(Math.max(0, at - 80), at + 60)}`),
      ),
    );
  }
}

/** All that can be read off a value: as it is printed, as JSON, and each error below it with message, stack and hidden properties. */
function textsOf(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  if (seen.has(value)) return [];
  seen.add(value);
  const own = Reflect.ownKeys(value).map((key) => Reflect.get(value, key) as unknown);
  return [
    inspect(value, { depth: 10, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null }),
    JSON.stringify(value) ?? '',
    ...(value instanceof Error ? [String(value), String(value.stack)] : []),
    ...own.flatMap((each) => textsOf(each, seen)),
  ];
}
