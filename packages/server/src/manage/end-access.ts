/** Ends what a person gave others, when they may no longer give it. */
import type { Withdrawal } from '@querent/contract/manage'
import type { Writer } from '#storage/db'
import { withdrawAccess } from '#storage/inviter-rights'

/**
 * Withdraws the person's open invitations and registration tokens, for the reply and the audit log. `workspaceId`: only there, and only if they
 * may no longer invite. Undefined if there were none.
 */
export const endAccess = async (
  writer: Writer,
  userId: string,
  workspaceId?: string,
): Promise<Withdrawal | undefined> => {
  const withdrawn = await withdrawAccess(writer, userId, workspaceId)
  return withdrawn && { withdrawn }
}
