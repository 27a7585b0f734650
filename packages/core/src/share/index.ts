/** Values that are shared under the name of a lock. */
export { look, put, type Shared, type ShareKeys, shareKeys } from './share.js';
