import { describe, expect, it } from '@jest/globals';
import { wordsOf } from '../../src/cli/complaint.js';

const refused = (why: string) =>
  wordsOf(new Error('the TLS certificate is not accepted here', { cause: new Error(why) }));

it('what keeps the nodes of a Cluster from telling an address is said', () => {
  const words = wordsOf(new Error('no node of the Cluster keeps the slot and has an address'));
  for (const setting of ['cluster-announce-ip', 'unknown-endpoint']) expect(words).toContain(setting);
});

describe('what is said of a certificate that is not accepted', () => {
  it('is --cacert where its authority is unknown, and the host where it is for another', () => {
    expect(refused('self-signed certificate')).toContain('say --cacert');
    const words = refused("Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list");
    expect(words).toContain('say a host that it is for');
    expect(words).not.toContain('--cacert');
  });
});
