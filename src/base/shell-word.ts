import { UNSAFE } from './unsafe-text.ts'

/** A text as one word of a command for sh, bash or zsh. A terminal shows exactly what the shell reads. */
export function shellWord(text: string): string {
  // zsh replaces a word that begins with `=` by the path of the command that it names.
  return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text)
}

/**
 * {@link shellWord}, always quoted. Characters that a terminal does not show become escapes of a `printf` command. The shell
 * would remove newlines at the end of its output, so a text that ends in a newline is quoted without escapes.
 */
export function quotedWord(text: string): string {
  const literal = `'${text.replaceAll("'", "'\\''")}'`
  if (text.search(UNSAFE) < 0 || text.endsWith('\n')) return literal
  // Quotes are escaped, too, and `!`, which shells with a history replace within double quotes. So is a dash at the
  // start, which printf would take for an option.
  const format = text
    .replace(/[\\%]/g, '$&$&')
    .replace(UNSAFE, octal)
    .replace(/[!'"]|^-/g, octal)
  return `"$(printf '${format}')"`
}

const UTF8 = new TextEncoder()

/** A character as the escapes of printf. */
function octal(character: string): string {
  // In a name that is not UTF-8, half of a surrogate pair stands for a byte.
  const code = character.charCodeAt(0)
  const bytes = character.length === 1 && code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : UTF8.encode(character)
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
