/**
 * The messages between a page in a frame and the page around it. frame-host.ts is the side of the page around it, which hands the
 * questions to the program that has the bytes: src/node/page-stdio.ts.
 */

/** What the page asks for: bytes or a listing, in the words of src/node/page-answers.ts. Or how to begin: in which colours, and with what. */
export type FromFrame = FrameQuestion | { asks: 'beginning' }

export interface FrameQuestion {
  id: number
  path: string
  /** As the header `Range` has it. */
  range?: string | undefined
}

export interface FrameAnswer {
  id: number
  /** A status of HTTP. */
  status: number
  headers: Readonly<Record<string, string>>
  bytes?: ArrayBuffer | undefined
  /** Why there is no answer, in words. */
  error?: string | undefined
}

export type ToFrame = FrameAnswer | { theme: 'light' | 'dark' } | { link: string }
