// Certificates for servers that speak TLS. Node cannot issue any, so this needs the `openssl` program.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A server's certificate, its key, and the authority that signed it, which signs nothing else. All PEM.
 *
 * @typedef {object} Certificate
 * @property {string} ca
 * @property {string} cert
 * @property {string} key
 */

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** @returns {boolean} whether {@link issueCertificate} can work here: tests of TLS skip themselves where it cannot */
export function canIssueCertificates() {
  return spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;
}

/**
 * A certificate of a new authority, good for two days.
 *
 * @param {{ hosts?: string[] }} [options]   names and addresses it is for; default 127.0.0.1 and localhost
 * @returns {Certificate}
 * @throws Error in openssl's own words
 */
export function issueCertificate({ hosts = ['127.0.0.1', 'localhost'] } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-certificate-'));
  /** @param {...string} args */
  const openssl = (...args) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  /** @param {string} file */
  const text = (file) => readFileSync(join(dir, file), 'utf8');
  const names = hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`);
  try {
    writeFileSync(join(dir, 'names'), `subjectAltName=${names.join(',')}\n`);
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-days',
      '2',
      '-subj',
      '/CN=holdfast test',
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
    );
    openssl('req', '-new', ...newKey, '-subj', `/CN=${hosts[0]}`, '-keyout', 'key', '-out', 'request');
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    openssl('x509', '-req', '-in', 'request', ...signed, '-out', 'cert');
    return { ca: text('ca.crt'), cert: text('cert'), key: text('key') };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
