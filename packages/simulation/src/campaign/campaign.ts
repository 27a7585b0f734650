/** A campaign: workers on all cores run one seed after another until a goal is reached. */

import { fork } from 'node:child_process';
import type { Orders } from './orders.js';
import { addTally, emptyTally, type Finding, type Tally } from './tally.js';
import type { Share, WorkerReport } from './worker.js';

/** What a campaign came to. */
export interface CampaignResult {
  readonly seed: number;
  readonly minutes: number;
  readonly tally: Tally;
  readonly findings: readonly Finding[];
}

/** Is told how a campaign goes. */
export interface CampaignListener {
  /** Now and then. */
  onProgress(result: CampaignResult): void;
  /** At once. */
  onFinding(finding: Finding): void;
}

/** Of these it has seen enough. */
const MOST_FINDINGS = 20;

/** @param file - that does {@link Share} when it is started as a child process and sent one. */
export function runCampaign(file: string, orders: Orders, listener: CampaignListener): Promise<CampaignResult> {
  const { seed, workers, minutes, holds, runs, until } = orders;
  const startedAt = performance.now();
  const tally = emptyTally();
  const findings: Finding[] = [];
  const result = (): CampaignResult => ({
    seed,
    minutes: (performance.now() - startedAt) / 60_000,
    tally,
    findings: findings.toSorted((a, b) => a.seed - b.seed),
  });
  return new Promise((resolve, reject) => {
    let left = workers;
    const children = Array.from({ length: workers }, (_, number) => {
      const child = fork(file, ['--worker']);
      const terms = { class: orders.class, with: orders.with, temper: orders.temper, scripts: orders.scripts };
      const share: Share = { first: seed + number, stride: workers, end: seed + runs, terms };
      child.send({ ...share, end: Math.min(share.end, Number.MAX_SAFE_INTEGER) });
      child.on('message', (message) => {
        const report = message as WorkerReport;
        addTally(tally, report.tally);
        findings.push(...report.findings);
        for (const finding of report.findings) listener.onFinding(finding);
        const enough = tally.holds >= holds || findings.length >= MOST_FINDINGS;
        if (enough || (until === 'violation' && findings.length > 0) || report.done) child.kill();
        if (enough || (until === 'violation' && findings.length > 0)) stop();
      });
      child.once('error', reject);
      child.once('exit', (code) => {
        if (code !== null && code !== 0) reject(new Error(`a worker ended with exit code ${code}`));
        if (--left === 0) finish();
      });
      return child;
    });
    const stop = () => {
      for (const child of children) child.kill();
    };
    const limit = Number.isFinite(minutes) ? setTimeout(stop, minutes * 60_000) : undefined;
    const telling = setInterval(() => listener.onProgress(result()), 10_000);
    const finish = () => {
      clearTimeout(limit);
      clearInterval(telling);
      resolve(result());
    };
  });
}
