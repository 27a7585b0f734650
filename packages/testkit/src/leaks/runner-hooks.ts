/** The hooks that jest and its kin give to a test file. Looked up when used, so that workers can import the testkit. */
type HookName = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll';

/** Registers `body` with the test runner. @throws Error outside a test file. */
export function hook(name: HookName, body: () => Promise<void>): void {
  const register: unknown = Reflect.get(globalThis, name);
  if (typeof register !== 'function') throw new Error(`${name}() is missing: call this in a test file`);
  Reflect.apply(register, undefined, [body]);
}
