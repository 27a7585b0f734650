/** What an election asks beside its fenced lock. */
export { electionChannel, type Led, look } from './election.js';
