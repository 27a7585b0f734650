import type { ReadWriteLock, RLock } from 'holdfast';
import { Gate } from '../support/room.js';

/** A reader of the book who is to want the account, and the owner of the account who is to want to read: each when its gate opens. */
export function crossing(
  book: ReadWriteLock,
  account: RLock,
  around: (read: () => Promise<string>) => Promise<string> = (read) => read(),
) {
  const [reads, mayWant, hasAccount, mayRead] = [new Gate(), new Gate(), new Gate(), new Gate()];
  const reader = around(() =>
    book.readLock().withLock(async () => {
      reads.open();
      await mayWant.opened;
      return account.withLock(() => 'reader');
    }),
  );
  const owner = account.withLock(async () => {
    hasAccount.open();
    await mayRead.opened;
    return book.readLock().withLock(() => 'owner');
  });
  const areIn = Promise.all([reads.opened, hasAccount.opened]);
  return { reader, owner, mayWant, mayRead, areIn };
}
