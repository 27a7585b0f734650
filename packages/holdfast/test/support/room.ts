import type { ManualClock } from '@holdfast/testkit';

/** A place where only one may be at a time: it counts who is in. */
export class Room {
  visits = 0;
  /** Most visitors that were in at the same time. */
  most = 0;
  #inside = 0;

  get inside(): number {
    return this.#inside;
  }

  /** Stays for some turns of the event loop, so that whoever may come in does. */
  readonly visit = async (work: () => unknown = () => turns(3)): Promise<void> => {
    this.visits++;
    this.#inside++;
    this.most = Math.max(this.most, this.#inside);
    try {
      await work();
    } finally {
      this.#inside--;
    }
  };
}

/** Lets the event loop turn. */
export async function turns(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Drives time until `outcome` has settled, or for 15 s. */
export async function driven<T>(clock: ManualClock, outcome: Promise<T>): Promise<T> {
  let over = false;
  const end = () => (over = true);
  outcome.then(end, end);
  for (let passed = 0; !over && passed < 15_000; passed += 50) {
    await clock.advance(50);
    await turns();
  }
  return outcome;
}

/** Something that happens once: `open` it, and whoever awaits `opened` goes on. */
export class Gate {
  readonly opened: Promise<void>;
  #isOpen = false;
  #resolve!: () => void;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  readonly open = (): void => {
    this.#isOpen = true;
    this.#resolve();
  };
}
