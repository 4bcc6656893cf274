/** What loader.ts gives to the program of the page, which is loaded in parts. */
export interface Program {
  /**
   * The program of a worker that runs one part, with other parts in it.
   * @param part what the worker runs
   * @param more what it will need
   */
  workerText(part: string, more: Iterable<string>): Promise<string>
  /** Whether the page has a script, or its server. Reports leave some out. */
  has(script: string): boolean
}

/** Name of the part that workers run: worker.ts. */
export const WORKER_PART = 'worker'

/** Undefined if the program runs in one piece, as in tests. */
export function loadedProgram(): Program | undefined {
  return (globalThis as { tiledbInspect?: Program }).tiledbInspect
}
