import { test } from 'node:test';
import * as holdfast from 'holdfast';
import { check } from '../checks.cjs';

void test('a project on node --test takes a lock', () => check(holdfast));
