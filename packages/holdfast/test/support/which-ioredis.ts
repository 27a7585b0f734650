import { Redis } from 'ioredis';
import { Redis as LowestRedis5 } from 'ioredis5';
import { Redis as NewestRedis5 } from 'ioredis5-newest';

const names = new Map<unknown, string>([
  [LowestRedis5, 'ioredis5'],
  [NewestRedis5, 'ioredis5-newest'],
]);

/** The package that `import 'ioredis'` gives here: that of this test project, or of a process that it has started. */
export const whichIoredis = names.get(Redis) ?? 'ioredis';
