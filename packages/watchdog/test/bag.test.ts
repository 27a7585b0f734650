import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@holdfast/testkit';
import { Bag, type BagItem, UNPLACED } from '@holdfast/watchdog';

const item = (name: number): BagItem & { name: number } => ({ name, place: UNPLACED });

describe('a bag', () => {
  it('has what was added and not taken out, like a set, in random use', () => {
    const random = seededRandom(7);
    const all = Array.from({ length: 40 }, (_, name) => item(name));
    const bag = new Bag<BagItem>();
    const model = new Set<BagItem>();
    for (let step = 0; step < 5_000; step++) {
      const one = random.pick(all);
      if (model.delete(one)) bag.delete(one);
      else {
        model.add(one);
        bag.add(one);
      }
      expect(bag.size).toBe(model.size);
    }
    expect(new Set(bag)).toEqual(model);
    expect([...bag]).toHaveLength(model.size);
  });

  it('takes nothing out for an item that it does not have', () => {
    const [one, other, stranger] = [item(1), item(2), item(3)];
    const bag = new Bag<BagItem>();
    bag.add(one);
    bag.add(other);
    bag.delete(one);
    bag.delete(one);
    bag.delete(stranger);
    expect([...bag]).toEqual([other]);
    bag.delete(other);
    expect(bag.size).toBe(0);
  });

  it('is gone through as it was, whatever comes and goes meanwhile', () => {
    const [one, two, three, late] = [item(1), item(2), item(3), item(4)];
    const bag = new Bag<BagItem>();
    for (const each of [one, two, three]) bag.add(each);
    const seen: BagItem[] = [];
    for (const each of bag) {
      seen.push(each);
      bag.delete(each);
      bag.add(late);
      bag.delete(late);
    }
    expect(seen).toEqual([one, two, three]);
    expect(bag.size).toBe(0);
  });
});
