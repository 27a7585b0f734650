import { expect, it } from '@jest/globals';
import { LockClient } from 'holdfast';
import { exclusivePrimitives, otherPrimitives } from './primitive.js';

it('every primitive that the client makes is held to the contract of the family', () => {
  const made = Object.getOwnPropertyNames(LockClient.prototype).filter((method) => /^get[A-Z]/.test(method));
  expect([...exclusivePrimitives.map(({ factory }) => factory), ...otherPrimitives].sort()).toEqual(made.sort());
});
