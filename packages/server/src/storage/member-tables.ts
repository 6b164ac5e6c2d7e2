/** Tables of memberships and of invitations to them. */
import type { Generated } from 'kysely'

export interface MemberTables {
  members: {
    workspace_id: string
    /** Id of a user, or Client ID of a System-to-System account. */
    subject: string
    kind: 'user' | 'system-to-system'
    roles_json: string
    filter_json: string | null
    /** Groups and attributes that the workspace file or the console gave. */
    rights_json: Generated<string | null>
    /** Groups and attributes by the source that gave them, such as the workspace's OpenID provider. */
    given_json: Generated<string | null>
    /** First moment after the end of the membership; null: it has none. */
    ends_at: Generated<number | null>
    created_at: number
    /** Last request in this workspace, to the minute; null: none yet. */
    last_active_at: Generated<number | null>
    /** The workspace's own OpenID provider gave the roles, and gives them again at each sign-in. */
    from_provider: Generated<number>
  }
  /** At most one for each address and workspace is neither accepted nor withdrawn. */
  invitations: {
    id: string
    /** SHA-256, base64url. */
    token_hash: string
    /** Hash of the mailed link's token; null: sent by an earlier version or not at all. */
    mailed_hash: string | null
    workspace_id: string
    /** Lower case. */
    email: string
    roles_json: string
    filter_json: string | null
    /** As in `members`. */
    rights_json: Generated<string | null>
    /** Id of the user who invited. */
    invited_by: string
    created_at: number
    expires_at: number
    accepted_at: number | null
    withdrawn_at: number | null
  }
}
