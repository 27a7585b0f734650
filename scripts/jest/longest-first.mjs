// The order of test files where Jest does not know yet how long each takes, as on a new machine.
//
// Jest begins with the largest files then. Those that run tests of another file, one after the other on each server, or that wait for failovers are small and take longest: begun last,
// they run alone while the other processors are idle.
import TestSequencer from '@jest/test-sequencer';

const long = [
  'memory/test/differential/',
  'holdfast/test/docs/code-blocks',
  'holdfast/test/access/acl',
  'holdfast/test/proof/hostile-holds',
  'holdfast/test/topology/',
  'safety/test/real-run',
  'simulation/test/',
];

const isLong = ({ path }) => path.includes('on-a-server') || long.some((part) => path.includes(`/packages/${part}`));

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const comesFirst = (test) => test.duration === undefined && isLong(test);
    return [...sorted.filter(comesFirst), ...sorted.filter((test) => !comesFirst(test))];
  }
}
