/** Chooses the next steps after an error, so that no page is a dead end. */
import { ApiError } from '@querent/client'
import { EditConflict } from '#api/edit-conflict.ts'
import { isOutdated, isUnreachable } from './failed-import.ts'

/** The subject of the page, from its address. */
export interface Place {
  workspace?: string
  collection?: string
  api?: string
}

export type NextStep =
  /** Ask once more. */
  | 'retry'
  /** Load the console again. */
  | 'reload'
  | 'account'
  | 'start'
  | 'overview'
  | 'data'
  | 'apis'
  | 'refusal'
  | 'history'
  | 'file'
  | 'relevance'
  /** Pages of the documentation. */
  | 'import-docs'
  | 'error-docs'

const momentary = ['too-many-requests', 'fault', 'unavailable', 'overloaded', 'timeout', 'request-timeout']
const ofDocuments = ['bad-documents', 'unsupported-media-type', 'body-too-large']

/** Returns the next steps after an error, the best first. `isQuery`: the page could not load something. `may`: whether the person may edit. */
export const listNextSteps = (
  error: unknown,
  place: Place,
  isQuery: boolean,
  mayEdit: boolean,
): NextStep[] => {
  if (isOutdated(error)) return ['reload']
  const retry: NextStep[] = isQuery ? ['retry'] : []
  if (isUnreachable(error)) return retry
  if (error instanceof EditConflict) return mayEdit && !error.isOfDocument ? ['history'] : []
  if (!(error instanceof ApiError)) return retry
  return [...stepsByCode(error, place, retry, mayEdit), ...(error.code === 'bad-documents' ? [] : errorDocs)]
}

const errorDocs: readonly NextStep[] = ['error-docs']

const stepsByCode = (
  { code, status, requestId, errors }: ApiError,
  place: Place,
  retry: readonly NextStep[],
  mayEdit: boolean,
): readonly NextStep[] => {
  if (momentary.includes(code) || status >= 500) return retry
  if (code === 'sign-in-too-old') return ['account']
  if (code === 'leak-test-failed') return ['relevance']
  if (ofDocuments.includes(code)) return ['import-docs']
  if (status === 403) return place.workspace !== undefined && requestId ? ['refusal'] : ['start']
  if (status === 404) return [listAround(place)]
  const isOfFile = code === 'bad-workspace-file' && errors.some(({ path }) => path)
  if (isOfFile) return mayEdit ? ['file'] : []
  return status === 409 || status === 412 ? retry : []
}

/** Returns the list that has what was not found. */
const listAround = ({ workspace, collection, api }: Place): NextStep => {
  if (workspace === undefined) return 'start'
  if (collection !== undefined) return 'data'
  return api === undefined ? 'overview' : 'apis'
}
