import { render } from 'preact'
import { App } from './app.tsx'
import { rememberProgram } from './job.ts'
import { placeInPage } from './place.ts'
import { workForPage } from './worker.ts'

/** The program of the page: build.mjs puts it, with its style, into one file. It is that of the page's workers, too. */
if (typeof document === 'undefined') workForPage()
else {
  rememberProgram()
  const root = document.getElementById('root')
  if (root) placeInPage().then((given) => render(<App given={given} />, root))
}
