/** Initial access tokens of dynamic client registration (oauth/clients/registration.ts). */
import type { RegistrationToken } from '@querent/contract/manage'
import { Problem } from '#errors'
import {
  createRegistrationToken,
  listRegistrationTokens,
  type RegistrationTokenRow,
  removeRegistrationToken,
} from '#storage/registration-tokens'
import { audit, type Handler, timestamp } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'

const dayMs = 24 * 60 * 60 * 1000

export const registrationTokenHandlers = {
  createRegistrationToken: async ({ storage }, call) => {
    const { workspace, input } = call
    const { name, uses = 1, days = 7 } = input
    return storage.write(async writer => {
      const created = await createRegistrationToken(writer, {
        workspaceId: workspace.id,
        name,
        usesMax: uses,
        expiresAt: Date.now() + days * dayMs,
        createdBy: call.principal.subject,
      })
      await audit(writer, call, { workspaceId: workspace.id, target: name, detail: { uses, days } })
      return { ...describeToken(created), token: created.token }
    })
  },

  listRegistrationTokens: async ({ storage }, { workspace, query }) => {
    const request = readPageQuery(query)
    const rows = await listRegistrationTokens(storage.db, workspace.id, request.after, request.count + 1)
    const page = makePage(rows, request, row => row.id)
    return { items: page.rows.map(describeToken), next: page.next }
  },

  removeRegistrationToken: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const name = await removeRegistrationToken(writer, workspace.id, params.tokenId)
      if (name === undefined)
        throw new Problem('no-such-resource', `this workspace has no registration token ${params.tokenId}`)
      await audit(writer, call, { workspaceId: workspace.id, target: name })
    })
    return undefined
  },
} satisfies {
  [Id in 'createRegistrationToken' | 'listRegistrationTokens' | 'removeRegistrationToken']: Handler<Id>
}

const describeToken = ({
  id,
  name,
  uses,
  usesMax,
  expiresAt,
  createdAt,
}: RegistrationTokenRow): RegistrationToken => ({
  id,
  name,
  uses,
  usesMax,
  expiresAt: timestamp(expiresAt),
  createdAt: timestamp(createdAt),
})
