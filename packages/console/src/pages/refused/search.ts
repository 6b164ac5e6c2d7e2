/** The refusal page in the address: the request to explain, and the filters of the list. */
import { checkNames } from '@querent/contract/manage'
import { readPasted } from './read-pasted.ts'

type CheckName = (typeof checkNames)[number]

export interface RefusalSearch {
  request?: string
  account?: string
  reason?: CheckName
}

const isCheckName = (text: unknown): text is CheckName => checkNames.some(name => name === text)

const readRequest = (text: unknown): Pick<RefusalSearch, 'request'> => {
  const pasted = typeof text === 'string' ? readPasted(text) : undefined
  return pasted && 'requestId' in pasted ? { request: pasted.requestId } : {}
}

export const readRefusalSearch = ({ request, account, reason }: Record<string, unknown>): RefusalSearch => ({
  ...readRequest(request),
  // `?account=12` is read as a number.
  ...(typeof account === 'number' || (typeof account === 'string' && account !== '')
    ? { account: String(account) }
    : {}),
  ...(isCheckName(reason) ? { reason } : {}),
})
