/** How `Redlock` waits and extends. */
export interface Settings {
  /** The share of a duration that is taken off `expiration`, beside the margin that each lease has. Default 0.01. */
  readonly driftFactor: number;
  /** With `retryDelay` how long a busy lock is waited for: `retryCount` times that. 0: one attempt. -1 or Infinity: without limit. Default 10. */
  readonly retryCount: number;
  /**
   * In milliseconds; see `retryCount`. Where it is less than a quarter of `retryJitter`, that counts, and 1 ms at least. Also the pause before a lock is asked
   * for again that the package redlock holds. Default 200.
   */
  readonly retryDelay: number;
  /** That pause is so many milliseconds shorter or longer, by chance. Default 100. */
  readonly retryJitter: number;
  /** `using` extends its lock when so many milliseconds are left. At least 100 below the duration. Default 500. */
  readonly automaticExtensionThreshold: number;
}

export const defaultSettings: Settings = Object.freeze({
  driftFactor: 0.01,
  retryCount: 10,
  retryDelay: 200,
  retryJitter: 100,
  automaticExtensionThreshold: 500,
});

const isSetting = (name: string): name is keyof Settings => Object.hasOwn(defaultSettings, name);
/** The longest time that a timer takes. */
const MOST = 2 ** 31 - 1;

/**
 * `base`, and what is given in its place. What is given as undefined is not given.
 *
 * @throws TypeError for a setting that redlock does not have, or that is no number; RangeError for one that is out of bounds.
 */
export function settingsOver(base: Settings, given: Partial<Settings> = {}): Settings {
  if (typeof given !== 'object' || (given as unknown) === null)
    throw new TypeError('Redlock: settings must be an object of numbers');
  const settings: Record<keyof Settings, number> = { ...base };
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (!isSetting(name)) throw new TypeError(`Redlock: unknown setting "${name}"`);
    if (value === undefined) continue;
    if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`Redlock: ${name} must be a number`);
    const isWithoutLimit = name === 'retryCount' && (value === -1 || value === Infinity);
    if (!isWithoutLimit && (value < 0 || value > MOST)) {
      const orNone = name === 'retryCount' ? ', or -1 or Infinity for no limit' : '';
      throw new RangeError(`Redlock: ${name} must be between 0 and ${MOST}${orNone}, got ${value}`);
    }
    settings[name] = value;
  }
  return settings;
}

/** How long a busy lock is waited for, in milliseconds: for as long as the pauses of redlock last. */
export function waitWindowMs({ retryCount, retryDelay, retryJitter }: Settings): number {
  // By chance alone a pause lasts a quarter of the jitter, as those below none are none; and no timer is shorter than 1 ms.
  const usualPauseMs = Math.max(retryDelay, retryJitter / 4, 1);
  return retryCount === -1 ? Infinity : retryCount * usualPauseMs;
}

/** A pause between two questions for a lock whose release nobody tells. */
export function pauseMs({ retryDelay, retryJitter }: Settings): number {
  return Math.max(0, retryDelay + (Math.random() * 2 - 1) * retryJitter);
}
