import { driveTime, faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import {
  currentHold,
  getLockClientToken,
  HoldfastModule,
  type HoldfastModuleOptions,
  InjectLockClient,
  LockHealthIndicator,
  WithLock,
} from '@holdfast/nestjs';
import { describe, expect, it, jest } from '@jest/globals';
import {
  type DynamicModule,
  Global,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  Scope,
  SetMetadata,
} from '@nestjs/common';
import { Reflector, REQUEST } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { LockClient, LockTimeoutError } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import { defer, type Observable, of } from 'rxjs';
import { LockedBy } from './support/locked-by.js';

const kit = useRedis();
const quiet = TerminusModule.forRoot({ logger: false });
const Noted = SetMetadata('noted', 'by another decorator');

/** A day of the ledger is closed once at a time; each entry is written under the lock of its day. */
@Injectable()
class Ledger {
  inside = 0;
  readonly written: string[] = [];
  private readonly prefix = 'ledger';

  constructor(@Inject(LockClient) readonly locks: LockClient) {}

  @Noted
  @WithLock((self: Ledger, day: string) => `${self.prefix}:${day}`, { waitMs: 5_000 })
  async close(day: string, work: () => Promise<void> = () => Promise.resolve()): Promise<string> {
    expect(++this.inside).toBe(1);
    await this.write(day);
    await work();
    this.inside--;
    return day;
  }

  @WithLock((self: Ledger, day: string) => `${self.prefix}:${day}`)
  @Noted
  async write(_day: string): Promise<void> {
    this.written.push(`${currentHold().name} ${currentHold().state}`);
    await this.locks.getLock('other').withLock(() => undefined);
  }

  @WithLock((_: Ledger, from: string, to: string) => [from, to])
  async move(_from: string, _to: string, amount: number): Promise<number> {
    await Promise.resolve();
    return amount;
  }

  @LockedBy('stock')
  async isIn(id: string): Promise<boolean> {
    return this.locks.getLock(`stock:${id}`).isHeldByCurrentScope();
  }

  @WithLock((_: Ledger, day: string) => day, { waitMs: 0 })
  async tryClose(_day: string): Promise<void> {
    await Promise.resolve();
  }
}

const options = () => ({ redis: kit.server.url });

async function start(
  imports: NonNullable<ModuleMetadata['imports']>,
  change: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
) {
  const app = await change(Test.createTestingModule({ imports, providers: [Ledger] })).compile();
  await app.init();
  kit.cleanup(() => app.close());
  return { app, ledger: app.get(Ledger), locks: app.get(LockClient) };
}

describe('@WithLock', () => {
  it('lets one call in at a time, nested calls too, by a key of the object and the arguments', async () => {
    const { ledger, locks } = await start([HoldfastModule.forRoot(options())]);
    const other = await start([HoldfastModule.forRoot(options())]);
    expect(await Promise.all([ledger.close('mon'), ledger.close('mon'), ledger.close('mon')])).toHaveLength(3);
    expect(ledger.written).toEqual(Array(3).fill('ledger:mon held'));
    const closing = ledger.close('tue', async () => {
      expect(await other.locks.getLock('ledger:tue').tryLock()).toBe(false);
      expect(await other.locks.getLock('ledger:mon').tryLock()).toBe(true);
      await other.locks.getLock('ledger:mon').forceUnlock();
    });
    expect(await closing).toBe('tue');
    expect(await locks.getLock('ledger:tue').isLocked()).toBe(false);
  });

  it('can be made by a function of an application, whose type has a name', async () => {
    const { ledger } = await start([HoldfastModule.forRoot(options())]);
    expect(await ledger.isIn('7')).toBe(true);
  });

  it('takes several names at once, and gives them back', async () => {
    const { ledger, locks } = await start([HoldfastModule.forRoot(options())]);
    expect(await ledger.move('a', 'b', 7)).toBe(7);
    expect(await locks.getMultiLock(['a', 'b']).isLocked()).toBe(false);
  });

  it('rejects when the lock stays busy, and what its options say counts', async () => {
    const { ledger } = await start([HoldfastModule.forRoot(options())]);
    const other = await start([HoldfastModule.forRoot(options())]);
    const hold = await other.locks.getLock('mon').acquire();
    await expect(ledger.tryClose('mon')).rejects.toBeInstanceOf(LockTimeoutError);
    await hold.release();
    await ledger.tryClose('mon');
  });

  it('keeps name, length and what other decorators have noted, above it and below', () => {
    const { close, write } = Ledger.prototype as unknown as Record<string, () => unknown>;
    expect([close?.name, close?.length, write?.name]).toEqual(['close', 1, 'write']);
    for (const method of [close, write])
      expect(new Reflector().get('noted', method ?? Ledger)).toBe('by another decorator');
  });

  it('is checked by the compiler: the key has the first parameters of the method, and the method is async', () => {
    class Typed {
      // @ts-expect-error the method has a number where the key expects a text
      @WithLock((_: Typed, id: string) => id)
      number(_id: number): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error a call may give a number as well
      @WithLock((_: Typed, id: string) => id)
      wider(_id: string | number): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error the key reads more of it than a call has to give
      @WithLock((_: Typed, order: { id: string; part: string }) => [order.id, order.part])
      less(_order: { id: string }): Promise<void> {
        return Promise.resolve();
      }

      @WithLock((_: Typed, order: { id: string }) => order.id)
      more(_order: { id: string; part: string }): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error the method has no arguments
      @WithLock((_: Typed, id: string) => id)
      none(): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error the key would be given undefined, whatever the method has as default
      @WithLock((_: Typed, id: string) => id)
      preset(_id = 'main'): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error a call may leave out what the key reads
      @WithLock((_: Typed, id: string, part: string) => [id, part])
      optional(_id: string, _part?: string): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error the method has a number where the key takes texts, however many
      @WithLock((_: Typed, ...parts: string[]) => parts)
      rest(_id: string, _count: number): Promise<void> {
        return Promise.resolve();
      }

      @WithLock((_: Typed, id?: string, ...parts: string[]) => [id ?? 'main', ...parts])
      same(_id = 'main', ..._parts: string[]): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error a lock takes time
      @WithLock(() => 'now')
      now(): number {
        return 1;
      }

      // @ts-expect-error an Observable would run when the lock has been given back
      @WithLock(() => 'stream')
      stream(): Promise<Observable<number>> {
        return Promise.resolve(of(1));
      }

      // @ts-expect-error so would a generator
      @WithLock((_: Typed, id: string) => id)
      generator(_id: string): Promise<AsyncGenerator<number>> {
        return Promise.reject(new Error('not called'));
      }

      @WithLock((_: Typed, id: string) => id)
      // oxlint-disable-next-line typescript/no-explicit-any -- that is what is tested
      whatever(_id: string): Promise<any> {
        return Promise.resolve(1);
      }

      @WithLock(() => 'never')
      fail(): Promise<never> {
        return Promise.reject(new Error('not called'));
      }
    }
    expect(Typed).toBeDefined();
    expect(() => WithLock('name' as never)).toThrow('the key must be a function');
  });

  it('is checked by the compiler in a generic class too: of a parameter the key knows what the class demands', () => {
    interface Entity {
      readonly id: string;
    }
    class Repository<T extends Entity> {
      @WithLock((_: Repository<Entity>, entity: Entity) => entity.id)
      put(entity: T): Promise<T> {
        return Promise.resolve(entity);
      }

      @WithLock((_: object, entities: readonly Entity[]) => entities.map(({ id }) => id))
      all(_entities: readonly T[]): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error the class demands no name
      @WithLock((_: object, entity: { name: string }) => entity.name)
      byName(_entity: T): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error a call may leave out what the key reads
      @WithLock((_: object, entity: Entity) => entity.id)
      remove(_entity?: T): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error a call may give anything
      @WithLock((_: object, id: string) => id)
      any<U>(_id: U, ..._more: U[]): Promise<void> {
        return Promise.resolve();
      }

      // @ts-expect-error a call may give undefined where the key takes numbers, however many
      @WithLock((_: object, id: string, ...parts: number[]) => [id, ...parts].join(':'))
      part(_id: string, _part?: number): Promise<void> {
        return Promise.resolve();
      }
    }
    expect(Repository).toBeDefined();
  });

  it('refuses what a method gives that would run when the lock has been given back', async () => {
    let ran = false;
    function* work() {
      ran = true;
      yield 1;
    }
    @Injectable()
    class Streams {
      @WithLock((_: Streams, make: () => unknown) => make.name)
      give(make: () => unknown): Promise<unknown> {
        return Promise.resolve(make());
      }
    }
    const app = await Test.createTestingModule({
      imports: [HoldfastModule.forRoot(options())],
      providers: [Streams],
    }).compile();
    await app.init();
    kit.cleanup(() => app.close());
    const streams = app.get(Streams);
    const observable = () => defer(() => of(...work()));
    const told = (what: string) =>
      new TypeError(
        `@WithLock: Streams.give gave ${what}, which would run when the lock has been given back: leave out @WithLock, and let the stream itself take the lock`,
      );
    await expect(streams.give(observable)).rejects.toThrow(told('an Observable'));
    await expect(streams.give(work)).rejects.toThrow(told('a generator'));
    expect(ran).toBe(false);
    expect(await app.get(LockClient).getMultiLock(['observable', 'work']).isLocked()).toBe(false);
    const connection = () => ({ subscribe: () => undefined });
    expect(await streams.give(connection)).toBeDefined();
  });

  it('refuses, where it stands, a class', () => {
    const decorate = WithLock(() => 'name') as unknown as ClassDecorator;
    expect(() => decorate(Ledger)).toThrow(
      new TypeError('@WithLock is for methods, and stands at a class: put it at each method that needs the lock'),
    );
  });

  it('refuses, where it stands, options that are none and what is no method', () => {
    for (const nothing of [null, 3_000, [], new AbortController().signal, new Map()])
      expect(() => WithLock(() => 'name', nothing as never)).toThrow('@WithLock: options must be an object');
    const decorate = WithLock(() => 'name') as unknown as PropertyDecorator;
    expect(() => decorate({}, 'field')).toThrow(
      new TypeError('@WithLock: field is no method, and nothing else can have a lock'),
    );
  });

  it('refuses, where it stands, a static method, for which Nest has no client', () => {
    const decorate = () => {
      class Statics {
        readonly name = 'statics';
        @WithLock(() => 'name')
        static async all(): Promise<void> {
          await Promise.resolve();
        }
      }
      return Statics;
    };
    expect(decorate).toThrow(new TypeError('@WithLock: all is static, and Nest gives a client to objects only'));
  });

  it('says what it needs when it is compiled as a decorator of the ECMAScript proposal', () => {
    const decorate = WithLock(() => 'name') as (method: unknown, context: unknown) => unknown;
    expect(() => decorate(async () => undefined, { kind: 'method', name: 'pay', static: false })).toThrow(
      new TypeError('@WithLock needs "experimentalDecorators": true in the tsconfig.json, as Nest itself does'),
    );
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [5, '5'],
    [{ id: 5 }, 'an object'],
    [Promise.resolve('mon'), 'a promise'],
    [['mon', undefined], 'a list with undefined'],
  ])('says whose key gave no name, as of an argument that is any: %p', async (given, told) => {
    const fake = createTestClient();
    const { ledger } = await start([HoldfastModule.forRoot(options())], (builder) =>
      builder.overrideProvider(LockClient).useValue(fake),
    );
    await expect(ledger.tryClose(given as never)).rejects.toThrow(
      new TypeError(`@WithLock: the key of Ledger.tryClose gave ${told}; it must give a name, or a list of names`),
    );
  });

  it('says so when Nest has not made the object', async () => {
    const ledger = new Ledger(createTestClient());
    await expect(ledger.tryClose('mon')).rejects.toThrow('Ledger.tryClose has no lock client');
    await ledger.locks.close();
  });

  it('says so when the method is called without its object', async () => {
    const { ledger } = await start([HoldfastModule.forRoot(options())]);
    const detached = Reflect.get(ledger, 'tryClose') as (name: string) => Promise<unknown>;
    await expect(detached('mon')).rejects.toThrow('tryClose was called without its object');
  });
});

describe('currentHold', () => {
  it('throws where no decorated method has called, and is the innermost elsewhere', async () => {
    expect(() => currentHold()).toThrow('no method with @WithLock');
    const { ledger } = await start([HoldfastModule.forRoot(options())]);
    await ledger.close('mon', async () => {
      await ledger.move('a', 'b', 1);
      expect(currentHold().name).toBe('ledger:mon');
    });
    expect(() => currentHold()).toThrow('no method with @WithLock');
  });

  it('has the signal that aborts when the lock is lost', async () => {
    const { ledger, locks } = await start([HoldfastModule.forRoot(options())]);
    const closing = ledger.close('mon', async () => {
      await locks.exit(() => locks.getLock('ledger:mon').forceUnlock());
      await waitUntil(() => currentHold().signal.aborted, { what: 'the signal aborts' });
    });
    await expect(closing).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
  });
});

describe('HoldfastModule', () => {
  it('forRootAsync takes its options from other providers', async () => {
    @Module({ providers: [{ provide: 'url', useFactory: () => kit.server.url }], exports: ['url'] })
    class ConfigModule {
      readonly name = 'config';
    }
    const root = HoldfastModule.forRootAsync({
      imports: [ConfigModule],
      inject: ['url'],
      useFactory: (redis: string) => Promise.resolve({ redis, prefix: 'app:' }),
    });
    const { ledger } = await start([root]);
    await ledger.close('mon', async () => {
      expect(await kit.admin.exists('app:ledger:mon')).toBe(1);
    });
  });

  it('lets holds end when the application shuts down, and closes the client', async () => {
    const { app, ledger, locks } = await start([HoldfastModule.forRoot({ ...options(), drainMs: 60_000 })]);
    let end: () => void = () => undefined;
    let started: () => void = () => undefined;
    const isInside = new Promise<void>((resolve) => (started = resolve));
    const closing = ledger.close('mon', () => {
      started();
      return new Promise((resolve) => (end = resolve));
    });
    await isInside;
    const closed = app.close();
    await expect(locks.getLock('late').acquire()).rejects.toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    end();
    expect(await closing).toBe('mon');
    await closed;
  });

  it('imported behind a global module of a database, lets sections end before that one closes', async () => {
    let isOpen = true;
    @Injectable()
    class Connections {
      onApplicationShutdown(): void {
        isOpen = false;
      }
    }
    @Global()
    @Module({ providers: [Connections] })
    class DatabaseModule {
      readonly name = 'database';
    }
    const { app, ledger } = await start([DatabaseModule, HoldfastModule.forRoot({ ...options(), drainMs: 60_000 })]);
    let end: () => void = () => undefined;
    let started: () => void = () => undefined;
    const isInside = new Promise<void>((resolve) => (started = resolve));
    const writing = ledger.close('wed', async () => {
      started();
      await new Promise<void>((resolve) => (end = resolve));
      expect(isOpen).toBe(true);
    });
    await isInside;
    const closed = app.close();
    await expect(ledger.close('late')).rejects.toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    // By then Nest has called whatever it calls without waiting.
    setImmediate(() => end());
    expect(await writing).toBe('wed');
    await closed;
    expect(isOpen).toBe(false);
  });

  it('loses what is still held when drainMs is over', async () => {
    const { app, ledger } = await start([HoldfastModule.forRoot({ ...options(), drainMs: 1 })]);
    let started: () => void = () => undefined;
    const isInside = new Promise<void>((resolve) => (started = resolve));
    const closing = ledger.close('tue', () => {
      started();
      return new Promise((_, reject) => {
        currentHold().signal.addEventListener('abort', () => reject(currentHold().signal.reason as Error));
      });
    });
    await Promise.all([
      expect(closing).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'closed' }),
      isInside.then(() => app.close()),
    ]);
  });

  it('has its client in every module of the application', async () => {
    @Injectable()
    class Elsewhere {
      constructor(@Inject(LockClient) readonly locks: LockClient) {}
    }
    @Module({ providers: [Elsewhere] })
    class Other {
      constructor(@Inject(Elsewhere) readonly elsewhere: Elsewhere) {}
    }
    const { app, locks } = await start([HoldfastModule.forRoot(options()), Other]);
    expect(app.get(Other, { strict: false }).elsewhere.locks).toBe(locks);
  });

  it('warns of a second client for the application, once, and of none that is meant or in another application', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    kit.cleanup(() => warn.mockRestore());
    const within = (feature: DynamicModule) => ({ module: class Feature extends Ledger {}, imports: [feature] });
    const second = async (own: Partial<HoldfastModuleOptions> & { isGlobal?: boolean }, change?: typeof withFake) => {
      await start(
        [HoldfastModule.forRoot(options()), within(HoldfastModule.forRoot({ ...options(), ...own }))],
        change,
      );
      return warn.mock.calls.splice(0).map(([, told]) => told);
    };
    const fake = createTestClient();
    const withFake = (builder: TestingModuleBuilder) => builder.overrideProvider(LockClient).useValue(fake);
    expect(await second({ isGlobal: false })).toEqual([]);
    expect(await second({}, withFake)).toEqual([]);
    await start([HoldfastModule.forRoot(options())]);
    const once = HoldfastModule.forRoot(options());
    await start([once, within(once)]);
    expect(warn).not.toHaveBeenCalled();
    expect(await second({})).toEqual([{ type: 'HoldfastWarning', code: 'HOLDFAST_SECOND_CLIENT' }]);
  });

  it('may be imported by way of a class that extends it', async () => {
    class LocksModule extends HoldfastModule {}
    const { ledger, locks } = await start([LocksModule.forRoot(options())]);
    expect(ledger.locks).toBe(locks);
  });

  it('refuses options that cannot work when the application starts', async () => {
    const starting = start([HoldfastModule.forRoot({ redis: 'http://localhost' })]);
    await expect(starting).rejects.toThrow('redis must be a redis:// or rediss:// URL');
    for (const nothing of [undefined, null, 'redis://localhost']) {
      const given = HoldfastModule.forRootAsync({ useFactory: () => nothing as never });
      await expect(start([given])).rejects.toThrow(
        `options must be an object, got ${nothing === null ? 'null' : typeof nothing}; what does the factory`,
      );
    }
    for (const nothing of [undefined, null, 'redis://localhost']) {
      const given = nothing === null ? 'null' : typeof nothing;
      expect(() => HoldfastModule.forRoot(nothing as never)).toThrow(`options must be an object, got ${given}`);
    }
    for (const drainMs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '5s' as never]) {
      await expect(start([HoldfastModule.forRoot({ ...options(), drainMs })])).rejects.toThrow(/drainMs must be/);
    }
  });

  it('refuses options that depend on a request, of which each would have a client that nobody closes, when the application starts', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Tenant {
      create() {
        return options();
      }
    }
    const before = await kit.admin.client('LIST');
    for (const own of [{ inject: [REQUEST], useFactory: options }, { useClass: Tenant }]) {
      const app = await Test.createTestingModule({
        imports: [HoldfastModule.forRootAsync(own)],
        providers: [Ledger],
      }).compile();
      await expect(app.init()).rejects.toThrow(
        /^HoldfastModule: the options depend on what Nest makes for each request/,
      );
    }
    expect(String(await kit.admin.client('LIST')).split('\n')).toHaveLength(String(before).split('\n').length);
  });

  it('refuses an isGlobal that is neither true nor false: each text would pass for yes', async () => {
    for (const isGlobal of ['no', 0, null]) {
      const given = isGlobal === null ? 'null' : typeof isGlobal;
      const refused = `isGlobal must be true or false, got ${given}`;
      expect(() => HoldfastModule.forRoot({ ...options(), isGlobal: isGlobal as never })).toThrow(refused);
      const later = { useFactory: options, isGlobal: isGlobal as never };
      expect(() => HoldfastModule.forRootAsync(later)).toThrow(refused);
    }
    const { global } = HoldfastModule.forRoot({ ...options(), isGlobal: undefined });
    expect(global).toBe(true);
    expect(HoldfastModule.forRoot({ ...options(), isGlobal: false }).global).toBe(false);
  });

  it('takes options of a class, and says by name what is wrong with one that gives none', async () => {
    @Injectable()
    class LockOptions {
      create() {
        return { ...options(), prefix: 'by-class:' };
      }
    }
    @Injectable()
    class OtherOptions {
      createLockOptions = options;
    }
    const { ledger } = await start([HoldfastModule.forRootAsync({ useClass: LockOptions })]);
    await ledger.close('tue', async () => {
      expect(await kit.admin.exists('by-class:ledger:tue')).toBe(1);
    });
    const other = HoldfastModule.forRootAsync({ useClass: OtherOptions as never });
    await expect(start([other])).rejects.toThrow('HoldfastModule: OtherOptions must have a method create()');
    const missing = HoldfastModule.forRootAsync({ useExisting: LockOptions });
    await expect(start([missing])).rejects.toThrow(/HOLDFAST_MODULE_OPTIONS \(\?\)[^]*LockOptions/);
    for (const nothing of [{}, { useClass: undefined }, { useFactory: options() }, { inject: ['url'] }])
      expect(() => HoldfastModule.forRootAsync(nothing as never)).toThrow('forRootAsync needs a useFactory');
    expect(() => HoldfastModule.forRootAsync(undefined as never)).toThrow('options must be an object');
  });

  it.each([0, 2 ** 31])(
    'takes a drainMs of %d, as close() does, and none that is longer than the longest',
    async (drainMs) => {
      const { locks } = await start([HoldfastModule.forRoot({ ...options(), drainMs })]);
      const closing = locks.close({ drainMs: 2 ** 31 + 1 });
      await expect(closing).rejects.toThrow('between 0 and 2147483648');
      const starting = start([HoldfastModule.forRoot({ ...options(), drainMs: 2 ** 31 + 1 })]);
      await expect(starting).rejects.toThrow('between 0 and 2147483648');
      await expect(locks.close({ drainMs })).resolves.toBeUndefined();
    },
  );

  it('has its place taken by a client of holdfast/testing, which needs no Redis', async () => {
    const fake = createTestClient();
    const { ledger } = await start([HoldfastModule.forRoot({ redis: 'redis://nowhere.invalid' })], (builder) =>
      builder.overrideProvider(LockClient).useValue(fake),
    );
    const other = await fake.busy('mon');
    await expect(ledger.tryClose('mon')).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await other.free();
    await ledger.tryClose('mon');
  });

  it.each([{ getLock: () => undefined }, null])(
    'says at shutdown what an object in place of its client lacks, and what to give: %p',
    async (part) => {
      const app = await Test.createTestingModule({ imports: [HoldfastModule.forRoot(options())] })
        .overrideProvider(LockClient)
        .useValue(part)
        .compile();
      // Nest 11 rejects its close() with that, Nest 12 logs it.
      const shutDown = app.get(HoldfastModule).onApplicationShutdown();
      await expect(shutDown).rejects.toThrow(/in place of LockClient has no close\(\).* createTestClient\(\)/);
    },
  );

  it('shuts down by itself with such a client, of which a lock is held', async () => {
    const fake = createTestClient();
    const { app, ledger } = await start([HoldfastModule.forRoot(options())], (builder) =>
      builder.overrideProvider(LockClient).useValue(fake),
    );
    const hold = await ledger.locks.getLock('mon').acquire();
    await app.close();
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' });
  });
});

describe('an import of HoldfastModule with a name', () => {
  @Injectable()
  class Billing {
    constructor(
      @InjectLockClient() readonly locks: LockClient,
      @InjectLockClient('billing') readonly billing: LockClient,
    ) {}

    @WithLock((_: Billing, id: string) => id)
    async plain(_id: string): Promise<string[]> {
      return this.#held();
    }

    @WithLock((_: Billing, id: string) => id, { client: 'billing', waitMs: 0 })
    async bill(_id: string): Promise<string[]> {
      return this.#held();
    }

    @WithLock((_: Billing, id: string) => id, { client: 'billing' })
    async twice(id: string): Promise<string[]> {
      return [...(await this.bill(id)), ...(await this.plain(id))];
    }

    async #held(): Promise<string[]> {
      const names: string[] = [];
      for (const [whose, client] of [
        ['', this.locks],
        ['billing ', this.billing],
      ] as const)
        for await (const { name } of client.listLocks()) names.push(whose + name);
      return names;
    }
  }

  const named = (own: object = {}) => HoldfastModule.forRoot({ ...options(), prefix: 'b:', name: 'billing', ...own });
  const plain = (own: object = {}) => HoldfastModule.forRoot({ ...options(), prefix: 'p:', ...own });

  async function startBilling(
    imports: NonNullable<ModuleMetadata['imports']>,
    change = (b: TestingModuleBuilder) => b,
  ) {
    const app = await change(Test.createTestingModule({ imports, providers: [Billing] })).compile();
    await app.init();
    kit.cleanup(() => app.close());
    return { app, service: app.get(Billing) };
  }

  it.each([
    ['before', () => [named(), plain()]],
    ['behind', () => [plain(), named()]],
    [
      'made by a factory, behind',
      () => [
        plain(),
        HoldfastModule.forRootAsync({ name: 'billing', useFactory: () => ({ ...options(), prefix: 'b:' }) }),
      ],
    ],
  ])('has a client of its own, %s the one without: each is injected, and locks, by its name', async (_, imports) => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    kit.cleanup(() => warn.mockRestore());
    const { app, service } = await startBilling(imports());
    expect(service.locks).toBe(app.get(LockClient));
    expect(service.billing).not.toBe(service.locks);
    expect(await service.plain('a')).toEqual(['a']);
    expect(await service.bill('a')).toEqual(['billing a']);
    expect(await service.twice('a')).toEqual(['billing a', 'a', 'billing a']);
    expect(warn).not.toHaveBeenCalled();
    await app.close();
    for (const client of [service.locks, service.billing])
      await expect(client.getLock('late').acquire()).rejects.toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
  });

  it('has its place taken by a client of a test, by its token', async () => {
    const [fake, other] = [createTestClient(), createTestClient()];
    const { service } = await startBilling([plain(), named()], (builder) =>
      builder
        .overrideProvider(LockClient)
        .useValue(fake)
        .overrideProvider(getLockClientToken('billing'))
        .useValue(other),
    );
    expect([service.locks, service.billing]).toEqual([fake, other]);
    const busy = await other.busy('a');
    await expect(service.bill('a')).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await busy.free();
  });

  it('is warned of where it is imported twice, as one without is', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    kit.cleanup(() => warn.mockRestore());
    await startBilling([plain(), named(), named({ prefix: 'c:' })]);
    expect(warn.mock.calls.map(([, told]) => told)).toEqual([
      { type: 'HoldfastWarning', code: 'HOLDFAST_SECOND_CLIENT' },
    ]);
  });

  it('that is missing is told when the application starts, with the name', async () => {
    await expect(startBilling([plain()])).rejects.toThrow(/LockClient:billing/);
  });

  it.each(['', 7, null])('refuses what is no name: %p', (name) => {
    expect(() => named({ name })).toThrow('HoldfastModule: name must be a text');
  });
});

describe('LockHealthIndicator', () => {
  it('is up for the health checks of terminus, and down where there is no Redis', async () => {
    const { app } = await start([HoldfastModule.forRoot(options()), quiet]);
    const [health, locks] = [await app.resolve(HealthCheckService), app.get(LockHealthIndicator)];
    const report = await health.check([() => locks.isHealthy('locks')]);
    expect(report).toMatchObject({ status: 'ok', info: { locks: { status: 'up' } } });

    const away = await start([HoldfastModule.forRoot({ redis: 'redis://127.0.0.1:1' }), quiet]);
    const [without, gone] = [await away.app.resolve(HealthCheckService), away.app.get(LockHealthIndicator)];
    const check = without.check([() => gone.isHealthy('locks', { timeoutMs: 50 })]);
    await expect(check).rejects.toMatchObject({
      response: { status: 'error', error: { locks: { status: 'down', message: expect.any(String) as unknown } } },
    });
  });

  it('is down while Redis hangs behind a connection that stands, and up when it answers again', async () => {
    const time = driveTime(kit);
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const { app } = await start([HoldfastModule.forRoot({ redis: `redis://${proxy.host}:${proxy.port}` })]);
    const locks = app.get(LockHealthIndicator);
    expect(await locks.isHealthy('locks')).toEqual({ locks: { status: 'up' } });
    proxy.blackHole();
    await time.advance(1_000);
    const hanging = locks.isHealthy('locks');
    await time.advance(1_000);
    expect(await hanging).toMatchObject({ locks: { status: 'down' } });
    await proxy.heal();
    expect(await locks.isHealthy('locks')).toEqual({ locks: { status: 'up' } });
  });
});
