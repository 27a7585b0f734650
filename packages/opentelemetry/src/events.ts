import type { LockEventMessage } from 'holdfast';

/** Events about one lock that no other metric counts. */
export const eventsOfLocks = ['suspect', 'held-long', 'foreign-owner'] as const;

/** Those about no lock, or several. */
export const eventsOfClients = ['deadlock', 'unsafe-setting', 'error'] as const;

type About<E extends LockEventMessage['event']> = Extract<LockEventMessage, { readonly event: E }>;

export const isOfLock = (message: LockEventMessage): message is About<(typeof eventsOfLocks)[number]> =>
  eventsOfLocks.some((event) => event === message.event);

export const isOfClient = (message: LockEventMessage): message is About<(typeof eventsOfClients)[number]> =>
  eventsOfClients.some((event) => event === message.event);
