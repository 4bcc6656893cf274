import { shellWord } from '../base/shell-word.ts'

/** One step of a plan: something to run, or to do by hand. Nothing here runs it. */
export interface Step {
  /** A line for a shell such as sh, to be run in the folder in which the plan was asked for. */
  command?: string
  /** What to do, or to look out for. */
  text?: string
}

/** A step, and the one that undoes it. */
export interface Move {
  step: Step
  back: Step
}

/** A path as one word of a shell command, whatever it holds. One that begins with a dash is no option. */
export function word(text: string): string {
  return shellWord(text.startsWith('-') ? `./${text}` : text)
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

const run = (command: string): Step => ({ command })

/** Commands on the files of one array or group. Paths are relative to it. */
export class Shell {
  /** The array or group, as the user would write it. */
  readonly root: string
  /** Folder beside it that takes what is moved out: it keeps its path there. */
  readonly aside: string

  constructor(root: string, aside: string) {
    this.root = root
    this.aside = aside
  }

  at(path: string): string {
    return word(`${this.root}/${path}`)
  }

  kept(path: string): string {
    return word(`${this.aside}/${path}`)
  }

  /** The last step: a check of the result. @param target a word of a shell */
  check(target = word(this.root)): Step {
    return { command: `tiledb-inspect check --level cells ${target}`, text: 'must find no more of this' }
  }

  moveAside(path: string): Move {
    const [here, there] = [this.at(path), this.kept(path)]
    const step = run(`mkdir -p ${word(folderOf(`${this.aside}/${path}`))} && mv ${here} ${there}`)
    return { step, back: run(`mv ${there} ${here}`) }
  }

  /** For a file that several plans move out, of which somebody may follow only some: nothing happens if it is moved already. */
  moveAsideOnce(path: string): Step {
    return run(`test ! -e ${this.at(path)} || { ${this.moveAside(path).step.command}; }`)
  }

  rename(from: string, to: string): Move {
    return {
      step: run(`mv ${this.at(from)} ${this.at(to)}`),
      back: run(`mv ${this.at(to)} ${this.at(from)}`),
    }
  }

  makeFolder(path: string): Move {
    return { step: run(`mkdir ${this.at(path)}`), back: run(`rmdir ${this.at(path)}`) }
  }

  createEmpty(path: string): Move {
    return { step: run(`test ! -e ${this.at(path)} && : > ${this.at(path)}`), back: run(`rm ${this.at(path)}`) }
  }

  /** Moves a file out, and puts an empty one in its place. One command: what is not kept is not written over. */
  empty(path: string): Move {
    const { step, back } = this.moveAside(path)
    return { step: run(`${step.command} && : > ${this.at(path)}`), back }
  }

  /** Moves a file out, and puts parts of it in its place. @param parts as offset and length in bytes */
  cutTo(path: string, parts: readonly (readonly [offset: number, length: number])[]): Move {
    const { step, back } = this.moveAside(path)
    const from = this.kept(path)
    const pieces = parts.map(([offset, length]) =>
      offset === 0 ? `head -c ${length} ${from}` : `tail -c +${offset + 1} ${from} | head -c ${length}`,
    )
    const made = pieces.length === 1 ? pieces[0] : `{ ${pieces.join('; ')}; }`
    return { step: run(`${step.command} && ${made} > ${this.at(path)}`), back }
  }

  /**
   * Puts a new folder in the place of an old one, if it is there: where it could not be made, nothing happens.
   * @param old where the old one is kept. All three are words of a shell.
   */
  swap(here: string, made: string, old: string): Move {
    return {
      step: run(`test -d ${made} && test ! -e ${old} && mv ${here} ${old} && mv ${made} ${here}`),
      back: run(`test -d ${old} && mv ${here} ${made} && mv ${old} ${here}`),
    }
  }
}

/** A line of Python with its arguments, each exactly as it is: behind the code, Python takes nothing for an option. */
export function python(code: string, ...args: readonly string[]): string {
  return ['python3', '-c', ...[code, ...args].map(shellWord)].join(' ')
}

/** Statements of TileDB-Py, one after the other. Each is a word of its own, so that a long command can be broken between them. */
export function pythonLines(lines: readonly string[]): string {
  const [line] = lines
  if (lines.length === 1) return python(`import tiledb; ${line}`)
  return python('import sys, numpy as np, tiledb; exec("\\n".join(sys.argv[1:]))', ...lines)
}
