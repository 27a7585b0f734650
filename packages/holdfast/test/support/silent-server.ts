import { direct, MemoryServer, type Network } from '@holdfast/memory';
import { type guardLeaks, ManualClock } from '@holdfast/testkit';
import type { LockClientOptions } from 'holdfast';
import { memoryClients } from './memory-clients.js';
import { turns } from './room.js';

const EPOCH_MS = 1_700_000_000_000;

/** A memory server, which does what it is told, and of whose answers none arrives from a moment on. */
export function silentServer(leaks: ReturnType<typeof guardLeaks>) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const way = { isOpen: true, isSilent: false, fallsSilent: false };
  const reached = direct(() => (way.isOpen ? server : undefined));
  const network: Network = {
    dial: (address, listener) =>
      reached.dial(address, {
        onOpen: () => listener.onOpen(),
        onClose: (error) => listener.onClose(error),
        onFrame: (frame) => {
          if (way.isSilent) return;
          way.isSilent = way.fallsSilent && JSON.stringify(frame).includes('acquired');
          listener.onFrame(frame);
        },
      }),
  };
  const open = memoryClients(clock, leaks);
  return {
    client: (options?: Partial<LockClientOptions>) => open(network, options),
    /** It hears the server all the time. */
    observer: open(direct(() => server)),
    /** From the next answer on that lets a call have what it asked for. */
    silenceAfterGrant: () => {
      way.fallsSilent = true;
    },
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        await clock.advance(50);
        await turns();
      }
    },
    cutOff: () => {
      way.isOpen = false;
      server.hangUp();
    },
    mend: () => {
      Object.assign(way, { isOpen: true, isSilent: false, fallsSilent: false });
      server.hangUp();
    },
  };
}
