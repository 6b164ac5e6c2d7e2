/** A moment, as people read it; the exact one on pointing at it. `null`: `never`. */
export const When = ({ at, never = 'never' }: { at: string | null | undefined; never?: string }) =>
  at ? (
    <time dateTime={at} title={at}>
      {formatted(at)}
    </time>
  ) : (
    never
  )

/** A moment as `When` shows it, where only text can stand. */
export const formatted = (at: string): string => format.format(new Date(at))

/** How long ago a moment is, in the largest unit that is full: `5 minutes ago`. */
export const ago = (at: string): string => {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000))
  if (seconds < 60) return 'less than a minute ago'
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute')
  if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3600), 'hour')
  return relative.format(-Math.floor(seconds / 86_400), 'day')
}

const relative = new Intl.RelativeTimeFormat('en')

/** ISO dates, in the reader's time zone. */
const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
