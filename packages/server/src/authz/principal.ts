/** The caller of a request. */
import type { Check } from '@querent/contract/manage'
import type { ClientRow } from '#storage/clients'
import type { AccountLookups } from '#storage/directory'
import type { AccessToken } from './access-token.ts'
import { failedCheck, passedCheck } from './token-checks.ts'

/** The authenticated caller, from the token and the directory. */
export interface Principal {
  kind: 'user' | 'system-to-system'
  /** Id of the user, or Client ID of the System-to-System account: the subject of memberships. */
  subject: string
  /** The client that obtained the token. */
  client: ClientRow
  operator: boolean
  token: AccessToken
}

/** The account: a System-to-System account, which is its own client, or a user. */
export const checkAccount = async (
  token: AccessToken,
  client: ClientRow,
  lookups: Pick<AccountLookups, 'user'>,
): Promise<{ check: Check; principal?: Principal }> => {
  if (client.kind === 'system-to-system')
    return {
      check: passedCheck('account', 'is a System-to-System account'),
      principal: { kind: 'system-to-system', subject: client.id, client, operator: false, token },
    }
  const userId = client.kind === 'own' && token.subject === client.id ? client.settings.actsAs : token.subject
  const user = userId === null ? undefined : await lookups.user(userId)
  if (!user) return { check: failedCheck('account', 'the account of the token was deleted') }
  if (user.disabled === 1) return { check: failedCheck('account', 'the account of the token is disabled') }
  return {
    check: passedCheck('account', 'is there and enabled'),
    principal: {
      kind: 'user',
      subject: user.id,
      client,
      operator: user.operator === 1 && token.workspaceId === undefined,
      token,
    },
  }
}
