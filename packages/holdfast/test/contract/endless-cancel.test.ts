import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { encounter, yourClient } from '../support/hostile-clients.js';
import { array, bulk, number } from '../support/resp.js';
import { turns } from '../support/room.js';

const kit = useRedis();

describe('the cancel of an ask that your own connection may still deliver', () => {
  it('ends although no answer ever fits, when the lease and the tombstone are over', async () => {
    const time = driveTime(kit);
    const { server, client } = await encounter(kit, yourClient);
    server.hostileTo(['ask'], () => undefined);
    const call = client
      .getLock('lock')
      .tryLock(100, 5_000)
      .catch(() => 'unavailable');
    await waitUntil(() => server.asked('ask') > 0, { what: 'the ask' });
    const wrong = array(bulk('cancelled'), number(0), bulk('?elsewher.1'));
    let owed = wrong;
    server.hostileTo(['cancel'], (socket) => {
      socket.write(owed + wrong);
      owed = '';
    });
    await time.advance(300);
    await call;
    const repeated = async () => {
      await time.advance(50);
      return server.asked('cancel') > 2;
    };
    await waitUntil(repeated, { what: 'the cancel to be repeated' });
    const goOn = async (ms: number) => {
      for (const end = time.now() + ms; time.now() < end; await turns(5)) await time.advance(250);
    };
    await goOn(70_000);
    const asked = server.asked('cancel');
    await goOn(5_000);
    expect(server.asked('cancel')).toBe(asked);
  });
});
