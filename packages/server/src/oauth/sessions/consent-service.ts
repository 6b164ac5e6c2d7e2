/** Describes applications for the sign-in pages and stores consents. */
import { Problem } from '#errors'
import { type Clients, type LoadedClient, readTitle } from '#oauth/clients/clients'
import type { ConsentService, RequestingApplication } from '#oauth/provider/interaction-types'
import type { Storage } from '#storage/db'
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
    const workspace =
      client.row.workspaceId === null
        ? undefined
        : await findWorkspaceById(storage.db, client.row.workspaceId)
    return { ...describeApplication(client, String(params.redirect_uri)), workspace }
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

const describeApplication = (
  { row }: LoadedClient,
  redirectUri: string,
): Omit<RequestingApplication, 'workspace'> => ({
  clientId: row.id,
  title: readTitle(row),
  sendsBackTo: readOrigin(redirectUri),
})

/** Returns the origin of a URL, or its private-use scheme. */
const readOrigin = (address: string): string => {
  const url = new URL(address)
  return url.origin === 'null' ? url.protocol : url.origin
}
