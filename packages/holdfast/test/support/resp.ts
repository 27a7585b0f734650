/** Frames of the Redis protocol. */

export const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
export const array = (...items: string[]) => `*${items.length}\r\n${items.join('')}`;
export const push = (...items: string[]) => `>${items.length}\r\n${items.join('')}`;
export const number = (value: number | string) => `:${value}\r\n`;
