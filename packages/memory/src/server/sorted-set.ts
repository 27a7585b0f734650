/** Members in the order of their scores, equal scores in the order of the members: as in Redis. */
export class SortedSet {
  readonly #scores = new Map<string, number>();
  readonly #members: string[] = [];

  get size(): number {
    return this.#members.length;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** Its place, from 0; undefined when it is not there. */
  rank(member: string): number | undefined {
    const score = this.#scores.get(member);
    return score === undefined ? undefined : this.#placeOf(member, score);
  }

  /** Returns whether it is new. */
  add(member: string, score: number): boolean {
    const known = this.#scores.get(member);
    if (known === score) return false;
    if (known !== undefined) this.#members.splice(this.#placeOf(member, known), 1);
    this.#scores.set(member, score);
    this.#members.splice(this.#placeOf(member, score), 0, member);
    return known === undefined;
  }

  /** Returns whether it was there. */
  remove(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#members.splice(this.#placeOf(member, score), 1);
    this.#scores.delete(member);
    return true;
  }

  /** The first of all, with its score. */
  popMin(): { member: string; score: number } | undefined {
    const member = this.#members.shift();
    if (member === undefined) return undefined;
    const score = this.#scores.get(member) as number;
    this.#scores.delete(member);
    return { member, score };
  }

  /** From place `first` to place `last`, both included; negative ones count from the end, -1 is the last. */
  range(first: number, last: number): string[] {
    const { length } = this.#members;
    const from = Math.max(0, first < 0 ? length + first : first);
    // One that counts back beyond the first is before all of them; `slice` would count it from the end again.
    const to = last < 0 ? Math.max(-1, length + last) : last;
    return this.#members.slice(from, to + 1);
  }

  copy(): SortedSet {
    const copy = new SortedSet();
    for (const member of this.#members) {
      copy.#members.push(member);
      copy.#scores.set(member, this.#scores.get(member) as number);
    }
    return copy;
  }

  /** Where a member with this score is, or would be. Most newcomers stand at the end. */
  #placeOf(member: string, score: number): number {
    let low = 0;
    let high = this.#members.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#members[middle] as string;
      const otherScore = this.#scores.get(other) as number;
      if (otherScore < score || (otherScore === score && other < member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
