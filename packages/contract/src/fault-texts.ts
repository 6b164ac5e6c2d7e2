/**
 * Why an input is wrong: stable codes with values, and their English texts. Programs that show errors in another language translate by the
 * code and fill in the values (`code` and `values` of an {@link ErrorPlace}).
 */
import type { ErrorPlace } from './errors.ts'
import { fileFaultTexts, fileRequirementTexts, fileWarningTexts, hintTexts } from './file-fault-texts.ts'

/** Requirements that a value breaks. */
export const requirementTexts = {
  choice: '{choices}',
  email: 'an e-mail address',
  'url-name': '1 to 63 characters of a-z 0-9 -',
  name: 'a name of 1 to 63 characters of A-Z a-z 0-9 - _',
  'account-name':
    'a name of 1 to 200 characters, without control characters, line breaks and blanks at its ends',
  'filter-name': 'the name of an endpoint, or of the filter of a facet, such as genre:FILTER',
  'one-line': 'a name of one line',
  'storable-text': 'text without the character U+0000 and without lone surrogates',
  length: 'text of {min} to {max} characters',
  number: 'a number',
  'number-from': 'a number of at least {min}',
  'number-between': 'a number, {min} to {max}',
  'number-above': 'a number, more than {min}',
  'number-above-up-to': 'a number, more than {min}, at most {max}',
  'whole-number': 'a whole number',
  'whole-number-from': 'a whole number of at least {min}',
  'whole-number-between': 'a whole number, {min} to {max}',
  'list-length': 'a list of {min} to {max} items',
  'list-from': 'a list of at least {min}',
  'absolute-uri': 'an absolute URI, without wildcards',
  'uri-without-fragment': 'an absolute URI without "#"',
  'uri-without-user': 'an absolute URI without user name or password',
  'loopback-http': 'https, or http on {hosts}',
  'native-uri-scheme':
    'https, http on a loopback address, a private-use scheme with a dot such as org.example.app:/callback, or a scheme of a known application: {schemes}',
  'web-uri-scheme':
    'https, or http on a loopback address (only a native application may use a custom scheme)',
  audience: 'the URL of the query service, or of an API below it, without query and fragment',
  origin: 'an origin such as https://example.org',
  'origin-without-wildcard': 'an origin without wildcards, such as https://example.org',
  'bare-origin': 'only the origin: {origin}',
  'brand-url': 'an https:// address without a user name, quotes, commas or semicolons',
  'ip-range': 'an IP address or a range such as 192.0.2.0/24',
  'duration-between': 'from {min} to {max}',
  'id-template': 'an absolute URI that contains {id} once, such as https://example.org/{id}',
  'keyword-value': 'any text',
  'number-value': 'a decimal number, such as 12, -0.5 or 1e6',
  'boolean-value': 'true or false',
  'date-value': 'an RFC 3339 date, such as 2024-01-31 or 2024-01-31T12:00:00Z, of the years 0000 to 9999',
  'typo-length': 'at least {min}, the length of words with one typo',
  'exact-interval': 'a number with at most 6 decimals and 15 digits',
  'time-zone': 'the name of a time zone, such as Europe/Amsterdam or America/New_York',
  ...fileRequirementTexts,
} as const satisfies Record<string, string>

export const faultTexts = {
  'not-allowed': 'found {found}, allowed: {allowed}',
  'duplicate-item': 'duplicate item {found}',
  'unknown-collection': 'no collection "{found}"; there are: {names}',
  'unknown-field': 'no field "{found}"; there are: {names}',
  'unknown-endpoint': 'no endpoint "{found}"; there are: {names}',
  'unknown-boost': 'no boost "{found}"; there are: {names}',
  'boost-needs-parameter':
    'the boost "{found}" needs the parameters lat and lon, which a search that boosts by itself does not have; give it a place (from), or choose another: {names}',
  'unknown-match-endpoint': 'no match endpoint "{found}"; there are: {names}',
  'unknown-filter': 'no filter "{found}"; there are: {names}',
  'unknown-together-field': 'no object with together: true "{found}"; there are: {names}',
  'wrong-together-part':
    '"{found}" is no condition on a value of {field}; allowed: filters, ranges, areas, and facets without missing: {names}',
  'unknown-facet': 'no facet with a field of its own "{found}"; there are: {names}',
  'wrong-filter-kind': '"{found}" is of kind {kind}; any combines filters and ranges: {names}',
  'unknown-row-filter-field': 'no field "{found}"; a row filter works on: {names}',
  'wrong-row-filter-field': 'the field "{found}" is of type {type}; a row filter works on: {names}',
  'wrong-field-type': 'the field "{found}" is of type {type}; {kind} works on {types}: {names}',
  'no-text-field': 'the collection "{collection}" has no text field to {kind}',
  'mixed-vector-fields':
    'the field "{found}" is of type vector; allowed: text fields, or one vector field alone',
  'reserved-endpoint-name':
    '"{found}" is a reserved word of the query path; allowed: any name except {names}',
  'same-parameter': 'two parameters have the name "{found}"; allowed: two different names',
  'several-collections':
    '"{found}" works on "{collection}", but the parts before it on "{first}"; allowed: one collection',
  'zone-without-interval': 'a time zone needs an interval of dates: year, month, week, day or hour',
  'empty-range': 'found {found}, which is empty; allowed: "from" below "to"',
  'overlapping-range':
    'found {found}, which overlaps {other}; allowed: ranges without common values ("to" is not part of its range)',
  'already-a-member': 'is already a member of this workspace',
  'own-email': 'is your address already',
  'unsupported-address':
    'the mail server cannot send to addresses with letters beyond ASCII before the @ (it lacks SMTPUTF8)',
  'wrong-password': 'is not your password',
  'same-password': 'is your password already: choose another one',
  'password-too-short': 'too short, allowed: at least {min} characters',
  'password-too-long': 'too long, allowed: at most {max} bytes',
  'password-keyboard': 'easy to guess: neighboring keys; use several words',
  'password-repeated': 'easy to guess: repeated characters; use several words',
  'password-sequence': 'easy to guess: a sequence; use several words',
  'password-date': 'easy to guess: a date; use several words',
  'password-common': 'easy to guess: a common password; use several words',
  'password-single-word': 'easy to guess: a single word; use several words',
  'password-name': 'easy to guess: a name; use several words',
  'password-personal': 'easy to guess: your own name or address; use several words',
  'password-guessable': 'easy to guess; use several words',
  ...fileFaultTexts,
  ...fileWarningTexts,
} as const satisfies Record<string, string>

export type RequirementCode = keyof typeof requirementTexts
export type FaultCode = keyof typeof faultTexts
export type HintCode = keyof typeof hintTexts
export type FaultValues = Readonly<Record<string, string | number>>

export interface Requirement {
  code: RequirementCode
  values?: FaultValues
}

/** Advice that completes a message. In the values of a fault, `hint` is its code. */
export type Hint = { hint: Exclude<HintCode, 'suggestion'> } | { hint: 'suggestion'; suggestion: string }

/** The English message, with code and values if it is one of those above. */
export type FaultText = Pick<ErrorPlace, 'message' | 'code' | 'values'>

export const describeRequirement = ({ code, values = {} }: Requirement): string =>
  fillIn(requirementTexts[code], values)

/** `found` describes the value (`describeValue`). */
export const describeNotAllowed = (
  found: string,
  requirement: Requirement,
  hint?: Hint,
): Required<FaultText> => ({
  message:
    fillIn(faultTexts['not-allowed'], { found, allowed: describeRequirement(requirement) }) +
    describeHint(hint),
  code: requirement.code,
  values: { ...requirement.values, found, ...hint },
})

/** Faults whose text has `{allowed}`. */
type AllowingCode = 'not-allowed' | 'missing-key'

/** The other faults, whose values are no requirements. */
export type SimpleFaultCode = Exclude<FaultCode, AllowingCode>

/**
 * Describes a fault where each of these requirements is enough. The value `allowed` has their codes, separated by blanks; the other values
 * are those of all. Without code if they have different values of the same name.
 */
export const describeAlternatives = (
  code: AllowingCode,
  values: FaultValues,
  requirements: readonly Requirement[],
  hint?: Hint,
): FaultText => {
  const allowed = requirements.map(describeRequirement).join(' or ')
  const message = fillIn(faultTexts[code], { ...values, allowed }) + describeHint(hint)
  const names = requirements.flatMap(requirement => Object.keys(requirement.values ?? {}))
  if (new Set(names).size < names.length) return { message }
  return {
    message,
    code,
    values: {
      ...Object.assign({}, ...requirements.map(requirement => requirement.values)),
      ...values,
      allowed: requirements.map(requirement => requirement.code).join(' '),
      ...hint,
    },
  }
}

/** Describes a value that meets none of these requirements. A single one is the code. */
export const describeRequired = (
  found: string,
  requirements: readonly Requirement[],
  hint?: Hint,
): FaultText => {
  const [first, second] = requirements
  return first !== undefined && second === undefined
    ? describeNotAllowed(found, first, hint)
    : describeAlternatives('not-allowed', { found }, requirements, hint)
}

export const describeFault = (
  code: SimpleFaultCode,
  values: FaultValues = {},
  hint?: Hint,
): Required<FaultText> => ({
  message: fillIn(faultTexts[code], values) + describeHint(hint),
  code,
  values: { ...values, ...hint },
})

/** The English text of a hint, to append to a message. */
export const describeHint = (hint: Hint | undefined): string =>
  hint === undefined ? '' : fillIn(hintTexts[hint.hint], { ...hint })

/** Replaces `{name}` by the value of this name. Values may contain braces. */
export const fillIn = (text: string, values: FaultValues): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
