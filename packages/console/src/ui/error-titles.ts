/** Titles of the server's errors in the person's language. The server's own sentence, in English, has the details. */
import type { ApiError } from '@querent/client'
import type { ErrorCode } from '@querent/contract/errors'
import { t } from '#i18n/translate.ts'

const invalidInput = t('The input is not valid')
const invalidQuery = t('The query is not valid')
const changed = t('This is not possible now')
const notAllowed = t('Not allowed')
const notFound = t('Not found')
const tooLong = t('The request is too long')
const slow = t('The server took too long')
const unavailable = t('The server is not available at the moment')
const failed = t('Something went wrong')

const titles: Readonly<Record<ErrorCode, string>> = {
  'bad-request': invalidInput,
  'bad-option': invalidQuery,
  'bad-parameter': invalidQuery,
  'bad-path': invalidQuery,
  'unknown-endpoint': invalidQuery,
  'token-in-url': invalidQuery,
  'bad-workspace-file': t('The workspace file is not valid'),
  'bad-documents': t('The documents are not valid'),
  'reply-too-large': t('The results are too large'),
  'not-built-yet': t('This is not available yet'),
  'not-supported-by-engine': t('The search engine cannot do this'),
  'no-token': notAllowed,
  'invalid-token': notAllowed,
  'insufficient-user-authentication': notAllowed,
  'sign-in-too-old': t('Sign in again'),
  'insufficient-scope': notAllowed,
  'api-not-allowed': notAllowed,
  'collection-not-allowed': notAllowed,
  'membership-ended': notAllowed,
  'origin-not-allowed': notAllowed,
  'no-such-path': notFound,
  'no-such-version': notFound,
  'no-such-api': notFound,
  'no-such-configuration': notFound,
  'no-such-resource': notFound,
  'method-not-allowed': failed,
  'request-timeout': slow,
  conflict: changed,
  'leak-test-failed': t('A leak test failed'),
  'precondition-failed': changed,
  'body-too-large': t('This is too large'),
  'url-too-long': tooLong,
  'headers-too-large': tooLong,
  'unsupported-media-type': t('This type of file is not supported'),
  'expectation-failed': failed,
  'too-many-requests': t('Too many requests'),
  fault: t('The server failed'),
  unavailable,
  'documents-lost': unavailable,
  overloaded: unavailable,
  timeout: slow,
}

/** Returns the title of an error. Codes of a newer server or of a proxy get the one of their status. */
export const readErrorTitle = ({ code, status, errors }: ApiError): string => {
  // The management API has the same code for a field of a form.
  if (code === 'bad-parameter' && errors.some(({ path }) => /^(?:body|path)\b/.test(path ?? '')))
    return invalidInput
  if (Object.hasOwn(titles, code)) return titles[code as ErrorCode]
  if (status === 403) return notAllowed
  return status === 404 ? notFound : failed
}
