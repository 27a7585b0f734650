// The modules of a test file go with it.
//
// Up to Node 22 a module that was linked holds what it imports in a way that the garbage collector does not see through, and V8's cache of compiled code
// holds it as well. Of every test file all would stay, 6 MB each: at the end of the suite a worker has 1 GB to collect garbage in, and to copy the
// tables of at each start of a process, which then costs 24 ms instead of 1 ms.
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';

/** Loaded since the file began. */
const loaded = new Set();

setFlagsFromString('--no-compilation-cache');
vm.SourceTextModule = class extends vm.SourceTextModule {
  constructor(...args) {
    super(...args);
    loaded.add(this);
  }
};

/** A module lets go of what it imports when it is instantiated. Node does that only with the one that imports all others; it may be done again. */
export function letGoOfModules() {
  for (const module of loaded) {
    const kWrap = Object.getOwnPropertySymbols(module).find(({ description }) => description === 'kWrap');
    if (module.status === 'evaluated') module[kWrap]?.instantiate?.();
  }
  loaded.clear();
}
