import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { commandTotals, serverUsage, usedBetween } from '../src/measure/server-usage.js';
import { figuresOfScripts } from '../src/workloads/loop-case.js';

const kit = useRedis();

describe('what the server has executed', () => {
  it('is read from its statistics, without the asking', () => {
    const text = [
      '# Commandstats',
      'cmdstat_evalsha:calls=4,usec=100,usec_per_call=25.00,rejected_calls=0,failed_calls=0',
      'cmdstat_hset:calls=6,usec=12,usec_per_call=2.00,rejected_calls=0,failed_calls=0',
      'cmdstat_client|list:calls=1,usec=12,usec_per_call=12.00,rejected_calls=0,failed_calls=0',
      'cmdstat_info:calls=90,usec=12,usec_per_call=2.00,rejected_calls=0,failed_calls=0',
    ];
    expect(commandTotals(text.join('\r\n'))).toEqual({ scripts: 4, scriptUs: 100, all: 11 });
    expect(commandTotals('')).toEqual({ scripts: 0, scriptUs: 0, all: 0 });
  });

  it('is exact between two looks', async () => {
    const sha = (await kit.admin.script('LOAD', "redis.call('get', 'a') return redis.call('get', 'b')")) as string;
    const before = await serverUsage(kit.admin);
    for (let i = 0; i < 5; i++) await kit.admin.evalsha(sha, 0);
    await kit.admin.ping();
    const { commands } = usedBetween(before, await serverUsage(kit.admin));
    expect(commands).toMatchObject({ scripts: 5, all: 5 + 5 * 2 + 1 });
  });
});

describe('the commands in a script', () => {
  const process = (commands: number) => ({
    ...{ commands, cpuUs: 0, timerLateP99Ms: 0, timerLateMaxMs: 0, peakMiB: 0 },
  });

  it('are what the server executed and no process sent', () => {
    const executed = { scripts: 10, scriptUs: 150, all: 112 };
    expect(figuresOfScripts(executed, [process(6), process(6)])).toEqual({ scriptUs: 15, innerCommands: 10 });
  });

  it('are unknown where nobody calls scripts, or somebody does not count', () => {
    expect(figuresOfScripts({ scripts: 0, scriptUs: 0, all: 10 }, [process(10)])).toEqual({});
    expect(figuresOfScripts({ scripts: 1, scriptUs: 9, all: 10 }, [process(1), { cpuUs: 0 }])).toEqual({});
  });
});
