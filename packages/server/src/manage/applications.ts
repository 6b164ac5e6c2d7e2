/** Applications: registered clients of a workspace, through which people sign in. */
import type { Application } from '@querent/contract/manage'
import { Problem } from '#errors'
import {
  type ApplicationRow,
  type ApplicationSettings,
  addSecret,
  createClient,
  findClient,
  findClientByName,
  readIdTokenAlgorithm,
  removeClient,
  requiresProof,
  updateClient,
} from '#storage/clients'
import type { Db } from '#storage/db'
import { audit, type Handler, makeAuditDiff, timestamp } from './call.ts'
import { refuseBadApplication, refuseBadKeys } from './input-rules.ts'
import { readClientPage } from './pages.ts'

export const applicationHandlers = {
  createApplication: async ({ storage, nativeSchemes }, call) => {
    const { workspace, input } = call
    const { name, pkce = true, nonce = true, dpop, idTokenAlgorithm, ...otherInput } = input
    refuseBadApplication(
      { ...otherInput, pkce, nonce, ...(idTokenAlgorithm && { idTokenAlgorithm }) },
      nativeSchemes,
    )
    refuseBadKeys(otherInput.publicKeys)
    const settings: ApplicationSettings = {
      type: 'browser',
      origins: [],
      logoutUris: [],
      own: false,
      ...otherInput,
      // Defaults are left out, as in a workspace file.
      ...(pkce ? {} : { pkce }),
      ...(nonce ? {} : { nonce }),
      ...(idTokenAlgorithm === 'ES256' ? { idTokenAlgorithm } : {}),
      ...(dpop ? { dpop } : {}),
    }
    return storage.write(async writer => {
      const client = await createClient(writer, {
        kind: 'application',
        workspaceId: workspace.id,
        name,
        settings,
      })
      if (client?.kind !== 'application') throw nameTaken(name)
      const hasSecret = settings.type === 'server' && !settings.publicKeys
      const secret = hasSecret ? await addSecret(writer, client.id, null) : undefined
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: { name, ...settings },
      })
      return { ...describeApplication(client), ...(secret ? { clientSecret: secret.secret } : {}) }
    })
  },

  listApplications: async ({ storage }, { workspace, query }) => {
    const page = await readClientPage(storage.db, workspace.id, 'application', query)
    return { items: page.rows.map(describeApplication), next: page.next }
  },

  updateApplication: async ({ storage, nativeSchemes }, call) => {
    const { workspace, params, input } = call
    const { name, disabled, defaultAudience, backchannelLogoutUri, pkce, dpop, ...changes } = input
    return storage.write(async writer => {
      const client = await findApplication(writer.db, workspace.id, params.clientId)
      const settings: ApplicationSettings = { ...client.settings, ...changes }
      setOrDelete(settings, {
        defaultAudience,
        backchannelLogoutUri,
        // Defaults are left out, as in a workspace file.
        pkce: pkce === true ? null : pkce,
        dpop: dpop === false ? null : dpop,
      })
      // It only means something without `pkce`.
      if (pkce) delete settings.nonce
      refuseBadApplication(settings, nativeSchemes)
      if (name !== undefined && name !== client.name) {
        const clientKey = { workspaceId: workspace.id, kind: 'application', name } as const
        if (await findClientByName(writer.db, clientKey)) throw nameTaken(name)
      }
      await updateClient(writer, client.id, {
        settings,
        ...(name === undefined ? {} : { name }),
        ...(disabled === undefined ? {} : { disabled }),
      })
      const previousValues = { name: client.name, disabled: client.disabled, ...client.settings }
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: { ...input, ...makeAuditDiff(previousValues, input) },
      })
      return describeApplication(await findApplication(writer.db, workspace.id, client.id))
    })
  },

  removeApplication: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const client = await findApplication(writer.db, workspace.id, params.clientId)
      // Its grants need no removal: tokens of a missing client are rejected, and Client IDs are never reused.
      await removeClient(writer, client.id)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: client.id,
        detail: { name: client.name },
      })
    })
    return undefined
  },
} satisfies {
  [Id in 'createApplication' | 'listApplications' | 'updateApplication' | 'removeApplication']: Handler<Id>
}

type DeletableSettings = Pick<
  ApplicationSettings,
  'defaultAudience' | 'backchannelLogoutUri' | 'pkce' | 'dpop'
>

/** Null deletes a setting; undefined leaves it as it is. */
const setOrDelete = (
  settings: ApplicationSettings,
  changes: { [Name in keyof DeletableSettings]: DeletableSettings[Name] | null | undefined },
): void => {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue
    // Object.entries is typed string[]; the table has exactly these keys.
    if (value === null) delete settings[name as keyof DeletableSettings]
    else Object.assign(settings, { [name]: value })
  }
}

const findApplication = async (db: Db, workspaceId: string, clientId: string): Promise<ApplicationRow> => {
  const client = await findClient(db, clientId)
  if (client?.kind === 'application' && client.workspaceId === workspaceId) return client
  throw new Problem('no-such-resource', `no application has the Client ID ${clientId}`)
}

const nameTaken = (name: string): Problem =>
  new Problem('conflict', `the workspace already has an application named ${JSON.stringify(name)}`)

const describeApplication = (row: ApplicationRow): Application => ({
  clientId: row.id,
  name: row.name,
  type: row.settings.type,
  redirectUris: row.settings.redirectUris,
  origins: row.settings.origins,
  logoutUris: row.settings.logoutUris,
  backchannelLogoutUri: row.settings.backchannelLogoutUri ?? null,
  defaultAudience: row.settings.defaultAudience ?? null,
  own: row.settings.own,
  pkce: row.settings.pkce ?? true,
  nonce: row.settings.nonce ?? true,
  idTokenAlgorithm: readIdTokenAlgorithm(row.settings),
  publicKeys: row.settings.publicKeys !== undefined,
  profile: row.settings.profile ?? null,
  dpop: requiresProof(row.settings),
  registered: row.settings.registered ?? null,
  disabled: row.disabled,
  createdAt: timestamp(row.createdAt),
})
