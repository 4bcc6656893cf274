import { shellWord } from '../base/shell-word.ts'
import type { WrittenPart } from './commit-lists.ts'

/** A step of a plan: a command to run, something to do by hand, or both. */
export interface PlanStep {
  /** A command line for sh, to be run in the folder of the call. */
  command?: string | undefined
  /** What to do, or what to watch out for. */
  text?: string | undefined
}

/** A step, and the one that undoes it. */
export interface Move {
  step: PlanStep
  back: PlanStep
}

/** A path as one word of a shell command. A path that begins with a dash does not become an option. */
export function word(text: string): string {
  return shellWord(text.startsWith('-') ? `./${text}` : text)
}

/** Path of the folder around a path. */
export function folderAround(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

const run = (command: string): PlanStep => ({ command })

/** Makes commands on the files of one array or group. Their paths are paths in it. */
export class Shell {
  /** The array or group, as the user would write it. */
  readonly root: string
  /** Folder beside it for what is moved out. A file keeps its path there. */
  readonly aside: string
  private readonly isEncrypted: boolean

  constructor(root: string, aside: string, isEncrypted = false) {
    this.root = root
    this.aside = aside
    this.isEncrypted = isEncrypted
  }

  /** The beginning of a call of this program: of an encrypted array, each call needs the key. */
  call(command: string): string {
    return `tiledb-inspect ${command}${this.isEncrypted ? ' --key-file KEY' : ''}`
  }

  /** A path in the array or group, as a word of a shell. */
  at(path: string): string {
    return word(`${this.root}/${path}`)
  }

  /** The path at which a file is kept after it was moved out, as a word of a shell. */
  kept(path: string): string {
    return word(`${this.aside}/${path}`)
  }

  /** The last step: a check of the result. @param target a word of a shell */
  check(target = word(this.root)): PlanStep {
    return { command: `${this.call('check')} --level cells ${target}`, text: 'must no longer find this' }
  }

  /** @param after a word of a shell: nothing is moved before this is there */
  moveAside(path: string, after?: string): Move {
    const [here, there] = [this.at(path), this.kept(path)]
    const isTime = after === undefined ? '' : `test -e ${after} && `
    const step = run(`${isTime}mkdir -p ${word(folderAround(`${this.aside}/${path}`))} && mv ${here} ${there}`)
    return { step, back: run(`mv ${there} ${here}`) }
  }

  /** Moves a file out, unless it is gone. For a file that several plans move out, because the user may follow only some of them. */
  moveAsideOnce(path: string): PlanStep {
    return run(`test ! -e ${this.at(path)} || { ${this.moveAside(path).step.command}; }`)
  }

  rename(from: string, to: string): Move {
    return {
      step: run(`mv ${this.at(from)} ${this.at(to)}`),
      back: run(`mv ${this.at(to)} ${this.at(from)}`),
    }
  }

  /** Exchanges two files. Doing it again undoes it. */
  exchange(path: string, other: string): Move {
    const between = this.kept(path)
    const [here, there] = [this.at(path), this.at(other)]
    const folder = `mkdir -p ${word(folderAround(`${this.aside}/${path}`))}`
    const step = run(`${folder} && mv ${here} ${between} && mv ${there} ${here} && mv ${between} ${there}`)
    return { step, back: step }
  }

  /** Copies a folder from elsewhere. @param from a path outside */
  copyInto(from: string, path: string): Move {
    return {
      step: run(`test ! -e ${this.at(path)} && cp -a ${word(from)} ${this.at(path)}`),
      back: run(`mkdir -p ${word(this.aside)} && mv ${this.at(path)} ${this.kept(path)}`),
    }
  }

  makeFolder(path: string): Move {
    return { step: run(`mkdir ${this.at(path)}`), back: run(`rmdir ${this.at(path)}`) }
  }

  createEmpty(path: string): Move {
    return { step: run(`test ! -e ${this.at(path)} && : > ${this.at(path)}`), back: run(`rm ${this.at(path)}`) }
  }

  /** Moves a file out, and puts an empty one in its place. It is one command, so that a file that could not be moved is not overwritten. */
  empty(path: string): Move {
    const { step, back } = this.moveAside(path)
    return { step: run(`${step.command} && : > ${this.at(path)}`), back }
  }

  /** Makes a file of zeros. A file that is there is moved out first. @param size in bytes */
  zeros(path: string, size: number, isThere: boolean): Move {
    const make = `head -c ${size} /dev/zero > ${this.at(path)}`
    if (!isThere) return { step: run(`test ! -e ${this.at(path)} && ${make}`), back: run(`rm ${this.at(path)}`) }
    const { step, back } = this.moveAside(path)
    return { step: run(`${step.command} && ${make}`), back }
  }

  /** Moves a file out, and puts parts of it and lines in its place. */
  cutTo(path: string, parts: readonly WrittenPart[]): Move {
    const { step, back } = this.moveAside(path)
    const from = this.kept(path)
    const pieces = parts.map((part) => {
      if (typeof part === 'string') return `printf '%s\\n' ${shellWord(part)}`
      const [offset, length] = part
      return offset === 0 ? `head -c ${length} ${from}` : `tail -c +${offset + 1} ${from} | head -c ${length}`
    })
    const made = pieces.length === 1 ? pieces[0] : `{ ${pieces.join('; ')}; }`
    return { step: run(`${step.command} && ${made} > ${this.at(path)}`), back }
  }

  /**
   * Moves a file out, and puts a part of another file in its place, if a line of that one is still where it was.
   * @param line offset in bytes, and text @param part offset and length in bytes
   */
  partOf(path: string, from: string, line: readonly [number, string], part: readonly [number, number]): Move {
    const { step, back } = this.moveAside(path)
    const at = this.at(from)
    const isThere = `test "$(tail -c +${line[0] + 1} ${at} | head -n 1)" = ${shellWord(line[1])}`
    return {
      step: run(
        `${isThere} && ${step.command} && tail -c +${part[0] + 1} ${at} | head -c ${part[1]} > ${this.at(path)}`,
      ),
      back,
    }
  }

  /**
   * Replaces a folder with a new one. Nothing happens if the new one could not be made. All parameters are words of a shell.
   * @param old place at which the old folder is kept
   */
  swap(here: string, made: string, old: string): Move {
    return {
      step: run(`test -d ${made} && test ! -e ${old} && mv ${here} ${old} && mv ${made} ${here}`),
      back: run(`test -d ${old} && mv ${here} ${made} && mv ${old} ${here}`),
    }
  }
}

/** A command that runs Python code with arguments. Python takes nothing after the code as an option. */
export function python(code: string, ...args: readonly string[]): string {
  return ['python3', '-c', ...[code, ...args].map(shellWord)].join(' ')
}

/** A command that runs statements of TileDB-Py. Each is a word of its own, so that a long command can be broken between them. */
export function pythonLines(lines: readonly string[]): string {
  const [line] = lines
  if (lines.length === 1) return python(`import tiledb; ${line}`)
  return python('import sys, numpy as np, tiledb; exec("\\n".join(sys.argv[1:]))', ...lines)
}
