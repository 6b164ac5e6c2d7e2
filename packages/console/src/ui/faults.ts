import { ApiError } from '@querent/client'

/** The field of a form that a place of the API belongs to: `body.redirectUris.0` to `redirectUris`. */
const fieldOf = (path: string | undefined): string | undefined =>
  /^(?:body|path)\.([^.]+)/.exec(path ?? '')?.[1]

/** What an error says of the field: to stand at its input. Undefined: nothing. */
export const faultAt = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError
    ? error.errors
        .filter(({ path }) => fieldOf(path) === field)
        .map(({ message }) => message)
        .join('; ') || undefined
    : undefined

/** What an error says of anything but these fields. */
export const faultsBeside = (error: ApiError, fields: readonly string[]) =>
  error.errors.filter(({ path }) => !fields.includes(fieldOf(path) ?? ''))
