// The command line, as npm has installed it: what stands in node_modules/.bin.
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const program = join(import.meta.dirname ?? '.', 'node_modules/.bin/holdfast');
const run = (...args) => spawnSync(program, args, { encoding: 'utf8' });

const { fit, findings } = JSON.parse(execFileSync(program, ['doctor', '--json'], { encoding: 'utf8' }));
assert.equal(fit, true, JSON.stringify(findings));
const { status, stdout } = run('run', 'cli', '--', program, 'inspect', 'cli', '--json');
assert.equal(status, 0);
assert.equal(JSON.parse(stdout).owner.kind, 'holdfast');
assert.equal(run('inspect', 'cli').status, 1);
assert.match(run('--version').stdout, /^\d+\.\d+\.\d+\S*\n$/);
assert.match(run('--help').stdout, /usage:/);
