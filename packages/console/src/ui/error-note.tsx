import { Alert, Button, Text } from '@mantine/core'
import { ApiError, UnreachableError } from '@querent/client'
import type { ErrorPlace } from '@querent/contract/errors'
import { currentLocation, signIn } from '#api/session.ts'
import { otherFaults } from './faults.ts'

interface ErrorNoteProps {
  error: unknown
  /** Fields of the form that show what is wrong with them themselves. */
  fields?: readonly string[]
}

/** What went wrong, in the words of the server, and the id that "Why was I refused?" takes. */
export const ErrorNote = ({ error, fields = [] }: ErrorNoteProps) => {
  if (error instanceof ApiError && error.status === 401) return <SignedOut />
  const places = error instanceof ApiError ? otherFaults(error, fields) : []
  const isShownAtFields = error instanceof ApiError && error.errors.length > places.length
  return (
    <Alert color="red" variant="light" role="alert" title={writeTitle(error)}>
      <Text size="sm">
        {isShownAtFields ? 'Mend what is marked in red, and send it again.' : writeHeadline(error, places)}
      </Text>
      {places.length > 0 && (
        // Mantine's List would be loaded by every page.
        <Text component="ul" size="sm" mt="xs" mb={0} pl="lg">
          {places.map(place => (
            <li key={`${place.line} ${place.path} ${place.message}`}>{describePlace(place)}</li>
          ))}
        </Text>
      )}
      {error instanceof ApiError && error.requestId && (
        <Text size="xs" mt="xs">
          Request id {error.requestId}
        </Text>
      )}
    </Alert>
  )
}

/** The session has ended, here or elsewhere. */
const SignedOut = () => (
  <Alert color="yellow" variant="light" role="alert" title="You were signed out">
    <Text size="sm">Your session has ended. Sign in again to go on here.</Text>
    <Button size="compact-md" mt="sm" onClick={() => signIn(currentLocation())}>
      Sign in again
    </Button>
  </Alert>
)

/** Such as `line 3: id: it is missing`. */
const describePlace = ({ line, path, message }: ErrorPlace): string =>
  [line === undefined ? undefined : `line ${line}`, path || undefined, message]
    .filter(part => part !== undefined)
    .join(': ')

/** Without the first of the places, which are listed below it. */
const writeHeadline = (error: unknown, [first]: readonly ErrorPlace[]): string => {
  const message = readMessage(error)
  const repeated = first && `; ${describePlace(first)}`
  return repeated !== undefined && message.endsWith(repeated) ? message.slice(0, -repeated.length) : message
}

const readMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const writeTitle = (error: unknown): string => {
  if (error instanceof UnreachableError) return 'The server does not answer'
  if (!(error instanceof ApiError)) return 'This did not work'
  if (error.status === 403) return 'You may not do this'
  return error.status === 404 ? 'There is no such thing' : 'This did not work'
}
