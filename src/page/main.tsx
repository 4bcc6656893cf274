import { render } from 'preact'
import { App } from './app.tsx'
import { placeInPage } from './place.ts'

/** The program of the page: build.mjs puts it, with its style, into one file. */
const root = document.getElementById('root')
if (root) placeInPage().then((given) => render(<App given={given} />, root))
