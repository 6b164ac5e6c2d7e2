/** Says who is signed in, and searches with that person's token on the server. */
import { ApiError, queryApi } from '@querent/client'
import { headers } from 'next/headers'
import { signIn, signOut } from '#auth'
import { readSession } from '#session'

const { QUERENT_URL = 'http://127.0.0.1:4000', WORKSPACE = 'dictionary', API = 'dictionary' } = process.env

interface Props {
  searchParams: Promise<{ words?: string }>
}

export default async function Page({ searchParams }: Props) {
  const session = await readSession(await headers())
  const accessToken = session?.accessToken
  if (!accessToken)
    return (
      <form
        action={async () => {
          'use server'
          await signIn('querent')
        }}
      >
        <button type="submit">Sign in</button>
      </form>
    )
  const { words = '' } = await searchParams
  return (
    <>
      <form
        action={async () => {
          'use server'
          await signOut()
        }}
      >
        Signed in as {session.email}. <button type="submit">Sign out</button>
      </form>
      <search>
        <form>
          <label>
            Search for <input name="words" defaultValue={words} />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {words && <Results words={words} accessToken={accessToken} />}
    </>
  )
}

async function Results({ words, accessToken }: { words: string; accessToken: string }) {
  const api = queryApi({ baseUrl: QUERENT_URL, token: async () => accessToken }, WORKSPACE, API)
  try {
    const { items } = await api.query('search', { query: words }).results({ count: 10 })
    if (items.length === 0) return <p>Nothing matches.</p>
    return (
      <ol>
        {items.map(({ rank, tuple: [entity] }) => (
          <li key={rank}>
            <strong>{String(entity?.attributes.title)}</strong> {String(entity?.attributes.definition ?? '')}
          </li>
        ))}
      </ol>
    )
  } catch (error) {
    // Such as 403 for a person who is no member.
    if (error instanceof ApiError) return <p role="alert">{error.message}</p>
    throw error
  }
}
