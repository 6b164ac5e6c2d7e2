/** For tests: people with browsers, who sign in and agree without pages; the pages have tests of their own. */

import { createHash, randomBytes } from 'node:crypto'
import { passwordLevel } from '@querent/contract/authentication-levels'
import type { InteractionsDependencies } from '#oauth/interactions/dependencies'
import type { Interactions } from './library/interaction-types.ts'

/** Interactions that say as JSON what they ask, and take answers as `POST /interaction/{uid}/login?account=…`, `/consent`, `/abort`. */
export const openTestInteractions = ({
  provider,
  consentService: interacting,
}: InteractionsDependencies): Interactions => ({
  owns: pathname => pathname.startsWith('/interaction/'),
  async handle(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const [, , , action] = pathname.split('/')
    const account = searchParams.get('account') ?? ''
    const acr = searchParams.get('level') ?? passwordLevel
    const finish = async (result: object) => provider().interactionFinished(request, response, { ...result })
    try {
      const details = await provider().interactionDetails(request, response)
      if (action === 'login') return await finish({ login: { accountId: account, amr: ['pwd'], acr } })
      if (action === 'consent') return await finish(await interacting.agree(details))
      if (action === 'abort')
        return await finish({ error: 'access_denied', error_description: 'the person said no' })
      const application = await interacting.application(details)
      const consent = details.prompt.name === 'consent' ? await interacting.consent(details) : undefined
      const { prompt, params } = details
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ prompt: prompt.name, reasons: prompt.reasons, params, application, consent }),
      )
    } catch (error) {
      response.writeHead(400).end(String(error))
    }
  },
})

export interface InteractionPage {
  prompt: string
  reasons: string[]
  params: Record<string, unknown>
  application: Record<string, unknown>
  consent?: { scopes: string[]; claims: string[]; resources: string[] }
}

/** Where a browser ends: at an application, or at a page. */
export interface Landing {
  status: number
  /** The address of the application, with its parameters; undefined: on a page of the server. */
  applicationUrl: URL | undefined
  parameters: Record<string, string>
  text: string
  headers: Headers
}

/** A browser with its cookies. Follows redirects within `authUrl`. */
export const openBrowser = (authUrl: string, userAgent = 'a test') => {
  const jar = new Map<string, { value: string; path: string }>()
  const keep = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ')
      const name = pair.slice(0, pair.indexOf('='))
      const path = attributes.find(attribute => /^path=/i.test(attribute))?.slice(5) ?? '/'
      if (/expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, { value: pair.slice(name.length + 1), path })
    }
  }
  const cookieFor = (pathname: string) =>
    [...jar]
      .filter(
        ([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([key, { value }]) => `${key.slice(0, key.indexOf(' '))}=${value}`)
      .join('; ')

  const visited: string[] = []
  /** The node that a load balancer chooses. */
  const node = { url: authUrl }
  const fetchOnce = async (url: URL, init: RequestInit = {}, cookie = cookieFor(url.pathname)) => {
    visited.push(url.href)
    const headers = new Headers({ accept: 'text/html,*/*;q=0.8', 'user-agent': userAgent })
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    if (cookie) headers.set('cookie', cookie)
    const address = new URL(url.pathname + url.search, node.url)
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    keep(response)
    return response
  }

  return {
    jar,
    node,
    /** Every address that it asked for. */
    visited,
    /** `cookie`: what goes with the first request; absent: what the jar has for it. */
    async go(address: string, init: RequestInit = {}, cookie?: string): Promise<Landing & { url: URL }> {
      let url = new URL(address, authUrl)
      let response = await fetchOnce(url, init, cookie)
      for (let hops = 0; hops < 12; hops++) {
        const location = response.headers.get('location')
        if (location === null) break
        url = new URL(location, url)
        if (url.origin !== authUrl) {
          const parameters = Object.fromEntries(url.searchParams)
          return {
            status: response.status,
            applicationUrl: url,
            parameters,
            text: '',
            headers: response.headers,
            url,
          }
        }
        response = await fetchOnce(url)
      }
      const text = await response.text()
      return {
        status: response.status,
        applicationUrl: undefined,
        parameters: {},
        text,
        headers: response.headers,
        url,
      }
    },
    post(address: string, form: Record<string, string> = {}) {
      return this.go(address, { method: 'POST', body: new URLSearchParams(form) })
    },
    /** A form on a page of another site: cookies of `SameSite=Lax` do not go with it, but with what it is redirected to. */
    postFromElsewhere(address: string, form: Record<string, string>) {
      return this.go(address, { method: 'POST', body: new URLSearchParams(form) }, '')
    },
    /** Signs in as `userId` where asked, agrees where asked; stops at anything else. `asked` gets each page that was seen. */
    async authorize(
      query: string,
      userId: string,
      seenPages: InteractionPage[] = [],
      level = passwordLevel,
    ): Promise<Landing & { url: URL }> {
      let landed = await this.go(`/authorize?${query}`)
      for (let pages = 0; pages < 5 && landed.url.pathname.startsWith('/interaction/'); pages++) {
        const page: InteractionPage = JSON.parse(landed.text)
        seenPages.push(page)
        if (page.prompt === 'login')
          landed = await this.post(`${landed.url.pathname}/login?account=${userId}&level=${level}`)
        else if (page.prompt === 'consent') landed = await this.post(`${landed.url.pathname}/consent`)
        else break
      }
      return landed
    },
  }
}
export type Browser = ReturnType<typeof openBrowser>

/** RFC 7636: a code verifier with its challenge. */
export const newPkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
