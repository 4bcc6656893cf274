import type { Output } from '../base/result.ts'

/** What a piece of text is, not how it looks. */
export type Role = 'heading' | 'field' | 'dim' | 'good' | 'bad' | 'number'

/** Colours text that holds no escapes; the text itself where there is no colour. */
export type Paint = (role: Role, text: string) => string

/** The 16 colours that every terminal has, chosen by its user. */
const BASIC = 1
/** The 256 colours that are the same everywhere. */
const MORE = 2
const DARK_ORANGE = 130

/** How text is coloured for an output. chalk is loaded only where colour is wanted. */
export async function painter(out: Pick<Output, 'color'>): Promise<Paint> {
  if (!out.color) return (_, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: BASIC })
  const roles: Record<Role, (text: string) => string> = {
    heading: chalk.bold,
    field: chalk.cyan,
    dim: chalk.dim,
    good: chalk.green,
    bad: chalk.red,
    // the yellow of most terminals cannot be read on white
    number: new Chalk({ level: MORE }).ansi256(DARK_ORANGE),
  }
  return (role, text) => roles[role](text)
}

/** Colours for neighbours that must be told apart, by number; the text itself where there is no colour. */
export type Tint = (color: number, text: string) => string

/**
 * Colours of the 256 that terminals have in common, of a brightness between black and white, so that they can be read on
 * either. Neighbours are of different hues.
 */
export const TINTS = [31, 130, 28, 133, 62, 66, 166, 29, 97, 26] as const

/** {@link Tint} of an output. */
export async function tinter(out: Pick<Output, 'color'>): Promise<Tint> {
  if (!out.color) return (_, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: MORE })
  const tints = TINTS.map((color) => chalk.ansi256(color))
  return (color, text) => tints[color % tints.length](text)
}
