/** The first operator, over HTTP: tests set up their workspaces with it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientCredentials, managementAudience, type TokenSource } from '@querent/client'
import { type DocumentFormat, importDocuments } from '@querent/client/documents'
import { type Management, managementApi } from '@querent/client/manage'
import type { OperationReply, SystemRole } from '@querent/contract/manage'
import type { ImportReply } from '@querent/contract/query'

export interface Credential {
  clientId: string
  clientSecret: string
}

interface ImportOptions {
  format?: DocumentFormat
  replace?: boolean
  stage?: boolean
  strict?: boolean
}

export interface Operator {
  /** Calls an operation of the management API. Throws `ApiError`. */
  call: Management['call']
  /** Applies a workspace file, given as text. Throws `ApiError`. */
  applyWorkspace(source: string): Promise<OperationReply<'applyWorkspaceFile'>>
  /** Applies the workspace file at this path. */
  applyFile(path: string): Promise<OperationReply<'applyWorkspaceFile'>>
  /** Returns the workspace as a workspace file, as `querent export` writes it. */
  exportWorkspace(workspace: string): Promise<string>
  /** Imports documents, or their text. Throws `ApiError`. */
  importDocuments(
    workspace: string,
    collection: string,
    documents: string | Uint8Array | readonly object[],
    options?: ImportOptions,
  ): Promise<ImportReply>
  /** Creates a System-to-System account. */
  createAccount(workspace: string, name: string, ...roles: SystemRole[]): Promise<Credential>
}

/** The hooks of all files in a process run at once, and a process checks only four workspace files at the same time. */
let lastApplied: Promise<unknown> = Promise.resolve()
const waitForOthers = <Result>(apply: () => Promise<Result>): Promise<Result> => {
  const applied = lastApplied.then(apply)
  lastApplied = applied.catch(() => {
    // The test that applied it reports the error.
  })
  return applied
}

/** Reads the credential that a running server writes into its data folder. */
export const readCredential = async (data: string): Promise<Credential> =>
  // The server's file.
  JSON.parse(await readFile(join(data, 'operator.json'), 'utf8')) as Credential

/** Acts with {@link readCredential}, as the command line does. */
export const connectOperator = (server: { data: string; baseUrl: string; authUrl: string }): Operator => {
  const { data, baseUrl, authUrl } = server
  const createSource = (audience: string): TokenSource => {
    const open = async () => {
      const { clientId, clientSecret } = await readCredential(data)
      return clientCredentials({ authUrl, clientId, clientSecret, audience })
    }
    let source: Promise<TokenSource> | undefined
    return async () => {
      source ??= open()
      return (await source)()
    }
  }
  const management = managementApi({ authUrl, token: createSource(managementAudience(authUrl)) })
  const token = createSource(baseUrl)
  const { call } = management
  const applyWorkspace = (source: string) =>
    waitForOthers(() => call('applyWorkspaceFile', { input: { source, dryRun: false } }))
  return {
    call,
    applyWorkspace,
    exportWorkspace: async workspace => (await call('exportWorkspaceFile', { params: { workspace } })).source,
    applyFile: async path => applyWorkspace(await readFile(path, 'utf8')),
    importDocuments: (workspace, collection, documents, options = {}) =>
      importDocuments({ baseUrl, token, workspace, collection, source: readSource(documents), ...options }),
    async createAccount(workspace, name, ...roles) {
      const { clientId, clientSecret } = await call('createSystemToSystem', {
        params: { workspace },
        input: { name, roles },
      })
      // Without public keys, the server makes a secret.
      return { clientId, clientSecret: String(clientSecret) }
    },
  }
}

const readSource = async function* (
  documents: string | Uint8Array | readonly object[],
): AsyncIterable<Uint8Array> {
  if (documents instanceof Uint8Array) yield documents
  else
    yield Buffer.from(
      typeof documents === 'string'
        ? documents
        : documents.map(document => `${JSON.stringify(document)}\n`).join(''),
    )
}
