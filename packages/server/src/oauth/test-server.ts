/** For tests: the authorization server on a real port, with real SQLite in a folder of its own, and clients that send exact bytes. */

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '@querent/contract/manage'
import type { Settings } from '@querent/contract/workspace-file'
import { authorize } from '#authz/authorize'
import { testSettings } from '#authz/test-tokens'
import { Problem } from '#errors'
import { limitBodies } from '#http/body-limit'
import type { InteractionsDependencies } from '#oauth/interactions/dependencies'
import { openAccessParts } from '#parts'
import { type ApplicationSettings, addSecret, createClient, type SystemSettings } from '#storage/clients'
import { openStorage } from '#storage/db'
import { setMember } from '#storage/members'
import { createUser } from '#storage/users'
import { createWorkspace } from '#storage/workspaces'
import type { DocumentFetch } from './clients/metadata-documents.ts'
import type { Interactions } from './library/interaction-types.ts'
import { openAuthorizationServer } from './provider/provider.ts'
import { openTestInteractions } from './test-sign-in.ts'

export interface Reply {
  status: number
  headers: ReadonlyMap<string, string>
  text: string
  json: Record<string, unknown>
}

const readReply = (bytes: Buffer): Reply => {
  const rawText = bytes.toString('latin1')
  const end = rawText.indexOf('\r\n\r\n')
  const [line = '', ...fields] = rawText.slice(0, end).split('\r\n')
  const headers = new Map(
    fields.map(field => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  )
  const text = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).toString()
  const isJson = headers.get('content-type')?.includes('json') && text !== ''
  return { status: Number(line.split(' ')[1]), headers, text, json: isJson ? JSON.parse(text) : {} }
}

export const startTestServer = async ({
  clientAddress,
  accessTokenAlgorithm = 'ES256',
  interactions = openTestInteractions,
  connection,
  publicUrl,
  hostname = '127.0.0.1',
  signInThrottle = 'off',
  tokenShortcut = 'on',
  documentFetch,
  bodyMsMax,
  staleMs = 30_000,
  nativeSchemes,
}: {
  /** Time for the body of a request; absent: as it runs. */
  bodyMsMax?: number
  /** Schemes of redirect URIs that the operator allows; absent: as it runs. */
  nativeSchemes?: readonly string[]
  /** How long the directory answers without hearing of changes. */
  staleMs?: number
  clientAddress?: (request: IncomingMessage) => string
  accessTokenAlgorithm?: 'ES256' | 'EdDSA'
  /** The pages; without, answers as JSON. */
  interactions?: (dependencies: InteractionsDependencies) => Interactions
  /** Connection string of an empty PostgreSQL database. Default: SQLite. */
  connection?: string
  signInThrottle?: number | 'off'
  tokenShortcut?: 'on' | 'off'
  /** How Client ID Metadata Documents are fetched; absent: as it runs. */
  documentFetch?: DocumentFetch
  /** As if a proxy stood in front; absent: where it listens. */
  publicUrl?: string
  /** Name of this machine in the server's address; browsers have passkeys for names only. */
  hostname?: string
} = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-oauth-'))
  const file = join(folder, 'querent.sqlite')
  const storage = await openStorage(connection === undefined ? { file } : { connection })
  const http = createServer(
    limitBodies(
      {
        ...(bodyMsMax === undefined ? {} : { msMax: bodyMsMax }),
        answer: (request, response, problem) => server.answerLate(request, response, problem),
      },
      (request, response) => server.handle(request, response),
    ),
  )
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  const { port } = http.address() as AddressInfo
  const authUrl = publicUrl ?? `http://${hostname}:${port}`
  const baseUrl = 'http://127.0.0.1:4000'
  const secretKey = randomBytes(32)
  const parts = await openAccessParts(storage, {
    ...testSettings,
    ...{ authUrl, baseUrl, secretKey, accessTokenAlgorithm, staleSeconds: staleMs / 1000 },
  })
  const { keyring, directory, bearer, refusalLog, signInLog } = parts
  const logged: { level: string; context: object; message: string }[] = []
  const write = (level: string) => (context: object, message: string) => {
    logged.push({ level, context, message })
  }
  const log = { error: write('error'), warn: write('warn'), debug: write('debug') }
  const dependencies = {
    ...parts,
    log,
    interactions,
    signInThrottle,
    tokenShortcut,
    ...(documentFetch ? { documentFetch } : {}),
    ...(nativeSchemes ? { nativeSchemes } : {}),
    ...(clientAddress ? { clientAddress } : {}),
  }
  const server = await openAuthorizationServer(dependencies)

  let names = 0
  const requireCreated = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('a name of the test is taken')
    return value
  }
  const newWorkspace = (settings: Settings = {}) =>
    storage
      .write(writer => createWorkspace(writer, { workspace: `workspace-${++names}`, settings }))
      .then(requireCreated)
  const workspace = await newWorkspace()

  return {
    folder,
    secretKey,
    storage,
    directory,
    keyring,
    bearer,
    signInLog,
    authUrl,
    baseUrl,
    port,
    logged,
    workspace,
    newWorkspace,
    server,
    http,
    /** To open another on the same storage. */
    dependencies,

    /** A System-to-System account; with one secret, unless it has public keys. */
    newAccount(settings: Partial<SystemSettings> = {}, workspaceId = workspace.id) {
      return storage.write(async writer => {
        const client = requireCreated(
          await createClient(writer, {
            kind: 'system-to-system',
            workspaceId,
            name: `account ${++names}`,
            settings: { addresses: [], ...settings },
          }),
        )
        const { id: secretId, secret } = settings.publicKeys
          ? { id: '', secret: '' }
          : await addSecret(writer, client.id, null)
        return { id: client.id, secret, secretId }
      })
    },
    /** A person, and member of the workspace unless there are no roles. */
    newPerson(roles: Role[] = ['api'], workspaceId = workspace.id) {
      return storage.write(async writer => {
        const user = requireCreated(
          await createUser(writer, { email: `person${++names}@example.org`, name: 'A Person' }),
        )
        if (roles.length > 0)
          await setMember(writer, { workspaceId, subject: user.id, kind: 'user', roles, filter: undefined })
        return user
      })
    },
    /** The account of an access token, for a request to `address`. Rejects with `Refused`. */
    identify: (token: string, address: string) =>
      bearer.identify({ headers: { authorization: `Bearer ${token}` } }, address),
    /** The status of a query with this token in a workspace, by the same checks as the query service's. */
    async query(token: string, slug = workspace.slug): Promise<number> {
      const path = `/4/${slug}/api/main/e/all/results`
      const request = { headers: { authorization: `Bearer ${token}` }, rawHeaders: [] }
      const authorizationRequest = {
        request,
        path,
        resourcePath: path,
        requestId: 'test',
        clientAddress: () => '127.0.0.1',
      }
      const deps = {
        bearer,
        directory,
        refusalLog,
        activity: { record: () => {} },
        origin: baseUrl,
      }
      try {
        await authorize(deps, authorizationRequest, slug, 'query')
        return 200
      } catch (error) {
        if (error instanceof Problem) return error.status
        throw error
      }
    },
    newApplication(settings: Partial<ApplicationSettings>, workspaceId = workspace.id) {
      return storage.write(async writer => {
        const client = requireCreated(
          await createClient(writer, {
            kind: 'application',
            workspaceId,
            name: `application ${++names}`,
            settings: {
              type: 'browser',
              redirectUris: [],
              origins: [],
              logoutUris: [],
              own: false,
              ...settings,
            },
          }),
        )
        return client.id
      })
    },
    /** The command line's client, acting as an operator. */
    newOwnClient() {
      return storage.write(async writer => {
        const user = requireCreated(
          await createUser(writer, { email: `operator${++names}@example.org`, operator: true }),
        )
        const client = requireCreated(
          await createClient(writer, {
            kind: 'own',
            workspaceId: null,
            name: `own ${++names}`,
            settings: { actsAs: user.id },
          }),
        )
        return { id: client.id, secret: (await addSecret(writer, client.id, null)).secret, userId: user.id }
      })
    },

    /** Sends these bytes as they are; `head` is the request line and the fields, less those that every request has. */
    raw(head: string, body = '', to = port): Promise<Reply> {
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = []
        const socket = connect(to, '127.0.0.1')
        socket.on('data', chunk => chunks.push(chunk))
        socket.on('end', () => resolve(readReply(Buffer.concat(chunks))))
        socket.on('error', error =>
          // A server that refuses a long body hangs up on the rest of it.
          chunks.length > 0 ? resolve(readReply(Buffer.concat(chunks))) : reject(error),
        )
        socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n${body}`)
      })
    },
    /** POSTs a form body, byte for byte. */
    form(path: string, body: string, ...fields: string[]): Promise<Reply> {
      const head = [
        `POST ${path} HTTP/1.1`,
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...fields,
      ]
      return this.raw(head.join('\r\n'), body)
    },
    /** Asks for a token by client credentials, the values as clients write them: not percent-encoded. */
    token({ id, secret }: { id: string; secret: string }, rest = `&audience=${baseUrl}/`): Promise<Reply> {
      return this.form(
        '/oauth/token',
        `grant_type=client_credentials&client_id=${id}&client_secret=${secret}${rest}`,
      )
    },

    async close() {
      await new Promise(resolve => {
        http.close(resolve)
        http.closeAllConnections()
      })
      await server.close()
      await parts.close()
      await storage.close()
      await rm(folder, { recursive: true })
    },
  }
}
export type TestServer = Awaited<ReturnType<typeof startTestServer>>
