/**
 * What the authorization server and the pages people see hand each other; types alone.
 *
 * `/authorize` of the library goes through the prompts `login`, `member`, `consent` in this order. The first that is not settled sends
 * the browser to `/interaction/{uid}` with `details.prompt.name` set; the answer goes back by `provider.interactionFinished` with one of
 * {@link LoginResult}, {@link ConsentResult}, {@link AbortResult}.
 *
 * - `login`: `details.params.login_hint` and the account of `details.session`, if any, may be shown. `details.prompt.reasons` says why
 *   (`login_prompt`: asked again although signed in; `max_age`; `essential_acr`; `another_account`: who is signed in is not whom the
 *   application asks for; …).
 * - `member`: the person is signed in, but no member of the application's workspace with a role that includes `api`, or disabled since.
 *   Show the page that says so; its ways out are signing in as another (a {@link LoginResult}, which asks everything anew) and going
 *   back (an {@link AbortResult} of `access_denied`).
 * - `consent`: show {@link ConsentService.consent}; agreeing is `Interacting.agree`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'

/** Pino's methods that the authorization server uses. */
export interface Log {
  error(context: object, message: string): void
  warn(context: object, message: string): void
  debug(context: object, message: string): void
}

/** What `provider.interactionDetails(request, response)` gives. */
export type InteractionDetails = Awaited<ReturnType<Provider['interactionDetails']>>

/** Who signed in, and how. */
export interface LoginResult {
  login: {
    /** Id of the user; the library's name. */
    accountId: string
    /** RFC 8176: `['pwd']`. */
    amr: string[]
    /** Stay signed in after the browser was closed; default true. */
    remember?: boolean
  }
}
/** The person agreed; the grant is made of the stored consent. */
export interface ConsentResult {
  consent: Record<string, never>
}
/** Goes back to the application as its error. */
export interface AbortResult {
  error: 'access_denied' | 'login_required'
  error_description: string
}

/** The application that asks, in words for people. */
export interface RequestingApplication {
  clientId: string
  title: string
  /** Of the application; undefined for the server's own console and command line. */
  workspace: { slug: string; title: string } | undefined
  /** Where it sends back to: `https://app.example`, or a private-use scheme such as `com.example.app:`. */
  sendsBackTo: string
}

/** What a person is asked to agree to; what was agreed to earlier is in it too. */
export interface ConsentRequest {
  application: RequestingApplication
  /** Of `openid profile email offline_access`, those that are asked for. */
  scopes: string[]
  /** Claims asked for one by one (`claims` parameter), beyond those of the scopes. */
  claims: string[]
  /** Addresses of the query service (or `{auth_url}/manage/`) that the token will open; none: only who the person is. */
  resources: string[]
}

export interface ConsentService {
  /** The application of an interaction. Throws Problem when it is gone since. */
  application(details: InteractionDetails): Promise<RequestingApplication>
  consent(details: InteractionDetails): Promise<ConsentRequest>
  /** Remembers the consent, and gives what `interactionFinished` takes. */
  agree(details: InteractionDetails): Promise<ConsentResult>
}

export interface InteractionsDependencies {
  /** The one that answers now: it changes when keys rotate. */
  provider: () => Provider
  storage: Storage
  directory: Directory
  consentService: ConsentService
  /** Without a slash at the end. */
  authUrl: string
  baseUrl: string
  clientAddress: (request: IncomingMessage) => string
  log: Log
}

export interface Interactions {
  /** `/interaction/…`, `/password/…`, `/invitation/…` and what else they need. */
  owns(pathname: string): boolean
  /** Answers the request, whatever happens; sets the headers of its pages itself. `x-request-id` is set already. */
  handle(request: IncomingMessage, response: ServerResponse, context: { requestId: string }): Promise<void>
}

/** What every page rendered from here is told of who looks at it: to choose the language. */
export interface Reader {
  acceptLanguage: string | undefined
  /** `ui_locales` of the request (OpenID Connect Core, section 3.1.2.1). */
  uiLocales: string | undefined
}

/** `errorPage(facts, reader)`: an error that cannot go back to the application, as HTML. */
export interface ErrorFacts {
  /** HTTP status. */
  status: number
  /** `invalid_request`, … */
  error: string
  description: string
  requestId: string
}

/** `logoutPage(facts, reader)`: one button, POST to `action` with `xsrf` and `logout=yes`. */
export interface LogoutFacts {
  action: string
  xsrf: string
  /** The application that sent the person here; undefined: none is known. */
  application: string | undefined
}

/** `loggedOutPage(facts, reader)`. */
export interface LoggedOutFacts {
  application: string | undefined
}

/** What goes to an application by a form: where to, and the hidden fields. */
export interface FormPost {
  action: string
  fields: readonly (readonly [name: string, value: string])[]
}
