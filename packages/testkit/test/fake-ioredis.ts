/** Stands in for another ioredis: shows which package a worker's `import 'ioredis'` gave. */
export class Redis {
  readonly from = 'a substitute';
  disconnect(): void {}
  async ping(): Promise<string> {
    return this.from;
  }
}
