// What is used here of two packages whose types Node's resolution does not find.

declare module 'redlock5' {
  import type { Redis } from 'ioredis';

  interface Settings {
    retryCount: number;
    retryDelay: number;
    retryJitter: number;
  }
  export default class Redlock {
    constructor(clients: Redis[], settings?: Settings);
    on(event: 'error', listener: (error: Error) => void): void;
    acquire(names: string[], ttlMs: number, settings?: Partial<Settings>): Promise<{ release(): Promise<unknown> }>;
    using(names: string[], ttlMs: number, routine: () => Promise<void>): Promise<void>;
  }
}

declare module 'redlock4' {
  import type { Redis } from 'ioredis';

  export default class Redlock {
    constructor(clients: Redis[], settings: { retryCount: number; retryDelay?: number; retryJitter?: number });
    lock(name: string, ttlMs: number): Promise<{ unlock(): Promise<unknown> }>;
  }
}
