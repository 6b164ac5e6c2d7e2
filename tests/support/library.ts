/** A small workspace for black-box tests: a library of generated books, and their expected results by a simple reading of the contract. */
import type { Operator } from './operator.ts'
import { fetchToken, type StartedServer } from './started-server.ts'

export interface Book {
  id: string
  title: string
  genre: string[]
  pages: number
  inPrint: boolean
  published: string
}

const nouns = [
  'river',
  'mountain',
  'garden',
  'engine',
  'castle',
  'forest',
  'island',
  'mirror',
  'winter',
  'shadow',
]
const adjectives = ['silent', 'golden', 'broken', 'hidden', 'distant', 'burning', 'frozen', 'ancient']
const genres = ['drama', 'comedy', 'a, b', 'history/modern', 'été', 'f(x)']

/** 200 deterministic books. */
export const books: readonly Book[] = Array.from({ length: 200 }, (_, index) => ({
  id: `b${String(index).padStart(3, '0')}`,
  title: `The ${adjectives[index % adjectives.length]} ${nouns[(index * 7) % nouns.length]}`,
  genre: genres.filter((_genre, position) => (index + position) % (position + 2) === 0),
  pages: 100 + ((index * 37) % 500),
  inPrint: index % 3 === 0,
  published: `20${String(10 + (index % 10))}-0${1 + (index % 9)}-01T00:00:00Z`,
}))

export const bookUri = (id: string): string => `https://library.example/books/${id}`

export const workspaceFile = (workspace: string): string => `
workspace: ${workspace}
title: The library
collections:
  books:
    id: { field: id, uri: "https://library.example/books/{id}" }
    class: [https://schema.org/Book]
    language: english
    fields:
      title: { type: text, weight: 2 }
      genre: { type: keyword, title: Kind of book }
      pages: { type: number }
      inPrint: { type: boolean }
      published: { type: date }
apis:
  library:
    title: Library
    endpoints:
      search: { kind: match, collection: books, fields: [title] }
      all: { kind: all, collection: books, title: Every book }
      book: { kind: lookup, collection: books }
      genre: { kind: facet, field: genre, title: Genre }
      long: { kind: filter, field: pages, parameter: pages }
      available: { kind: filter, field: inPrint, value: true }
      year: { kind: range, field: published }
  open:
    access: public
    endpoints:
      all: { kind: all, collection: books }
`

export interface Library {
  workspace: string
  clientId: string
  clientSecret: string
  token: string
  /** Sends a GET below `/4/{workspace}/api/`, with the token. */
  get(path: string, init?: RequestInit): Promise<Response>
}

/** Applies the workspace, imports the books, and creates a System-to-System account with role `api`. */
export const makeLibrary = async (
  server: Pick<StartedServer, 'authUrl' | 'baseUrl' | keyof Operator>,
  workspace = 'library',
): Promise<Library> => {
  await server.applyWorkspace(workspaceFile(workspace))
  await server.importDocuments(workspace, 'books', books)
  const { clientId, clientSecret } = await server.createAccount(workspace, 'tests', 'api')
  const token = await fetchToken(server, { clientId, clientSecret })
  return {
    workspace,
    clientId,
    clientSecret,
    token,
    get: (path, init = {}) =>
      fetch(`${server.baseUrl}/4/${workspace}/api/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      }),
  }
}
