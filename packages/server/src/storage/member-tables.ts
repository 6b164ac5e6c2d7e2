/** Tables of memberships and of invitations to them. */
import type { GivenRights, MembershipRights, Role, RowFilter } from '@querent/contract/manage'
import {
  flag,
  integer,
  json,
  nullable,
  optional,
  orEmpty,
  type StoredTable,
  text,
  unread,
  withDefault,
  withName,
} from './columns.ts'

export const memberColumns = {
  workspace_id: text(),
  /** Id of a user, or Client ID of a System-to-System account. */
  subject: text(),
  kind: text<'user' | 'system-to-system'>(),
  roles_json: json<Role[]>(),
  filter_json: optional(json<RowFilter>()),
  /** Groups and attributes that the workspace file or the console gave. */
  rights_json: withDefault(optional(json<MembershipRights>())),
  /** Groups and attributes by the source that gave them, such as the issuer of the workspace's OpenID provider. */
  given_json: withDefault(orEmpty(json<Readonly<Record<string, GivenRights>>>(), {})),
  /** First moment after the end of the membership; null: it has none. */
  ends_at: withDefault(nullable(integer())),
  created_at: integer(),
  /** Last request in this workspace, rounded to a minute; null: never active, or unknown. */
  last_active_at: withDefault(nullable(integer())),
  /** The workspace's own OpenID provider gave the roles, and gives them again at each sign-in. */
  from_provider: withName('isFromProvider', withDefault(flag())),
}

/** At most one for each address and workspace is neither accepted nor withdrawn. */
export const invitationColumns = {
  id: text(),
  /** SHA-256, base64url. */
  token_hash: unread(text()),
  /** Hash of the mailed link's token; null: sent by an earlier version or not at all. */
  mailed_hash: unread(nullable(text())),
  workspace_id: text(),
  /** In its one form. */
  email: text(),
  roles_json: json<Role[]>(),
  filter_json: optional(json<RowFilter>()),
  /** As in `members`. */
  rights_json: withDefault(optional(json<MembershipRights>())),
  /** Id of the user who invited. */
  invited_by: text(),
  created_at: integer(),
  expires_at: integer(),
  accepted_at: unread(nullable(integer())),
  withdrawn_at: unread(nullable(integer())),
}

export interface MemberTables {
  members: StoredTable<typeof memberColumns>
  invitations: StoredTable<typeof invitationColumns>
}
