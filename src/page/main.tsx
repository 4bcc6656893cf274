import { render } from 'preact'
import { App } from './app.tsx'
import { rememberProgram } from './job.ts'
import { placeInPage } from './place.ts'
import { workForPage } from './worker.ts'

/** The program of the page and of its workers. tools/build-page.mjs puts it into one file with the style. */
if (typeof document === 'undefined') workForPage()
else {
  rememberProgram()
  const root = document.getElementById('root')
  if (root) placeInPage().then((embedded) => render(<App embedded={embedded} />, root))
}
