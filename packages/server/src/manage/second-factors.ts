/** Second factors of people: the caller's own, and their removal by an operator. */
import type { SecondFactors } from '@querent/contract/manage'
import { Problem } from '#errors'
import {
  findSecondFactors,
  removeSecondFactors,
  type SecondFactors as SecondFactorRows,
} from '#storage/second-factors'
import { signOut } from '#storage/sessions'
import { requirePerson } from './account.ts'
import { audit, type Handler, timestamp } from './call.ts'
import { requireRecentSignInForOwnAccount } from './recent-sign-in.ts'
import { requireUser } from './users.ts'

export const secondFactorHandlers = {
  listMyFactors: async (deps, call) =>
    describeFactors(await findSecondFactors(deps.storage.db, (await requirePerson(deps, call)).id)),

  listFactors: async ({ storage }, { params }) =>
    describeFactors(await findSecondFactors(storage.db, (await requireUser(storage.db, params.email)).id)),

  removeFactors: async (deps, call) => {
    const { storage, securityNotices } = deps
    await requireRecentSignInForOwnAccount(deps, call, await requireUser(storage.db, call.params.email))
    const user = await storage.write(async writer => {
      const person = await requireUser(writer.db, call.params.email)
      if (!(await removeSecondFactors(writer, person.id)))
        throw new Problem('conflict', `${person.email} has no second factor`)
      // The device with the factor may be stolen, with its sessions.
      await signOut(writer, person.id)
      await audit(writer, call, { target: person.email })
      return person
    })
    securityNotices.send(
      { ...user, requestId: call.origin.requestId },
      { kind: 'factor-changed', change: 'all-removed' },
    )
    return undefined
  },
} satisfies { [Id in 'listMyFactors' | 'listFactors' | 'removeFactors']: Handler<Id> }

/** Without secrets. */
export const describeFactors = ({ app, passkeys, recoveryCodes }: SecondFactorRows): SecondFactors => ({
  app: app ? describeTimes(app) : null,
  passkeys: passkeys.map(row => ({ id: row.id, name: row.name, ...describeTimes(row) })),
  recoveryCodes,
})

const describeTimes = ({
  created_at,
  last_used_at,
}: {
  created_at: number
  last_used_at: number | null
}) => ({
  createdAt: timestamp(created_at),
  lastUsedAt: last_used_at === null ? null : timestamp(last_used_at),
})
