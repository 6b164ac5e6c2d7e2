/** Fields that several operations share. */
import { Type } from '#schema'

/** Slug of a workspace, collection, API or endpoint (workspace-file.md). */
export const slugPattern = '^[a-z0-9-]{1,63}$'

/** Letters and digits of ASCII and of other scripts, without their spaces, signs and direction marks (RFC 6531). */
const emailLetters =
  'A-Za-z0-9\\u00c0-\\u061b\\u061d-\\u167f\\u1681-\\u180a\\u180f-\\u1fff\\u2c00-\\u2fef\\u3040-\\ud7ff\\uf900-\\ufdcf'
/** Letters of a domain, also in forms that UTS 46 maps: joiners, and full-width letters. */
const domainLetters = `${emailLetters}\\u200c\\u200d\\uff10-\\uff5a`
/** A label of a domain: not empty, and without a hyphen at either end. No lookaheads, so that generators find examples. */
const emailLabel = `[${domainLetters}](?:[${domainLetters}-]*[${domainLetters}])?`
/** Full stops of UTS 46. */
const emailDot = '[.\\u3002\\uff0e\\uff61]'

/**
 * The syntax that people may type as an email address: `<input type=email>` (HTML Standard, "valid e-mail address") plus letters of other scripts.
 * It allows no blanks, control characters, commas, parentheses or quotes, so it is safe in mail headers. `isEmail` of email-address.ts also
 * checks new addresses; older ones stay usable.
 */
const emailSyntax = `[${emailLetters}.!#$%&'*+/=?^_\`{|}~-]+@${emailLabel}(?:${emailDot}${emailLabel})*$`
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: `^${emailSyntax}`,
  description: 'Email address',
})

/** The same as a key of an object. JSON Schema checks only the pattern of keys, so the pattern has the length. */
export const EmailKey = Type.String({ description: 'Email address', pattern: `^(?=.{3,254}$)${emailSyntax}` })

export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })

export const Name = Type.String({ minLength: 1, maxLength: 200 })

export const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'Absolute URL' })

export const EmailVerified = Type.Boolean({
  description:
    'Whether the address is confirmed, by a mailed link or by the operator who created the account',
})

/** Names an account, an application or a System-to-System account. */
export const Party = Type.Object({
  id: Type.String(),
  name: Type.String({ description: 'E-mail address, or name of an account or application' }),
})

/** A language of the sign-in pages and mails. Those of a server are in `ui_locales_supported` of its metadata. */
export const MailLanguage = Type.String({
  minLength: 2,
  maxLength: 3,
  description: 'Tag of a language of the sign-in pages and mails, such as `en` or `nl`',
})

/** A link for one person, only shown when it is created. */
export const oneTimeLink = { url: Type.String(), expiresAt: Timestamp }

/** Algorithms for assertions of `private_key_jwt`. Ed25519 is the new name of EdDSA (RFC 9864). */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'] as const

/** A JSON Web Key Set with public keys only, for `private_key_jwt` (RFC 7523). */
export const PublicKeys = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: 10 }) },
  {
    description:
      'JSON Web Key Set (RFC 7517), public keys only: the client authenticates with private_key_jwt instead of a secret',
  },
)

export const Password = Type.String({ minLength: 1, maxLength: 1000 })

/** Outcome of a mail, within the seconds that a reply waits for it. */
export const describeMailOutcome = (rest: string) =>
  Type.Union(
    [
      Type.Literal('accepted'),
      Type.Literal('waiting'),
      Type.Literal('rejected'),
      Type.Literal('unsupported'),
      Type.Literal('limited'),
      Type.Literal('none'),
    ],
    {
      description: `\`accepted\`: by the mail server. \`waiting\`: not yet, the server tries again for a day. \`rejected\`: refused for good. \`unsupported\`: the mail server cannot send to this address (SMTPUTF8). \`limited\`: too many mails. ${rest}`,
    },
  )

export const invitationMail = {
  language: Type.Optional(MailLanguage),
  mail: Type.Optional(
    Type.Boolean({ description: 'false: send no mail, because you send the link yourself; default true' }),
  ),
}
