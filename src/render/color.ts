import type { Output } from './result.ts'

/** What a piece of text is, not how it looks. */
export type Role = 'heading' | 'field' | 'dim' | 'good' | 'bad' | 'number'

/** Colours text that holds no escapes; the text itself where there is no colour. */
export type Paint = (role: Role, text: string) => string

/** The 16 colours that every terminal has, chosen by its user. */
const BASIC = 1

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
    number: chalk.yellow,
  }
  return (role, text) => roles[role](text)
}

/** Colours for neighbours that must be told apart, by number; the text itself where there is no colour. */
export type Tint = (color: number, text: string) => string

/** {@link Tint} of an output: odd numbers are lighter forms of the even ones before them. */
export async function tinter(out: Pick<Output, 'color'>): Promise<Tint> {
  if (!out.color) return (_, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: BASIC })
  const tints = [
    chalk.cyan,
    chalk.cyanBright,
    chalk.yellow,
    chalk.yellowBright,
    chalk.green,
    chalk.greenBright,
    chalk.magenta,
    chalk.magentaBright,
    chalk.blueBright,
    chalk.whiteBright,
  ]
  return (color, text) => tints[color % tints.length](text)
}
