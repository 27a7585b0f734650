import * as holdfast from 'holdfast';
import { check } from '../checks.cjs';

test("a project on ts-jest's preset takes a lock", () => check(holdfast));
