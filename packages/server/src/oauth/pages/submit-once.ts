/** Sends a form once, also after a double click. Without JavaScript the server sees to it (interactions/repeated-forms.ts). */
import type { Markup } from './html.ts'

/**
 * A page that the browser shows again after going back sends its form again. So does one whose answer has not come after ten seconds. A form for
 * passkeys is sent by its own script.
 */
export const submitOnceScript = `
{
  const sentAt = new WeakMap()
  let shownAt = 0
  addEventListener('pageshow', () => { shownAt = performance.now() })
  document.addEventListener('submit', event => {
    if (event.defaultPrevented) return
    const last = sentAt.get(event.target) ?? -Infinity
    const now = performance.now()
    if (last >= shownAt && now - last < 10000) event.preventDefault()
    else sentAt.set(event.target, now)
  })
}
`

export const hasForm = ({ text }: Markup): boolean => text.includes('<form method="post"')
