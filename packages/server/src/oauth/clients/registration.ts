/**
 * Applications that register themselves (RFC 7591, OpenID Connect Dynamic Client Registration 1.0). The library checks the metadata, and
 * registered-metadata.ts says what of it counts. This file decides who may register, and stores the result as an application of the
 * workspace, like those that an administrator registers.
 */
import type { IncomingMessage } from 'node:http'
import Provider, {
  type AdapterPayload,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { toNetwork } from '#authz/network'
import { createMinuteCounter } from '#memory/minute-counter'
import { toVisibleName } from '#oauth/library/visible-name'
import { recordAudit } from '#storage/audit'
import {
  type ApplicationRow,
  type ApplicationSettings,
  addSecret,
  createClient,
  newClientId,
  newClientSecret,
} from '#storage/clients'
import type { Storage, Writer } from '#storage/db'
import type { Directory } from '#storage/directory'
import { findRegistrationToken, useRegistrationToken } from '#storage/registration-tokens'
import { findWorkspaceById, type WorkspaceRow } from '#storage/workspaces'
import {
  describeRegistration,
  normalizeMetadata,
  type RegistrationRules,
  toSettings,
} from './registered-metadata.ts'

/** As an operator sets them. */
export interface RegistrationSettings {
  /** Workspace whose applications may register without a token; undefined: none. */
  openRegistration: string | undefined
  /** Schemes without a dot that native applications may use for redirect URIs. */
  nativeSchemes: readonly string[]
}

interface Dependencies extends Partial<RegistrationSettings> {
  storage: Storage
  directory: Directory
  /** Registrations a minute from one address; ten times as many in all. */
  signInThrottle: number | 'off'
  clientAddress: (request: IncomingMessage) => string
  nativeSchemes: readonly string[]
}

export interface Registration {
  /** Options of the library. */
  feature: NonNullable<NonNullable<Configuration['features']>['registration']>
  /** Decides whether the request may register an application. Throws `invalid_token`, or status 429. */
  admit(ctx: KoaContextWithOIDC): Promise<void>
  /** Stores the client that the library made of an admitted request. Throws `invalid_token` or `invalid_client_metadata`. */
  store(id: string, metadata: AdapterPayload): Promise<void>
  /** Replaces the library's reply, which repeats what it was sent, by the metadata that the server honors. */
  describe(ctx: KoaContextWithOIDC, metadata: AdapterPayload): void
}

/** The workspace of a request, and its initial access token if it has one. */
interface Admission {
  workspaceId: string
  tokenId: string | undefined
  rules: RegistrationRules
  /** Once it is stored. */
  row?: ApplicationRow
}

/** Networks whose registrations are counted. */
const networksMax = 20_000
const registrationsPerFailure = 10

export const openRegistration = ({
  storage,
  directory,
  openRegistration: openWorkspace,
  signInThrottle,
  clientAddress,
  nativeSchemes,
}: Dependencies): Registration => {
  const admissions = new WeakMap<IncomingMessage, Admission>()
  const registrations = createMinuteCounter(networksMax)

  const refuseTooMany = (request: IncomingMessage): void => {
    if (signInThrottle === 'off') return
    const minute = registrations.start(toNetwork(clientAddress(request)))
    minute.count += 1
    if (minute.count <= signInThrottle * registrationsPerFailure) return
    throw Object.assign(new errors.InvalidRequest('too many registrations'), {
      status: 429,
      statusCode: 429,
      error_description: 'too many registrations from this address: wait a minute',
    })
  }
  const admitTo = (
    workspace: WorkspaceRow | undefined,
    tokenId: string | undefined,
  ): Admission | undefined => {
    if (!workspace) return undefined
    const skipInvalidRedirectUris = workspace.definition.settings?.skipInvalidRedirectUris ?? false
    return { workspaceId: workspace.id, tokenId, rules: { nativeSchemes, skipInvalidRedirectUris } }
  }
  const findAdmission = async (authorization: string | undefined): Promise<Admission | undefined> => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (token !== undefined) {
      const row = await findRegistrationToken(storage.db, token)
      return row && admitTo(await findWorkspaceById(storage.db, row.workspaceId), row.id)
    }
    if (openWorkspace === undefined || authorization !== undefined) return undefined
    return admitTo(await directory.workspace(openWorkspace), undefined)
  }

  return {
    feature: {
      enabled: true,
      // `admit` checks it.
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory(ctx) {
        const admission = admissions.get(ctx.req)
        if (admission && ctx.oidc.body) normalizeMetadata(ctx.oidc.body, admission.rules)
        return newClientId()
      },
      secretFactory: newClientSecret,
    },
    async admit(ctx) {
      refuseTooMany(ctx.req)
      const { authorization } = ctx.req.headers
      const admission = await findAdmission(authorization)
      if (admission) {
        admissions.set(ctx.req, admission)
        return
      }
      throw refusal(ctx, authorization === undefined)
    },
    async store(id, metadata) {
      const ctx = Provider.ctx
      const admission = ctx && admissions.get(ctx.req)
      if (!ctx || !admission) throw new Error('a client was registered by a request that was not admitted')
      const settings = toSettings(metadata, ctx.oidc.body?.pkce, admission.rules)
      await storage.write(async writer => {
        if (admission.tokenId !== undefined && !(await useRegistrationToken(writer, admission.tokenId)))
          throw refusal(ctx, false)
        admission.row = await createApplication(writer, admission.workspaceId, { id, metadata, settings })
        await recordAudit(writer, {
          workspaceId: admission.workspaceId,
          actor: admission.tokenId === undefined ? 'anybody' : `registration token ${admission.tokenId}`,
          action: 'registerApplication',
          target: id,
          detail: { name: admission.row.name, ...settings },
          address: clientAddress(ctx.req),
          requestId: ctx.response.get('x-request-id'),
        })
      })
    },
    describe(ctx, metadata) {
      const row = admissions.get(ctx.req)?.row
      if (!row) throw new Error('a client was registered without being stored')
      ctx.body = describeRegistration(row, ctx.oidc.body ?? {}, metadata)
    },
  }
}

/** RFC 6750, section 3: a request without a token gets no error code in its header. */
const refusal = (ctx: KoaContextWithOIDC, isMissing: boolean): Error => {
  ctx.set('www-authenticate', isMissing ? 'Bearer' : 'Bearer error="invalid_token"')
  return Object.assign(new errors.InvalidToken('initial access token'), {
    error_description: isMissing
      ? 'the initial access token is missing: an administrator of the workspace creates it, and you send it as Authorization: Bearer'
      : 'the initial access token is unknown, expired or used up',
  })
}

const createApplication = async (
  writer: Writer,
  workspaceId: string,
  { id, metadata, settings }: { id: string; metadata: AdapterPayload; settings: ApplicationSettings },
): Promise<ApplicationRow> => {
  const name = readName(metadata) || id
  // Names are unique in a workspace, and every copy of a program registers under the same.
  for (const candidate of [name, `${name} (${id.slice(0, 8)})`]) {
    const client = await createClient(writer, {
      id,
      kind: 'application',
      workspaceId,
      name: candidate,
      settings: { ...settings, ...(candidate === name ? {} : { title: name }) },
    })
    if (client?.kind !== 'application') continue
    if (typeof metadata.client_secret === 'string') await addSecret(writer, id, null, metadata.client_secret)
    return client
  }
  throw new Error(`no name is free for the client ${id}`)
}

const readName = ({ client_name: name }: AdapterPayload): string =>
  typeof name === 'string' ? toVisibleName(name) : ''
