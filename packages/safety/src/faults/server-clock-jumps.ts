import { mostlyShort, type Nemesis } from './nemesis.js';

/** The server's wall clock is set, forwards or back: leases end too early, or too late. */
export const serverClockJumps: Nemesis = {
  name: 'clock-jump',
  rest: [500, 3_000],
  async strike({ site: { clock }, random, pause, note }) {
    if (clock === undefined) return;
    const ms = mostlyShort(random, [20, 20_000]) * (random.next() < 0.5 ? -1 : 1);
    note({ code: 'clock-jump', state: 'once', target: `${ms} ms` });
    clock.set(clock.offsetMs + ms);
    await pause(200);
  },
};
