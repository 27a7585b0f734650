// The globals of Jest's jsdom as far as a lock client minds: timers are numbers, and there is no setImmediate.
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    const { global } = this;
    const { setTimeout, clearTimeout } = global;
    const set = new Map();
    let last = 0;
    global.setTimeout = (...args) => {
      set.set(++last, setTimeout(...args));
      return last;
    };
    global.clearTimeout = (timer) => clearTimeout(set.get(timer));
    delete global.setImmediate;
    delete global.clearImmediate;
  }
}
