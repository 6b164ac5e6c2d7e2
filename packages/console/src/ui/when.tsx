/** A moment, as people read it; the exact one on pointing at it. `null`: `never`. */
export const When = ({ at, never = 'never' }: { at: string | null | undefined; never?: string }) =>
  at ? (
    <time dateTime={at} title={at}>
      {format.format(new Date(at))}
    </time>
  ) : (
    never
  )

/** ISO dates, in the reader's time zone. */
const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
