/** A person with a browser that only supports plain HTML forms: follows redirects, fills in pages, keeps cookies. */
import type { Role } from '@querent/contract/manage'
import type { StartedServer } from './started-server.ts'

/** Values of a form by the names of its fields. */
export type Form = Record<string, string>

export interface Person {
  email: string
  password: string
  /**
   * Opens an address of the authorization server, signs in and consents where necessary, and returns the application's address at the end.
   * `pages` collects the heading of each page; `fill` changes what is sent. Throws if it ends on a page.
   */
  completeFlow(
    address: string | URL,
    pages?: string[],
    fill?: (page: string, form: Form) => Form,
  ): Promise<URL>
  /** Opens a page of the server, such as that of a device code or an invitation, fills in the forms and returns the last page. */
  approveDevice(address: string, fill?: (page: string, form: Form) => Form): Promise<string>
}

const hopsMax = 12

const readAttribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&')

/** The fields that the page fills in itself, and the first button. */
const readFormFields = (page: string): Form => {
  const form = /<form method="post"[\s\S]*?<\/form>/.exec(page)?.[0] ?? ''
  const tags = [...form.matchAll(/<input[^>]*>/g)].map(([tag]) => tag)
  const button = /<button[^>]*>/.exec(form)?.[0]
  return Object.fromEntries(
    [...tags, ...(button === undefined ? [] : [button])].flatMap(tag => {
      const name = readAttribute(tag, 'name')
      return name === undefined ? [] : [[name, readAttribute(tag, 'value') ?? '']]
    }),
  )
}

/** `send` is `fetch`, or a replacement if the server is behind a proxy. */
export const openPerson = (
  { authUrl }: Pick<StartedServer, 'authUrl'>,
  email: string,
  password: string,
  send: typeof fetch = fetch,
): Person => {
  const cookies = new Map<string, { value: string; path: string }>()
  const load = async (url: URL, form?: Record<string, string>): Promise<Response> => {
    const matchingCookies = [...cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
    const response = await send(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: matchingCookies.join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      const path = /; path=([^;]+)/i.exec(cookie)?.[1] ?? '/'
      if (/expires=Thu, 01 Jan 1970/i.test(cookie)) cookies.delete(`${name} ${path}`)
      else cookies.set(`${name} ${path}`, { value, path })
    }
    return response
  }
  /** Fills in pages until it leaves the server, or comes to a page without a form. */
  const fillPages = async (
    address: string | URL,
    pages: string[],
    fill: (page: string, form: Form) => Form = (_, form) => form,
  ): Promise<{ url: URL; status?: number; page?: string }> => {
    let url = new URL(address)
    let response = await load(url)
    for (let hops = 0; hops < hopsMax; hops++) {
      const location = response.headers.get('location')
      if (location !== null) {
        url = new URL(location, url)
        if (url.origin !== authUrl || url.pathname.startsWith('/console/')) return { url }
        response = await load(url)
        continue
      }
      const page = await response.text()
      pages.push(/<h1>([^<]*)<\/h1>/.exec(page)?.[1] ?? '')
      const fields = readFormFields(page)
      if (response.status !== 200 || Object.keys(fields).length === 0)
        return { url, status: response.status, page }
      const form = {
        ...fields,
        ...('email' in fields ? { email } : {}),
        ...('password' in fields ? { password } : {}),
        ...('name' in fields ? { name: email } : {}),
      }
      response = await load(url, fill(page, form))
    }
    throw new Error('there are too many pages')
  }
  return {
    email,
    password,
    async completeFlow(address, pages = [], fill) {
      const { url, status, page } = await fillPages(address, pages, fill)
      if (page !== undefined)
        throw new Error(`stopped at ${url.pathname}: ${status} ${page.replace(/<style>.*<\/style>/s, '')}`)
      return url
    },
    async approveDevice(address, fill) {
      const { url, status, page = '' } = await fillPages(address, [], fill)
      if (status !== 200)
        throw new Error(`stopped at ${url.pathname}: ${status} ${page.replace(/<style>.*<\/style>/s, '')}`)
      return page
    },
  }
}

/** Creates a person with an account and a password, who is a member of the workspace with this role. */
export const makeMember = async (
  server: Pick<StartedServer, 'call' | 'authUrl'>,
  workspace: string,
  email: string,
  role: Role = 'api',
): Promise<Person> => {
  const password = `a long phrase for ${email}`
  await server.call('createUser', { input: { email, password } })
  await server.call('setMember', { params: { workspace, email }, input: { roles: [role] } })
  return openPerson(server, email, password)
}

export interface RegisteredApplication {
  clientId: string
  /** Secret of a confidential client. */
  clientSecret?: string
}

let applicationCount = 0

export const registerApplication = async (
  server: Pick<StartedServer, 'call'>,
  workspace: string,
  type: 'browser' | 'server' | 'native',
  redirectUri: string,
): Promise<RegisteredApplication> =>
  await server.call('createApplication', {
    params: { workspace },
    input: { name: `Application ${++applicationCount}`, type, redirectUris: [redirectUri] },
  })
