/** Describes applications for the sign-in pages and stores consents. */

import { readWorkspaceSlug } from '#authz/audience'
import { Problem } from '#errors'
import { readTitle } from '#oauth/clients/clients'
import type {
  ConsentService,
  InteractionDetails,
  RequestingApplication,
} from '#oauth/library/interaction-types'
import type { Clients, LoadedClient, MetadataDocument } from '#oauth/library/loaded-client'
import { readResources } from '#oauth/requests/normalize-request'
import { titleWithHost } from '#storage/clients'
import type { Db, Storage } from '#storage/db'
import { findWorkspace, findWorkspaceById } from '#storage/workspaces'
import { readRequestedPermissions, recordConsent } from './consents.ts'
import { readPromptDocument } from './policy.ts'

interface Dependencies {
  storage: Storage
  clients: Clients
  baseUrl: string
}

export const openConsentService = (dependencies: Dependencies): ConsentService => {
  const { storage, clients } = dependencies
  const application: ConsentService['application'] = async details => {
    const { params } = details
    const document = readPromptDocument(details)
    if (document) return describeUnregistered(dependencies, params, document)
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

/** Describes an unregistered application, by the document that the person sees. */
const describeUnregistered = async (
  { storage, baseUrl }: Dependencies,
  params: InteractionDetails['params'],
  { name, host, policyUri, termsUri }: MetadataDocument,
): Promise<RequestingApplication> => {
  const [resource = ''] = readResources(params)
  const slug = readWorkspaceSlug(resource, baseUrl)
  return {
    clientId: String(params.client_id),
    title: titleWithHost({ name, host }),
    host,
    sendsBackTo: typeof params.redirect_uri === 'string' ? readOrigin(params.redirect_uri) : undefined,
    policyUri,
    termsUri,
    workspace: slug === undefined ? undefined : await findWorkspace(storage.db, slug),
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
  { row, application }: LoadedClient,
  redirectUri: unknown,
): Promise<RequestingApplication> => ({
  clientId: row.id,
  title: readTitle(row),
  policyUri: application?.registered?.policyUri,
  termsUri: application?.registered?.termsUri,
  sendsBackTo: typeof redirectUri === 'string' ? readOrigin(redirectUri) : undefined,
  workspace: row.workspaceId === null ? undefined : await findWorkspaceById(db, row.workspaceId),
})

/** Returns the origin of a URL, or its private-use scheme. */
const readOrigin = (address: string): string => {
  const url = new URL(address)
  return url.origin === 'null' ? url.protocol : url.origin
}
