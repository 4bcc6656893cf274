import { UNSAFE } from './unsafe-text.ts'

/** A text as one word of a command for a shell such as sh, bash or zsh. What is printed of it is what the shell reads. */
export function shellWord(text: string): string {
  // zsh takes a word that begins with `=` for the name of a command, whose path it puts there.
  return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text)
}

/**
 * {@link shellWord} in quotes. Characters that a terminal does not show are written by printf, whose escapes every terminal shows. The
 * shell cuts newlines at the end of what printf writes, so a text with such an end stays as it is.
 */
export function quotedWord(text: string): string {
  const literal = `'${text.replaceAll("'", "'\\''")}'`
  if (text.search(UNSAFE) < 0 || text.endsWith('\n')) return literal
  // Nor quotes, nor `!`, which shells with a history replace within double quotes.
  const format = text
    .replace(/[\\%]/g, '$&$&')
    .replace(UNSAFE, octal)
    .replace(/[!'"]|^-/g, octal)
  return `"$(printf '${format}')"`
}

const UTF8 = new TextEncoder()

/** A character as the escapes of printf. */
function octal(character: string): string {
  return Array.from(UTF8.encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
