/** For tests: a host with Client ID Metadata Documents, a workspace that allows them, and agents that have one. */

import type { Settings } from '@querent/contract/workspace-file'
import { openTestDocuments } from '#http/test-documents'
import { setMember } from '#storage/members'
import { saveDefinition, type WorkspaceRow } from '#storage/workspaces'
import { openTestClient } from './test-application.ts'
import { startTestServer } from './test-server.ts'

export const agentRedirectUri = 'https://agent.example/callback'

/** `connection`: of an empty PostgreSQL database; absent: SQLite. */
export const startAgentServer = async ({ connection }: { connection?: string } = {}) => {
  const documents = await openTestDocuments()
  const documentFetch = {
    internalHosts: ['localhost'],
    ca: documents.ca,
    // Every request sees the document as it is.
    cacheSeconds: { min: 0, max: 0 },
  }
  const server = await startTestServer({ documentFetch, ...(connection !== undefined && { connection }) })
  const settings: Settings = { allowMetadataClients: true, accessTokenLifetime: '5m' }
  const workspace = await server.newWorkspace(settings)
  const addressIn = (slug: string) => `${server.baseUrl}/4/${slug}`
  const resource = addressIn(workspace.slug)
  let paths = 0
  return {
    documents,
    server,
    workspace,
    addressIn,
    resource,
    offline: { resource, scope: 'openid offline_access' },
    newMember: (workspaceId = workspace.id) => server.newPerson(['api'], workspaceId),
    /** An application whose document differs from the usual one by `change`. */
    newAgent(change: Record<string, unknown> = {}) {
      const path = `/agent-${++paths}.json`
      const id = documents.publish(path, change)
      return { path, ...openTestClient(server, { id, redirectUri: agentRedirectUri }) }
    },
    setAllowed: (allowMetadataClients: boolean, row: WorkspaceRow = workspace) =>
      server.storage.write(writer =>
        saveDefinition(writer, row.id, {
          ...row.definition,
          settings: { ...row.definition.settings, allowMetadataClients },
        }),
      ),
    /** Makes the person a member of one more workspace. */
    join: (subject: string, workspaceId: string) =>
      server.storage.write(writer =>
        setMember(writer, { workspaceId, subject, kind: 'user', roles: ['api'], filter: undefined }),
      ),
    async close() {
      await server.close()
      await documents.close()
    },
  }
}
