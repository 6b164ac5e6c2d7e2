/** Says in the person's language where a text stops being JSON. */
import { findJsonFault, type JsonFault, type Requirement } from '@querent/contract/json-fault'
import { t } from '#i18n/translate.ts'

/** Returns undefined for JSON, and for objects that follow each other. */
export const describeJsonFault = (text: string): string | undefined => {
  const fault = findJsonFault(text)
  return (
    fault && t('Line {line}, column {column}: {fault}.', { ...writePlace(fault), fault: describe(fault) })
  )
}

/** Returns where a text ends too early, and what is missing there; undefined for other texts. */
export const describeEarlyEnd = (text: string): string | undefined =>
  /^(?:end|open)$/.test(findJsonFault(text)?.kind ?? '') ? describeJsonFault(text) : undefined

/** A line has no thousands separators. */
const writePlace = ({ line, column }: JsonFault) => ({ line: String(line), column: String(column) })

const describe = ({ kind, found, requirement, end }: JsonFault): string => {
  const need =
    needs[requirement] ?? (end === undefined ? t('the end of the text') : t('“,” or “{end}”', { end }))
  if (kind === 'end') return t('the text ends here, and {need} is missing', { need })
  if (kind === 'comma') return t('“{found}” follows a comma: leave out the comma', { found })
  if (kind === 'open') return t('the text that begins here is not closed')
  if (kind === 'text')
    return t(
      'the text that begins here has a line break, another control character or an unknown escape such as \\x',
    )
  return found === "'"
    ? t('here is a single quote where {need} is needed; JSON has double quotes', { need })
    : t('here is “{found}” where {need} is needed', { found, need })
}

const needs: Readonly<Partial<Record<Requirement, string>>> = {
  value: t('a value'),
  item: t('a value or “]”'),
  'first-name': t('a name in double quotes or “}”'),
  name: t('a name in double quotes'),
  colon: t('“:”'),
}
