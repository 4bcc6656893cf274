/*
 * XML, as far as layers need it: elements with attributes and text. Names with a prefix stay as they are. Comments, instructions and
 * the document type are passed over.
 */

/** An element of XML. */
export interface Element {
  name: string
  attributes: ReadonlyMap<string, string>
  /** Its own text, without that of the elements in it. */
  text: string
  elements: Element[]
}

/** Why a text is no XML. */
export class XmlFault extends Error {}

/** What is passed over, or is text as it stands. */
const SPECIAL = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const

const CDATA = '<![CDATA['
const TAG = /^<(\/?)([^\s/>=]+)((?:\s+[^\s/>=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/
const ATTRIBUTE = /([^\s/>=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const REFERENCE = /&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])
/** Longest tag that is looked at at once: a pattern must not run over the whole text again for each tag. */
const LONGEST_TAG = 65_536

/** The outermost element. @throws XmlFault if the text is no XML */
export function parseXml(text: string): Element {
  const open: Element[] = []
  let root: Element | undefined
  let at = 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    addText(open.at(-1), text.slice(at, next < 0 ? text.length : next), at)
    if (next < 0) break
    at = next
    const special = SPECIAL.find(([start]) => text.startsWith(start, at))
    if (special) {
      const [start, end] = special
      const close = text.indexOf(end, at + start.length)
      if (close < 0) throw new XmlFault(`no end of ${start} at character ${at}`)
      const inside = open.at(-1)
      if (start === CDATA && inside) inside.text += text.slice(at + start.length, close)
      at = close + end.length
      continue
    }
    const tag = TAG.exec(text.slice(at, at + LONGEST_TAG))
    if (!tag) throw new XmlFault(`no whole tag at character ${at}`)
    const [whole, isEnd, name = '', attributes = '', isEmpty] = tag
    if (isEnd) {
      const inner = open.pop()
      if (inner?.name !== name)
        throw new XmlFault(`</${name}> at character ${at}, where ${inner ? `</${inner.name}>` : 'no element'} ends`)
    } else {
      const element: Element = { name, attributes: attributesIn(attributes), text: '', elements: [] }
      const around = open.at(-1)
      if (around) around.elements.push(element)
      else if (root) throw new XmlFault(`a second outermost element at character ${at}`)
      else root = element
      if (!isEmpty) open.push(element)
    }
    at += whole.length
  }
  const inner = open.at(-1)
  if (inner) throw new XmlFault(`no end of the element ${inner.name}`)
  if (!root) throw new XmlFault('no element')
  return root
}

function addText(element: Element | undefined, text: string, at: number): void {
  if (element) element.text += resolved(text)
  else if (text.replace(/^\uFEFF/, '').trim() !== '')
    throw new XmlFault(`text outside of all elements at character ${at}`)
}

function attributesIn(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [name, resolved(double ?? single ?? '')]),
  )
}

function resolved(text: string): string {
  return text.replace(REFERENCE, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** The first element of a name in another one. */
export function childOf({ elements }: Element, name: string): Element | undefined {
  return elements.find((one) => one.name === name)
}
