/** Describes the keys of the workspace file for editors. The published JSON Schema contains these texts. */
import { rightsKeyDescriptions } from './rights-key-descriptions.ts'

/** Meaning by place: keys from the root, joined by dots. `*` stands for any name; items of a list have the place of the list. */
export const keyDescriptions: Readonly<Record<string, string>> = {
  workspace: 'Name of the workspace in addresses: 1 to 63 characters of a-z 0-9 -.',
  title: 'Name of the workspace for people.',
  description: 'What the workspace is for, at most 1,000 characters.',
  collections: 'The collections of documents, by name.',
  'collections.*': 'Documents with their fields.',
  'collections.*.title': 'Name of the collection for people. Default: the words of its name.',
  'collections.*.id': 'How documents get their ids and URIs.',
  'collections.*.id.field': 'The field that contains the id. Default: id.',
  'collections.*.id.generate':
    'hash: the id is made from the content of the document. row: its position in an import with replace=true.',
  'collections.*.id.uri': 'Template of the URI, with {id}. An id that is an absolute URI stays unchanged.',
  'collections.*.class': 'Type of the documents: a list of URIs, or the field that contains them.',
  'collections.*.class.field': 'The field that contains the types of a document.',
  'collections.*.language': 'Language of the text fields. Default: none, words as they are.',
  'collections.*.readers': 'Documents name who may read them. One without names is for administrators only.',
  'collections.*.readers.field':
    'The keyword field with e-mail addresses, groups and Client IDs. Only administrators see it, unless it has visible.',
  'collections.*.readers.everyone': 'The name that means every member.',
  'collections.*.fields':
    'The fields to search. Undeclared fields are stored and returned, but not searched.',
  'collections.*.fields.*.type':
    'text: full text. keyword: values as a whole. number, date, boolean: for filters, ranges and sorting. geo: lat and lon. vector: for similarity. object: stored, with fields inside.',
  'collections.*.fields.*.visible':
    'Groups that see the field, besides administrators. []: administrators only. For all others it does not exist.',
  'collections.*.fields.*.title': 'Name of the field for people.',
  'collections.*.fields.*.language': 'Language of this field. Default: the language of the collection.',
  'collections.*.fields.*.weight': 'How much a word in this field counts: above 0, at most 1000. Default: 1.',
  'collections.*.fields.*.suggest':
    'true: keeps words as typed too, for suggestions, prefixes and typos. Default: false.',
  'collections.*.fields.*.codes':
    'true: the text is a code such as AX-100/B, which is found however it is written. Default: false.',
  'collections.*.fields.*.together':
    'true: keeps the values of each element of a list apart, for endpoints of kind together. Default: false.',
  'collections.*.fields.*.fields': 'The fields of the object, by their names inside it: shop is offers.shop.',
  'collections.*.fields.*.source':
    'The attribute or path that the values come from. Default: the name of the field.',
  'collections.*.fields.*.decimal':
    "How people write numbers: ',' for texts such as 8.000.000 and 6,1 %, '.' for $8,000,000.50. Without it, 8000000.50.",
  'collections.*.fields.*.listSeparator':
    "The sign between several values of one text: ';' makes two values of gift;new. Without it, a text is one value.",
  'collections.*.fields.*.formats':
    'Forms of dates besides RFC 3339, such as dd.MM.yyyy, MMM d yyyy or epoch-seconds.',
  'collections.*.fields.*.pairs':
    'The order of a list of two numbers: lon-lat (default), as in GeoJSON, or lat-lon for [52.37, 4.89].',
  'collections.*.fields.*.from': 'Two attributes or paths that make the place.',
  'collections.*.fields.*.from.lat': 'The latitude.',
  'collections.*.fields.*.from.lon': 'The longitude.',
  'collections.*.fields.*.embed':
    'The server makes the vectors from text fields. It ignores vectors in imports.',
  'collections.*.fields.*.embed.fields': 'The text fields.',
  'collections.*.fields.*.embed.with': 'Name of an embedder that the operator configured.',
  'collections.*.fields.*.metric': 'How vectors are compared: cosine (default), dot or euclidean.',
  'collections.*.fields.*.dimensions': 'How many numbers a vector has, 1 to 4096.',
  'collections.*.synonyms':
    'Lists of words or phrases that find each other, or { from, to } for one direction.',
  'collections.*.synonyms.from': 'Words or phrases that also find those of `to`.',
  'collections.*.synonyms.to': 'Words or phrases that `from` finds.',
  'collections.*.stopWords':
    'Words to ignore in queries that have other words, besides the stop words of the language.',
  configurations: 'Names for the query parameter `config`: which generation of each collection is searched.',
  'configurations.*':
    'Collection → `live` (the promoted generation, the default), `latest` (the newest) or the id of a generation.',
  'configurations.*.public': 'true: public APIs may use this configuration.',
  apis: 'The search APIs, by name.',
  'apis.*.title': 'Name of the API for people.',
  'apis.*.access': 'members: queries need a token. public: everyone may query. Default: members.',
  'apis.*.endpoints': 'What the API can be asked, by name.',
  'apis.*.curation': 'Rules that place documents by hand for a query.',
  'apis.*.curation.when': 'Parameter → value: the query for which the rule applies.',
  'apis.*.curation.endpoint': 'The match endpoint whose results the rule changes.',
  'apis.*.curation.pin': 'URIs of documents that come first, in this order.',
  'apis.*.curation.bury': 'URIs of documents that come last.',
  ...rightsKeyDescriptions,
  members: 'E-mail address → roles, or { roles, filter, … }. Members who are missing here are not removed.',
  'members.*.roles':
    'administrator: everything. user: queries and edits the search. api: queries. data-provider: imports.',
  'members.*.filter':
    'Row filter: field → value, values, range or attribute. The member only finds documents that match every field.',
  applications: 'Applications that people sign in to, by name.',
  'applications.*.title': 'Name of the application on the consent page.',
  'applications.*.type':
    'browser: a page without a secret. server: keeps a Client Secret. native: an app on a phone or desktop. Default: browser.',
  'applications.*.redirectUris': 'Where people come back to after signing in. Must match exactly.',
  'applications.*.origins': 'Origins of pages that may query (CORS).',
  'applications.*.logoutUris': 'Where people come back to after signing out.',
  'applications.*.backchannelLogoutUri':
    'Receives a logout token when a session ends (OpenID Connect Back-Channel Logout).',
  'applications.*.defaultAudience': 'Audience of tokens whose request names none.',
  'applications.*.own': 'true: a first-party application, without the consent page. Default: false.',
  'applications.*.pkce': 'false: allows sign-ins without PKCE. Only for type server. Default: true.',
  'applications.*.nonce':
    'false: allows sign-ins without nonce and PKCE. Only with pkce: false. Default: true.',
  'applications.*.idTokenAlgorithm': 'Signature algorithm of ID tokens.',
  'applications.*.publicKeys':
    'JSON Web Key Set with public keys: the application authenticates with private_key_jwt instead of a secret.',
  'applications.*.publicKeys.keys': 'The public keys.',
  'applications.*.jwksUri':
    'https:// address of the public keys of an application that registered itself, instead of publicKeys.',
  'applications.*.profile': 'Security profile: fapi2 requires PAR, DPoP and private_key_jwt.',
  'applications.*.dpop':
    'true: tokens are always bound to a key, so token requests need a DPoP proof. Default: false.',
  'applications.*.registered':
    'What the application said about itself when it registered (RFC 7591). The server writes it into exported files.',
  'applications.*.registered.grantTypes': 'The only grants that it may use.',
  'applications.*.registered.scope': 'The only scopes that it gets. Default: all.',
  'applications.*.registered.pushedRequests':
    'true: it must push its authorization requests (RFC 9126). Default: false.',
  'applications.*.registered.maxAge': 'max_age in seconds of requests without one.',
  'applications.*.registered.acrValues': 'acr_values of requests without them.',
  'applications.*.registered.assertionAlgorithm': 'The only signature of its client assertions.',
  'applications.*.registered.policyUri': 'Its privacy policy, a link on the consent page.',
  'applications.*.registered.termsUri': 'Its terms of service, a link on the consent page.',
  systemToSystem: 'System-to-System accounts, by name. Create their secrets with `querent s2s`.',
  'systemToSystem.*.roles': 'Roles of the account.',
  'systemToSystem.*.addresses': 'IP addresses and ranges that may use it. Empty: all.',
  'systemToSystem.*.dpop':
    'true: tokens are always bound to a key, so token requests need a DPoP proof. Default: false.',
  'systemToSystem.*.filter':
    'Row filter: field → value, values, range or attribute. The account only finds documents that match every field.',
  identityProvider:
    'Your own OpenID Connect provider, with which people sign in. Set its client secret with `querent provider set-secret`. null: none.',
  'identityProvider.issuer': 'Issuer URL of the provider, as its metadata says it.',
  'identityProvider.clientId': 'Client ID that the provider issued for this server.',
  'identityProvider.name': 'Name of the provider, for people.',
  'identityProvider.rolesClaim': 'Claim whose values `roles` maps. Default: groups.',
  'identityProvider.roles':
    'Roles by the value of the claim `rolesClaim`, or { claim, map }. The value `*` is for everybody whom the provider signs in.',
  'identityProvider.roles.claim': 'Claim whose values `map` maps.',
  'identityProvider.roles.map': 'Value of the claim → roles.',
  'identityProvider.domains':
    'E-mail domains whose people sign in with it. It can never sign in people of other domains.',
  branding: 'How the sign-in pages of the workspace look.',
  'branding.name': 'Name at the top of the pages. Default: the title of the workspace.',
  'branding.logo': 'https:// address of a picture, shown instead of the name.',
  'branding.color':
    'Color of buttons and links, such as #0b5fff. The server makes it darker or lighter where it could not be read.',
  'branding.termsUrl': 'https:// address of the terms of use.',
  'branding.privacyUrl': 'https:// address of the privacy statement.',
  settings: 'Settings of the workspace.',
  'settings.accessTokenLifetime':
    'How long access tokens are valid, from 1m to 24h. Default: that of the server.',
  'settings.requireSecondFactor':
    'true: members sign in with a second factor; tokens of other sessions are rejected. Default: false.',
  'settings.origins': 'More origins whose pages may query (CORS).',
  'settings.allowMetadataClients':
    'true: unregistered applications may open this workspace, if members consent. Default: false.',
  'settings.skipInvalidRedirectUris':
    'true: an application that registers itself may send redirect URIs that are not allowed, if others are; they are left out. Default: false.',
  'settings.keepGenerations':
    'Generations to keep for each collection, besides the live one and the one before it. Default: 3.',
  'settings.queryLog': 'What the query log keeps.',
  'settings.queryLog.parameters':
    'off: no query texts. hashed: only a hash of each. full: the texts. Default: off.',
  'settings.queryLog.keep': 'How long the log is kept, from 1d to 3650d. Default: 30d.',
  tests:
    'Relevance tests and leak tests, which `querent judge` runs. The server runs leak tests before each promotion.',
  'tests.api': 'The API of the endpoint. Needed if several APIs have an endpoint of this name.',
  'tests.endpoint': 'The endpoint to test. It must rank by a text.',
  'tests.config': 'The configuration to query. Default: default.',
  'tests.query': 'The text to search for.',
  'tests.expect': 'Ids or URIs of documents that must be among the first results.',
  'tests.as': 'Whose rights a leak test has: { group } or { member }.',
  'tests.as.group': 'Somebody who is in this group only.',
  'tests.as.member': 'A member by email address, or a System-to-System account by Client ID.',
  'tests.never': 'Row filter: documents that the group or member must not see, find, count or get suggested.',
  'tests.within': 'How many results count as the first. Default: 10.',
  'tests.judgments': 'File of lines with query, document and grade, separated by tabs.',
  'tests.metric': 'ndcg@10, mrr@10, precision@5 or recall@100, for example.',
  'tests.atLeast': 'The smallest value of the metric that passes, 0 to 1.',
}

/** Meaning of the keys of endpoints: `KIND.key` where the kind decides, else `key`. */
export const endpointKeyDescriptions: Readonly<Record<string, string>> = {
  kind: 'What the endpoint does.',
  title: 'Name of the endpoint for people.',
  collection:
    'The collection to search. Filters, facets, ranges and sorts need none: they refine the endpoints before them.',
  field: 'The field that the endpoint reads.',
  fields: 'The text fields to compare. Default: all of the collection.',
  'nearest.limit': 'The most documents to find, 1 to 10000. Default: 1000.',
  'nearest.minimum': 'The lowest score of a result, 0 to 1. Default: 0.',
  'nearest.parameter':
    'Name of the parameter with the vector, or with the text if the field has `embed`. Default: vector, or query.',
  'match.parameter': 'Name of the parameter with the words. Default: query.',
  'lookup.parameter': 'Name of the parameter with the id. Default: id.',
  'similar.parameter': 'Name of the parameter with the id. Default: id.',
  'filter.parameter': 'Name of the parameter with the value. Default: value.',
  'facet.parameter': 'Name of the parameter with the chosen values. Default: value.',
  prefix: 'true: the last word may be half typed. Default: false.',
  typos:
    'true: words of 4 characters may have one typo, of 8 two. Or the lengths: { one: 4, two: 8 }. Default: false.',
  'typos.one': 'Length of words that may have one typo.',
  'typos.two': 'Length of words that may have two typos.',
  matching:
    'any: at least one word must be in a document. all: every word. relaxed: every word, or fewer if nothing has them all. Default: any.',
  contains:
    'true: also finds words inside longer ones (`proof` in `waterproof`), after all other matches. Default: false.',
  exact:
    'true: documents come first in which the whole text of a field is the query. Default: true with prefix or typos.',
  'filter.value': 'The value to keep. Instead of it, a query may give `parameter`.',
  'boost.value': 'The value whose documents are multiplied by `by`.',
  'area.box':
    'Name of the parameter with the box (default: box), or a fixed one: [south, west, north, east] in degrees.',
  'area.polygon':
    'Name of the parameter with the polygon (default: polygon), or a fixed one: [lat, lon, lat, lon, …] of 3 to 1,000 corners.',
  'range.from': 'Name of the parameter with the lower end. Default: from.',
  'range.to': 'Name of the parameter with the upper end. Default: to.',
  ranges: 'Ranges to count, such as [{ to: 10 }, { from: 10, to: 50 }, { from: 50 }].',
  'ranges.from': 'The first value of the range.',
  'ranges.to': 'The end of the range, which is not part of it.',
  interval: 'Groups values: a number, or year, month, week, day or hour of a date in UTC or in `timeZone`.',
  timeZone: 'The time zone in which intervals of dates begin, such as Europe/Amsterdam. Default: UTC.',
  missing: 'true: an option with an empty value for documents without a value. Default: false.',
  statistics: 'true: min, max, sum, average and count of the values, for numbers and dates. Default: false.',
  present: 'true: keeps documents with any value. false: those without. Instead of `value` and `parameter`.',
  separator: 'Keywords are paths with this separator, such as " > ": the facet is a hierarchy.',
  order: 'ascending or descending. Default: ascending.',
  'mix.of': 'Endpoint → weight: the rankings to combine.',
  'facet.field':
    'The field to count, or { parameter: attribute, among: [color, size] }: the caller chooses one of several.',
  'facet.field.parameter': 'Name of the parameter with the field.',
  'facet.field.among': 'The fields to choose from, at most 20.',
  best: 'How many documents each value keeps, 1 to 10. Default: 1.',
  counts: 'collapsed: counts the values of `collapse` before the facet. Default: documents.',
  columns: '[OBJ, DOUBLE]: each item of the results is a tuple of the option and its count. Default: [OBJ].',
  'facets.of': 'The facets to list, if the result has them. Default: all facets of the API.',
  'together.field': 'The list of objects: a field of type object with together: true.',
  'together.of': 'Filters, ranges, areas and facets (NAME:FILTER) of its fields: one element must pass all.',
  'any.of': 'Filters, ranges and facets (NAME:FILTER): a document must pass one of them.',
  scores:
    'true: combines scores (distribution-based score fusion). false: combines ranks (reciprocal rank fusion). Default: false.',
  not: 'true: keeps what none of them keeps. Default: false.',
  by: 'A factor for documents with `value`; or log or linear: by the number in the field.',
  halfLife: 'For a date: factor 2 for now, falling to 1; half of the way in each half-life, such as 30d.',
  'boost.from': 'The place from which distances count.',
  'from.lat': 'Latitude in degrees (WGS 84).',
  'from.lon': 'Longitude in degrees (WGS 84).',
  halfDistance:
    'For a place: factor 2 at `from`, falling to 1; half of the way in each distance, such as 5km.',
}
