import type { Redis } from 'ioredis';

/** `host:port`, for people: an address of IPv6 has brackets. */
export const inWords = (address: string): string => address.replace(/^(.*:.*):/, '[$1]:');

/** Where a connection leads that no sentinel has named. */
export const addressOf = ({ options }: Redis): string => options.path ?? inWords(`${options.host}:${options.port}`);
