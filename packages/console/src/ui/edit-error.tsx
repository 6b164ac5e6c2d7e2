import { Alert, Button, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import type { Path } from '@querent/contract/workspace-source'
import { Fragment } from 'react'
import { t, translateFault } from '#i18n/translate.ts'
import { CodeText } from './code-text.tsx'
import { ErrorNote } from './error-note.tsx'
import { FaultPlace, placeKey } from './fault-place.tsx'

interface EditErrorProps {
  workspace: string
  error: unknown
  /** Messages that inputs show. */
  shown: ReadonlySet<string>
  title: string
  /** Names of the entries that the edit deletes, the one that the person chose first: other parts that name them are their users. */
  deleted?: readonly string[] | undefined
  /** Name of the entry whose new type its users cannot work with. */
  retyped?: string | undefined
  /** Removes these uses with it; absent: the person does. */
  onRemoveUses?: (() => void) | undefined
  /** Whether uses are removed too, unless they say who sees what. */
  removesUses?: boolean
}

/** Errors of an edit of the workspace file that no input shows. */
export const EditError = ({
  workspace,
  error,
  shown,
  title,
  deleted,
  retyped,
  onRemoveUses,
  removesUses = false,
}: EditErrorProps) => {
  if (!(error instanceof ApiError) || error.errors.length === 0) return <ErrorNote error={error} />
  const otherPlaces = error.errors.filter(place => !shown.has(translateFault(place)))
  const users = otherPlaces.filter(
    place => deleted?.some(name => isUser(place, name)) || isUserByType(place, retyped),
  )
  const faults = otherPlaces.filter(place => !users.includes(place))
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      {otherPlaces.length === 0 && <Text size="sm">{t('Correct the marked fields and try again.')}</Text>}
      {users.length > 0 && (
        <>
          <Text size="sm">
            {deleted === undefined
              ? t('{name} has uses that need its type. Change or delete these first:', {
                  name: retyped ?? '',
                })
              : t('{name} is used by:', { name: deleted[0] ?? '' })}
          </Text>
          <Users workspace={workspace} places={users} />
          {onRemoveUses ? (
            <Button size="compact-sm" variant="default" mt="xs" onClick={onRemoveUses}>
              {t('Remove these uses too')}
            </Button>
          ) : (
            removesUses && (
              <Text size="sm" mt="xs">
                {t(
                  'Change these first. A deletion never changes who may see which documents, and deletes no test of that.',
                )}
              </Text>
            )
          )}
        </>
      )}
      {faults.length > 0 && <Places workspace={workspace} places={faults} />}
    </Alert>
  )
}

/** Parts of the file that use an entry, each once, with links. */
export const Users = ({ workspace, places }: { workspace: string; places: readonly ErrorPlace[] }) => (
  <Text component="ul" size="sm" m={0} pl="lg">
    {[...new Map(places.map(({ path = '' }) => [placeKey(path), path]))].map(([key, path]) => (
      <li key={key}>
        <FaultPlace workspace={workspace} path={path} />
      </li>
    ))}
  </Text>
)

/** Sentences about places of the file, each once behind its places in words. */
export const Places = ({ workspace, places }: { workspace: string; places: readonly ErrorPlace[] }) => (
  <Text component="ul" size="sm" m={0} pl="lg">
    {[...Map.groupBy(places, translateFault)].map(([sentence, samePlaces]) => {
      const paths = [...new Set(samePlaces.flatMap(({ path }) => path ?? []))]
      return (
        <li key={sentence}>
          {paths.map((path, index) => (
            <Fragment key={path}>
              {index > 0 && ', '}
              <FaultPlace workspace={workspace} path={path} />
            </Fragment>
          ))}
          {paths.length > 0 && ': '}
          <CodeText>{sentence}</CodeText>
        </li>
      )
    })}
  </Text>
)

/** Returns the places that name deleted entries. */
export const listUses = (error: unknown, deleted: readonly string[]): string[] =>
  error instanceof ApiError
    ? error.errors.flatMap(place =>
        place.path !== undefined && deleted.some(name => isUser(place, name)) ? [place.path] : [],
      )
    : []

/** Returns the places that cannot work with the new type of an entry. */
export const listTypeUses = (error: unknown, name: string): ErrorPlace[] =>
  error instanceof ApiError ? error.errors.filter(place => isUserByType(place, name)) : []

/** Whether the place names what is gone: a field, a collection or an endpoint. */
const isUser = ({ code = '', values }: ErrorPlace, deleted: string): boolean =>
  code.startsWith('unknown-') && String(values?.found ?? '').split('.')[0] === deleted.split('.')[0]

/** Whether the place names an entry whose type does not fit there. */
const isUserByType = ({ code = '', values }: ErrorPlace, name: string | undefined): boolean =>
  name !== undefined && /^(?:wrong|unknown)-/.test(code) && values?.found === name

/** Messages of an edit of the workspace file about the value at `key` of the entry at `path`. */
export const listFaults = (error: unknown, path: Path, key: string): string[] => {
  if (!(error instanceof ApiError)) return []
  const place = [...path, key].join('.')
  return error.errors
    .filter(fault => fault.path === place || fault.path?.startsWith(`${place}.`))
    .map(translateFault)
}
