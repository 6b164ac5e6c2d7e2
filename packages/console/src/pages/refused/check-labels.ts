import type { Check } from '@querent/contract/manage'

/** Labels of the checks (query-service.md, "Why was I refused?"). */
export const checkLabels: Readonly<Record<Check['name'], string>> = {
  token: 'Token format',
  issuer: 'Issuer',
  signature: 'Signature',
  audience: 'Audience',
  clock: 'Validity period',
  proof: 'DPoP proof',
  revocation: 'Revocation',
  client: 'Client',
  account: 'Account',
  'client-workspace': 'Workspace of the client',
  membership: 'Membership',
  role: 'Role',
  'row-filter': 'Row filter',
}
