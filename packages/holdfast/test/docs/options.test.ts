import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

const page = read('docs/options.md');
const troubleshooting = read('docs/troubleshooting.md');
const code = read('packages/holdfast/src/options.ts') + read('packages/holdfast/src/settings.ts');
const client = read('packages/holdfast/src/lock-client.ts') + read('packages/holdfast/src/client.ts');
const spin = read('packages/holdfast/src/primitives/spin-options.ts');
const calls = read('packages/holdfast/src/acquire-options.ts');

/** First and third cells of the table in a section: what an option is called, and its default. */
function rowsOf(section: string, from = page): Map<string, string> {
  const text = from.split(/^##+ /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const cells = text.split('\n').map((line) => line.split(' | '));
  return new Map(
    cells.flatMap(([option, , value]) => {
      const name = /^\| `(\w+)`$/.exec(option ?? '')?.[1];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

function membersOf(source: string, declaration: string): string[] {
  const from = source.indexOf(`export interface ${declaration} `);
  const text = source.slice(from, source.indexOf('\n}', from));
  return [...text.matchAll(/^ {2}(\w+)\??: /gm)].map(([, name]) => name ?? '');
}

const sections = [
  ['createLockClient', membersOf(code, 'LockClientOptions')],
  ['replicas', membersOf(code, 'ReplicaOptions')],
  ['limits', membersOf(code, 'LimitOptions')],
  ['Options of a call', [...membersOf(calls, 'LockOptions'), ...membersOf(calls, 'AcquireOptions')]],
  ['getLock', membersOf(client, 'LockHandleOptions')],
  ['getSpinLock', membersOf(spin, 'SpinOptions')],
  ['client.connect', membersOf(client, 'ConnectOptions')],
  ['client.close', membersOf(client, 'CloseOptions')],
] as const;

/** What the code takes when an option is absent, where that is a plain value. */
const defaults = [...`${code}\n${client}`.matchAll(/\b(\w+) = (\d[\d_]*|true|false|'\w+')[,\s]/g)]
  .map(([, name, value]): [string, string] => [name ?? '', (value ?? '').replaceAll('_', ' ')])
  .filter(([name]) => /^[a-z]/.test(name));

describe('docs/options.md', () => {
  it.each(sections)('has a row for each option that there is, and no other: %s', (section, options) => {
    expect(options).not.toHaveLength(0);
    expect([...rowsOf(section).keys()].sort()).toEqual([...options].sort());
  });

  it.each(defaults)('says the default of %s as the code has it', (name, value) => {
    const said = sections.flatMap(([section]) => rowsOf(section).get(name) ?? []);
    expect(said.map((text) => text.replaceAll('`', ''))).toContain(value);
  });

  it('was compared with some defaults', () => {
    expect(defaults.length).toBeGreaterThan(8);
  });
});

it('docs/troubleshooting.md says of each limit what docs/options.md says: its name and its default', () => {
  const said = [...rowsOf('LOCK_LIMIT', troubleshooting)].map(([name, value]) => [name, value.split(' ms', 1)[0]]);
  expect(said).toEqual([...rowsOf('limits')]);
});
