/** The table of one-time links. */

export interface OneTimeLinkTables {
  /** Links for a single action; at most one for each purpose and person. */
  one_time_links: {
    /** `email`: confirms the new address of the person. */
    purpose: 'password' | 'email'
    user_id: string
    /** SHA-256, base64url. */
    token_hash: string
    expires_at: number
    /** Sent only by mail. */
    mailed: number
    /** New address, in its one form; null for other purposes. */
    email: string | null
  }
  /** People with another spelling of somebody's address. */
  email_clashes: {
    user_id: string
    /** The person with the address in its one form. */
    other_id: string
  }
}
