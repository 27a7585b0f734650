// Compiled with its declarations, as a library of yours would be, and with exactOptionalPropertyTypes, for which an option given as undefined is another thing than one left out: all options take either.
import {
  type AcquireOptions,
  type AwaitLatchOptions,
  type BackOff,
  type CampaignOptions,
  type CloseOptions,
  type ConnectOptions,
  type CountDownOptions,
  createLockClient,
  type GuardSetOptions,
  type LimitOptions,
  type ListLocksOptions,
  LockClient,
  type LockClientOptions,
  type LockHandleOptions,
  type LockOptions,
  type ObserveOptions,
  type OncePerOptions,
  type PermitIdOptions,
  type PermitOptions,
  type PermitSectionOptions,
  type ReadWriteLockOptions,
  type RedLockClientOptions,
  type ReplicaOptions,
  type SemaphoreOptions,
  type ShareOptions,
  type SpinLockOptions,
} from 'holdfast';
import type { TestClientOptions, TestServerOptions } from 'holdfast/testing';

/** The optional properties of `T` that cannot be given as undefined. */
type Refusing<T> = T extends unknown
  ? {
      [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? (undefined extends Required<T>[K] ? never : K) : never;
    }[keyof T]
  : never;
/** Compiles only for no property at all. */
type None<K extends never> = K;

export type Checked = [
  None<Refusing<AcquireOptions>>,
  None<Refusing<AwaitLatchOptions>>,
  None<Refusing<BackOff>>,
  None<Refusing<CampaignOptions>>,
  None<Refusing<CloseOptions>>,
  None<Refusing<ConnectOptions>>,
  None<Refusing<CountDownOptions>>,
  None<Refusing<GuardSetOptions>>,
  None<Refusing<LimitOptions>>,
  None<Refusing<ListLocksOptions>>,
  None<Refusing<LockClientOptions>>,
  None<Refusing<LockHandleOptions>>,
  None<Refusing<LockOptions>>,
  None<Refusing<ObserveOptions>>,
  None<Refusing<OncePerOptions>>,
  None<Refusing<PermitIdOptions>>,
  None<Refusing<PermitOptions>>,
  None<Refusing<PermitSectionOptions>>,
  None<Refusing<ReadWriteLockOptions>>,
  None<Refusing<RedLockClientOptions>>,
  None<Refusing<ReplicaOptions>>,
  None<Refusing<SemaphoreOptions>>,
  None<Refusing<SpinLockOptions>>,
  None<Refusing<ShareOptions<unknown>>>,
  None<Refusing<TestClientOptions>>,
  None<Refusing<TestServerOptions>>,
];

export async function use(client: LockClient, maybe: number | undefined): Promise<void> {
  await client.getLock('exact').withLock({ waitMs: maybe, leaseMs: maybe, signal: undefined }, () => undefined);
  await client.getLock('exact').tryLock(maybe, maybe, { signal: undefined });
  await client.getFencedLock('exact').tryLockAndGetToken(maybe, maybe, { signal: undefined });
}

/** The class of clients as a token of dependency injection. */
export const lockProvider = { provide: LockClient, useFactory: createLockClient };
