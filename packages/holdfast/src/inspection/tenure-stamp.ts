import type { Clock } from '@holdfast/watchdog';

/**
 * What the tenure ids of a client that says who it is end in: when the tenure began, in milliseconds since the client was made, as a number to base 36.
 * What is registered of the client says when that was by Redis' clock, so who reads both knows since when. To everybody else ids are texts behind
 * their last colon. `readStamp` of core reads it.
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
