import { direct, MemoryServer, type Network } from '@holdfast/memory';
import { type guardLeaks, ManualClock } from '@holdfast/testkit';
import type { LockClientOptions } from 'holdfast';
import { memoryClients } from './memory-clients.js';
import { turns } from './room.js';

/**
 * `mute`: the kernel of the server acknowledges the ends of connections, and nothing else is heard. `deaf`: not even that. `greeting`: connections come about, and all
 * but scripts is answered, as in the moments when it is about to go on.
 */
type Manner = 'mute' | 'deaf' | 'greeting';

const EPOCH_MS = 1_700_000_000_000;

/**
 * A memory server that can stand still, as a process does that was sent SIGSTOP: what is sent to it lies in its connections, also when the client has ended them. When it goes
 * on it reads that first, and then learns of the ends.
 */
export function standingServer(leaks: ReturnType<typeof guardLeaks>) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const inner = direct(() => server);
  let waiting: (() => void)[] | undefined;
  let manner: Manner = 'mute';
  const reach = (step: () => void) => (waiting === undefined ? step() : void waiting.push(step));
  const network: Network = {
    dial: (address, listener) => {
      let isHeard = true;
      const heard = (tell: () => void) => isHeard && tell();
      const socket = inner.dial(address, {
        // To the client it is there when it has been told who the server is.
        onOpen: () =>
          manner === 'greeting' ? heard(() => listener.onOpen()) : reach(() => heard(() => listener.onOpen())),
        onClose: (error) => heard(() => listener.onClose(error)),
        onFrame: (frame) => heard(() => listener.onFrame(frame)),
      });
      return {
        send: (request) => {
          if (manner === 'greeting' && !/^eval/i.test(String(request[0]))) socket.send(request);
          else reach(() => socket.send(request));
        },
        end: () => {
          reach(() => socket.end());
          if (waiting !== undefined && manner !== 'deaf')
            void Promise.resolve().then(() => heard(() => listener.onClose()));
        },
        destroy: () => {
          isHeard = false;
          reach(() => socket.destroy());
        },
      };
    },
  };
  const open = memoryClients(clock, leaks);
  return {
    client: (options?: Partial<LockClientOptions>) => open(network, options),
    stop: (how: Manner = 'mute') => {
      waiting = [];
      manner = how;
    },
    goOn: () => {
      const steps = waiting ?? [];
      waiting = undefined;
      for (const step of steps) step();
    },
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        await clock.advance(50);
        await turns();
      }
    },
  };
}
