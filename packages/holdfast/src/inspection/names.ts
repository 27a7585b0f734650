import { clientKey, readStamp } from '@holdfast/core';
import type { ClientParts } from '../client-parts.js';
import type { ClientCard } from '../identity.js';
import { withinLimit } from './within-limit.js';

/** Who has a tenure, as far as its client says so. */
export interface NamedTenure {
  /** Of the client; undefined where it says nothing of itself, and when it is gone. */
  readonly client: ClientCard | undefined;
  /** For how long it has had the lock or waited for it, without a break; undefined with {@link client}. */
  readonly ageMs: number | undefined;
}

const unnamed: NamedTenure = { client: undefined, ageMs: undefined };
/** No more clients are asked about at once. */
const MOST = 200;
const MOST_TEXT = 256;

type Known = { readonly card: ClientCard; readonly epochMs: number } | undefined;

/** What clients say of themselves: each is asked about once. */
export class Names {
  readonly #parts: ClientParts;
  readonly #known = new Map<string, Promise<Known>>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** Whether it is a tenure of this client. */
  isOurs(id: string): boolean {
    return id.includes(`${this.#parts.reporter.clientId}:`);
  }

  /** `nowMs`: server time. Never rejects: what may not be read, or cannot be now, is not known. */
  async of(id: string, nowMs: number): Promise<NamedTenure> {
    const stamp = readStamp(id);
    if (stamp === undefined) return unnamed;
    const { clientId, ageMs } = stamp;
    let asked = this.#known.get(clientId);
    if (asked === undefined) {
      if (this.#known.size >= MOST) return unnamed;
      asked = this.#ask(clientId);
      this.#known.set(clientId, asked);
    }
    const known = await asked;
    if (known === undefined) return unnamed;
    return { client: known.card, ageMs: Math.max(0, nowMs - known.epochMs - ageMs) };
  }

  async #ask(clientId: string): Promise<Known> {
    const key = clientKey(clientId);
    const { topology, settings } = this.#parts;
    // In a Cluster another server than the lock's may have it, and nothing was wanted of that one yet.
    let leave: (() => void) | undefined;
    const connected = new Promise<void>((resolve) => {
      const look = (): void => {
        if (topology.connectionTo(key) === undefined) leave = topology.whenReady(key, look);
        else resolve();
      };
      look();
    });
    const asked = connected.then(() => topology.connectionTo(key)?.keyspace.get(key));
    const text = await withinLimit(this.#parts, settings.attemptTimeoutMs, asked);
    leave?.();
    try {
      return read(text);
    } catch {
      return undefined;
    }
  }
}

/** Others may have written it: whatever is not as it should be is not known. */
function read(text: string | null | undefined): Known {
  const value: unknown = JSON.parse(text ?? 'null');
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, host, pid, meta, epochMs } = value as Record<string, unknown>;
  const isSound = isText(name) && isText(host) && Number.isSafeInteger(pid) && Number.isSafeInteger(epochMs);
  if (!isSound) return undefined;
  const entries = typeof meta === 'object' && meta !== null ? Object.entries(meta) : [];
  const texts = entries.filter((entry): entry is [string, string] => isText(entry[1]));
  return {
    card: { name, host, pid: pid as number, meta: Object.fromEntries(texts) },
    epochMs: epochMs as number,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MOST_TEXT;
}
