/** What the pages of a sign-in are told of the application that asks, and how a consent is given (boundary.ts). */
import { Problem } from '#errors'
import type { Storage } from '#storage/db'
import { findWorkspaceById } from '#storage/workspaces'
import type { AskingApplication, Interacting } from './boundary.ts'
import { type Clients, type KnownClient, titleOf } from './clients.ts'
import { agree, askedPermissions } from './consents.ts'

interface Dependencies {
  storage: Storage
  clients: Clients
}

export const openInteracting = ({ storage, clients }: Dependencies): Interacting => {
  const application: Interacting['application'] = async ({ params }) => {
    const known = typeof params.client_id === 'string' ? await clients.find(params.client_id) : undefined
    if (!known)
      throw new Problem(
        'no-such-resource',
        'the application was removed or disabled: go back and start again',
      )
    const workspace =
      known.row.workspaceId === null ? undefined : await findWorkspaceById(storage.db, known.row.workspaceId)
    return { ...describe(known, String(params.redirect_uri)), workspace }
  }
  return {
    application,
    async consent(details) {
      return { application: await application(details), ...lists(askedPermissions(details.params)) }
    },
    async agree(details) {
      await agree(storage.db, details)
      return { consent: {} }
    },
  }
}

const lists = ({ scopes, claims, resources }: ReturnType<typeof askedPermissions>) => ({
  scopes: [...scopes],
  claims: [...claims],
  resources: [...resources],
})

const describe = ({ row }: KnownClient, redirectUri: string): Omit<AskingApplication, 'workspace'> => ({
  clientId: row.id,
  title: titleOf(row),
  sendsBackTo: placeOf(redirectUri),
})

/** The origin of an address; of a private-use scheme, the scheme. */
const placeOf = (address: string): string => {
  const url = new URL(address)
  return url.origin === 'null' ? url.protocol : url.origin
}
