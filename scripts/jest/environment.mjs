// What each test file runs in: Jest's environment of Node, which also ends what a file has left in the process. Jest runs a hundred files in one
// process, and each file loads the client anew: without this the last files pay for all those before them.
import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';
import { letGoOfModules } from './modules.mjs';

const { prototype } = AsyncLocalStorage;
const enable = prototype._enable;
/** Those in use since the file began. */
const entered = new Set();

// Up to Node 22 every AsyncLocalStorage that was ever entered is asked at each promise of the process, for ever. Newer versions of Node have no such
// method, and nothing to end.
if (enable !== undefined) {
  prototype._enable = function () {
    if (!this.enabled) entered.add(this);
    enable.call(this);
  };
}

export default class extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of entered) storage.disable();
    entered.clear();
    letGoOfModules();
  }
}
