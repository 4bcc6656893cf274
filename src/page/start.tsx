import { useEffect, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import { Form, formText } from './controls.tsx'
import type { TargetPlace } from './inspected.ts'
import { placeOfDrop, placeOfFiles, placeOfUrl } from './place.ts'
import { Fault } from './use-loaded.tsx'

/** The start of a page without a target: takes a dropped or chosen folder, or a URL. */
export function Start({ use }: { use: (place: TargetPlace) => void }) {
  const [error, setError] = useState<InspectError | undefined>(undefined)

  const attempt = async (find: () => Promise<TargetPlace | undefined> | TargetPlace | undefined): Promise<void> => {
    try {
      const place = await find()
      setError(undefined)
      if (place) use(place)
    } catch (fault) {
      setError(asInspectError(fault))
    }
  }

  // A folder may be dropped anywhere on the page.
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => {
      event.preventDefault()
      const items = event.dataTransfer?.items
      if (items) attempt(() => placeOfDrop(items))
    }
    addEventListener('dragover', over)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('drop', drop)
    }
  }, [])

  return (
    <section class="start" aria-labelledby="start-title">
      <h2 id="start-title">Open an array, fragment or group</h2>
      <p>Drop its folder on this page: its bytes stay on this machine. Or</p>
      <p>
        <label>
          choose its folder:{' '}
          <input
            type="file"
            {...{ webkitdirectory: true }}
            onChange={(event) => attempt(() => placeOfFiles(event.currentTarget.files ?? []))}
          />
        </label>
      </p>
      <Form use={(values) => attempt(() => placeOfUrl(formText(values, 'url')))}>
        <label>
          or give its URL: <input name="url" type="url" placeholder="https://…" required />
        </label>{' '}
        <button type="submit">Open</button>
      </Form>
      {error && <Fault error={error} />}
    </section>
  )
}
