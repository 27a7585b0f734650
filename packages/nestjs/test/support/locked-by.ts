import { WithLock } from '@holdfast/nestjs';

/** A decorator as an application, or a library around this one, makes it: the compiler writes its type into a declaration file. */
export const LockedBy = (what: string) => WithLock((_: object, id: string) => `${what}:${id}`);
