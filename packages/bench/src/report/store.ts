import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../workloads/catalogue.js';
import { chartsOf } from './charts.js';
import { goals } from './goals.js';
import { type Chapter, markdown } from './markdown.js';
import type { WorkloadResult } from './results.js';

/** Four digits are more than any run can repeat. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

/** The results and the report in one folder: one JSON file for each workload, so that each can be measured again by itself. */
export class Store {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  save(result: WorkloadResult): void {
    mkdirSync(join(this.#folder, 'data'), { recursive: true });
    writeFileSync(this.#file(result.workload), `${JSON.stringify(result, rounded, 1)}\n`);
  }

  /** Undefined when the workload has not been measured. */
  load(workload: string): WorkloadResult | undefined {
    const file = this.#file(workload);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as WorkloadResult) : undefined;
  }

  /** Writes the report from all that has been measured, whenever that was. Answers where it is. */
  writeReport(): string {
    const chapters = catalogue.flatMap((workload): Chapter[] => {
      const result = this.load(workload.name);
      return result === undefined ? [] : [{ workload, result, charts: chartsOf(workload, result) }];
    });
    mkdirSync(join(this.#folder, 'plots'), { recursive: true });
    for (const { file, svg } of chapters.flatMap(({ charts }) => charts)) {
      writeFileSync(join(this.#folder, 'plots', file), svg);
    }
    const report = join(this.#folder, 'README.md');
    writeFileSync(report, markdown(chapters, goals(chapters.map(({ result }) => result))));
    return report;
  }

  #file(workload: string): string {
    return join(this.#folder, 'data', `${workload}.json`);
  }
}
