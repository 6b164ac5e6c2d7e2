/**
 * Types shared by the authorization server and its pages.
 * `/authorize` runs the prompts `login`, `member`, `factor`, `passkey`, `consent` in this
 * order. The first unmet one redirects to
 * `/interaction/{uid}` with `details.prompt.name`. The result returns through `provider.interactionFinished`
 * as {@link LoginResult}, {@link ConsentResult} or {@link AbortResult}.
 * - `login`: the page may show `details.params.login_hint` and the account of `details.session`.
 * `details.prompt.reasons` gives the reason, such as `login_prompt`, `max_age`, `essential_acr` or
 * `another_account` (the application requests another account), or `second_factor` (the person signed in
 * with a password, has a second factor, and must confirm with it), or `provider_sign_in` (the person signed in
 * through the OpenID provider of another workspace, or too long ago, or it no longer lets them in).
 * - `member`: the person is signed in, but is not a member of the application's workspace with a role that
 * includes `api`, or was disabled. The page offers another account (a {@link LoginResult}, which restarts all
 * prompts) and going back (an {@link AbortResult} of `access_denied`).
 * - `factor`: the application or its workspace requires a second factor, and the person has none. The page
 * leads to setting one up, which raises the session.
 * - `passkey`: offers a passkey after a sign-in with a password, which the person may decline.
 * - `consent`: shows {@link ConsentService.consent}; `ConsentService.agree` accepts it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { WorkspaceRow } from '#storage/workspaces'
import type { ProviderSignIn } from './provider-sign-in.ts'

/** Result of `provider.interactionDetails(request, response)`. */
export type InteractionDetails = Awaited<ReturnType<Provider['interactionDetails']>>

/** The person who signed in, and how. */
export interface LoginResult {
  login: {
    /** User id, under the library's name. */
    accountId: string
    /** Authentication methods (RFC 8176), such as `['pwd', 'otp', 'mfa']`. */
    amr: string[]
    /** Authentication level (contract/authentication-levels.ts). */
    acr: string
    /** When the person signed in, in seconds since 1970; default now. */
    ts?: number
    /** Set if the workspace's own OpenID provider signed the person in. */
    providerSignIn?: ProviderSignIn
    /** Stay signed in after the browser is closed; default true. */
    remember?: boolean
  }
}
/** The person agreed. The grant is made from the stored consent. */
export interface ConsentResult {
  consent: Record<string, never>
}
/** Sent to the application as an error. */
export interface AbortResult {
  error: 'access_denied' | 'login_required'
  error_description: string
}

/** The requesting application, described for people. */
export interface RequestingApplication {
  clientId: string
  title: string
  /** Host of the Client ID Metadata Document of an unregistered application. */
  host?: string
  /** Workspace of the application; undefined for the server's own clients. */
  workspace: Pick<WorkspaceRow, 'slug' | 'title' | 'definition'> | undefined
  /** Redirect target: `https://app.example`, or a private-use scheme such as `com.example.app:`. Undefined for a device. */
  sendsBackTo: string | undefined
  /** https addresses of its privacy policy and terms of service, if it registered itself or has a document. */
  policyUri?: string | undefined
  termsUri?: string | undefined
}

/** Permissions to agree to, including those granted earlier. */
export interface ConsentRequest {
  application: RequestingApplication
  /** Requested scopes among `openid profile email offline_access`. */
  scopes: string[]
  /** Claims requested individually (`claims` parameter), beyond the scopes. */
  claims: string[]
  /**
   * Addresses that the token will open: of the query service, or `{auth_url}/manage/`. Empty: identity only.
   */
  resources: string[]
}

export interface ConsentService {
  /** Returns the application of an interaction. Throws Problem if it no longer exists. */
  application(details: InteractionDetails): Promise<RequestingApplication>
  consent(details: InteractionDetails): Promise<ConsentRequest>
  /** Stores the consent and returns the result for `interactionFinished`. */
  agree(details: InteractionDetails): Promise<ConsentResult>
}

export interface Interactions {
  /** Whether the path belongs to the pages: `/interaction/…`, `/password/…`, `/invitation/…` and others. */
  owns(pathname: string): boolean
  /** Answers the request in any case and sets all headers of its pages. `x-request-id` is already set. */
  handle(request: IncomingMessage, response: ServerResponse, context: { requestId: string }): Promise<void>
}

/** Language preferences of the reader of a page. */
export interface Reader {
  acceptLanguage: string | undefined
  /** `ui_locales` of the request (OpenID Connect Core, section 3.1.2.1). */
  uiLocales: string | undefined
  /** Language that the person chose on a page. */
  chosenLanguage?: string | undefined
  /** Path and query of the page, if it can be requested again. */
  address?: string | undefined
}

/** Input of `errorPage(facts, reader)`: an error that cannot be sent to the application. */
export interface ErrorFacts {
  /** HTTP status. */
  status: number
  /** `invalid_request`, … */
  error: string
  description: string
  requestId: string
  /** Whether the request was to sign out. */
  isLogout?: boolean
}

/** Input of `logoutPage(facts, reader)`: one button that POSTs `xsrf` and `logout=yes` to `action`. */
export interface LogoutFacts {
  action: string
  xsrf: string
  /** The application that started the logout, if known. */
  application: string | undefined
}

/** Input of `loggedOutPage(facts, reader)`. */
export interface LoggedOutFacts {
  application: string | undefined
}

/** Response sent to the page that opened a frame or popup (`response_mode=web_message`). */
export interface WebMessage {
  /** Origin of the redirect URI, which alone receives the message. `null` for a custom scheme. */
  origin: string
  fields: FormPost['fields']
}

/** Response sent to an application as a form: target and hidden fields. */
export interface FormPost {
  action: string
  fields: readonly (readonly [name: string, value: string])[]
}
