import { describe } from '@jest/globals';
import { useSentinel } from '../support/topologies.js';
import { itServesEveryDay } from './everyday.js';

const kit = useSentinel();

describe('behind Sentinel', () => {
  itServesEveryDay(kit);
});
