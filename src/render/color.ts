import type { Output } from '../base/result.ts'
import type { Severity } from '../documents/common.ts'

/** The meaning of a piece of text, which determines its colour. */
export type Role = 'heading' | 'field' | 'dim' | 'good' | 'bad' | 'number'

/** Role of findings, by severity. */
export const SEVERITY_ROLES: Readonly<Record<Severity, Role>> = { error: 'bad', warning: 'number', note: 'dim' }

/** Colours text that contains no escapes; returns it unchanged if there is no colour. */
export type Paint = (role: Role, text: string) => string

/** Colour level of chalk: the 16 colours of a terminal, which its user can change. */
const BASIC = 1
/** Colour level of chalk: the 256 colours that are the same on every terminal. */
const MORE = 2
const DARK_ORANGE = 130

/** Returns the function that colours text for an output. chalk is loaded only if colour is wanted. */
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
    // The yellow of most terminals is unreadable on white.
    number: new Chalk({ level: MORE }).ansi256(DARK_ORANGE),
  }
  return (role, text) => roles[role](text)
}

/** Colours text with one of {@link TINTS}; without colour, as {@link Paint}. */
export type Tint = (color: number, text: string) => string

/**
 * Some of the 256 common terminal colours, of medium brightness, so that they are readable on black and on white. Neighbours
 * differ in hue.
 */
export const TINTS = [31, 130, 28, 133, 62, 66, 166, 29, 97, 26] as const

/** Returns the {@link Tint} for an output. */
export async function tinter(out: Pick<Output, 'color'>): Promise<Tint> {
  if (!out.color) return (_, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: MORE })
  const tints = TINTS.map((color) => chalk.ansi256(color))
  return (color, text) => tints[color % tints.length](text)
}
