import { lookup } from 'node:dns';
import { expect, it } from '@jest/globals';
import { redacted } from '../src/connection/reply-errors.js';
import { describeTrouble, isLasting } from '../src/connection/trouble.js';

it.each([
  'error:0A0000C6:SSL routines:ssl3_get_record:packet length too long',
  'error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
])('what OpenSSL says of a port without TLS does not pass by itself, with its code or without: %s', (message) => {
  expect(isLasting(new Error(message))).toBe(true);
});

it('a process that may not use the network is told so, and that does not pass by itself', () => {
  const denied = redacted(
    Object.assign(new Error('Access to this API has been restricted. Use --allow-net to manage permissions.'), {
      code: 'ERR_ACCESS_DENIED',
    }),
  );
  expect(describeTrouble(denied)).toContain('may not use the network');
  expect(isLasting(denied)).toBe(true);
});

it.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
])('what ioredis says of its own workings is told as what is the case: %s', (message) => {
  const told = describeTrouble(redacted(new Error(message)));
  expect(told).toMatch(/connection/);
  expect(told).not.toMatch(/ioredis|queue|retries|option|stream/i);
});

it('TLS is not blamed for what Node refuses of any connection', () => {
  const { message, code } = failureOf(() => lookup('localhost', { family: 9 }, () => undefined));
  const told = describeTrouble(Object.assign(new Error(message), { code }));
  expect(told).toMatch(/^Node refuses the options of the connection \(.*family/);
});

function failureOf(call: () => void): NodeJS.ErrnoException {
  try {
    call();
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  throw new Error('it was accepted');
}
