import { Alert, Button, Text } from '@mantine/core'
import { ApiError } from '@querent/client'
import { groupErrors } from '@querent/contract/error-groups'
import type { ErrorGroup, ErrorPlace } from '@querent/contract/errors'
import { lazy, Suspense } from 'react'
import { EditConflict } from '#api/edit-conflict.ts'
import { currentLocation, signIn } from '#api/session.ts'
import { t, translateCheck, translateFault, translateImport } from '#i18n/translate.ts'
import { CodeText } from './code-text.tsx'
import { readErrorTitle } from './error-titles.ts'
import { isOutdated, isUnreachable } from './failed-import.ts'
import { otherFaults } from './faults.ts'
import { FileRefusal, FormRefusal } from './file-refusal.ts'

/** Without a network they may be missing: then the frame says so, and goes on by itself. */
const NextSteps = lazy(async () => ({
  default: await import('./next-step.tsx').then(
    ({ NextSteps }) => NextSteps,
    () => NoSteps,
  ),
}))

/** A place of the workspace file, which the operations of groups name, in words. */
const FilePlace = lazy(async () => ({ default: (await import('./file-place.tsx')).FilePlace }))

const NoSteps = (_: { error: unknown }) => null

interface ErrorNoteProps {
  error: unknown
  /** Whether the caller offers the next step. */
  hasSteps?: boolean
  /** Form fields that show their own errors. */
  fields?: readonly string[]
}

/** A title for the error's code, the error message of the server, and the request ID for "Why was I refused?". */
export const ErrorNote = ({ error, hasSteps = false, fields = [] }: ErrorNoteProps) => {
  if (error instanceof ApiError && error.status === 401) return <SignedOut />
  const places = error instanceof ApiError ? otherFaults(error, fields) : []
  const headline = writeHeadline(error, places)
  const isShownAtFields = error instanceof ApiError && error.errors.length > places.length
  return (
    <Alert color="red" variant="light" role="alert" title={writeTitle(error)}>
      {isShownAtFields ? (
        <Text size="sm">{t('Correct the marked fields and try again.')}</Text>
      ) : (
        headline !== '' && <Headline text={headline} isOfServer={error instanceof ApiError} />
      )}
      {places.length > 0 && (
        // Mantine's List would be loaded by every page.
        <Text component="ul" size="sm" mt="xs" mb={0} pl="lg">
          {groupErrors(places).map(group => (
            <li key={`${group.first.line} ${group.first.index} ${group.first.path} ${group.first.message}`}>
              <PlaceText group={group} />
            </li>
          ))}
        </Text>
      )}
      {error instanceof ApiError && error.requestId && (
        <Text size="xs" mt="xs">
          {t('Request ID {requestId}', { requestId: error.requestId })}
        </Text>
      )}
      {!hasSteps && !isShownAtFields && (
        <Suspense>
          <NextSteps error={error} />
        </Suspense>
      )}
    </Alert>
  )
}

/** The server writes English. Sentences of checks, such as that of a lost membership, have translations. */
const Headline = ({ text, isOfServer }: { text: string; isOfServer: boolean }) => {
  const translation = isOfServer ? translateCheck(text) : undefined
  const sentence = translation ?? text
  return (
    <Text
      size="sm"
      className={/^[a-z]+[ ,]/.test(sentence) ? 'sentence' : undefined}
      {...(isOfServer && translation === undefined ? { lang: 'en' } : {})}
    >
      <CodeText>{sentence}</CodeText>
    </Text>
  )
}

/** The session has ended, here or elsewhere. */
const SignedOut = () => (
  <Alert color="yellow" variant="light" role="alert" title={t('You were signed out')}>
    <Text size="sm">{t('Your session has ended. Sign in again to continue.')}</Text>
    <Button size="compact-md" mt="sm" onClick={() => signIn(currentLocation())}>
      {t('Sign in again')}
    </Button>
  </Alert>
)

/** Writes an error with its place, or several that differ only in their values with the place of the first. */
export const PlaceText = ({ group: { first, count, examples = [] } }: { group: ErrorGroup }) => {
  const { line, index, ...place } = first
  const message = translateImport(place.message) ?? translateFault(place)
  const placeText = writePlace(first)
  const filePath = /^workspace\.(.+)/.exec(place.path ?? '')?.[1]
  if (filePath !== undefined)
    return (
      <>
        <Suspense>
          <FilePlace path={filePath} />
        </Suspense>
        {': '}
        <CodeText>{message}</CodeText>
      </>
    )
  return (
    <>
      {placeText !== undefined &&
        `${count === 1 ? placeText : t('{count} rows, first {place}', { count, place: placeText })}: `}
      <span {...(message === place.message ? { lang: 'en' } : {})}>
        <CodeText>{describePlace({ ...place, message })}</CodeText>
      </span>
      {examples.length > 1 && ` ${t('Also found: {values}.', { values: examples.slice(1).join(' · ') })}`}
    </>
  )
}

const writePlace = ({ line, index }: ErrorPlace): string | undefined => {
  if (line !== undefined) return t('line {line}', { line: String(line) })
  return index === undefined ? undefined : t('index {index}', { index: String(index) })
}

/** Returns text such as `line 3: id: it is missing`, as the server writes it. */
const describePlace = ({ line, index, path, message }: ErrorPlace): string =>
  [
    line === undefined ? undefined : `line ${line}`,
    index === undefined ? undefined : `index ${index}`,
    // `body` is the API's word for the form.
    path?.replace(/^(?:body|path)\./, '') || undefined,
    message,
  ]
    .filter(part => part !== undefined)
    .join(': ')

/**
 * Removes the first place from the message, because the list below repeats it, perhaps with a longer path. Empty if the message says nothing
 * else.
 */
const writeHeadline = (error: unknown, [first]: readonly ErrorPlace[]): string => {
  const message = readMessage(error)
  if (!first || !message.endsWith(first.message)) return message
  return message
    .slice(0, -first.message.length)
    .replace(/(?:^|; )(?:(?:line|index) \d+: )?(?:[\w.@"-]+: )?$/, '')
}

const readMessage = (error: unknown): string => {
  if (isOutdated(error)) return t('Load the page again. Text that you did not save is lost.')
  return error instanceof Error ? error.message : String(error)
}

const writeTitle = (error: unknown): string => {
  if (isUnreachable(error)) return navigator.onLine ? t('The server does not respond') : t("You're offline")
  if (isOutdated(error)) return t('Querent was updated')
  if (error instanceof FileRefusal) return t('This file cannot be imported')
  if (error instanceof FormRefusal) return t('The input is not valid')
  if (error instanceof EditConflict) return t('Somebody else has changed this meanwhile')
  return error instanceof ApiError ? readErrorTitle(error) : t('Something went wrong')
}
