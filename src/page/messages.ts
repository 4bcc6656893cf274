import { type Fault, faultText, InspectError } from '../base/errors.ts'
import type { TargetSource } from './source.ts'
import type { TaskName } from './tasks.ts'

/** The messages between the page (job.ts) and its workers (worker.ts). */

/** A function of tasks.ts, and its arguments after the engine. */
export interface Task {
  name: TaskName
  args: readonly unknown[]
}

/** The first message to a worker. */
interface Setup {
  place: Omit<TargetSource, 'storage'>
  isRemote: boolean
  mayNotList: boolean
  key: Uint8Array | undefined
  wasm: Parameters<typeof import('./codecs.ts').addWasmFiles>
}

/** A call of the page's storage, or of a file that the worker opened. */
export interface StorageCall {
  id: number
  what: 'kind' | 'list' | 'listAhead' | 'size' | 'read' | 'fetch' | 'close'
  path: string
  /** Number that the worker gave to the file. */
  file?: number
  args: readonly number[]
}

/** An error as messages carry it. It has a code unless it is a fault of the program. */
interface PlainError {
  code?: InspectError['code']
  fault: Fault
  at?: InspectError['at']
}

export interface StorageAnswer {
  id: number
  value?: unknown
  error?: PlainError
}

/** A message to a worker: the setup, a task, the request for its next step, or the answer to a call. */
export type ToWorker = { setup: Setup } | { task: Task } | { next: true } | { answer: StorageAnswer }

/** A message from a worker: a call, the result of a step, the error that ended the task, or a part of the program that it lacks. */
export type FromWorker =
  | { call: StorageCall }
  | { found: IteratorResult<unknown, unknown> }
  | { error: PlainError }
  | { need: string }

export function plainError(error: unknown): PlainError {
  if (error instanceof InspectError) return { code: error.code, fault: error.fault, at: error.at }
  return { fault: String((error as Error)?.stack ?? error) }
}

export function errorFrom({ code, fault, at }: PlainError): Error {
  return code === undefined ? new Error(faultText(fault)) : new InspectError(code, fault, at)
}
