/** The filters in the address of the page "Requests". */

const outcomes = ['found', 'empty', 'failed', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export interface RequestsSearch {
  outcome?: Outcome | undefined
  api?: string | undefined
  /** Part of the text, the endpoints, the account or the reason. */
  text?: string | undefined
}

export const readRequestsSearch = ({ outcome, api, text }: Record<string, unknown>): RequestsSearch => ({
  outcome: outcomes.find(name => name === outcome),
  api: typeof api === 'string' && api !== '' ? api : undefined,
  text: typeof text === 'number' || (typeof text === 'string' && text !== '') ? String(text) : undefined,
})
