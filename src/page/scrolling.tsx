import type { ComponentChildren } from 'preact'

/** A part of the page that scrolls by itself, also by keyboard, and says to screen readers what it is. */
export function Scrolling({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
