import type { ClusterOptions } from 'ioredis';

/** The place of a server as we reach it, which is `host:port` to the others. */
export function reachedAs(address: string, natMap: ClusterOptions['natMap']): string {
  const mapped = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return mapped ? `${mapped.host}:${mapped.port}` : address;
}

/** Of `host:port`. An address of IPv6 has colons of its own. */
export const partsOf = (address: string): [host: string, port: string] =>
  address.split(/:(?=\d*$)/) as [string, string];
