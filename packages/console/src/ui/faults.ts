import { ApiError } from '@querent/client'
import { t, translateFault } from '#i18n/translate.ts'

/** The field of a form that a place of the API belongs to: `body.redirectUris.0` to `redirectUris`. */
const readField = (path: string | undefined): string | undefined =>
  /^(?:body|path)\.([^.]+)/.exec(path ?? '')?.[1]

/** Returns the error message of a field, to show at its input. */
export const fieldFault = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError
    ? error.errors
        .filter(({ path }) => readField(path) === field)
        .map(translateFault)
        .join('; ') || undefined
    : undefined

/** Returns the error message of a field for the person's own password, as a sentence. */
export const passwordFault = (error: unknown, field: string): string | undefined =>
  error instanceof ApiError &&
  error.errors.some(({ path, code }) => readField(path) === field && code === 'wrong-password')
    ? t('This is not your password.')
    : fieldFault(error, field)

/** Whether the fields show everything that the error says. */
export const isShownWhole = (error: unknown, fields: readonly string[]): boolean =>
  error instanceof ApiError && error.errors.length > 0 && otherFaults(error, fields).length === 0

/** Returns the places of an error that belong to none of these fields. */
export const otherFaults = (error: ApiError, fields: readonly string[]) =>
  error.errors.filter(({ path }) => !fields.includes(readField(path) ?? ''))
