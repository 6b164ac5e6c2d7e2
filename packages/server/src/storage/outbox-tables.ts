/** Tables of messages that others have not accepted yet: part of {@link Tables}. */
export interface OutboxTables {
  /** Logout tokens that applications have not received yet. */
  logout_notices: {
    id: string
    client_id: string
    user_id: string
    /** The session's name in the application's ID tokens. */
    sid: string
    /** How often it was sent. */
    attempts: number
    /** When to send it next. */
    due_at: number
  }
  /** Mails that the mail server has not accepted yet. */
  mails: {
    id: string
    /** Encrypted: recipient, subject and text. */
    sealed: string
    /** How often it was tried. */
    attempts: number
    /** Why the last attempt failed, without addresses. Null: none failed. */
    last_failure: string | null
    created_at: number
    /** When to try next. */
    due_at: number
    /** When to give up. */
    expires_at: number
  }
}
