import * as holdfast from 'holdfast';
import { check } from '../checks.cjs';

void check(holdfast);
