import { describe, expect, it } from '@jest/globals';
import { type SubscriptionCommand, SubscriptionState } from '../src/subscription-state.js';

function subscribed(): SubscriptionState {
  const state = new SubscriptionState();
  state.want();
  state.next();
  state.succeeded('subscribe');
  return state;
}

describe('SubscriptionState', () => {
  it('sends nothing for nothing, and nothing for a wish taken back before it was sent', () => {
    const state = new SubscriptionState();
    expect(state.next()).toBeUndefined();
    state.want();
    state.unwant();
    expect(state.next()).toBeUndefined();
    expect(state.idle).toBe(true);
  });

  it('is confirmed by the success of its subscribe, not by sending it', () => {
    const state = new SubscriptionState();
    state.want();
    expect(state.next()).toBe('subscribe');
    expect([state.confirmed, state.idle]).toEqual([false, false]);
    state.succeeded('subscribe');
    expect(state.confirmed).toBe(true);
    expect(state.next()).toBeUndefined();
  });

  it('unsubscribes after the confirmation when the last left meanwhile', () => {
    const state = new SubscriptionState();
    state.want();
    state.next();
    state.unwant();
    state.succeeded('subscribe');
    expect(state.confirmed).toBe(false);
    expect(state.next()).toBe('unsubscribe');
    state.succeeded('unsubscribe');
    expect(state.idle).toBe(true);
  });

  it('is not confirmed, and subscribes again, when wanted during an unsubscribe', () => {
    const state = subscribed();
    state.unwant();
    expect(state.next()).toBe('unsubscribe');
    state.want();
    expect(state.confirmed).toBe(false);
    state.succeeded('unsubscribe');
    expect(state.next()).toBe('subscribe');
  });

  it('follows a failed subscribe with an unsubscribe, because the server may have run it', () => {
    const state = new SubscriptionState();
    state.want();
    state.next();
    state.failed('subscribe');
    expect([state.wanted, state.next()]).toEqual([false, 'unsubscribe']);
    state.succeeded('unsubscribe');
    expect(state.idle).toBe(true);
  });

  it('does not remember a failed subscribe when it is wanted again', () => {
    const state = new SubscriptionState();
    state.want();
    state.next();
    state.failed('subscribe');
    state.want();
    expect(state.next()).toBe('subscribe');
    state.succeeded('subscribe');
    expect(state.confirmed).toBe(true);
  });

  it.each([
    ['the connection is back', (state: SubscriptionState) => state.restored(), 'unsubscribe'],
    ['it is dropped anew', (state: SubscriptionState) => state.unwant(), 'unsubscribe'],
    ['it is wanted again', (state: SubscriptionState) => state.want(), 'subscribe'],
  ])('does not repeat a failed unsubscribe until %s', (_when, change, command) => {
    const state = subscribed();
    state.unwant();
    state.next();
    state.failed('unsubscribe');
    expect([state.next(), state.idle]).toEqual([undefined, false]);
    change(state);
    expect(state.next()).toBe(command);
  });

  it('is unconfirmed from the loss of the connection to its return, and sends nothing for that', () => {
    const state = subscribed();
    state.lost();
    expect([state.confirmed, state.connected, state.next()]).toEqual([false, false, undefined]);
    state.restored();
    expect([state.confirmed, state.connected, state.next()]).toEqual([true, true, undefined]);
  });

  it('ends where the wishes ended, over every sequence of seven wishes and outcomes', () => {
    type Step = 'want' | 'unwant' | 'send' | 'succeed' | 'fail-before' | 'fail-after';
    const steps: Step[] = ['want', 'unwant', 'send', 'succeed', 'fail-before', 'fail-after'];
    let sequences = 0;
    const walk = (path: readonly Step[]) => {
      if (path.length < 7) for (const step of steps) walk([...path, step]);
      else if (play(path)) sequences += 1;
    };
    walk([]);
    expect(sequences).toBeGreaterThan(1_000);

    function play(path: readonly Step[]): boolean {
      const state = new SubscriptionState();
      let server = false;
      let inFlight: SubscriptionCommand | undefined;
      const settle = (outcome: 'succeed' | 'fail-before' | 'fail-after') => {
        if (inFlight === undefined) return false;
        const command = inFlight;
        inFlight = undefined;
        if (outcome !== 'fail-before') server = command === 'subscribe';
        if (outcome === 'succeed') state.succeeded(command);
        else state.failed(command);
        return true;
      };
      for (const step of path) {
        if (step === 'want') state.want();
        else if (step === 'unwant') state.unwant();
        else if (step === 'send') {
          if (inFlight !== undefined) return false;
          inFlight = state.next();
          if (inFlight === undefined) return false;
        } else if (!settle(step)) return false;
        // What a caller relies on at any moment.
        if (state.confirmed) expect([server, inFlight, path]).toEqual([true, undefined, path]);
      }
      // From here on the server answers.
      if (inFlight === undefined) state.restored();
      do settle('succeed');
      while ((inFlight = state.next()) !== undefined);
      if (state.wanted) expect([state.confirmed, server, path]).toEqual([true, true, path]);
      else expect([state.idle, server, path]).toEqual([true, false, path]);
      return true;
    }
  });
});
