import * as holdfast from 'holdfast';
import { test } from 'vitest';
import { check } from '../checks.cjs';

test('a Vitest project takes a lock', () => check(holdfast));
