/** A moment, as people read it; the exact one on pointing at it. `null`: `never`. */
export const Moment = ({ moment, never = 'never' }: { moment: string | null | undefined; never?: string }) =>
  moment ? (
    <time dateTime={moment} title={moment}>
      {formatMoment(moment)}
    </time>
  ) : (
    never
  )

/** A moment as `When` shows it, where only text can stand. */
export const formatMoment = (moment: string): string => format.format(new Date(moment))

/** How long ago a moment is, in the largest unit that is full: `5 minutes ago`. */
export const formatAgo = (moment: string): string => {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(moment)) / 1000))
  if (seconds < 60) return 'less than a minute ago'
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute')
  if (seconds < 86_400) return relative.format(-Math.floor(seconds / 3600), 'hour')
  return relative.format(-Math.floor(seconds / 86_400), 'day')
}

const relative = new Intl.RelativeTimeFormat('en')

/** ISO dates, in the reader's time zone. */
const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
