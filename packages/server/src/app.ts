/** Serves the parts over HTTP: which handler answers which path. */
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import compress from '@fastify/compress'
import proxyAddress from '@fastify/proxy-addr'
import { contractVersion } from '@querent/contract/paths'
import type { FastifyBaseLogger } from 'fastify'
import { createDocsSearch } from '#documentation/docs-search'
import { registerDocsSearch } from '#documentation/register'
import { documentPaths } from '#documents/openapi'
import { proposeForFile } from '#documents/proposals/propose-for-file'
import { isDocumentsUrl, registerDocuments } from '#documents/route'
import { limitBodies } from '#http/body-limit'
import { compressibleTypes, encodings } from '#http/compression'
import { docsSectionsFile, registerConsole } from '#http/console'
import { registerDemoPage } from '#http/demo-page'
import { withContractPaths } from '#http/path-versions'
import { answerNotFound, type ListeningServer, openApp } from '#http/server'
import { registerManagement } from '#manage/register'
import { openInteractions } from '#oauth/interactions/interactions'
import { noSuchPath } from '#query/address'
import { createIntake } from '#query/intake'
import { serviceOpenApi } from '#query/openapi/service-document'
import { findPostRequest } from '#query/post-requests'
import { registerQueries, rewriteQueryUrl } from '#query/route'
import { openDomainChecks } from './accounts/domain-checks.ts'
import { createDomainDns } from './accounts/domain-dns.ts'
import { openMailer } from './accounts/mail.ts'
import { hashPassword } from './accounts/password-hash.ts'
import { openSecurityNotices } from './accounts/security-notices.ts'
import type { AppSettings } from './app-settings.ts'
import { registerResourceMetadata } from './authz/resource-metadata.ts'
import { createLiveInfo } from './collections/live-info.ts'
import { Problem } from './errors.ts'
import { refuseRequest } from './http/parser-errors.ts'
import { servePublicJson } from './http/public-json.ts'
import { createProviderSecrets } from './keys/provider-secrets.ts'
import { createRecordEncryption } from './keys/record-encryption.ts'
import { createUnreadableCount } from './keys/unreadable-secrets.ts'
import { isFromBrowser } from './oauth/pages/page.ts'
import { answerBrowsers } from './oauth/pages/query-service-page.ts'
import { openAuthorizationServer } from './oauth/provider/provider.ts'
import { encodedBodyRefusal, isEncoded } from './oauth/requests/endpoint-routing.ts'
import type { Listening, Parts } from './parts.ts'
import { increment } from './telemetry/counters.ts'
import { logRebuilds } from './telemetry/rebuild-log.ts'
import { setRoute } from './telemetry/request-attributes.ts'

export interface App {
  log: FastifyBaseLogger
  /** Lets running requests finish, then stops the services. */
  close(): Promise<void>
}

/** Serves queries and documents on one listener, tokens and management on the other. The caller closes the parts. */
export const openServices = async (
  parts: Parts,
  listening: Listening,
  settings: AppSettings,
): Promise<App> => {
  const services = [
    listening.query && (await serveQueries(parts, listening.query, settings)),
    listening.authorization &&
      (await serveAuthorization(parts, { ...listening, authorization: listening.authorization }, settings)),
  ].filter(service => service !== undefined)
  const [{ log }] = services as [RunningService]
  parts.start(log)
  return {
    log,
    async close() {
      await Promise.all([listening.query?.close(), listening.authorization?.close()])
      await Promise.all(services.map(service => service.close()))
    },
  }
}

interface RunningService {
  log: FastifyBaseLogger
  close(): Promise<unknown>
}

const serveQueries = async (
  parts: Parts,
  listening: ListeningServer,
  settings: AppSettings,
): Promise<RunningService> => {
  const { storage, engine, telemetry, baseUrl, authUrl } = parts
  const { mixin } = telemetry
  const { app, listener } = openApp(listening, { ...settings, mixin, rewriteUrl: rewriteQueryUrl })
  const cursorKey = parts.keyring.derive('page cursor')
  logRebuilds(engine, storage, app.log)
  app.setNotFoundHandler(answerBrowsers(settings, answerNotFound(noSuchPath)))
  await app.register(compress, {
    encodings,
    customTypes: compressibleTypes,
    globalDecompression: false,
  })
  if (settings.isDemo) await registerDemoPage(app)
  registerResourceMetadata(app, { baseUrl, authUrl })
  const openApi = serviceOpenApi({ baseUrl, authUrl }, documentPaths())
  servePublicJson(app, `/${contractVersion}/openapi.json`, () => openApi)
  const isTrusted = proxyAddress.compile(settings.trustedProxy)
  const withQueries = registerQueries(app, {
    ...parts,
    origin: baseUrl,
    generation: parts.collections.resolve,
    clientAddress: request => proxyAddress(request, isTrusted),
    cursorKey,
    queryTimeoutMs: settings.queryTimeoutMs,
    queryShortcut: settings.queryShortcut,
    isDiskFull: () => storage.disk?.().isFull === true,
    requestsPerMinute: settings.rateLimit,
    requestCounter: settings.requestCounter,
    // Each thread has its share.
    concurrentMax: Math.ceil(settings.queriesAtOnce / settings.workers),
    waitingMax: Math.ceil(settings.queriesWaiting / settings.workers),
    onClosing: stopPausing => {
      listening.onClosing = stopPausing
    },
  })
  await registerDocuments(app, { ...parts, cursorKey })
  await app.ready()
  const limited = limitBodies(
    {
      // Addresses of POST requests answer every other method with 405, whatever the body.
      isBodyless: ({ method = '', url = '' }) => bodylessMethods.has(method) && !findPostRequest(url),
      isStream: ({ method, url = '' }) => method === 'POST' && isDocumentsUrl(url),
    },
    withQueries(listener()),
  )
  const observed = telemetry.observeRequests('query', app.log, settings.logLevel, limited)
  listening.setListener(withContractPaths(observed, settings.pathVersions))
  return { log: app.log, close: () => app.close() }
}

const bodylessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** Requests that arrive together, such as a hundred sign-ins, start over turns of the event loop. Queries on the same thread get theirs between. */
const answerInTurns = (next: RequestListener): RequestListener => {
  const unlimited = Number.POSITIVE_INFINITY
  const intake = createIntake({
    inProgressMax: unlimited,
    heldMax: unlimited,
    heldMsMax: heldRequestMsMax,
    pausedMsMax: 0,
  })
  return (request, response) =>
    intake.enter(request.socket.remoteAddress ?? '', ({ leave }) => {
      leave()
      if (!request.socket.destroyed) next(request, response)
    })
}

const heldRequestMsMax = 10_000

const serveAuthorization = async (
  parts: Parts,
  { query, authorization: listening }: Listening & { authorization: ListeningServer },
  settings: AppSettings,
): Promise<RunningService> => {
  const { storage, keyring, engine, counts, telemetry, baseUrl, authUrl } = parts
  const { app, listener } = openApp(listening, { ...settings, mixin: telemetry.mixin })
  const { signInThrottle, invitationThrottle } = settings
  const limits = { signInThrottle, invitationThrottle, passwordLengthMin: settings.passwordLengthMin }
  const mail = openMailer(settings, {
    storage,
    encryption: createRecordEncryption(keyring, 'mails'),
    log: app.log,
    count: outcome => increment(counts.mails, outcome),
  })
  counts.mailBacklog = mail.backlog
  const securityNotices = openSecurityNotices(storage, mail, authUrl)
  const domainDns = createDomainDns(settings.dnsServers)
  const isTrusted = proxyAddress.compile(settings.trustedProxy)
  const authorization = await openAuthorizationServer({
    ...parts,
    tokenShortcut: settings.tokenShortcut,
    log: app.log,
    signInThrottle,
    nativeSchemes: settings.nativeSchemes,
    documentFetch: { internalHosts: settings.internalHosts },
    ...(settings.openRegistration !== undefined && { openRegistration: settings.openRegistration }),
    logoutRequests: { internalHosts: settings.internalHosts },
    clientAddress: request => proxyAddress(request, isTrusted),
    interactions: interactionsParts =>
      openInteractions(interactionsParts, { mail, securityNotices, ...limits }),
  })
  app.setNotFoundHandler(async (request, reply) => {
    if (!isFromBrowser(request.raw)) return answerNotFound()(request, reply)
    reply.hijack()
    authorization.handle(request.raw, reply.raw)
  })
  await registerConsole(app, { authUrl, baseUrl })
  const docsSearch = createDocsSearch(docsSectionsFile, join(settings.data, 'docs-search'))
  registerDocsSearch(app, docsSearch)
  await registerManagement(app, {
    ...parts,
    ...limits,
    providerSecrets: createProviderSecrets(keyring),
    countUnreadable: createUnreadableCount(keyring),
    domainDns,
    checkIssuer: authorization.checkIssuer,
    nativeSchemes: settings.nativeSchemes,
    answersQueries: query !== undefined,
    vectors: { embedders: parts.embedders, missing: engine.missingForVectors },
    propose: proposeForFile,
    readDocument: parts.collections.readDocument,
    diagnostics: {
      live: createLiveInfo(parts.collections, engine),
      ping: engine.ping,
      data: settings.data,
      limitWarnings: settings.limitWarnings,
      accessTokenAlgorithm: parts.accessTokenAlgorithm,
      keyRotationDays: settings.keyRotationDays,
      canMail: mail.isAvailable,
    },
    hashPassword,
    mail,
    securityNotices,
    // Fastify reads it with the same library and list as `proxyAddress` above, which also works without Fastify.
    clientAddress: request => request.ip,
    isTrustedProxy: address => isTrusted(address, 0),
  })
  await app.ready()
  const management = listener()
  // The library reads bodies itself, so its paths never reach Fastify.
  const answer: RequestListener = (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    if (!authorization.owns(path)) {
      if (!isEncoded(request)) return management(request, response)
      const { headers, description } = encodedBodyRefusal
      return refuseRequest(response, new Problem('unsupported-media-type', description, { headers }))
    }
    setRoute(response, path)
    authorization.handle(request, response)
  }
  const limited = limitBodies({ answer: authorization.answerLate }, answer)
  const inTurns = answerInTurns(limited)
  listening.setListener(telemetry.observeRequests('authorization', app.log, settings.logLevel, inTurns))
  const domainChecks = openDomainChecks({ storage, domainDns, mail, authUrl, log: app.log })
  const close = async () => {
    for (const part of [domainChecks, authorization, app, docsSearch, securityNotices, mail])
      await part.close()
  }
  return { log: app.log, close }
}
