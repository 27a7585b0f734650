/** How Redis Cluster spreads keys over its 16,384 slots: CRC16 (XMODEM) of the key, or of the part of it that is in braces. */

/** How many there are. */
export const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The slot of a whole key, prefix included. */
export function keySlot(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashedPart(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0);
    crc &= 0xffff;
  }
  return crc % SLOTS;
}

/** The part of a key that is hashed: what is in the first braces, unless that is nothing. */
export function hashedPart(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
}
