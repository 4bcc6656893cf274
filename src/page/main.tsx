import { render } from 'preact'
import { App } from './app.tsx'
import { placeInPage } from './place.ts'

/** The part of the program that the page begins with: loader.ts runs it. */
const root = document.getElementById('root')
if (root) placeInPage().then((embedded) => render(<App embedded={embedded} />, root))
