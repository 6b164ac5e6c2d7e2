/** Describes applications for the sign-in pages and stores consents. */
import { Problem } from '#errors'
import { type Clients, type LoadedClient, readTitle } from '#oauth/clients/clients'
import type { ConsentService, RequestingApplication } from '#oauth/provider/interaction-types'
import type { Db, Storage } from '#storage/db'
import { findWorkspaceById } from '#storage/workspaces'
import { readRequestedPermissions, recordConsent } from './consents.ts'

interface Dependencies {
  storage: Storage
  clients: Clients
}

export const openConsentService = ({ storage, clients }: Dependencies): ConsentService => {
  const application: ConsentService['application'] = async ({ params }) => {
    const client = typeof params.client_id === 'string' ? await clients.find(params.client_id) : undefined
    if (!client)
      throw new Problem(
        'no-such-resource',
        'the application was removed or disabled: go back and start again',
      )
    return describeRequestingApplication(storage.db, client, params.redirect_uri)
  }
  return {
    application,
    async consent(details) {
      return {
        application: await application(details),
        ...copyPermissions(readRequestedPermissions(details.params)),
      }
    },
    async agree(details) {
      await recordConsent(storage.db, details)
      return { consent: {} }
    },
  }
}

const copyPermissions = ({ scopes, claims, resources }: ReturnType<typeof readRequestedPermissions>) => ({
  scopes: [...scopes],
  claims: [...claims],
  resources: [...resources],
})

/** Describes an application for people. A device has no `redirectUri`. */
export const describeRequestingApplication = async (
  db: Db,
  { row }: LoadedClient,
  redirectUri: unknown,
): Promise<RequestingApplication> => ({
  clientId: row.id,
  title: readTitle(row),
  sendsBackTo: typeof redirectUri === 'string' ? readOrigin(redirectUri) : undefined,
  workspace: row.workspaceId === null ? undefined : await findWorkspaceById(db, row.workspaceId),
})

/** Returns the origin of a URL, or its private-use scheme. */
const readOrigin = (address: string): string => {
  const url = new URL(address)
  return url.origin === 'null' ? url.protocol : url.origin
}
