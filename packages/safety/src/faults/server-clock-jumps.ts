import { mostlyShort, type Nemesis } from './nemesis.js';

/** The server's wall clock is set, forwards or back: leases end too early, or too late. */
export const serverClockJumps: Nemesis = {
  name: 'clock-jump',
  rest: [500, 3_000],
  async strike({ site: { clock }, random, pause, note }) {
    if (clock === undefined) return;
    const ms = mostlyShort(random, [20, 20_000]) * (random.next() < 0.5 ? -1 : 1);
    const target = `${ms} ms`;
    // A busy machine may let us stand still in between, and the jump comes when it comes.
    note({ code: 'clock-jump', state: 'on', target });
    clock.set(clock.offsetMs + ms);
    note({ code: 'clock-jump', state: 'off', target });
    await pause(200);
  },
};
