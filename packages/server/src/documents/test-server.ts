/** For tests: the documents API on a real port, with the real engine and members of every role. */
import { join } from 'node:path'
import type { Role, RowFilter } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import { baseUrl, openTestParts } from '#authz/test-tokens'
import { openCollections } from '#collections/generations'
import type { Engine, Plan } from '#engines/engine'
import { openEngine } from '#engines/open'
import { listen, openApp } from '#http/server'
import { createClient } from '#storage/clients'
import { setMember } from '#storage/members'
import { createUser } from '#storage/users'
import { createWorkspace, findWorkspace, saveDefinition } from '#storage/workspaces'
import { registerDocuments } from './route.ts'

export const definition: Definition = {
  workspace: 'books',
  collections: {
    novels: {
      id: { field: 'id', uri: 'https://books.example/{id}' },
      language: 'english',
      fields: { title: { type: 'text' }, genre: { type: 'keyword' }, pages: { type: 'number' } },
    },
  },
}

export interface Answer {
  status: number
  headers: Headers
  // Replies are JSON of many shapes; each test reads the fields it is about.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

export type Person = 'operator' | 'ada' | 'ursula' | 'apollo' | 'dora' | 'fay' | 'eve'

export const allDocuments: Plan = {
  nodes: [{ kind: 'all' }],
  restrictions: [],
  order: [],
  cutoff: 0,
  offset: 0,
  count: 100,
  statistics: false,
}

/**
 * Workspaces `books` (administrator ada, user ursula, apollo with role api, dora with data-provider, user fay
 * with a row filter) and `films` (administrator eve). `wrap` decorates the engine.
 */
export const openTestServer = async (wrap: (engine: Engine) => Engine = engine => engine) => {
  const parts = await openTestParts()
  const { storage } = parts
  const ids = await storage.write(async writer => {
    const books = await createWorkspace(writer, definition)
    const films = await createWorkspace(writer, { ...definition, workspace: 'films' })
    if (!books || !films) throw new Error('the workspace is there already')
    const user = async (
      name: string,
      { roles, operator = false, filter, workspaceId = books.id }: Joining = {},
    ): Promise<string> => {
      const row = await createUser(writer, { email: `${name}@example.org`, operator })
      if (!row) throw new Error('the user is there already')
      if (roles) await setMember(writer, { workspaceId, subject: row.id, kind: 'user', roles, filter })
      return row.id
    }
    for (const [id, name] of [
      ['console', 'Console'],
      ['script', 'Script'],
    ] as const)
      await createClient(writer, { id, kind: 'own', workspaceId: null, name, settings: { actsAs: null } })
    const people: Record<Person, string> = {
      operator: await user('operator', { operator: true }),
      ada: await user('ada', { roles: ['administrator'] }),
      ursula: await user('ursula', { roles: ['user'] }),
      apollo: await user('apollo', { roles: ['api'] }),
      dora: await user('dora', { roles: ['data-provider'] }),
      fay: await user('fay', { roles: ['user'], filter: { genre: 'crime' } }),
      eve: await user('eve', { roles: ['administrator'], workspaceId: films.id }),
    }
    return { people, books: books.id, films: films.id }
  })
  const engine = wrap(await openEngine({ kind: 'embedded', dataDir: join(parts.folder, 'engine') }))
  const collections = await openCollections({ storage, engine, graceMs: 50 })
  const listening = await listen('127.0.0.1', 0)
  const { app, listener } = openApp(listening, {
    logLevel: 'silent',
    logStream: process.stderr,
    trustedProxy: [],
  })
  /** Called after a request is first authorized. */
  let onAuthorized = () => {}
  const nextAuthorized = () => new Promise<void>(resolve => (onAuthorized = resolve))
  registerDocuments(app, {
    ...parts,
    activity: {
      record(...activity) {
        parts.activity.record(...activity)
        onAuthorized()
      },
    },
    engine,
    collections,
    cursorKey: Buffer.alloc(32),
    idleMs: 5000,
  })
  await app.ready()
  listening.setListener(listener())

  const requestToken = (person: Person, clientId = 'console') =>
    parts.token({ subject: ids.people[person], clientId, audience: baseUrl })
  const createHeaders = async (person: Person | { token: string } | undefined, type: string | undefined) => {
    const token = typeof person === 'string' ? await requestToken(person) : person?.token
    return {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
    }
  }
  /** `path` follows `/4/`. */
  const call = async (
    person: Person | { token: string } | undefined,
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer> | ReadableStream,
    type = defaultTypes[method] ?? 'application/json',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const reply = await fetch(`http://127.0.0.1:${listening.port}/4/${path}`, {
      method,
      headers: { ...(await createHeaders(person, body === undefined ? undefined : type)), ...headers },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const live = () => collections.live(ids.books, 'novels')
  /** Titles that a query finds. */
  const search = async (plan: Plan = allDocuments) =>
    engine.search(live()?.id ?? '', plan, 5000).then(reply => reply)
  /** Changes the definition of `books`, as applying a workspace file does. */
  const redefine = async (change: (definition: Definition) => Definition) => {
    await storage.write(async writer => {
      const workspace = await findWorkspace(writer.db, 'books')
      if (workspace) await saveDefinition(writer, workspace.id, change(workspace.definition))
    })
    await collections.reconcile(ids.books)
  }
  const close = async () => {
    await listening.close()
    await app.close()
    await collections.close()
    await engine.close()
    await parts.close()
  }
  return {
    ...parts,
    ids,
    engine,
    collections,
    port: listening.port,
    nextAuthorized,
    call,
    requestToken,
    live,
    search,
    redefine,
    close,
  }
}

const defaultTypes: Readonly<Record<string, string>> = {
  POST: 'application/x-ndjson',
  PATCH: 'application/merge-patch+json',
}

interface Joining {
  roles?: Role[]
  operator?: boolean
  filter?: RowFilter
  workspaceId?: string
}

export const lines = (...documents: unknown[]): string =>
  documents.map(document => `${JSON.stringify(document)}\n`).join('')
