import {
  type CountedDown,
  gone,
  type HeldOutcome,
  type Stake,
  type StakeLease,
  type StakeSteps,
} from '../tenure/stake.js';

/** The quorum whose steps these are. */
export interface SteppedQuorum {
  readonly majority: number;
  readonly held: boolean;
  readonly lease: StakeLease;
  /** The tenures of the votes that stand. */
  readonly standing: readonly Stake[];
}

/**
 * What changes the holds of a quorum.
 *
 * Holds inside each other are counted in this process only: on each node the tenure has one hold for as long as there is any. So a node that
 * joins late, or was lost and asked anew, has nothing to catch up with, and a nested call costs no command but for a lease beyond what is left.
 */
export class QuorumSteps implements StakeSteps {
  readonly #quorum: SteppedQuorum;
  #underWay = 0;

  constructor(quorum: SteppedQuorum) {
    this.#quorum = quorum;
  }

  get settled(): boolean {
    return this.#underWay === 0;
  }

  /** A fixed lease inside another one is a minimum, also inside one that is renewed: that may end first. */
  countUp(leaseMs: number): Promise<HeldOutcome> {
    const { held, lease } = this.#quorum;
    if (!held || !lease.check()) return Promise.resolve(gone);
    if (leaseMs > lease.remainingMs()) return this.raise(leaseMs);
    return Promise.resolve({ kind: 'held' });
  }

  countDown(): Promise<CountedDown> {
    const { held, lease } = this.#quorum;
    return Promise.resolve(held && lease.check() ? { kind: 'held' } : gone);
  }

  /** Its holds have no tokens. */
  restart(leaseMs: number, retune: () => void): Promise<HeldOutcome> {
    return this.passOn(leaseMs, retune);
  }

  /** The lease begins anew, on a majority of the nodes at least. */
  passOn(leaseMs: number, retune: () => void): Promise<HeldOutcome> {
    return this.mostVotes((steps) => steps.passOn(leaseMs, retune));
  }

  /** On a majority of the nodes at least. */
  raise(leaseMs: number): Promise<HeldOutcome> {
    return this.mostVotes((steps) => steps.raise(leaseMs));
  }

  private async mostVotes(step: (steps: StakeSteps) => Promise<HeldOutcome>): Promise<HeldOutcome> {
    const { majority, standing } = this.#quorum;
    this.#underWay++;
    try {
      return await mostOf(
        standing.map(async ({ steps, lease }) => {
          const outcome = await step(steps);
          if (outcome.kind === 'lost') lease.lose(outcome.reason);
          return outcome;
        }),
        majority,
      );
    } finally {
      this.#underWay--;
    }
  }
}

/** `held` when so many say so; else what speaks against it. */
function mostOf(outcomes: readonly Promise<HeldOutcome>[], majority: number): Promise<HeldOutcome> {
  return new Promise((resolve) => {
    let held = 0;
    let open = outcomes.length;
    let other: HeldOutcome = gone;
    const count = () => {
      if (held >= majority) resolve({ kind: 'held' });
      else if (held + open < majority) resolve(other);
    };
    for (const outcome of outcomes) {
      void outcome.then((result) => {
        open--;
        if (result.kind === 'held') held++;
        else if (other.kind === 'lost') other = result;
        count();
      });
    }
    count();
  });
}
