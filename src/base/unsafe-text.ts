/** Control characters, line and paragraph separators, characters that reorder or hide text, and lone surrogates. */
export const UNSAFE =
  /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** {@link UNSAFE} in JSON, which has already escaped some of them. Tag characters are surrogate pairs there. */
const UNSAFE_IN_JSON =
  /[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/
const EACH_UNSAFE_IN_JSON = new RegExp(UNSAFE_IN_JSON, 'g')

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The escape of a character of {@link UNSAFE}, such as `\x1b`. */
export function escapedCharacter(character: string): string {
  const named = NAMED[character]
  if (named !== undefined) return named
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}

/** A text or an object as JSON that is safe to show on a terminal and hides nothing. It parses to the same value. */
export function safeJson(value: string | object): string {
  const json = JSON.stringify(value)
  return UNSAFE_IN_JSON.test(json) ? json.replace(EACH_UNSAFE_IN_JSON, escapedUnits) : json
}

/** Text as a string literal of Python that hides nothing. */
export function pythonString(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16)
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
}

function escapedUnits(characters: string): string {
  let escaped = ''
  for (let i = 0; i < characters.length; i++) escaped += `\\u${characters.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escaped
}
