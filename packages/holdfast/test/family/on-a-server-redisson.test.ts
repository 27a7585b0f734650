import { contractOnAServer } from './server-contract.js';

contractOnAServer(['redisson']);
