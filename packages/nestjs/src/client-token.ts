import { Inject, type InjectionToken } from '@nestjs/common';
import { LockClient } from 'holdfast';

/**
 * The token of a client: for `overrideProvider` and `useFactory`.
 *
 * @param name - of an import of `HoldfastModule` that has one. Absent: the client of the import without a name, whose token is `LockClient` itself.
 */
export function getLockClientToken(name?: string): InjectionToken<LockClient> {
  return name === undefined ? LockClient : `LockClient:${name}`;
}

/**
 * Injects a client of `HoldfastModule` into a parameter or property: `@InjectLockClient('billing') locks: LockClient`.
 *
 * @param name - as that of {@link getLockClientToken}.
 */
export function InjectLockClient(name?: string): ParameterDecorator & PropertyDecorator {
  return Inject(getLockClientToken(name));
}
