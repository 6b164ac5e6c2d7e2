import { Alert, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { Path } from '@querent/contract/workspace-source'
import { t, translateFault } from '#i18n/translate.ts'
import { CodeText } from './code-text.tsx'
import { ErrorNote } from './error-note.tsx'

interface EditErrorProps {
  error: unknown
  /** Messages that inputs show. */
  shown: ReadonlySet<string>
  title: string
}

/** Errors of an edit of the workspace file that no input shows. */
export const EditError = ({ error, shown, title }: EditErrorProps) => {
  if (!(error instanceof ApiError) || error.errors.length === 0) return <ErrorNote error={error} />
  const otherPlaces = error.errors.filter(place => !shown.has(translateFault(place)))
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      {otherPlaces.length === 0 && <Text size="sm">{t('Correct the marked fields and try again.')}</Text>}
      {otherPlaces.length > 0 && (
        <Text component="ul" size="sm" m={0} pl="lg">
          {otherPlaces.map(place => (
            <li key={`${place.path} ${translateFault(place)}`}>
              {place.path ? `${place.path}: ` : ''}
              <CodeText>{translateFault(place)}</CodeText>
            </li>
          ))}
        </Text>
      )}
    </Alert>
  )
}

/** Messages of an edit of the workspace file about the value at `key` of the entry at `path`. */
export const listFaults = (error: unknown, path: Path, key: string): string[] => {
  if (!(error instanceof ApiError)) return []
  const place = [...path, key].join('.')
  return error.errors
    .filter(fault => fault.path === place || fault.path?.startsWith(`${place}.`))
    .map(translateFault)
}
