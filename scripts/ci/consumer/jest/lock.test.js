const holdfast = require('holdfast');
const { check } = require('../checks.cjs');

test('a default Jest project takes a lock', () => check(holdfast));
