import { Buffer } from 'node:buffer';

/** Kinds of RESP value that carry a length and that many bytes. */
const bulkKinds = '$!=';
/** Kinds that carry a count, and how many values each counted thing has. An attribute (`|`) precedes a value. */
const valuesPerItem: Record<string, number> = { '*': 1, '~': 1, '>': 1, '%': 2, '|': 2 };

/**
 * The end of the RESP value (2 or 3, request or reply) that starts at `from`, or undefined while it is incomplete.
 * A line that is no RESP (an inline command) ends at its line break.
 */
function endOfValue(bytes: Buffer, from: number): number | undefined {
  let at = from;
  for (let missing = 1; missing > 0; missing--) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const kind = String.fromCharCode(bytes[at] ?? 0);
    const length = Number(bytes.toString('latin1', at + 1, lineEnd));
    at = lineEnd + 2;
    const perItem = valuesPerItem[kind];
    if (perItem !== undefined) missing += Math.max(0, length) * perItem + (kind === '|' ? 1 : 0);
    else if (bulkKinds.includes(kind) && length >= 0) at += length + 2;
    if (at > bytes.length) return undefined;
  }
  return at;
}

/** Cuts a byte stream into whole RESP values, however the chunks fall. */
export class RespFrames {
  #rest: Buffer = Buffer.alloc(0);

  /** The values that `chunk` completes, in order. */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole: Buffer[] = [];
    let at = 0;
    for (let end = endOfValue(bytes, at); end !== undefined && at < bytes.length; end = endOfValue(bytes, at)) {
      whole.push(bytes.subarray(at, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return whole;
  }

  /** Bytes of a value that is not complete yet. */
  get rest(): Buffer {
    return this.#rest;
  }
}
