/** Milliseconds until the progress line appears. */
const PATIENCE = 1000

/** Starts a progress line on stderr, which appears only if the work takes long. @param wanted whether stderr is a terminal that may show it */
export async function startProgress(
  what: string,
  wanted: boolean,
): Promise<{ update(done: number, total?: number): void; stop(): void }> {
  if (!wanted) return { update() {}, stop() {} }
  let text = what
  let spinner: { text: string; stop(): unknown } | undefined
  let stopped = false
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora')
    if (!stopped) spinner = ora({ text, stream: process.stderr }).start()
  }, PATIENCE)
  timer.unref()
  return {
    update(done, total) {
      text = total === undefined ? `${what}: ${done} parts` : `${what}: ${done} of ${total}`
      if (spinner) spinner.text = text
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      spinner?.stop()
    },
  }
}
