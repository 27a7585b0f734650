import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  type InjectionToken,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';
import { getLockClientToken } from './client-token.js';
import { LockHealthIndicator } from './health.js';

/** Options of {@link HoldfastModule}: those of `createLockClient`, and how it ends. */
export interface HoldfastModuleOptions extends LockClientOptions {
  /** How long holds in use may take to end when the application shuts down, in milliseconds. Then they are lost. Default 10 000. */
  drainMs?: number | undefined;
}

/** Looks at the scope of the client when the application starts. Where that is not one for all, Nest makes the module itself for each request, and calls none of its hooks. */
const SCOPE_CHECK: unique symbol = Symbol('@holdfast/nestjs: whether the client is one for all requests');

/** The client of an import, whatever its name. */
const CLIENT: unique symbol = Symbol('@holdfast/nestjs: the client of forRoot or forRootAsync');

/** Found by a token of its own: the module may be imported by way of a class that extends it. */
const IMPORT: unique symbol = Symbol('@holdfast/nestjs: an import');

/** One import of the module. */
interface Import {
  readonly client: LockClient;
  readonly name: string | undefined;
  /** It is for the whole application. */
  readonly isGlobal: boolean;
}

/** What the module takes besides, and does not pass on. */
interface HoldfastModuleExtras {
  /** Whether the whole application may inject the client. Default true. */
  isGlobal?: boolean | undefined;
  /** For one of several clients in an application, each on a Redis of its own: who injects it, or has it in `@WithLock`, says this name. Absent: `LockClient`. */
  name?: string | undefined;
}

// The name stands in what Nest says of a provider that is missing.
const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<HoldfastModuleOptions>({
  moduleName: 'Holdfast',
})
  .setClassMethodName('forRoot')
  .setExtras<HoldfastModuleExtras>({ isGlobal: true, name: undefined }, (definition, extras) => {
    const [isGlobal, name] = [globalIn(extras), nameIn(extras)];
    const token = getLockClientToken(name);
    return {
      ...definition,
      global: isGlobal,
      providers: [
        ...(definition.providers ?? []),
        clientAs(token),
        { provide: CLIENT, useExisting: token },
        { provide: IMPORT, inject: [token], useFactory: (client: LockClient): Import => ({ client, name, isGlobal }) },
        ...(name === undefined ? [LockHealthIndicator] : []),
      ],
      exports: [token, ...(name === undefined ? [LockHealthIndicator] : [])],
    };
  })
  .build();

function clientAs(token: InjectionToken<LockClient>): Provider {
  return {
    provide: token,
    inject: [MODULE_OPTIONS_TOKEN],
    useFactory: (options: HoldfastModuleOptions) => createLockClient(apart(options).ofClient),
  };
}

/** @throws TypeError: for Nest each text is a yes. */
function globalIn({ isGlobal = true }: HoldfastModuleExtras): boolean {
  if (typeof isGlobal === 'boolean') return isGlobal;
  const given = isGlobal === null ? 'null' : typeof isGlobal;
  throw new TypeError(`HoldfastModule: isGlobal must be true or false, got ${given}`);
}

/** @throws TypeError for what is no name. */
function nameIn({ name }: HoldfastModuleExtras): string | undefined {
  const given: unknown = name;
  if (given === undefined || (typeof given === 'string' && given !== '')) return given;
  throw new TypeError(`HoldfastModule: name must be a text, got ${given === '' ? 'an empty one' : typeof given}`);
}

/** @throws TypeError for a client that Nest would make for each request. */
function checkIsForAll(modules: ModuleRef): void {
  try {
    for (const token of [MODULE_OPTIONS_TOKEN, CLIENT]) modules.get(token);
  } catch (cause) {
    throw new TypeError(
      'HoldfastModule: the options depend on what Nest makes for each request, such as REQUEST: each request would open connections of its own, which nobody closes. ' +
        'Have one client for all, and put what differs into the names of the locks: a key of @WithLock sees the object, and so its request',
      { cause },
    );
  }
}

/** Options that a factory or a class gives. */
type AsyncOptions = ConfigurableModuleAsyncOptions<HoldfastModuleOptions> & HoldfastModuleExtras;

/** What asks a class for the options: of one that cannot give them Nest would say that something is not a function, and not what. */
function askedOf(maker: NonNullable<AsyncOptions['useExisting']>): Provider {
  return {
    provide: MODULE_OPTIONS_TOKEN,
    inject: [maker],
    useFactory: (made: { readonly create?: () => HoldfastModuleOptions | Promise<HoldfastModuleOptions> } | null) => {
      if (typeof made?.create === 'function') return made.create();
      const name = typeof maker === 'function' ? maker.name : String(maker);
      throw new TypeError(`HoldfastModule: ${name} must have a method create(), which gives the options`);
    },
  };
}

const DRAIN_MS = 10_000;
/** The longest that `close` of the client takes. */
const MAX_TIME_MS = 2 ** 31;

/** @throws TypeError for no options. */
function checkIsObject(
  options: HoldfastModuleOptions | null | undefined,
  hint: string,
): asserts options is HoldfastModuleOptions {
  if (typeof options === 'object' && options !== null) return;
  const given = options === null ? 'null' : typeof options;
  throw new TypeError(`HoldfastModule: options must be an object, got ${given}${hint}`);
}

/**
 * What is the client's, which refuses options that it does not know, and what is the module's own.
 *
 * @throws TypeError for no options, RangeError for a time that `close` could not take: at its end an application must not find that out.
 */
function apart(options: HoldfastModuleOptions | null | undefined): {
  readonly ofClient: LockClientOptions;
  readonly drainMs: number;
} {
  checkIsObject(options, '; what does the factory of forRootAsync give?');
  const { drainMs = DRAIN_MS, ...ofClient } = options;
  if (!Number.isInteger(drainMs) || drainMs < 0 || drainMs > MAX_TIME_MS) {
    throw new RangeError(`HoldfastModule: drainMs must be a whole number of milliseconds between 0 and ${MAX_TIME_MS}`);
  }
  return { ofClient, drainMs };
}

/** @throws TypeError for an object of a test that has taken the place of the client, and cannot be closed. */
function checkCloses(client: Partial<LockClient> | null | undefined): void {
  if (typeof client?.close === 'function') return;
  throw new TypeError(
    'HoldfastModule: what was given in place of LockClient has no close(), which ends it when the application shuts down. ' +
      'Give createTestClient() of holdfast/testing, which is a whole client without Redis',
  );
}

/**
 * One lock client for the application: `HoldfastModule.forRoot({ redis: 'redis://localhost:6379' })`, or `forRootAsync({ inject, useFactory })`. Inject it as
 * `LockClient`. The module is global, unless `isGlobal: false` is given. Import it once: each import has a client of its own, and clients never re-enter each other's locks.
 * For a second Redis import it once more with a `name`, for {@link InjectLockClient} and {@link WithLock}. Of a second one that is global too a process warning tells (`HOLDFAST_SECOND_CLIENT`). The client is one for all requests: options that depend on a request are
 * refused with a TypeError when the application starts.
 *
 * When the application shuts down, and has answered its last request, the client is closed; `app.enableShutdownHooks()` makes signals do that. Import it behind
 * the modules that sections use, such as that of the database: Nest shuts global modules down in the reverse order, and those that are not global before them.
 *
 * In tests a client of `holdfast/testing` takes its place: `overrideProvider(LockClient).useValue(createTestClient())`.
 */
@Module({
  providers: [
    {
      provide: SCOPE_CHECK,
      inject: [ModuleRef],
      useFactory: (modules: ModuleRef): OnModuleInit => ({ onModuleInit: () => checkIsForAll(modules) }),
    },
  ],
})
export class HoldfastModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  readonly #client: LockClient;
  readonly #drainMs: number;
  readonly #modules: ModuleRef;

  /** See {@link HoldfastModule}. @throws TypeError for no options, and an `isGlobal` that is neither true nor false. */
  static override forRoot(options: HoldfastModuleOptions & HoldfastModuleExtras): DynamicModule {
    checkIsObject(options, '');
    return super.forRoot(options);
  }

  /**
   * See {@link HoldfastModule}. A class, of `useClass` or `useExisting`, has a method `create()` that gives the options.
   *
   * @throws TypeError where nothing gives options, and for an `isGlobal` that is neither true nor false.
   */
  static override forRootAsync(options: AsyncOptions): DynamicModule {
    checkIsObject(options as HoldfastModuleOptions, '');
    const { useFactory, useExisting, useClass } = options;
    if (typeof useFactory === 'function') return super.forRootAsync(options);
    const maker = useExisting ?? useClass;
    if (useFactory != null || maker == null)
      throw new TypeError(
        'HoldfastModule: forRootAsync needs a useFactory that is a function, or useClass, or useExisting',
      );
    const definition = super.forRootAsync(options);
    const isAsking = (provider: Provider) => typeof provider === 'object' && provider.provide === MODULE_OPTIONS_TOKEN;
    const others = (definition.providers ?? []).filter((provider) => !isAsking(provider));
    return { ...definition, providers: [askedOf(maker), ...others] };
  }

  constructor(
    @Inject(CLIENT) client: LockClient,
    @Inject(MODULE_OPTIONS_TOKEN) options: HoldfastModuleOptions,
    @Inject(ModuleRef) modules: ModuleRef,
  ) {
    super();
    this.#client = client;
    this.#drainMs = apart(options).drainMs;
    this.#modules = modules;
  }

  /** Called by Nest. Those that are not global have clients of their own on purpose. */
  onModuleInit(): void {
    const own = this.#modules.get<Import>(IMPORT);
    const imports = this.#modules.get<Import>(IMPORT, { strict: false, each: true });
    const global = imports.filter(({ isGlobal, name }) => isGlobal && name === own.name);
    // One of them tells. In a test one client may have taken the place of all.
    if (global[0] !== own || new Set(global.map(({ client }) => client)).size === 1) return;
    process.emitWarning(
      `HoldfastModule is imported ${global.length} times in this application, and each import has a lock client of its own: a call that is nested in code which holds ` +
        'its lock by another client will wait for ever. Import it once, in the root module: it is global. An import that is to have its own client says ' +
        'isGlobal: false, or has a name of its own.',
      { type: 'HoldfastWarning', code: 'HOLDFAST_SECOND_CLIENT' },
    );
  }

  /** Called by Nest. Not `onModuleDestroy`: requests are still being answered then. */
  async onApplicationShutdown(): Promise<void> {
    checkCloses(this.#client);
    await this.#client.close({ drainMs: this.#drainMs });
  }
}
