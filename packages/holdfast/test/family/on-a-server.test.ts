import { contractOnAServer } from './server-contract.js';

contractOnAServer(['queue']);
