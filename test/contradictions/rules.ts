import { type FindingCode, refusalOf } from '../../src/check/codes.ts'
import type { ArrayFragment } from '../../src/documents/array.ts'
import type { CheckFinding } from '../../src/documents/check.ts'
import { EDITED } from '../helpers/edit-array.ts'
import {
  type Answers,
  commitOf,
  errorsOf,
  findingsOf,
  listOf,
  moved,
  placeOf,
  type Said,
  type SaidCells,
} from './answers.ts'

/** What two commands may not say together. Yields what they said. */
type Rule = (answers: Answers) => Iterable<string>

const actOf = (found: CheckFinding) => refusalOf({ ...found, code: found.code as FindingCode })?.act

/** Codes of cells that nobody can read. */
const LOST =
  /^(?:TILE_UNREADABLE|CHUNK_UNREADABLE|CHECKSUM_MISMATCH|FILE_MISSING|FILE_SHORT|FOOTER_UNREADABLE|FRAGMENT_NO_METADATA|COMMIT_DANGLING)$/
/** Codes of cells, or of metadata, that were changed; recover takes other copies where it has some. */
const CHANGED = /^TILE_(?:MIN_MAX|SUM|NULL_COUNT)$/

const shown = (findings: readonly CheckFinding[]): string => {
  const texts = findings.map(({ code, variant, file }) =>
    [code, variant, file.slice(EDITED.length + 1)].filter(Boolean).join(' '),
  )
  return [...new Set(texts)].join(', ') || 'finds no error'
}

const outcome = ({ code, stderr }: Said<unknown> | SaidCells): string =>
  `ends with ${code}${stderr === '' ? '' : `: ${stderr.trim().slice(0, 200)}`}`

const listed = ({ ls }: Answers): readonly ArrayFragment[] => listOf(ls.document?.fragments)

/** Fragments that a read opens now, by their names. */
const visibleOf = (answers: Answers): string[] =>
  listed(answers)
    .filter(({ visible }) => visible)
    .map(({ name }) => name)

const isIn = (name: string, { file }: CheckFinding): boolean => file.endsWith(`/${name}`) || file.includes(`/${name}/`)

/**
 * Codes that a command does not look for although TileDB refuses an array because of them. Files in `__meta` are listed by `metadata`
 * alone; footers are not examined by `read`, which fails where it needs what is wrong in them.
 */
const NOT_LOOKED_FOR = /^METADATA_/
const OF_FOOTERS = /^(?:FOOTER_NULL_DOMAIN|FOOTER_DENSE)$/
/** Codes of fragment metadata, which `commits` does not read. */
const OF_METADATA = /^(?:FOOTER_|FRAGMENT_NO_METADATA$|SCHEMA_MISSING$)/

interface Row {
  [name: string]: unknown
}

/** Name of the fragment that replaces what a `.vac` file lists. */
const replacing = (vac: string | null | undefined): string | undefined => /(__[^/]*)\.vac$/.exec(vac ?? '')?.[1]

export const RULES: Readonly<Record<string, Rule>> = {
  *'a deeper check finds all that a shallower one finds'({ structure, chunks, check }) {
    const pairs = { chunks: [structure, chunks], cells: [chunks, check] } as const
    for (const [level, [one, other]] of Object.entries(pairs)) {
      const deeper = new Set(errorsOf(other).map(placeOf))
      const lost = errorsOf(one).filter((finding) => !deeper.has(placeOf(finding)))
      if (lost.length > 0) yield `only above --level ${level}: ${shown(lost)}`
    }
  },
  *'what check calls whole, every command reads'(answers) {
    const { check, read, stats, explain, overview, recover } = answers
    if (check.code !== 0 || check.document?.not_examined.length !== 0) return
    for (const [name, one] of Object.entries({ read, stats, explain, overview }))
      if (one.code !== 0) yield `check: OK; ${name} ${outcome(one)}`
    for (const name of visibleOf(answers)) {
      const one = answers.decode.get(name)
      if (one && one.code !== 0) yield `check: OK; decode of ${name} ${outcome(one)}`
    }
    // It takes fragments, too, that readers do not see.
    if (findingsOf(check).some(({ code }) => LOST.test(code))) return
    // It refuses what is no array, and what lies in work.
    if (recover.code !== 0 && recover.code !== 2) yield `check: OK; recover ${outcome(recover)}`
  },
  *'what TileDB refuses by check, no command that reads gives without an error'(answers) {
    const { check, read, explain, stats, history } = answers
    const visible = visibleOf(answers)
    for (const found of errorsOf(check)) {
      const act = actOf(found)
      const isHidden = listed(answers).some(({ name }) => isIn(name, found) && !visible.includes(name))
      // The array of a label is opened only for ranges of the label.
      const isOfLabel = isIn('__labels', found)
      if ((act !== 'open' && act !== 'read') || isHidden || isOfLabel || NOT_LOOKED_FOR.test(found.code)) continue
      const said = `check: ${shown([found])}, which TileDB refuses to ${act}`
      if (explain.code === 0) yield `${said}; explain ${outcome(explain)}`
      if (OF_FOOTERS.test(found.code)) continue
      const readers = { read, 'stats --read': stats, ...(history && { history: history.said }) }
      for (const [name, one] of Object.entries(readers)) if (one.code === 0) yield `${said}; ${name} ${outcome(one)}`
    }
  },
  *'what TileDB does not open by check, commands that list say with exit code 1'(answers) {
    const { check, ls, sizes, commits, overview, schema, metadata, array } = answers
    // A single schema is read only by commands that need it.
    const isSole = array.matching(/\/__schema\/[^/]+$|\/__array_schema\.tdb$/).length === 1
    for (const found of errorsOf(check)) {
      if (actOf(found) !== 'open' || isIn('__labels', found)) continue
      const isSchema = /\/__(?:array_)?schema\b/.test(found.file)
      const isMeta = NOT_LOOKED_FOR.test(found.code)
      const said = `check: ${shown([found])}, which TileDB refuses to open`
      const all = {
        ...(!isMeta && { overview, ls, stats: sizes }),
        ...(!isMeta && !OF_METADATA.test(found.code) && !(isSchema && isSole) && { commits }),
        ...(isSchema && { schema }),
        ...(((isSchema && !isSole) || isMeta) && { metadata }),
      }
      for (const [name, one] of Object.entries(all)) if (one.code === 0) yield `${said}; ${name} ${outcome(one)}`
    }
  },
  *'what ls, stats, schema, metadata or commits say that TileDB does not open, check has as an error'(answers) {
    const { check, ls, sizes, commits, schema, metadata } = answers
    if (errorsOf(check).length > 0) return
    for (const [name, one] of Object.entries({ ls, stats: sizes, commits, schema, metadata }))
      if (/TileDB 2\.30 does not open/.test(one.stderr)) yield `${name} ${outcome(one)}; check ${shown([])}`
  },
  *'what read says that TileDB refuses, check and explain say, too'({ check, read, explain }) {
    if (!/TileDB 2\.30 (?:does not open|cannot read)/.test(read.stderr)) return
    if (errorsOf(check).length === 0) yield `read ${outcome(read)}; check ${shown([])}`
    if (explain.code === 0) yield `read ${outcome(read)}; explain ${outcome(explain)}`
  },
  *'what TileDB refuses because of a name in __meta, explain, the overview and metadata say'(answers) {
    const { check, explain, overview, metadata } = answers
    for (const found of errorsOf(check)) {
      if (found.code !== 'METADATA_NAME_INVALID' || isIn('__labels', found)) continue
      for (const [name, one] of Object.entries({ explain, overview, metadata }))
        if (one.code === 0) yield `check: ${shown([found])}; ${name} ${outcome(one)}`
    }
  },
  *'commits that check cannot read, commits says'({ check, commits }) {
    // DELETE_CONDITION_INDEX is about cells of a fragment.
    const ofCommits = /^(?:COMMIT_UNREADABLE|DELETE_CONDITION_(?!INDEX$))/
    const wrong = errorsOf(check).filter(({ code }) => ofCommits.test(code))
    if (wrong.length > 0 && commits.code === 0 && !wrong.every((one) => isIn('__labels', one)))
      yield `check: ${shown(wrong)}; commits ${outcome(commits)}`
  },
  *'where read and stats --read give an answer, they count the same'({ read, stats, ls }) {
    if (read.code !== 0 || !stats.document || ls.document?.array_type !== 'sparse') return
    if (stats.document.cell_num !== read.cells.length)
      yield `read: ${read.cells.length} cells; stats --read: ${stats.document.cell_num}`
  },
  *'what cannot be read, check has as an error'(answers) {
    const { check, read, stats, decode } = answers
    if (errorsOf(check).length > 0) return
    if (read.code === 1) yield `read ${outcome(read)}; check ${shown([])}`
    if (stats.code === 1) yield `stats --read ${outcome(stats)}; check ${shown([])}`
    for (const name of visibleOf(answers)) {
      const one = decode.get(name)
      if (one?.code === 1) yield `decode of ${name} ${outcome(one)}; check ${shown([])}`
    }
  },
  *'cells that check calls lost, read does not give without an error'(answers) {
    const { check, read } = answers
    if (read.code !== 0) return
    const visible = visibleOf(answers)
    const lost = errorsOf(check).filter(
      (found) => LOST.test(found.code) && visible.some((name) => isIn(name, found)) && !/^__/.test(found.field ?? ''),
    )
    // Its cells decide which cells are deleted, and only consolidation and statistics ask that.
    const needed = lost.filter(({ file }) => !/\/(?:dt|dci|t)\.tdb$/.test(file))
    if (needed.length > 0) yield `check: ${shown(needed)}; read ${outcome(read)}`
  },
  *'fragments are counted alike'(answers) {
    const { ls, overview, check, array } = answers
    if (!ls.document || !overview.document) return
    const { states } = overview.document
    const counts = {
      ls: ls.document.fragment_num,
      overview: overview.document.fragment_num,
      states: states.reduce((sum, { fragment_num }) => sum + fragment_num, 0),
      listed: listed(answers).length,
    }
    if (new Set(Object.values(counts)).size > 1) yield JSON.stringify(counts)
    // check looks at the arrays of labels, too.
    const labels = array.matching(/^\/__labels\//).length > 0
    if (!labels && check.document && check.document.counts.fragment_num > counts.ls)
      yield `ls: ${counts.ls} fragments; check: ${check.document.counts.fragment_num}`
  },
  *'what verify-checksums calls damaged, check finds, too'({ verify, chunks }) {
    if (verify.document?.verdict === 'damaged' && findingsOf(chunks).every(({ severity }) => severity === 'note'))
      yield `verify-checksums: damaged; check finds nothing`
  },
  *'the overview finds no error that check does not find'({ overview, structure }) {
    if (!overview.document || !structure.document) return
    const codes = new Set<string>(findingsOf(structure).map(({ code }) => code))
    const { findings, finding_num, ok } = overview.document
    const only = findings.filter(({ severity, code }) => severity === 'error' && !codes.has(code))
    if (only.length > 0)
      yield `overview: ${only.map(({ code }) => code).join(', ')}; check ${shown(errorsOf(structure))}`
    if (ok !== (finding_num.error === 0)) yield `overview: ok ${ok}, but ${JSON.stringify(finding_num)}`
  },
  *'a page holds what check finds'({ page, chunks }) {
    if (!page || !chunks.document) return
    const [one, other] = [page.findings, chunks.document.findings].map((findings) =>
      Array.from(findings as readonly CheckFinding[], ({ severity, code, field, tile, message }) =>
        [severity, code, field, tile, message].join(' '),
      )
        .sort()
        .join('\n'),
    )
    if (one !== other) yield `page: ${one.slice(0, 300)}; check: ${other.slice(0, 300)}`
  },
  *'recover ends with 1 where it lost something, or what it wrote is not right'({ recover }) {
    const { document, code } = recover
    if (!document) return
    const { is_loss, cells_lost, remaining } = document
    if ((is_loss || cells_lost !== 0 || remaining.length > 0) !== (code === 1))
      yield `recover ${outcome(recover)}: is_loss ${is_loss}, cells_lost ${cells_lost}, remaining ${remaining.join()}`
  },
  *'what remains after recover is what check finds in what it wrote'({ recover, recovered }) {
    if (!recover.document || !recovered?.check.document) return
    const found = [...new Set<string>(errorsOf(recovered.check).map(({ code }) => code))].sort().join()
    const remaining = [...recover.document.remaining].sort().join()
    if (found !== remaining)
      yield `recover: remaining ${remaining || 'none'}; check of what it wrote: ${found || 'none'}`
  },
  *'what read gives, it gives again after recover, unless check finds cells that were changed'(answers) {
    const { read, recover, recovered, check } = answers
    if (read.code !== 0 || !recovered) return
    const isSame = JSON.stringify(read.cells) === JSON.stringify(recovered.read.cells)
    if (isSame && recovered.read.code === 0) return
    if (errorsOf(check).some(({ code }) => CHANGED.test(code))) return
    if (recover.code === 0 || recovered.read.code !== 0)
      yield `read: ${read.cells.length} cells; after recover ${recovered.read.cells.length} others, ${outcome(recovered.read)}; check ${shown(errorsOf(check))}`
  },
  *'read --keep-going gives the same where read fails nowhere'({ read, keepGoing }) {
    if (read.code === 0 && (keepGoing.code !== 0 || read.cells.length !== keepGoing.cells.length))
      yield `read: ${read.cells.length} cells; with --keep-going ${keepGoing.cells.length} cells, ${outcome(keepGoing)}`
  },
  *'why lets nobody vacuum while check finds what replaces it wrong'(answers) {
    const vacs = new Map(listed(answers).map(({ path, hidden_by }) => [path.slice(EDITED.length + 1), hidden_by]))
    for (const [path, { document }] of answers.why) {
      const by = replacing(path.endsWith('.vac') ? path : vacs.get(path))
      if (!document || document.delete === 'no' || by === undefined) continue
      const wrong = errorsOf(answers.check).filter((one) => isIn(by, one))
      if (wrong.length > 0) yield `why ${path}: delete: ${document.delete}, ${document.how}; check ${shown(wrong)}`
    }
  },
  *'why lets nobody delete what a vacuum file hides while no other fragment has its cells'(answers) {
    const hidden = listed(answers).filter(({ state }) => state === 'hidden')
    for (const [path, { document }] of answers.why) {
      const isOne = hidden.some(({ path: one }) => {
        const fragment = one.slice(EDITED.length + 1)
        return path === fragment || path === commitOf(fragment)
      })
      if (isOne && document && document.delete !== 'no')
        yield `ls: ${path} is hidden; why: delete: ${document.delete}, ${document.how}`
    }
  },
  *'a plan vacuums and removes nothing that why wants kept'(answers) {
    const kept = [...answers.why].filter(([, { document }]) => document?.delete === 'no').map(([path]) => path)
    for (const plan of answers.plan.document?.plans ?? []) {
      const commands = plan.steps.map(({ command = '' }) => command)
      if (plan.outcome === 'loses') continue
      const removed = commands.find((command) => /\brm -/.test(command) && kept.some((path) => command.includes(path)))
      if (removed !== undefined) yield `check --plan: ${removed}; why: delete: no`
      const vacuum = commands.find((command) => command.includes('.vacuum('))
      const hidden = listed(answers).find(({ hidden_by }) => {
        const by = replacing(hidden_by)
        return by !== undefined && errorsOf(answers.check).some((one) => isIn(by, one))
      })
      if (vacuum !== undefined && hidden) yield `check --plan: ${vacuum}; but what replaces ${hidden.name} is not whole`
    }
  },
  *'why lets nobody delete what a plan gives its place or name back'({ plan, why }) {
    for (const from of moved(plan.document)) {
      const { delete: answer, how } = why.get(from.slice(EDITED.length + 1))?.document ?? {}
      if (answer === 'yes') yield `check --plan moves ${from}; why: delete: yes, ${how}`
    }
  },
  *'a read gives the same without what why lets somebody delete'({ read, without, why }) {
    if (read.code !== 0) return
    for (const [path, after] of without) {
      if (after.code === 0 && JSON.stringify(after.cells) === JSON.stringify(read.cells)) continue
      const { delete: answer, how } = why.get(path)?.document ?? {}
      yield `why ${path}: delete: ${answer}, ${how}; then read gives ${after.cells.length} cells, before ${read.cells.length}, and ${outcome(after)}`
    }
  },
  *'history has the version that read gives'({ history, check }) {
    // Where boxes are wrong, a search for a cell looks elsewhere, as TileDB's does.
    if (!history || errorsOf(check).some(({ code }) => /^(?:MBR|RTREE|NONEMPTY)_/.test(code))) return
    const { row, said } = history
    if (said.code !== 0 && errorsOf(check).length === 0) yield `read: ${JSON.stringify(row)}; history ${outcome(said)}`
    const current = said.document?.versions.filter(({ state }) => state === 'current') ?? []
    const isFilled = said.document?.fill_values !== undefined
    if (said.document && current.length === 0 && !isFilled)
      yield `read: ${JSON.stringify(row)}; history: no current version`
  },
  *'history gives the values that read gives'({ history, read, check }) {
    if (!history || read.code !== 0 || history.said.code !== 0 || errorsOf(check).length > 0) return
    const { row, said } = history
    const current = said.document?.versions.filter(({ state }) => state === 'current') ?? []
    // An array with duplicates has several rows of a cell.
    const rows = read.cells.map((cell) => JSON.parse(cell) as Row)
    const alike = rows.filter((one) => Object.keys(said.document?.cell ?? {}).every((name) => one[name] === row[name]))
    for (const { values } of current) {
      const isGiven = alike.some((one) =>
        Object.entries(values ?? {}).every(([name, value]) => typeof value !== 'number' || one[name] === value),
      )
      if (!isGiven) yield `history: ${JSON.stringify(values)}; read: ${JSON.stringify(alike)}`
    }
  },
  *'diff of an array with itself finds nothing where read gives all'({ read, diff, check }) {
    // It compares key-value metadata and enumerations, too.
    if (read.code === 0 && errorsOf(check).length === 0 && diff.code !== 0)
      yield `read ${outcome(read)}; diff --read ${outcome(diff)}`
  },
  *'the overview counts exactly what read gives, if it says so'({ read, overview, ls }) {
    const { document } = overview
    if (read.code !== 0 || document?.certainty !== 'exact' || ls.document?.array_type !== 'sparse') return
    if (Number(document.cell_num) !== read.cells.length)
      yield `overview: exactly ${document.cell_num} cells; read: ${read.cells.length}`
  },
  *'the cells of a fragment are counted alike'(answers) {
    for (const { name, cells_in_domain } of listed(answers)) {
      const decoded = answers.decode.get(name)
      if (decoded?.code === 0 && cells_in_domain !== null && Number(cells_in_domain) !== decoded.cells.length)
        yield `ls: ${cells_in_domain} cells in ${name}; decode: ${decoded.cells.length}`
    }
  },
  *'the overview and ls add up the same bytes'({ overview, ls }) {
    if (!overview.document || !ls.document || overview.document.size_certainty !== 'exact') return
    const size = listOf(ls.document.fragments as Iterable<ArrayFragment>).reduce(
      (sum, one) => sum + Number(one.size),
      0,
    )
    if (Number(overview.document.size) !== size) yield `overview: ${overview.document.size} bytes; ls: ${size}`
  },
  *'what ls calls visible, a commit names'(answers) {
    const { commits } = answers
    if (commits.code !== 0) return
    const called = listOf(commits.document?.commits).filter(({ effect }) => effect === 'visible')
    const named = new Set(called.map(({ refers_to }) => refers_to))
    const bare = visibleOf(answers).filter((name) => !named.has(name))
    if (bare.length > 0) yield `ls: visible ${bare.join()}; commits: not`
  },
  *'commits calls visible what ls calls visible'(answers) {
    const { commits } = answers
    if (!commits.document) return
    const visible = new Set(visibleOf(answers))
    const called = listOf(commits.document.commits).filter(({ effect, exists }) => effect === 'visible' && exists)
    const wrong = called.filter(({ refers_to }) => refers_to !== null && !visible.has(refers_to))
    if (wrong.length > 0) yield `commits: visible ${wrong.map(({ refers_to }) => refers_to).join()}; ls: not`
  },
  *'no command fails in another way than by an error of the array'(answers) {
    const { array: _, page, decode, why, recovered, history, without, ...one } = answers
    const all = {
      ...one,
      ...Object.fromEntries(decode),
      ...Object.fromEntries(why),
      ...recovered,
      ...(history && { history: history.said }),
    }
    for (const [name, { code, stderr }] of Object.entries(all))
      if (code > 3 || /internal|fault of tiledb-inspect|TypeError|RangeError/.test(stderr))
        yield `${name}: ${code} ${stderr.slice(0, 300)}`
  },
}
