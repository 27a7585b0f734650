/** Some wait for news, and one of them may call off another one when it hears it. */
import { describe, expect, it } from '@jest/globals';
import { TopologyEvents } from '../src/connection/topology-events.js';
import { Electorate } from '../src/redlock/electorate.js';

interface Source {
  wait(heard: () => void): () => void;
  tell(): void;
}

function connections(): Source {
  const events = new TopologyEvents();
  return { wait: (heard) => events.wait(heard), tell: () => events.resume() };
}

function nodes(): Source {
  const electorate = new Electorate([], {} as never, {} as never, { nodeTimeoutMs: 50, minValidityMs: undefined });
  return { wait: (heard) => electorate.watch(heard), tell: electorate.onNews };
}

describe('who is called off by another one that hears the same news hears nothing of it', () => {
  it.each([
    ['that there is a connection', connections],
    ['that something is known of a node', nodes],
  ])('%s', (_, make) => {
    const source = make();
    const heard: string[] = [];
    source.wait(() => {
      heard.push('first');
      forget();
    });
    const forget = source.wait(() => heard.push('second'));
    source.tell();
    expect(heard).toEqual(['first']);
  });
});
