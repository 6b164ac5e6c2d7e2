/** Sessions and consents in the form of the contract. */
import type { Consent, Session } from '@querent/contract/manage'
import { readWorkspaceSlug } from '#authz/audience'
import { titleWithHost } from '#storage/clients'
import type { GrantRow } from '#storage/grants'
import type { SessionRow } from '#storage/sessions'
import { findWorkspaceById } from '#storage/workspaces'
import { type ManagementDependencies, timestamp } from './call.ts'

/** Describes an application by name; a removed one by its Client ID. */
const describeClient = async ({ directory }: ManagementDependencies, clientId: string) => {
  const client = await directory.client(clientId)
  const title = client?.kind === 'application' ? client.settings.title : undefined
  return { clientId, name: title ?? client?.name ?? clientId }
}

export const describeSession = async (
  deps: ManagementDependencies,
  row: SessionRow,
): Promise<Omit<Session, 'current'>> => ({
  id: row.id,
  signedInAt: timestamp(row.signedInAt),
  lastUsedAt: timestamp(row.lastUsedAt),
  browser: row.opened?.browser ?? null,
  system: row.opened?.system ?? null,
  address: row.opened?.address ?? null,
  expiresAt: row.expiresAt === null ? null : timestamp(row.expiresAt),
  applications: await Promise.all(row.clientIds.map(clientId => describeClient(deps, clientId))),
})

/** One consent for each application; combines its grants. */
export const describeConsents = async (
  deps: ManagementDependencies,
  rows: readonly GrantRow[],
): Promise<Consent[]> => {
  const clientIds = [...new Set(rows.map(({ clientId }) => clientId))]
  return Promise.all(
    clientIds.map(async clientId => {
      const grants = rows.filter(row => row.clientId === clientId)
      const document = grants.find(grant => grant.document !== undefined)?.document
      return {
        ...(await describeClient(deps, clientId)),
        ...(document && { name: titleWithHost(document) }),
        workspace: await findClientWorkspace(deps, clientId, grants),
        scopes: [...new Set(grants.flatMap(({ scopes }) => scopes))],
        resources: [...new Set(grants.flatMap(({ resources }) => resources))],
        since: timestamp(Math.min(...grants.map(({ since }) => since))),
      }
    }),
  )
}

/** Returns the slug of the client's workspace. An unregistered client has that of its resources, unless there are several. */
const findClientWorkspace = async (
  { directory, storage, baseUrl }: ManagementDependencies,
  clientId: string,
  grants: readonly GrantRow[],
): Promise<string | null> => {
  const client = await directory.client(clientId)
  if (client?.kind === 'metadata-document') {
    const resources = grants.flatMap(grant => grant.resources)
    const slugs = new Set(resources.map(resource => readWorkspaceSlug(resource, baseUrl)))
    const [slug = null] = slugs
    return slugs.size === 1 ? slug : null
  }
  const workspaceId = client?.workspaceId ?? null
  return workspaceId === null ? null : ((await findWorkspaceById(storage.db, workspaceId))?.slug ?? null)
}
