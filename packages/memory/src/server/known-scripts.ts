/** All scripts of the protocol, of every primitive. */

import {
  electionScripts,
  fencedScripts,
  guardScripts,
  latchScripts,
  permitsScripts,
  readWriteScripts,
  scripts,
  shareScripts,
} from '@holdfast/core';

export const knownScripts = [
  scripts,
  electionScripts,
  fencedScripts,
  guardScripts,
  latchScripts,
  permitsScripts,
  readWriteScripts,
  shareScripts,
].flatMap((of) => Object.values(of));
