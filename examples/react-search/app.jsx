/** Signs people in by authorization code with PKCE. Then they search with the widgets of React InstantSearch. */
import { browserSignIn, SignInRequiredError } from '@querent/client'
import { createSearchClient } from '@querent/instantsearch'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import {
  Highlight,
  Hits,
  InstantSearch,
  Pagination,
  RefinementList,
  SearchBox,
  Stats,
  useInstantSearch,
} from 'react-instantsearch'
import { authUrl, baseUrl, clientId } from './settings.js'

const signIn = browserSignIn({ authUrl, audience: baseUrl, clientId })
// Outside of the components: a new client would search again with each render.
const searchClient = createSearchClient({
  baseUrl,
  workspace: 'intranet',
  api: 'pages',
  token: signIn.token,
})

const Hit = ({ hit }) => (
  <article>
    <h2>
      <Highlight hit={hit} attribute="title" />
    </h2>
    <p>
      <Highlight hit={hit} attribute="text" />
    </p>
  </article>
)

/** Shows why a search failed. If the sign-in has ended, the person signs in again. */
const SearchError = () => {
  const { error } = useInstantSearch({ catchError: true })
  const hasEnded = error instanceof SignInRequiredError
  useEffect(() => {
    if (hasEnded) void signIn.start()
  }, [hasEnded])
  return error && !hasEnded ? <p role="alert">{error.message}</p> : null
}

const Search = ({ person }) => (
  // Another person gets no results of the one before.
  <InstantSearch key={person.sub} indexName="pages" searchClient={searchClient}>
    <SearchBox placeholder="Search the intranet" />
    <SearchError />
    <Stats
      translations={{ rootElementText: ({ nbHits }) => `${nbHits} ${nbHits === 1 ? 'result' : 'results'}` }}
    />
    <RefinementList attribute="topic" />
    <Hits hitComponent={Hit} />
    <Pagination />
  </InstantSearch>
)

const App = ({ failure }) => {
  const [person, setPerson] = useState(signIn.person())
  // Another tab may sign in or out.
  useEffect(() => signIn.onChange(setPerson), [])
  return (
    <>
      <header>
        <h1>Intranet search</h1>
        {person ? (
          <p>
            {person.email}{' '}
            <button type="button" onClick={() => signIn.end({ returnTo: location.origin })}>
              Sign out
            </button>
          </p>
        ) : (
          <button type="button" onClick={() => signIn.start()}>
            Sign in
          </button>
        )}
      </header>
      {failure && <p role="alert">{failure}</p>}
      {person && <Search person={person} />}
    </>
  )
}

/** Completes a sign-in at the redirect URI. Returns why it failed, for example because the person declined. */
const finishSignIn = async () => {
  if (!signIn.isCallback()) return undefined
  try {
    history.replaceState(null, '', await signIn.finish())
    return undefined
  } catch (error) {
    history.replaceState(null, '', '/')
    return error.message
  }
}

const failure = await finishSignIn()
createRoot(document.getElementById('root')).render(<App failure={failure} />)
