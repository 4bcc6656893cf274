import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import GithubSlugger from 'github-slugger'
import { Marked } from 'marked'
import MiniSearch from 'minisearch'

/**
 * Makes the documentation as a site that any server of plain files shows: a page for each Markdown file that README.md leads to, with a
 * list of all pages, a search, and light and dark. Fails if a link leads nowhere.
 *
 *     node tools/site/build.mjs            writes build/site
 *     node tools/site/build.mjs --check    writes nothing
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Files of other kinds that links lead to are copied, if they are this small. */
const MAX_COPIED = 2_000_000
const SEARCHED = { fields: ['title', 'heading', 'text'], storeFields: ['title', 'heading', 'url'] }

const escaped = (text) =>
  text.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one])
const plain = (html) =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name])

/** The address of a page in the site: README.md is the first one of its folder. */
const addressOf = (file) => file.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html')

/**
 * The pages of the project, and what is wrong with their links.
 * @param root the folder of the project
 */
export function readSite(root = ROOT) {
  const pages = new Map()
  const copied = new Set()
  const faults = []
  const waiting = ['README.md']
  /** Links to headings, which are looked up when all pages are read. */
  const toHeadings = []

  /** The address of a link in `file`, from the page that it stands on. */
  function resolveLink(file, href) {
    if (/^[a-z]+:/i.test(href)) return href
    const [path, heading] = href.split('#', 2)
    const target =
      path === '' ? file : posix.normalize(posix.join(posix.dirname(file), decodeURI(path))).replace(/\/$/, '')
    const there = join(root, target)
    if (target.startsWith('..') || !existsSync(there)) {
      faults.push(`${file}: a link leads to ${href}, which is not there`)
      return href
    }
    const page = statSync(there).isDirectory() ? folderPage(target) : target
    if (page.endsWith('.md')) waiting.push(page)
    else if (statSync(join(root, page)).size <= MAX_COPIED) copied.add(page)
    if (heading !== undefined) toHeadings.push({ file, href, page, heading })
    const address = posix.relative(posix.dirname(addressOf(file)), addressOf(page)) || posix.basename(addressOf(page))
    return heading === undefined ? address : `${address}#${heading}`
  }

  /** A folder is shown by its README.md, or by a page that lists its files. */
  function folderPage(folder) {
    const readme = `${folder}/README.md`
    if (existsSync(join(root, readme))) return readme
    if (!pages.has(readme)) {
      const names = readdirSync(join(root, folder)).filter((name) => statSync(join(root, folder, name)).isFile())
      pages.set(readme, undefined)
      addPage(readme, `# ${folder}\n\n${names.map((name) => `- [${name}](${encodeURI(name)})`).join('\n')}\n`)
    }
    return readme
  }

  function addPage(file, text) {
    const slugger = new GithubSlugger()
    const sections = []
    const marked = new Marked({
      gfm: true,
      walkTokens: (token) => {
        if (token.type === 'link' || token.type === 'image') token.href = resolveLink(file, token.href)
      },
      renderer: {
        heading({ tokens, depth }) {
          const html = this.parser.parseInline(tokens)
          const id = slugger.slug(plain(html))
          sections.push({ id, depth, heading: plain(html), from: undefined })
          return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`
        },
        // Reached by Tab, so that the keyboard can scroll it.
        code({ text: code }) {
          return `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`
        },
        table({ header, rows }) {
          const cell = (name, { tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`
          const body = rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('\n')
          // A heading without text is none.
          const head = header.map((one) => cell(one.text === '' ? 'td' : 'th', one)).join('')
          return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${body}</tbody></table></div>\n`
        },
        // Pictures that stand in HTML, as in the first page.
        html({ text: html }) {
          return html.replace(
            /\b(src|srcset|href)="([^"#][^"]*)"/g,
            (_, name, to) => `${name}="${resolveLink(file, to)}"`,
          )
        },
      },
    })
    const html = marked.parse(text)
    const title = sections.find(({ depth }) => depth === 1)?.heading ?? file
    pages.set(file, { file, title, html, sections })
  }

  for (const file of waiting) if (!pages.has(file)) addPage(file, readFileSync(join(root, file), 'utf8'))
  for (const { file, href, page, heading } of toHeadings) {
    const found = pages.get(page)
    if (found && !found.sections.some(({ id }) => id === heading))
      faults.push(`${file}: a link leads to ${href}, but ${page} has no such heading`)
  }
  return { pages: [...pages.values()], copied, faults }
}

/** The parts of a page that the search finds: the text below each heading. */
function partsOf({ file, title, html }) {
  const parts = html.split(/(?=<h[1-6] id=")/)
  return parts.flatMap((part) => {
    const [, id, heading] = /^<h[1-6] id="([^"]*)">(.*?)<\/h/s.exec(part) ?? []
    if (id === undefined) return []
    return [{ title, heading: plain(heading), text: plain(part), url: `${addressOf(file)}#${id}` }]
  })
}

/** The list of pages, as docs/README.md has it. */
function contentsOf(pages) {
  const contents = pages.find(({ file }) => file === 'docs/README.md')
  const groups = contents.html.split(/(?=<h2 id=")/).slice(1)
  return groups.flatMap((group) => {
    const heading = plain(/<h2[^>]*>(.*?)<\/h2>/s.exec(group)[1])
    const links = [...group.matchAll(/<a href="([^"#]+\.html)(?:#[^"]*)?">(.*?)<\/a>/gs)]
    const targets = links.map(([, href, text]) => ({ to: posix.join('docs', href), text: plain(text) }))
    const once = targets.filter(({ to }, i) => targets.findIndex((one) => one.to === to) === i)
    return once.length === 0 ? [] : [{ heading, links: once }]
  })
}

function pageHtml({ file, title, html, sections }, contents) {
  const address = addressOf(file)
  const to = (target) => posix.relative(posix.dirname(address), target) || posix.basename(target)
  const link = (target, text) =>
    `<a href="${to(target)}"${target === address ? ' aria-current="page"' : ''}>${escaped(text)}</a>`
  const list = contents
    .map(
      ({ heading, links }) =>
        `<h2>${escaped(heading)}</h2><ul>${links.map((one) => `<li>${link(one.to, one.text)}</li>`).join('')}</ul>`,
    )
    .join('\n')
  const below = sections.filter(({ depth }) => depth === 2)
  const inside = below.map(({ id, heading }) => `<li><a href="#${id}">${escaped(heading)}</a></li>`).join('')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} – tiledb-inspect</title>
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('theme.js')}"></script>
<script type="module" src="${to('search.js')}" data-root="${posix.relative(posix.dirname(address), '.') || '.'}"></script>
<a class="skip" href="#main">To the text</a>
<header>
  ${link('index.html', 'tiledb-inspect')}
  <div class="search" role="search">
    <input type="search" placeholder="Search ( / )" aria-label="Search the documentation" aria-controls="found">
    <ol id="found" hidden></ol>
  </div>
  <label class="theme">Colours <select><option value="system">system<option value="light">light<option value="dark">dark</select></label>
</header>
<details class="contents" open><summary>All pages</summary><nav aria-label="All pages">${list}</nav></details>
<main id="main">
${html}
</main>
${below.length > 2 ? `<nav class="inside" aria-label="On this page"><h2>On this page</h2><ul>${inside}</ul></nav>` : ''}
</html>
`
}

function write(out, { pages, copied }) {
  rmSync(out, { recursive: true, force: true })
  const contents = contentsOf(pages)
  const search = new MiniSearch(SEARCHED)
  for (const page of pages) {
    const place = join(out, addressOf(page.file))
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, pageHtml(page, contents))
  }
  search.addAll(pages.flatMap(partsOf).map((part, id) => ({ id, ...part })))
  writeFileSync(join(out, 'search.json'), JSON.stringify({ options: SEARCHED, index: search }))
  for (const file of copied) {
    mkdirSync(join(out, dirname(file)), { recursive: true })
    cpSync(join(ROOT, file), join(out, file))
  }
  for (const name of ['site.css', 'theme.js', 'search.js']) cpSync(join(HERE, name), join(out, name))
  cpSync(join(ROOT, 'node_modules/minisearch/dist/es/index.js'), join(out, 'minisearch.js'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const site = readSite()
  for (const fault of site.faults) console.error(fault)
  if (site.faults.length > 0) process.exit(1)
  const out = join(ROOT, 'build/site')
  if (!process.argv.includes('--check')) write(out, site)
  console.log(
    `${site.pages.length} pages, ${site.copied.size} other files${process.argv.includes('--check') ? '' : `: ${relative(process.cwd(), out)}`}`,
  )
}
