/** Random requests, most of them nearly valid, because those get furthest. The same seed gives the same requests. */
import { queryOptionNames } from '@querent/contract/query-options'
import { nastyValues, words } from './query-things.ts'

export interface FuzzRequest {
  bytes: Buffer
  method: string
  /** Not HTTP: it gets its own connection, which the server may close without a reply. */
  isBroken: boolean
  /** Goes to the authorization server. */
  toAuth: boolean
}

export interface Random {
  /** From 0 to below 1. */
  next(): number
  below(limit: number): number
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T
}

/** mulberry32: small, even enough, and the same everywhere. */
export const createRandom = (seed: number): Random => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: <T>(from: readonly T[]): T => {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new Error('there is nothing to pick')
      return picked
    },
  }
}

const endpoints = [
  'words',
  'begun',
  'misspelt',
  'all',
  'thing',
  'tags',
  'tags:FILTER',
  'size:FILTER',
  'flag:FILTER',
  'added:FILTER',
  'alpha',
  'size-range',
  'added-range',
  'by-size',
  'by-label',
  'like',
  'blend',
]
const noEndpoints = ['nothing', '__proto__', 'TAGS:FILTER', ':FILTER']
const parameters = ['query', 'value', 'id', 'from', 'to', 'since', 'until', 'vector', 'constructor', '']
const types = ['results', 'count', 'statistics', 'results,count', 'resultpage', 'resultitem', 'options/tags']
const optionNames = [...queryOptionNames, 'access_token', '__proto__']
const optionValues = [
  '1',
  '100',
  '0',
  '-1',
  '10000',
  '1e9',
  '0.5',
  'true',
  'false',
  'json',
  'csv',
  'default',
  'NaN',
]
const methods = [
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'CONNECT',
  'M-SEARCH',
]

export interface FuzzTarget {
  workspace: string
  token: string
  host: string
}

export const fuzzRequests = (random: Random, { workspace, token, host }: FuzzTarget) => {
  const { below, pick, next } = random
  const repeat = (maximum: number, part: () => string) =>
    Array.from({ length: below(maximum + 1) }, part).join('')
  const bytes = (maximum: number) => Buffer.from(Array.from({ length: below(maximum) }, () => below(256)))
  const escapeRandomly = (raw: Buffer) =>
    [...raw].map(byte => (next() < 0.5 ? `%${byte.toString(16)}` : String.fromCharCode(33 + (byte % 94))))
  const junk = (maximum = 40) => escapeRandomly(bytes(maximum)).join('').replaceAll(/[?#]/g, '_')
  const score = () => pick(['1', '0.5', '0', '-1', '1e5', '00000000000000000001', '9'.repeat(30), '.5', ''])
  const quoted = (value: string) => (next() < 0.5 ? `"${value}"` : value)
  const tupleList = () =>
    Array.from(
      { length: 1 + below(5) },
      () => `${score()}(${Array.from({ length: below(4) }, () => quoted(pick(nastyValues))).join(',')})`,
    ).join('|')
  const text = () =>
    repeat(
      8,
      () =>
        `${pick(['', '', '-', '"', '“', '*', '~', '(', '\u0000'])}${pick([...words, 'zo', '𝒳', 'e\u0301', '12'])} `,
    )
  const value = (endpoint = ''): string => {
    if (/size/.test(endpoint) && next() < 0.9)
      return pick(['1', '-3', '2.5', '1(1,2)|0.5(-0)', '1e308', '007'])
    if (/flag/.test(endpoint) && next() < 0.9) return pick(['true', 'false', '1(true)|2(false)'])
    if (/added/.test(endpoint) && next() < 0.9)
      return pick(['2020-01-01', '1969-07-20T20:17:40Z', '0000-01-01', '9999-12-31'])
    const kind = below(8)
    if (kind === 0) return junk()
    if (kind === 1) return encodeURIComponent(tupleList())
    if (kind === 2) return encodeURIComponent(text())
    if (kind === 3)
      return pick(['2020-01-01', '2020-01-01T00:00:00Z', '0000-01-01', '9999-12-31', '1', '1e308', '-0'])
    if (kind === 4) return encodeURIComponent(`t${below(60)}`)
    if (kind === 5) return encodeURIComponent(pick(words))
    return encodeURIComponent(pick(nastyValues))
  }
  /** Usually the parameter that the endpoint has. */
  const pickParameter = (endpoint: string) => {
    if (next() < 0.1) return pick(parameters)
    if (endpoint.endsWith(':FILTER')) return 'value'
    if (endpoint === 'thing' || endpoint === 'like') return 'id'
    return endpoint === 'size-range' ? pick(['from', 'to']) : endpoint === 'added-range' ? 'since' : 'query'
  }
  const hasParameter = (endpoint: string) =>
    /:FILTER|words|begun|misspelt|thing|like|blend|range/.test(endpoint) !== next() < 0.03
  const step = () => {
    const endpoint = next() < 0.02 ? pick(noEndpoints) : pick(endpoints)
    const parameterPath = hasParameter(endpoint) ? `/p/${pickParameter(endpoint)}/${value(endpoint)}` : ''
    return `e/${next() < 0.01 ? junk(10) : endpoint}${parameterPath}/`
  }
  const goodOption = () =>
    pick([
      () => `count=${1 + below(100)}`,
      () => `offset=${below(300)}`,
      () => `cutoff=${next()}`,
      () => `homogeneousArrays=${pick(['true', 'false'])}`,
      () => `highlight=${pick(['true', 'false'])}`,
      () => `attributes=${pick(['title', 'tags,size', 'nothing', ''])}`,
      () => `rank=${1 + below(50)}`,
      () => 'multiselect=true',
      () => `unknown=${junk(12)}`,
    ])()
  const option = () =>
    next() < 0.9
      ? `&${goodOption()}`
      : `${pick(['&', '&&', '=', ';'])}${pick(optionNames)}=${next() < 0.8 ? pick(optionValues) : junk(12)}`
  const options = () => (next() < 0.5 ? '' : `?${repeat(3, option)}`)
  const api = () => `/4/${workspace}/api/${next() < 0.9 ? 'things' : pick(['open', 'both', 'nothing'])}`
  const query = (depth: number) => `${api()}/${repeat(depth, step)}${pick(types)}${options()}`

  const buildRequest = (
    method: string,
    path: string,
    { authorization = `Bearer ${token}`, headers = '', body = '' } = {},
    toAuth = false,
  ): FuzzRequest => {
    const content = Buffer.from(body)
    const length =
      content.length > 0 || !['GET', 'HEAD'].includes(method) ? `content-length: ${content.length}\r\n` : ''
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n${headers}${length}\r\n`
    return { bytes: Buffer.concat([Buffer.from(head, 'latin1'), content]), method, isBroken: false, toAuth }
  }

  const nearLimit = () => {
    const start = `${api()}/e/words/p/query/`
    const end = pick(['/count', '/results', ''])
    const letters = 16 * 1024 - start.length - end.length + below(5) - 2
    return buildRequest('GET', `${start}${pick(['a', '%20', 'b+', '-'])}${'a'.repeat(letters)}${end}`)
  }
  const bigHeaders = () =>
    buildRequest('GET', query(1), {
      headers: `x-filling: ${'x'.repeat(pick([60_000, 64_000, 65_000, 65_536, 70_000]))}\r\n`,
    })
  const someToken = () => {
    const [head = '', claims = '', signature = ''] = token.split('.')
    return pick([
      '',
      'Bearer',
      `Bearer ${junk(60)}`,
      `Bearer ${head}.${claims}.`,
      `Bearer ${head}.${Buffer.from('{"iss":{}}').toString('base64url')}.${signature}`,
      `Bearer ${head}.${claims}.${signature.slice(below(20))}`,
      `Bearer ${Buffer.from('{}').toString('base64url')}.${claims}.${signature}`,
      `DPoP ${token}`,
      `Basic ${token}`,
      `Bearer ${'a.'.repeat(below(3000))}`,
    ])
  }
  const document = () =>
    pick([
      JSON.stringify({ id: `f${below(50)}`, title: pick(words), size: below(5), tags: [pick(nastyValues)] }),
      JSON.stringify({ id: pick(nastyValues), title: 5, added: 'never' }),
      '{"id":"f1","title":',
      '{"id":"f2","__proto__":{"x":1},"constructor":null}',
      `{"id":"f3","deep":${'['.repeat(below(300))}`,
      '[]',
      'null',
      '"\\ud800"',
      bytes(60).toString('latin1'),
    ])
  const documents = () => {
    const address = `/4/${workspace}/collections/${pick(['things', 'things', 'nothing', '%zz'])}/documents`
    const type = pick([
      'application/x-ndjson',
      'application/json',
      'text/csv',
      'text/plain',
      'application/json; charset=latin1',
      '',
    ])
    const flags = pick(['', '', '?strict=true', '?wait=false', '?strict=maybe', '?strict=true&strict=true'])
    const headers = `content-type: ${type}\r\n${next() < 0.05 ? 'content-encoding: gzip\r\n' : ''}`
    if (next() < 0.4)
      return buildRequest('POST', `${address}${flags}`, { headers, body: repeat(4, () => `${document()}\n`) })
    const method = pick(['PUT', 'GET', 'DELETE', 'PATCH'])
    const rest = pick([
      `/${value()}`,
      `/f${below(50)}`,
      '?kind=alpha',
      '?nothing=1',
      '',
      `?${junk(10)}=${junk(10)}`,
    ])
    return buildRequest(method, `${address}${rest}`, { headers, body: method === 'PUT' ? document() : '' })
  }
  const authorization = () => {
    const form = { headers: 'content-type: application/x-www-form-urlencoded\r\n' }
    return pick([
      () =>
        buildRequest(
          'POST',
          '/oauth/token',
          {
            ...form,
            authorization: pick(['', 'Basic YTpi', 'Basic %']),
            body: `grant_type=${pick(['client_credentials', 'authorization_code', 'refresh_token', junk(9)])}&client_id=${junk(20)}&${junk(40)}`,
          },
          true,
        ),
      () => buildRequest('GET', `/authorize?client_id=${junk(10)}&${junk(30)}=${junk(30)}`, {}, true),
      () =>
        buildRequest(
          pick(methods.slice(0, 7)),
          `/manage/v1/${pick(['me', 'workspaces', `refusals/${junk(9)}`, `workspaces/${junk(9)}/members`, junk(20)])}`,
          {},
          true,
        ),
      () =>
        buildRequest(
          'POST',
          `/oauth/${pick(['revoke', 'introspect', 'par', 'device/code', 'register'])}`,
          { ...form, body: junk(60) },
          true,
        ),
      () =>
        buildRequest(
          'GET',
          `/${pick(['activate', 'interaction', 'logout', 'userinfo', 'console'])}/${junk(20)}`,
          {},
          true,
        ),
    ])()
  }
  const broken = (): FuzzRequest => {
    const good = buildRequest('GET', query(2)).bytes
    const cut = below(good.length)
    const payload = pick([
      () => bytes(300),
      () => good.subarray(0, cut),
      () => Buffer.concat([good.subarray(0, cut), bytes(8), good.subarray(cut)]),
      () => Buffer.from(`GET ${api()} HTTP/${pick(['0.9', '2.0', '1.2', 'x'])}\r\n\r\n`),
      () =>
        Buffer.from(
          `POST ${api()} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
        ),
      () =>
        Buffer.from(
          `POST /4/${workspace}/collections/things/documents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n${pick(['zz', 'ffffffffffffffff', '5\r\n{"id"', '-1'])}\r\n`,
        ),
      () =>
        Buffer.from(
          `GET ${api()}/e/all/count HTTP/1.1\r\nhost: ${host}\r\n${pick(['host: y', ' folded', 'a b: c', ': empty', `x: ${'\u0000'}`, 'expect: x', 'upgrade: h2c\r\nconnection: upgrade'])}\r\n\r\n`,
        ),
      () => Buffer.concat(Array.from({ length: 1 + below(20) }, () => good)),
      () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      () => Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...bytes(100)]),
    ])()
    return { bytes: payload, method: 'GET', isBroken: true, toAuth: false }
  }

  return (): FuzzRequest => {
    const kind = below(100)
    if (kind < 50) return buildRequest(next() < 0.1 ? 'HEAD' : 'GET', query(4))
    if (kind < 53) return buildRequest('GET', query(80).slice(0, 16_000))
    if (kind < 62)
      return buildRequest('GET', `/${pick(['', '4/', `4/${workspace}/`, api().slice(1)])}/${junk(80)}`)
    if (kind < 64) return nearLimit()
    if (kind < 65) return bigHeaders()
    if (kind < 69) return buildRequest(pick(methods.filter(method => method !== 'CONNECT')), query(2))
    if (kind < 76) return buildRequest('GET', query(2), { authorization: someToken() })
    if (kind < 86) return documents()
    if (kind < 91) return authorization()
    if (kind < 95)
      return buildRequest('GET', query(2), {
        headers: `${pick(['accept', 'accept-encoding', 'if-none-match', 'origin', 'range', 'connection', 'x-forwarded-for', 'content-length'])}: ${pick(['*', 'W/"x"', '"', 'gzip;q=0, br', 'bytes=0-1', 'null', 'close', '0', ','])}\r\n`,
      })
    return broken()
  }
}
