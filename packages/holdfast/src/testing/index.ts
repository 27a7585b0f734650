/**
 * For tests of code that takes locks: a real client without Redis, whose time is the test's.
 *
 * @module holdfast/testing
 */
export { type HoldfastMatchers, holdfastMatchers, type MatcherResult } from './matchers.js';
export {
  createTestClient,
  type OtherHolder,
  type TestClientOptions,
  type TestLockClient,
  type TestLossReason,
} from './test-client.js';
export { createTestServer, type TestServer, type TestServerOptions } from './test-server.js';
