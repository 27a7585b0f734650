/** The scripts of the lock protocol by name, as `@holdfast/core` names them. */

import { again } from './again.js';
import { ask, asks, plainWidths, reasks } from './ask.js';
import { cancel } from './cancel.js';
import { elections } from './election.js';
import { fenced } from './fenced.js';
import { force } from './force.js';
import { glance } from './glance.js';
import { guards } from './guard.js';
import { handoff } from './handoff.js';
import { inspect } from './inspect.js';
import { invite } from './invite.js';
import { latches } from './latch.js';
import type { ScriptBody } from './lua.js';
import { permitsBodies } from './permits/index.js';
import { peek } from './peek.js';
import { readWriteBodies } from './read-write/index.js';
import { release, releases } from './release.js';
import { renew } from './renew.js';
import { rest } from './rest.js';
import { serve } from './serve.js';
import { shares } from './share.js';

export const bodies: Readonly<Record<string, ScriptBody>> = {
  again,
  ask,
  asks,
  cancel,
  force,
  glance,
  handoff,
  inspect,
  invite,
  peek,
  reasks: reasks(plainWidths),
  release,
  releases,
  renew,
  rest,
  serve,
  ...elections,
  ...fenced,
  ...guards,
  ...latches,
  ...permitsBodies,
  ...readWriteBodies,
  ...shares,
};
export type { ScriptBody } from './lua.js';
