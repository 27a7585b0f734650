import { readFileSync } from 'node:fs';
import type { HistoryEvent } from './event.js';
import { shapeProblem } from './shape.js';

/** All events of a run, by time; events of one process that say the same time stay in the order in which they were written. */
export type History = readonly HistoryEvent[];

/** A line that is no event. */
export class HistoryFormatError extends Error {
  override readonly name = 'HistoryFormatError';
}

/** Merges what the processes of a run wrote. */
export function historyOf(...parts: readonly (readonly HistoryEvent[])[]): History {
  return parts.flat().sort((a, b) => a.at - b.at);
}

/**
 * The events of one file.
 *
 * @throws HistoryFormatError for a line that is no event. A torn *last* line is dropped: its process was killed.
 */
export function parseHistory(text: string, source = 'history'): HistoryEvent[] {
  const lines = text.split('\n');
  const torn = lines.pop() !== '';
  const events = lines.map((line, index) => eventOf(line, `${source}:${index + 1}`));
  if (torn) {
    const last = text.slice(text.lastIndexOf('\n') + 1);
    try {
      events.push(eventOf(last, source));
    } catch {
      // Torn.
    }
  }
  return events;
}

/**
 * Reads and merges the files of a run.
 *
 * @throws HistoryFormatError for a line that is no event.
 */
export function readHistory(files: readonly string[]): History {
  return historyOf(...files.map((file) => parseHistory(readFileSync(file, 'utf8'), file)));
}

function eventOf(line: string, place: string): HistoryEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new HistoryFormatError(`${place}: not JSON`);
  }
  const problem = shapeProblem(value);
  if (problem !== undefined) throw new HistoryFormatError(`${place}: ${problem}`);
  return value as HistoryEvent;
}
