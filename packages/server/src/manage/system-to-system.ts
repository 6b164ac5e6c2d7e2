/**
 * System-to-System accounts and their Client Secrets. Their roles are a membership with the Client ID as
 * subject.
 */
import type { SystemRole, SystemToSystem } from '@querent/contract/manage'
import { Problem } from '#errors'
import {
  addSecret,
  type ClientRow,
  createClient,
  findClient,
  findClientByName,
  findClients,
  listSecrets,
  removeClient,
  removeSecret,
  type SecretRow,
  type SystemRow,
  type SystemSettings,
  updateClient,
} from '#storage/clients'
import type { Db } from '#storage/db'
import { findMember, findMembers, type MemberRow, removeMember, setMember } from '#storage/members'
import { audit, type Handler, makeAuditDiff, rightsSource, timestamp } from './call.ts'
import { refuseBadAddresses, refuseBadFilter, refuseBadKeys } from './input-rules.ts'
import { readClientPage, readPageQuery, readSearchPage, readSearchText } from './pages.ts'
import { mergeRights, pickRights, readLockedDefinition } from './rights-input.ts'

/** Enough for rotation; each secret costs a comparison at the token endpoint. */
export const secretsMax = 10

type SystemOperation =
  | 'createSystemToSystem'
  | 'listSystemToSystem'
  | 'updateSystemToSystem'
  | 'removeSystemToSystem'
  | 'addSecret'
  | 'removeSecret'

export const systemToSystemHandlers = {
  createSystemToSystem: async ({ storage }, call) => {
    const { workspace, input } = call
    const { name, roles, addresses = [], publicKeys, dpop, filter } = input
    refuseBadAddresses(addresses)
    refuseBadFilter(workspace.definition, filter)
    refuseBadKeys(publicKeys)
    return storage.write(async writer => {
      const rights = mergeRights(await readLockedDefinition(writer, workspace), undefined, input)
      const client = await createClient(writer, {
        kind: 'system-to-system',
        workspaceId: workspace.id,
        name,
        settings: { addresses, ...(publicKeys ? { publicKeys } : {}), ...(dpop ? { dpop } : {}) },
      })
      if (!client) throw nameTaken(name)
      await setMember(writer, {
        workspaceId: workspace.id,
        subject: client.id,
        kind: 'system-to-system',
        roles,
        filter,
        rights,
      })
      const secret = publicKeys ? undefined : await addSecret(writer, client.id, null)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: {
          name,
          roles,
          addresses,
          ...(dpop ? { dpop } : {}),
          ...(filter ? { filter } : {}),
          ...rights,
        },
      })
      const described = await describeSystem(writer.db, systemRow(client))
      return { ...described, ...(secret ? { clientSecret: secret.secret } : {}) }
    })
  },

  listSystemToSystem: async ({ storage }, { workspace, query }) => {
    const { db } = storage
    const text = readSearchText(query)
    const page =
      text === undefined
        ? await readClientPage(db, workspace.id, 'system-to-system', query)
        : await readSearchPage(
            storage,
            { text, scope: { workspaceId: workspace.id, kind: 'system-to-system' }, ...readPageQuery(query) },
            async ids => (await findClients(db, ids)).map(systemRow),
            row => row.id,
          )
    const ids = page.rows.map(row => row.id)
    const members = new Map((await findMembers(db, workspace.id, ids)).map(row => [row.subject, row]))
    const secrets = Map.groupBy(await listSecrets(db, ids), secret => secret.clientId)
    const items = page.rows.map(row =>
      describeSystemWith(row, members.get(row.id), secrets.get(row.id) ?? []),
    )
    return { items, next: page.next }
  },

  updateSystemToSystem: async ({ storage, authUrl }, call) => {
    const { workspace, params, input } = call
    refuseBadAddresses(input.addresses)
    refuseBadFilter(workspace.definition, input.filter)
    return storage.write(async writer => {
      const changesRights = Object.keys(pickRights(input)).length > 0
      const definition = await readLockedDefinition(writer, workspace)
      const client = await findSystem(writer.db, workspace.id, params.clientId)
      if (input.name !== undefined && input.name !== client.name) {
        const clientKey = { workspaceId: workspace.id, kind: 'system-to-system', name: input.name } as const
        if (await findClientByName(writer.db, clientKey)) throw nameTaken(input.name)
      }
      const { name, disabled, addresses, dpop } = input
      await updateClient(writer, client.id, {
        ...(name === undefined ? {} : { name }),
        ...(disabled === undefined ? {} : { disabled }),
        settings: changeSettings(client.settings, { addresses, dpop }),
      })
      const member = await findMember(writer.db, workspace.id, client.id)
      if (input.roles !== undefined || input.filter !== undefined || changesRights)
        await setMember(writer, {
          workspaceId: workspace.id,
          subject: client.id,
          kind: 'system-to-system',
          roles: input.roles ?? member?.roles ?? [],
          filter: input.filter === undefined ? member?.filter : (input.filter ?? undefined),
          rights: mergeRights(definition, member?.rights, input),
        })
      const previousValues = {
        name: client.name,
        disabled: client.disabled,
        addresses: client.settings.addresses,
        dpop: client.settings.dpop ?? false,
        roles: member?.roles,
        filter: member?.filter,
        ...member?.rights,
      }
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: {
          ...input,
          ...makeAuditDiff(previousValues, input),
          source: rightsSource({ authUrl }, call),
        },
      })
      return describeSystem(writer.db, await findSystem(writer.db, workspace.id, client.id))
    })
  },

  removeSystemToSystem: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const client = await findSystem(writer.db, workspace.id, params.clientId)
      await removeMember(writer, workspace.id, client.id)
      await removeClient(writer, client.id)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: { name: client.name },
      })
    })
    return undefined
  },

  addSecret: async ({ storage }, call) => {
    const { workspace, params, input } = call
    const { expiresInSeconds } = input
    return storage.write(async writer => {
      const client = await findClientWithSecrets(writer.db, workspace.id, params.clientId)
      if ((await listSecrets(writer.db, [client.id])).length >= secretsMax)
        throw new Problem('conflict', `the client already has ${secretsMax} secrets: remove one first`)
      const expiresAt = expiresInSeconds === undefined ? null : Date.now() + expiresInSeconds * 1000
      const { id, secret } = await addSecret(writer, client.id, expiresAt)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: { secretId: id, expiresInSeconds },
      })
      return { clientId: client.id, clientSecret: secret, secretId: id }
    })
  },

  removeSecret: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const client = await findClientWithSecrets(writer.db, workspace.id, params.clientId)
      if (!(await removeSecret(writer, client.id, params.secretId)))
        throw new Problem('no-such-resource', `the client has no secret ${params.secretId}`)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: { secretId: params.secretId },
      })
    })
    return undefined
  },
} satisfies { [Id in SystemOperation]: Handler<Id> }

/** Undefined leaves a setting as it is. */
const changeSettings = (
  { dpop: previous, ...settings }: SystemSettings,
  {
    addresses = settings.addresses,
    dpop = previous,
  }: { addresses?: string[] | undefined; dpop?: boolean | undefined },
): SystemSettings => ({ ...settings, addresses, ...(dpop ? { dpop } : {}) })

const nameTaken = (name: string): Problem =>
  new Problem(
    'conflict',
    `the workspace already has a System-to-System account named ${JSON.stringify(name)}`,
  )

const systemRow = (client: ClientRow | undefined): SystemRow => {
  if (client?.kind !== 'system-to-system') throw new Error('a System-to-System account is of another kind')
  return client
}

/** Throws 404 also for an account of another workspace. */
const findSystem = async (db: Db, workspaceId: string, clientId: string): Promise<SystemRow> => {
  const client = await findClient(db, clientId)
  if (client?.kind !== 'system-to-system' || client.workspaceId !== workspaceId)
    throw new Problem('no-such-resource', `no System-to-System account has the Client ID ${clientId}`)
  return client
}

/**
 * Finds a client that authenticates with secrets: also an application of type server, which a workspace file
 * creates without one.
 */
const findClientWithSecrets = async (db: Db, workspaceId: string, clientId: string): Promise<ClientRow> => {
  const candidate = await findClient(db, clientId)
  const isApplication =
    candidate?.kind === 'application' &&
    candidate.workspaceId === workspaceId &&
    candidate.settings.type === 'server'
  const client = isApplication ? candidate : await findSystem(db, workspaceId, clientId)
  if (client.settings.publicKeys)
    throw new Problem('conflict', 'the client authenticates by private_key_jwt: it has no secrets')
  return client
}

const describeSystem = async (db: Db, row: SystemRow): Promise<SystemToSystem> =>
  describeSystemWith(row, await findMember(db, row.workspaceId, row.id), await listSecrets(db, [row.id]))

const isSystemRole = (role: string): role is SystemRole => role === 'api' || role === 'data-provider'

const describeSystemWith = (
  row: SystemRow,
  member: MemberRow | undefined,
  secrets: readonly SecretRow[],
): SystemToSystem => ({
  clientId: row.id,
  name: row.name,
  roles: (member?.roles ?? []).filter(isSystemRole),
  ...(member?.filter ? { filter: member.filter } : {}),
  ...member?.rights,
  addresses: row.settings.addresses,
  disabled: row.disabled,
  publicKeys: row.settings.publicKeys !== undefined,
  dpop: row.settings.dpop ?? false,
  secrets: secrets.map(secret => ({
    id: secret.id,
    hint: secret.hint,
    createdAt: timestamp(secret.createdAt),
    expiresAt: secret.expiresAt === null ? null : timestamp(secret.expiresAt),
    lastUsedAt: secret.lastUsedAt === null ? null : timestamp(secret.lastUsedAt),
  })),
  createdAt: timestamp(row.createdAt),
})
