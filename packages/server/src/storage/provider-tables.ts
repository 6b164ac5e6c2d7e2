/** Tables of workspaces' own OpenID providers (tables.ts). */

export interface ProviderTables {
  /** Client secrets for workspaces' own OpenID providers, encrypted for one issuer and Client ID. */
  provider_secrets: {
    workspace_id: string
    encrypted_secret: string
    created_at: number
  }
  /** E-mail domains of workspaces' own OpenID providers, as in the definitions. */
  provider_domains: {
    domain: string
    workspace_id: string
    /** Random part of the TXT record. */
    token: string | null
    /** How it was proved; null: it does not count. */
    proof: 'dns' | 'email' | 'operator' | null
    proved_at: number | null
    /** When the DNS was last looked up, and what it said. */
    checked_at: number | null
    last_check: 'found' | 'missing' | 'no-answer' | null
    /** When the first of several look-ups failed; null: the last one did not. */
    failing_since: number | null
    /** Hash of the open link, and who got it. */
    link_hash: string | null
    link_expires_at: number | null
    link_address: string | null
  }
  /** Links persons of workspaces' own OpenID providers to users. */
  provider_identities: {
    workspace_id: string
    issuer: string
    /** `sub` at the issuer. */
    subject: string
    user_id: string
    created_at: number
    last_used_at: number
  }
  /** Refresh tokens of workspaces' own OpenID providers, one for each sign-in there. */
  provider_tokens: {
    id: string
    workspace_id: string
    user_id: string
    encrypted_token: string
    /** Random; set while a node asks the provider. */
    lease: string | null
    /** When the provider last answered, or did not in time. */
    answered_at: number
    expires_at: number
  }
}
