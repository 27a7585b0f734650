import { expect, it } from '@jest/globals';
import { isLasting } from '../src/connection/trouble.js';

it.each([
  'error:0A0000C6:SSL routines:ssl3_get_record:packet length too long',
  'error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
])('what OpenSSL says of a port without TLS does not pass by itself, with its code or without: %s', (message) => {
  expect(isLasting(new Error(message))).toBe(true);
});
