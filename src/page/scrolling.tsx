import type { ComponentChildren } from 'preact'

/** A part of the page that scrolls by itself, also by keyboard. @param label its name for screen readers */
export function Scrolling({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
