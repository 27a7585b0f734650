/** What applications keep under names like those of locks: nothing of it is a lock by its shape (docs/semantics.md). */

import { SortedSet, type Value } from '@holdfast/memory';

const hash = (fields: Readonly<Record<string, string>>) => (): Value => new Map(Object.entries(fields));

const forms = {
  text: (): Value => 'text',
  'sorted set': (): Value => {
    const set = new SortedSet();
    set.add('member', 1);
    return set;
  },
  record: hash({ name: 'Ada', age: '36' }),
  'counters by user': hash({ 'user:1': '5', 'user:2': '7' }),
  'record with a seq': hash({ seq: '7', name: 'Ada' }),
  'counters by user with a seq': hash({ 'user:1': '5', 'user:2': '7', seq: '9' }),
  'counter with a seq and a name': hash({ 'user:1': '5', seq: '9', name: 'Bob' }),
  'mode alone': hash({ mode: 'dark' }),
};

/** One of them, by its name. */
export type StrangeData = keyof typeof forms;

export const strangeData = Object.keys(forms) as readonly StrangeData[];

/** Made anew for each: whoever has it may change it. */
export const dataOf = (name: StrangeData): Value => forms[name]();
