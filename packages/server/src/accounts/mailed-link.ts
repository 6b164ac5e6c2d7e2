/** Links in mails. A mail that waits goes out only as long as its link works. */
import type { Db } from '#storage/db'
import { findInvitationByToken } from '#storage/invitations'
import { findOneTimeLink } from '#storage/one-time-links'
import { findDomainLink } from '#storage/provider-domains'

export interface MailedLink {
  /** `one-time`: for a new password or address. `domain`: proves a domain of an OpenID provider. */
  kind: 'invitation' | 'one-time' | 'domain'
  token: string
}

/** False once the link was used, replaced or withdrawn, or has expired. */
export const isLinkOpen = async (db: Db, { kind, token }: MailedLink): Promise<boolean> => {
  switch (kind) {
    case 'invitation':
      return (await findInvitationByToken(db, token))?.state === 'open'
    case 'one-time':
      return (await findOneTimeLink(db, token)) !== undefined
    case 'domain':
      return (await findDomainLink(db, token)) !== undefined
  }
}
