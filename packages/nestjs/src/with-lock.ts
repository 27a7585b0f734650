import type { AcquireOptions, LockClient } from 'holdfast';
import { types } from 'node:util';
import { InjectLockClient } from './client-token.js';
import { runHolding } from './current-hold.js';

/**
 * Names the lock of a call: by the object whose method is called, and its arguments. Several names are had together or not at all; see `getMultiLock`.
 */
export type LockKey<S extends object, A extends readonly unknown[]> = (
  self: S,
  ...args: A
) => string | readonly string[];

/** The parameters of a method of which the first are these. */
type Beginning<A extends readonly unknown[]> = number extends A['length'] ? A : readonly [...A, ...unknown[]];

/** Which parameters calls may leave out. */
type Shape<P extends readonly unknown[]> = { [K in keyof P]: 1 };

/**
 * Whether each call of a method with parameters `P` gives a key all that it reads. `Q` is `P` once more, inferred under the constraint that the key can take it: only
 * there the compiler looks behind a type parameter of a class, and takes no wider type for the one that the key reads, as it does where it compares methods. Where
 * the constraint is not met `Q` is the constraint itself, which has another shape. That of `P` tells besides which parameters calls may leave out.
 */
type Gives<P extends readonly unknown[], Q extends readonly unknown[], A extends readonly unknown[]> = [
  Shape<P>,
  Shape<Q>,
] extends [Beginning<Shape<A>>, Shape<P>]
  ? unknown
  : 'the parameters of the key must be the first ones of the method, and optional where those are optional or have a default';

/** What works only when somebody reads it: an Observable of rxjs, a generator. */
type Stream =
  | { readonly subscribe: (...observer: never[]) => unknown; readonly pipe: (...operators: never[]) => unknown }
  | Generator<unknown, unknown, never>
  | AsyncGenerator<unknown, unknown, never>;

/** Whether it is `any`, or never comes. */
type Unsaid<R> = 0 extends 1 & R ? true : [R] extends [never] ? true : false;

/** What `@WithLock(key)` does with a method. */
export interface LockDecorator<S extends object, A extends readonly unknown[]> {
  /**
   * The compiler refuses what this returns, and says it. It is asked first, so a type parameter, as in `Promise<T>`, goes on to the other one. Where neither fits, `R` is
   * the constraint itself, and nothing is said of streams.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only an inferred one fits every method
  <P extends unknown[], R extends Stream>(
    target: S,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: P) => Promise<R>> & (Unsaid<R> extends true ? never : unknown),
  ): [Stream] extends [R]
    ? void
    : { readonly refused: 'a stream would run when the lock has been given back: take the lock in the stream' };
  <P extends unknown[], Q extends Beginning<A>, R>(
    target: S,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: P) => Promise<R>> &
      TypedPropertyDescriptor<(...args: Q) => Promise<R>> &
      Gives<P, Q, A>,
  ): TypedPropertyDescriptor<(...args: P) => Promise<R>>;
}

/** Options of {@link WithLock}: those of `withLock`, and whose lock it is. */
export interface WithLockOptions extends AcquireOptions {
  /** The `name` of an import of `HoldfastModule`. Absent: that of the import without one. */
  client?: string | undefined;
}

const places = new Map<string | undefined, symbol>();

/** Where Nest puts a client into an object with decorated methods. */
function placeOf(name: string | undefined): symbol {
  const whose = name === undefined ? '' : ` with the name "${name}"`;
  const place = places.get(name) ?? Symbol(`@WithLock: the client of HoldfastModule${whose}, which has to be imported`);
  places.set(name, place);
  return place;
}

/**
 * Runs a method of a provider or controller while it holds a lock: `client.getLock(key).withLock(options, …)`. A call inside it that wants the same lock
 * re-enters. {@link currentHold} is the hold.
 *
 * The parameters of `key` are those of the method, or its first ones; the compiler checks it. Give their types:
 * `@WithLock((self: Accounts, id: string) => ['account', id].join(':'))`. The key sees what the call was given, and no default of the method: where a call may leave a parameter
 * out, that of the key is optional too, and the key says what counts then. Name what is guarded, and not the method: two methods that guard one thing need one name.
 *
 * The method is async, and rejects with `LockTimeoutError` when the lock stayed busy for `waitMs`, with `LockLostError` when it was lost meanwhile, and else as `withLock`;
 * with what `key` throws, before any I/O. What other decorators have noted on the method stays, in whatever order they stand. One that opens a transaction,
 * as `@Transactional()`, has to stand below: above, it commits when the lock has been given back, and changes are lost.
 *
 * The compiler refuses it on a generic or overloaded method, whose types a decorator cannot follow: call `getLock(…).withLock(…)` inside such a method. In a generic class
 * the key knows of a parameter what the class demands of it: `(self: Store<Entity>, entity: Entity) => entity.id` in a `Store<T extends Entity>`.
 *
 * @throws TypeError, where it stands, for a key that is no function, options that are no object, on anything but a method of an object, and without `experimentalDecorators`. What the options say is checked by `withLock`, with each call.
 * From a call, whose method has run by then, for an Observable or a generator: it would run when the lock has been given back. The compiler refuses a method that says so. Let the stream take the lock itself.
 *
 * Not promised: anything for a method that is called on an object which Nest has not made, or without its object. The call rejects then, before any I/O.
 */
export function WithLock<S extends object, A extends readonly unknown[]>(
  key: LockKey<S, A>,
  options: WithLockOptions = {},
): LockDecorator<S, A> {
  if (typeof key !== 'function')
    throw new TypeError('@WithLock: the key must be a function of the object and the arguments');
  // A signal or a Map has no members of its own, and so nothing of it would reach withLock.
  if (Object.prototype.toString.call(options) !== '[object Object]')
    throw new TypeError('@WithLock: options must be an object, as those of withLock');
  const { client: clientName, ...ofLock } = options;
  const place = placeOf(clientName);
  const decorate = <P extends unknown[], R>(
    target: S,
    property: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: P) => Promise<R>>,
  ): TypedPropertyDescriptor<(...args: P) => Promise<R>> => {
    if ((property as unknown) === undefined)
      throw new TypeError('@WithLock is for methods, and stands at a class: put it at each method that needs the lock');
    // A decorator of the ECMAScript proposal is called with the method, and an object that says what it is.
    if (typeof property === 'object')
      throw new TypeError('@WithLock needs "experimentalDecorators": true in the tsconfig.json, as Nest itself does');
    if (typeof target === 'function')
      throw new TypeError(`@WithLock: ${String(property)} is static, and Nest gives a client to objects only`);
    // A field has none.
    const method = (descriptor as typeof descriptor | undefined)?.value;
    if (typeof method !== 'function')
      throw new TypeError(`@WithLock: ${String(property)} is no method, and nothing else can have a lock`);
    InjectLockClient(clientName)(target, place);
    const locked = async function (this: S, ...args: P): Promise<R> {
      // A method that was handed on by itself, as in `setInterval(this.close)`.
      if ((this as unknown) === undefined) throw withoutObject(property);
      const names = key(this, ...(args as unknown as A));
      const client = clientOf(this, place, property);
      checkNames(names, this, property);
      const lock = typeof names === 'string' ? client.getLock(names) : client.getMultiLock(names);
      return lock.withLock(ofLock, (hold) =>
        runHolding(hold, async () => {
          const result = await method.apply(this, args);
          checkIsDone(result, this, property);
          return result;
        }),
      );
    };
    return { ...descriptor, value: inPlaceOf(method, locked) };
  };
  return decorate;
}

/** @throws TypeError for what would work only when somebody reads it: by then the lock has been given back. */
function checkIsDone(result: unknown, self: object, property: string | symbol): void {
  const what = streamIn(result);
  if (what === undefined) return;
  throw new TypeError(
    `@WithLock: ${self.constructor.name}.${String(property)} gave ${what}, which would run when the lock has been given back: ` +
      'leave out @WithLock, and let the stream itself take the lock',
  );
}

function streamIn(result: unknown): string | undefined {
  if (types.isGeneratorObject(result)) return 'a generator';
  // Connections have the one, too, and streams of Node the other.
  const { subscribe, pipe } = (result ?? {}) as { subscribe?: unknown; pipe?: unknown };
  return typeof subscribe === 'function' && typeof pipe === 'function' ? 'an Observable' : undefined;
}

/** Of an argument that is `any`, as the body of a request often is, the compiler cannot know. */
function checkNames(given: unknown, self: object, property: string | symbol): void {
  const names: unknown[] = Array.isArray(given) ? given : [given];
  if (names.every((name) => typeof name === 'string')) return;
  const what = Array.isArray(given)
    ? `a list with ${described(names.find((name) => typeof name !== 'string'))}`
    : described(given);
  throw new TypeError(
    `@WithLock: the key of ${self.constructor.name}.${String(property)} gave ${what}; it must give a name, or a list of names`,
  );
}

function described(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return 'then' in value ? 'a promise' : 'an object';
}

function withoutObject(property: string | symbol): TypeError {
  const name = String(property);
  return new TypeError(
    `@WithLock: ${name} was called without its object; hand on () => object.${name}() in place of object.${name}`,
  );
}

function clientOf(self: object, place: symbol, property: string | symbol): LockClient {
  const client = (self as { readonly [place: symbol]: LockClient | undefined })[place];
  if (client !== undefined) return client;
  throw new Error(
    `@WithLock: ${self.constructor.name}.${String(property)} has no lock client: Nest has to make the object, with HoldfastModule imported`,
  );
}

/** Metadata is looked up along prototypes: so it is found whether a decorator stands above or below. */
function inPlaceOf<F extends (...args: never[]) => unknown>(method: F, locked: F): F {
  Object.setPrototypeOf(locked, method);
  for (const property of ['name', 'length'] as const)
    Object.defineProperty(locked, property, { value: method[property], configurable: true });
  return locked;
}
