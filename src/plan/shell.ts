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

/** As one word of a shell command, whatever it holds. */
export function word(text: string): string {
  const safe = text.startsWith('-') ? `./${text}` : text
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`
}

function folderOf(path: string): string {
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

  moveAside(path: string): Move {
    const [here, there] = [this.at(path), this.kept(path)]
    const step = run(`mkdir -p ${word(folderOf(`${this.aside}/${path}`))} && mv ${here} ${there}`)
    return { step, back: run(`mv ${there} ${here}`) }
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
    return { step: run(`: > ${this.at(path)}`), back: run(`rm ${this.at(path)}`) }
  }

  /** Makes a file anew from parts of the one that {@link moveAside} took. @param parts as offset and length in bytes */
  fromParts(path: string, parts: readonly (readonly [offset: number, length: number])[]): Move {
    const from = this.kept(path)
    const pieces = parts.map(([offset, length]) =>
      offset === 0 ? `head -c ${length} ${from}` : `tail -c +${offset + 1} ${from} | head -c ${length}`,
    )
    const made = pieces.length === 1 ? pieces[0] : `{ ${pieces.join('; ')}; }`
    return { step: run(`${made} > ${this.at(path)}`), back: run(`rm ${this.at(path)}`) }
  }
}

/** A line of Python with its arguments, each exactly as it is. */
export function python(code: string, ...args: readonly string[]): string {
  return ['python3', '-c', word(code), ...args.map((arg) => word(arg))].join(' ')
}
