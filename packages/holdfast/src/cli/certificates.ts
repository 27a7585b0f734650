/** The files of TLS that the command line names, as its options; named as those of `redis-cli`. */

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { UsageError } from './exit-codes.js';

/** The options that name files. */
export const certificateOptions = {
  cacert: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
} as const;

/** As they were given. */
export interface CertificateValues {
  readonly cacert?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** What Node's TLS takes. */
export interface Certificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What is in them; undefined where none is named. @throws UsageError */
export function certificatesOf({ cacert, cert, key }: CertificateValues): Certificates | undefined {
  if (cacert === undefined && cert === undefined && key === undefined) return undefined;
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--cert and --key need each other');
  const certificates = {
    ...(cacert === undefined
      ? {}
      : { ca: textOf('--cacert', cacert, /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/) }),
    ...(cert === undefined ? {} : { cert: textOf('--cert', cert, anything) }),
    ...(key === undefined ? {} : { key: textOf('--key', key, anything) }),
  };
  try {
    createSecureContext(certificates);
    return certificates;
  } catch (error) {
    throw new UsageError(`the files of --cacert, --cert and --key do not serve: ${(error as Error).message}`);
  }
}

/** PEM of any kind: what is wrong with it Node says. */
const anything = /-----BEGIN /;

function textOf(option: string, file: string, content: RegExp): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the file of ${option} cannot be read: ${(error as Error).message}`);
  }
  if (!anything.test(text)) throw new UsageError(`the file of ${option} is no PEM: ${file}`);
  // What is something else Node passes over in silence, where it is an authority.
  if (!content.test(text)) throw new UsageError(`the file of ${option} has no certificate: ${file}`);
  return text;
}
