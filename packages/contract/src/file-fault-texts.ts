/** English texts of what is wrong in a workspace file, by stable codes. `fault-texts.ts` joins them with those of other inputs. */

/** Requirements that a value of the file breaks. */
export const fileRequirementTexts = {
  text: 'text',
  null: 'null',
  list: 'a list',
  mapping: 'a mapping',
  'mapping-with': 'a mapping with {keys}',
  'tagged-mapping': 'a mapping with "{tag}": {tags}',
  'choice-list': 'a list of at least {min} ({choices})',
  color: 'a color such as #0b5fff',
  metric: 'ndcg@10, mrr@10, precision@5 or recall@100',
  'half-life': 'a number of minutes, hours or days, such as 12h or 30d',
  distance: 'a distance in m, km or mi, such as 5km',
  'membership-end': 'a date, or a time such as 2027-01-01T18:00:00Z',
  'date-format':
    'a format of the letters y M d H m s a, such as dd.MM.yyyy or MMM d yyyy, or epoch-seconds, epoch-milliseconds',
  separator: 'a sign that is no part of a number, such as ; or |',
  issuer: 'an https:// URL without query and fragment, such as https://login.example.org',
  domain: 'a domain such as example.org. Subdomains are domains of their own',
  circle:
    'latitude, longitude and distance (in m, km or mi; without a unit: m), such as 52.37,4.89,10km; in a tuple list quoted, such as 1("52.37,4.89,10km")',
  box: 'south, west, north and east in degrees, south at most north, such as 52.3,4.8,52.4,5',
  polygon:
    'latitude and longitude in degrees of 3 to 1,000 different corners in turn, such as 52.3,4.8,52.4,4.9,52.3,5',
  'number-range-end': 'a number, such as 12, -0.5 or 1e6',
  'date-range-end': 'a date, such as 2024, 2024-05, 2024-05-13, 2024-05-13T10 or 2024-05-13T10:30:00Z',
} as const satisfies Record<string, string>

export const fileFaultTexts = {
  'unknown-key': 'unknown key "{key}"; allowed: {names}',
  'misspelled-key': 'unknown key "{key}"',
  'missing-key': '"{key}" is missing; allowed: {allowed}',
  'too-few-entries': 'found none, allowed: at least {min}',
  'too-many-entries': 'found {count}, allowed: at most {max}',
  'unknown-api': 'no API "{found}"; there are: {names}',
  'unknown-ranking-endpoint': 'no endpoint that ranks by a text "{found}"; there are: {names}',
  'ambiguous-endpoint': 'several APIs have "{found}": add `api`, one of: {names}',
  'unknown-parameter': 'no parameter of "{endpoint}" "{found}"; there are: {names}',
  'unknown-text-field': 'no text field "{found}"; there are: {names}',
  'unknown-field-in': 'no field "{found}"; there are: {names} (in {collections})',
  'value-and-parameter':
    'found both "value" and "parameter"; allowed: one of them, a fixed value or a parameter',
  'wrong-boost-keys':
    'found {found}, allowed: value with a number in "by"; or by: log or linear; or halfLife; or halfDistance',
  'missing-boost-rule':
    'found no rule, allowed: value with a number in "by"; or by: log or linear; or halfLife; or halfDistance',
  'wrong-part-kind': '"{found}" is of kind {kind}; a mix combines {kinds}: {names}',
  'several-groupings': 'found {found}, allowed: one of them',
  'opposite-corners':
    'the corners {first} and {second} are opposite places of the earth: add a corner between them',
  'crossing-edges':
    'the edge {first} crosses or touches the edge {second}; allowed: edges that meet only at common corners',
  'duplicate-member': 'duplicate member {found}',
  'unknown-group': 'no group "{found}"; there are: {names}',
  'duplicate-group': 'duplicate group {found}',
  'missing-member-default':
    'this needs "memberDefaults.{key}", so that losing the group opens nothing: {example} there allows everything',
  'wrong-row-filter-range': 'the field "{found}" is of type {type}; a range works on: {names}',
  'reversed-range': 'found {found}, which contains nothing; allowed: "from" up to "to"',
  'named-group':
    'the group "{group}" is named by {holder}: keep it, or take it from there in the same file or before',
  'never-with-member':
    'a leak test names values: an attribute of a member could be empty, and the test would prove nothing',
  'readers-field': 'the field "{found}" is of type {type}; allowed: a field of type keyword without source',
  'everyone-address': 'found {found}, which is an e-mail address; allowed: a name without @, such as *',
  'made-from-hidden':
    'this is made from the field "{field}", which is hidden: it needs the same "visible": {groups}',
  'named-by-hidden': 'the field "{field}" is hidden: {key} cannot be made from it',
  'name-in-use': 'the name "{name}" is in use: choose another one, or ask an administrator',
  'removes-hidden':
    'only somebody who sees everything in "{name}" may remove it: keep it, or ask an administrator',
  'too-many-hidden': 'found {count} fields with "visible", allowed: at most {max}',
  'visible-inside': 'a field inside "{name}" cannot have "visible": hide the object, or declare a path',
  'group-of-field':
    'the field "{field}" names the group "{group}" in "visible": keep it, or take it from there',
  'group-with-client-id': '"{found}" is the Client ID of an application or account; allowed: another name',
  'keys-without-server': 'only an application of type server authenticates itself: remove the keys',
  'pkce-without-server': 'found false, allowed: true, or an application of type server, which has a secret',
  'unneeded-nonce':
    'found false, allowed: true. An application that sends a code challenge does not need a nonce',
  'profile-without-keys': 'found "{found}", allowed: none, or type server with publicKeys',
  'profile-without-pkce': 'found false, allowed with "{profile}": true',
  'profile-algorithm': 'found "RS256", allowed with "{profile}": ES256, its default',
  'no-domains': 'name at least one e-mail domain, such as example.org: the provider signs in nobody else',
  'unstorable-file': 'allowed: text without the character U+0000 and without lone surrogates',
  'file-too-large': 'the file is larger than {max} bytes',
  'file-too-long': 'the file has more than {max} characters as JSON, with every alias written out',
  'too-deep': 'nested more than {max} deep',
  'too-many-items': 'a list or mapping with more than {max} entries',
  'empty-file': 'the file is empty: start it with "workspace: NAME"',
  'second-document': 'the file contains a second document: a file describes one workspace',
  'unknown-anchor': 'the anchor &{found} is not defined before this alias',
  'circular-alias': 'the alias *{found} refers to a value that contains it',
  'inexact-number':
    'found {found}, which would become {read}; put it in quotes where text is allowed, or write fewer digits',
  'too-many-aliases': 'aliases: {reason}',
  'unreadable-file': 'the file cannot be read: {reason}',
  'wrong-tag': 'the tag {found} is not allowed: remove it',
  'duplicate-key': 'duplicate key {found}',
  'reserved-key': '"{found}" cannot be a name',
  'yaml-key-beside-list':
    'this key is beside the items of a list, which begin with "-" in line {line}: a list has only items. Move the key, or write "-" before it',
  'yaml-indented-below':
    'this key has its value on the line, but line {line} is indented below it: check the indentation of both lines',
  'yaml-second-colon': 'the value has a colon with a blank behind it',
  'yaml-no-colon': 'no colon found: write a key, a colon, a blank and the value',
  'yaml-blanks': 'found {found} blanks at the start of the line, allowed here: {allowed}',
  'yaml-open': 'found {sign} that is not closed',
  // The YAML library's own message says more in English.
  'yaml-indentation': 'the indentation is wrong',
  'yaml-tab': 'found a tab; indent with blanks',
  'yaml-missing-character': 'a quote, bracket, comma or colon is missing',
  'yaml-unexpected-character': 'a character is not allowed here',
  'yaml-key': 'a key must be on one line, followed by a colon',
  'yaml-syntax': 'this is not valid YAML',
  'wrong-generation': 'found {found}, allowed: live, latest, or a generation of {collection}: {names}',
  'unknown-embedder': 'found {found}, allowed: an embedder that the operator configured: {names}',
  'wrong-dimensions': 'found {found}, allowed: {dimensions}, as the embedder "{embedder}" makes',
  'no-vector-search': 'fields of type vector need {missing}',
  'issuer-missing': 'there is no metadata of an OpenID provider at {url}: correct the issuer',
  'issuer-other-issuer': 'the metadata at {url} names the issuer {found}: write it exactly like that',
  'issuer-incomplete': 'the metadata at {url} lacks {found}: nobody can sign in with this provider',
  'last-administrator':
    'the last administrator of a workspace cannot step down: add another administrator in the same file or before',
  'creator-without-role':
    'the creator of a workspace becomes its administrator: give this member that role, or leave the member out',
  'field-of-row-filter':
    'the row filter of {holder} uses the field "{field}": keep the field and its type, or change that filter in the same file',
  'field-of-hidden-row-filter':
    'the row filter of a member uses the field "{field}": keep the field and its type, or ask an administrator',
} as const satisfies Record<string, string>

/** Warnings: the file can be applied. */
export const fileWarningTexts = {
  'removed-collection':
    'the collection {collection} is missing in the file: it and its documents will be removed',
  'kept-key': 'existing documents keep their {key}; import them again with --replace',
  'new-id-field':
    'existing documents were imported without their id as a field and cannot be found by it; import them again with --replace',
  'retyped-field':
    'becomes {type}: documents with a value of another type are kept, but cannot be found by this field',
  'empty-field':
    'none of the first {count} documents has a value for {name}: compare the name with the documents',
  'misfitting-values':
    '{misfits} of {values} values in the first {count} documents do not fit, such as {examples}: their documents are kept, but not found by these values',
  'unmatched-value': 'no document has {found} in "{field}": compare the value with the documents',
  'no-collection-named':
    'no endpoint names a collection, and there are several ({names}): the API cannot answer until one does',
  'default-not-public':
    'anonymous callers of public APIs get the live generation instead; add "public: true" to give them this configuration',
  'unconfirmed-address':
    'the address {email} is not confirmed: the person gets an invitation and becomes a member once they accept it',
  'issuer-unreachable':
    'the provider does not answer at {url}, so the issuer was not checked. For a host in your own network, an operator sets --internal-hosts',
  'unproved-domain':
    'not proved yet: {domains}. Until then nobody with an address there is signed in: see Settings > Sign-in, or "querent provider show {workspace}"',
  'proves-domain':
    'everybody with an address at {domain} will be able to sign in: you are an operator, so applying this proves the domain',
  'wordless-synonym': 'the synonym {found} has no letters or digits and therefore no effect',
} as const satisfies Record<string, string>

/** Advice after a message. */
export const hintTexts = {
  suggestion: '; did you mean "{suggestion}"?',
  'quote-scalar': '; put text that looks like a number, true or false in quotes',
  'quote-text': '; put text that contains ": ", " #" or any of { } [ ] * & @ % ` in quotes',
  'colon-space': '; a space is missing after the colon',
  'id-field': '. This field is the id, which is text or a number',
} as const satisfies Record<string, string>
