import { canIssueCertificates, type Certificate, issueCertificate, startPrivateRedis } from '@holdfast/testkit';
import { describe } from '@jest/globals';

const issued = canIssueCertificates() ? issueCertificate() : undefined;
const reason = issued === undefined ? 'there is no openssl program' : await refusesTls(issued);
if (reason !== undefined) process.stderr.write(`skipped: connections by TLS: ${reason}\n`);

/** Of the servers of these tests. Where there is none, {@link describeByTls} runs nothing. */
export const certificate = issued;

/** Tests of TLS, on a machine where there can be any. */
export const describeByTls: (title: string, tests: () => void) => void =
  reason === undefined ? describe : describe.skip;

/** Why the server that the tests find cannot serve TLS; undefined when it can. */
async function refusesTls(tls: Certificate): Promise<string | undefined> {
  try {
    const server = await startPrivateRedis({ tls });
    await server.stop();
    return undefined;
  } catch (error) {
    return String(error);
  }
}
