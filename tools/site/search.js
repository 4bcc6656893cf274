import MiniSearch from './minisearch.js'

/** The search: reads its index when somebody first types. */
const MAX_SHOWN = 12
const input = document.querySelector('input[type=search]')
const found = document.querySelector('#found')
const root = document.querySelector('script[data-root]').dataset.root
let index

async function loaded() {
  index ??= fetch(`${root}/search.json`)
    .then((response) => response.json())
    .then(({ options, index: stored }) => MiniSearch.loadJS(stored, options))
  return index
}

async function show() {
  const asked = input.value.trim()
  if (asked === '') {
    found.hidden = true
    return
  }
  const options = { prefix: true, fuzzy: 0.2, combineWith: 'AND', boost: { heading: 3, title: 2 } }
  const hits = (await loaded()).search(asked, options).slice(0, MAX_SHOWN)
  if (input.value.trim() !== asked) return
  found.replaceChildren(...(hits.length === 0 ? [nothing()] : hits.map(line)))
  found.hidden = false
}

function line({ title, heading, url }) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = `${root}/${url}`
  link.textContent = heading
  const page = document.createElement('small')
  page.textContent = heading === title ? '' : title
  link.append(' ', page)
  item.append(link)
  return item
}

function nothing() {
  const item = document.createElement('li')
  item.textContent = 'Nothing has all of these words.'
  return item
}

input.addEventListener('input', show)
input.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')]
  if (event.key === 'Escape') found.hidden = true
  else if (event.key === 'Enter') links[0]?.click()
  else if (event.key === 'ArrowDown') {
    links[0]?.focus()
    event.preventDefault()
  }
})
found.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Escape') input.focus()
  if (step === undefined) return
  event.preventDefault()
  const next = links[links.indexOf(document.activeElement) + step]
  if (next) next.focus()
  else if (step < 0) input.focus()
})
addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) return
  event.preventDefault()
  input.focus()
})
addEventListener('click', (event) => {
  if (!event.target.closest('.search')) found.hidden = true
})
