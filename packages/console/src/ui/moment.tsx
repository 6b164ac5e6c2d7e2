import { useSyncExternalStore } from 'react'
import { dateLocale, language, t } from '#i18n/translate.ts'

interface MomentProps {
  moment: string | null | undefined
  /** Shown if there is no moment. Default: `never`. */
  never?: string
  /** Shows date and time also where it is a short time ago, for logs. */
  isExact?: boolean
}

/** A moment as people read it: `2 min. ago`, or a date if it is days away. The exact time and its zone appear on pointing at it. */
export const Moment = ({ moment, never = t('never'), isExact = false }: MomentProps) => {
  // Renders again as time passes.
  const now = useSyncExternalStore(everyHalfMinute, readNow)
  if (!moment) return never
  return (
    <time dateTime={moment} title={exactFormat.format(new Date(moment))}>
      {isExact ? formatMoment(moment) : formatRelative(moment, now)}
    </time>
  )
}

/** Date and time of a moment, in the reader's zone. */
export const formatMoment = (moment: string): string => minuteFormat.format(new Date(moment))

/** `2 min. ago`, `in 3 days`, or the date if it is a week or more away. `now`: milliseconds since the epoch. */
export const formatRelative = (moment: string, now = Date.now()): string => {
  const seconds = (Date.parse(moment) - now) / 1000
  const distance = Math.abs(seconds)
  // Clocks of server and browser differ a little.
  if (distance < 60) return t('just now')
  if (distance < hour) return relativeFormat.format(Math.trunc(seconds / 60), 'minute')
  if (distance < day) return relativeFormat.format(Math.trunc(seconds / hour), 'hour')
  // A week from now is `in 7 days` a minute later too.
  if (distance < 7 * day)
    return relativeFormat.format(seconds > 0 ? Math.round(seconds / day) : Math.trunc(seconds / day), 'day')
  return dateFormat.format(new Date(moment))
}

/** In seconds. */
const hour = 3600
const day = 24 * hour

const relativeFormat = new Intl.RelativeTimeFormat(language, { style: 'short' })
const dateFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium' })
const minuteFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium', timeStyle: 'short' })
const exactFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'full', timeStyle: 'long' })

const tickMs = 30_000
const readNow = () => Math.floor(Date.now() / tickMs) * tickMs
const everyHalfMinute = (onTick: () => void) => {
  const timer = setInterval(onTick, tickMs)
  return () => clearInterval(timer)
}
