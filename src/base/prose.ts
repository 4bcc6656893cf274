/**
 * Text for people: a message, a meaning, or advice. The program shows it and never decides by it: what it says also stands beside it as a code,
 * a key or a number. `npm run lint` finds decisions on such text (tools/prose.mjs). Any string may be given as prose. A
 * parameter or variable that takes such text has this type, too: as a plain string it is not watched.
 */
export type Prose = string & { readonly prose?: true }
