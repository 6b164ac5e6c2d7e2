import type { Check } from '@querent/contract/manage'

/** What each check looks at, in words (query-service.md, "Why was I refused?"). */
export const checkLabels: Readonly<Record<Check['name'], string>> = {
  token: 'Form of the token',
  issuer: 'Who issued the token',
  signature: 'Signature of the token',
  audience: 'What the token is for',
  clock: 'Times of the token',
  revocation: 'Whether it was revoked',
  client: 'What got the token',
  account: 'Whose token it is',
  'client-workspace': 'Workspace of what got the token',
  membership: 'Membership in the workspace',
  role: 'Role in the workspace',
  'row-filter': 'Row filter',
}
