/** The errors of a workspace file, each a link to its place. */

import { Anchor, List, Text } from '@mantine/core'
import type { ErrorPlace } from '@querent/contract/errors'
import { t, tCount, translateFault } from '#i18n/translate.ts'
import { CodeText } from '#ui/code-text.tsx'

interface PlaceListProps {
  places: readonly ErrorPlace[]
  onChoose: (place: ErrorPlace) => void
}

export const PlaceList = ({ places, onChoose }: PlaceListProps) => (
  <List size="sm">
    {places.map(place => (
      <List.Item key={`${place.line} ${place.column} ${place.message}`}>
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onChoose(place)}>
          {t('line {line}, column {column}', { line: place.line ?? 1, column: place.column ?? 1 })}
        </Anchor>
        : <CodeText>{translateFault(place)}</CodeText>
      </List.Item>
    ))}
  </List>
)

interface CheckSummaryProps {
  check: { changes: number; textChanged: boolean } | { places: readonly ErrorPlace[] }
  onChoose: (place: ErrorPlace) => void
}

/** One line, so that the text below it stays in its place while the person types. */
export const CheckSummary = ({ check, onChoose }: CheckSummaryProps) => {
  if ('changes' in check)
    return (
      <Text size="sm" c="dimmed">
        {check.changes === 0 && check.textChanged
          ? t('No errors, only comments or layout change')
          : tCount(check.changes, 'No errors, {count} change', 'No errors, {count} changes')}
      </Text>
    )
  const [first] = check.places
  return (
    <Anchor component="button" type="button" size="sm" c="red" onClick={() => first && onChoose(first)}>
      {tCount(check.places.length, '{count} error', '{count} errors')}
    </Anchor>
  )
}
