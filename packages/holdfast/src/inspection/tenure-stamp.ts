import type { Clock } from '@holdfast/watchdog';

/**
 * What the tenure ids of a client that says who it is end in: when the tenure began, in milliseconds since the client was made, as a number to base 36.
 * What is registered of the client says when that was by Redis' clock, so who reads both knows since when. To everybody else ids are texts behind
 * their last colon.
 */
export class TenureStamp {
  readonly #clock: Clock;
  readonly #madeAt: number;
  /** Called with each tenure. */
  onTenure: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#madeAt = clock.now();
  }

  /** Since the client was made. */
  get ageMs(): number {
    return this.#clock.now() - this.#madeAt;
  }

  /** For a tenure that begins now. */
  next(): string {
    this.onTenure();
    return `.${Math.floor(this.ageMs).toString(36)}`;
  }
}

/** The client in a tenure id that has a stamp, and the stamp in milliseconds; undefined for every other id. */
export function readStamp(id: string): { clientId: string; ageMs: number } | undefined {
  const [, clientId, stamp] = /(?:^|:)([^:]+):\d+\.[^:.]+\.([0-9a-z]{1,9})$/.exec(id) ?? [];
  return clientId === undefined || stamp === undefined ? undefined : { clientId, ageMs: Number.parseInt(stamp, 36) };
}
