// What SPIN is asked, and what it must answer. One variant is one model with some switches (see the head of the model).
//
//   name, model     unique; the file spec/<model>.pml
//   set             switches, as `NAME` or `NAME=number`
//   fails           absent: every state is searched and no assertion fails. Else the name in the assertion that must fail
//   because         what goes wrong then, or what the variant is about
//   states          the most states it may take: more, and the model has grown beyond its budget
//   quick           also part of `npm run spec -- --quick`, which CI runs
//   heavy           has more than 150,000 states: the verifier is compiled with optimisation
import { failover } from './variants/failover.mjs';
import { fair } from './variants/fair.mjs';
import { fenced } from './variants/fenced.mjs';
import { inherited } from './variants/inherited.mjs';
import { multi } from './variants/multi.mjs';
import { latch } from './variants/latch.mjs';
import { permits } from './variants/permits.mjs';
import { queue } from './variants/queue.mjs';
import { readWrite } from './variants/read-write.mjs';
import { redlock } from './variants/redlock.mjs';
import { redisson } from './variants/redisson.mjs';
import { rest } from './variants/rest.mjs';

export const variants = [
  ...queue,
  ...redisson,
  ...failover,
  ...multi,
  ...redlock,
  ...readWrite,
  ...rest,
  ...inherited,
  ...fair,
  ...fenced,
  ...permits,
  ...latch,
];
