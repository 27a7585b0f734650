import type { ClusterOptions, Redis } from 'ioredis';

/** By which a node of a Cluster is known, as ioredis has it: `host:port`. */
export const hostAndPort = ({ options }: Redis): string => `${options.host}:${options.port}`;

/** In words an address of IPv6 has brackets. */
export const inWords = (address: string): string => address.replace(/^(.*:.*):/, '[$1]:');

/** The place of a server as we reach it, which is `host:port` to the others. */
export function reachedAs(address: string, natMap: ClusterOptions['natMap']): string {
  const mapped = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return mapped ? `${mapped.host}:${mapped.port}` : address;
}

/** Of `host:port`. An address of IPv6 has colons of its own. */
export const partsOf = (address: string): [host: string, port: string] =>
  address.split(/:(?=\d*$)/) as [string, string];
