import type { Request } from '../server/connection.js';
import type { MemoryCommand } from './memory-command.js';

/** Where it is written to, which makes no difference. */
const nowhere = {};

/**
 * A command as it goes over the wire, taken apart: what a client sends is what counts, and some commands of holdfast write themselves. Every text
 * is read as UTF-8.
 */
export function requestOf(command: MemoryCommand): Request {
  const wire = command.toWritable(nowhere);
  return typeof wire === 'string' && isAscii(wire) ? textsOf(wire) : textsIn(Buffer.from(wire));
}

/** One character is one byte. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function textsOf(wire: string): string[] {
  const texts: string[] = [];
  let at = wire.indexOf('\r\n') + 2;
  while (at < wire.length) {
    // Behind the `$`.
    let length = 0;
    let digit = wire.charCodeAt(++at);
    for (; digit !== 13; digit = wire.charCodeAt(++at)) length = 10 * length + digit - 48;
    at += 2;
    texts.push(wire.slice(at, at + length));
    at += length + 2;
  }
  return texts;
}

function textsIn(wire: Buffer): string[] {
  const texts: string[] = [];
  let at = wire.indexOf('\r\n') + 2;
  while (at < wire.length) {
    const end = wire.indexOf('\r\n', at);
    const length = Number(wire.toString('latin1', at + 1, end));
    texts.push(wire.toString('utf8', end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return texts;
}
