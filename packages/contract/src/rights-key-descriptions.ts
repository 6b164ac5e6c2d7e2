/** Describes the keys of groups, memberships and row filters for editors. */

/** Keys of a condition of a row filter, wherever it is. */
export const conditionKeyDescriptions: Readonly<Record<string, string>> = {
  from: 'The smallest value, inclusive. now: the time of the query.',
  to: 'The largest value, inclusive. A date includes its day. now: the time of the query.',
  member: 'Attribute of the membership: documents with one of its values match. Without it, nothing matches.',
  not: 'All documents that do not match this condition, and those without a value.',
}

const accessKeys = (path: string): Record<string, string> => ({
  [`${path}.apis`]: 'The APIs that may be queried: a list of names, or all. Lists of several sources add up.',
  [`${path}.collections`]:
    'The collections that may be queried and written: a list of names, or all. Lists of several sources add up.',
})

const limits = (path: string): Record<string, string> => ({
  [`${path}.limits`]:
    'Lower limits of queries than those of the server. Of several sources, the highest count.',
  [`${path}.limits.perMinute`]: 'Queries in a minute.',
  [`${path}.limits.atOnce`]: 'Queries that run at the same time. Further ones wait.',
})

const membership = (path: string): Record<string, string> => ({
  [`${path}.groups`]: 'Groups of the workspace, each a name or { group, until }. Their filters add up.',
  [`${path}.groups.group`]: 'Name of the group.',
  [`${path}.groups.until`]: 'The end: a date, which includes that day in UTC, or a time.',
  [`${path}.attributes`]: 'Values for { member } in row filters: attribute → value or values.',
  [`${path}.until`]: 'The end of the membership: a date, which includes that day in UTC, or a time.',
  ...accessKeys(path),
  ...limits(path),
})

/** Meaning by place, as in `keyDescriptions`. */
export const rightsKeyDescriptions: Readonly<Record<string, string>> = {
  groups: 'Groups of members, by name. A member sees what any of their groups opens.',
  'groups.*.title': 'Name of the group for people.',
  'groups.*.filter':
    'Row filter of the group. {} opens everything. Without it, the group neither opens nor restricts anything.',
  ...accessKeys('groups.*'),
  ...limits('groups.*'),
  memberDefaults: 'For members without a source of their own. Needed as soon as a group has the same key.',
  'memberDefaults.filter':
    'Row filter of members who have none, and whose groups have none. {} opens everything.',
  ...accessKeys('memberDefaults'),
  ...membership('members.*'),
  ...membership('systemToSystem.*'),
  'identityProvider.groups': 'Groups that the provider gives, at each sign-in and refresh.',
  'identityProvider.groups.claim':
    'Claim whose values are mapped. If it is missing or incomplete, it gives none.',
  'identityProvider.groups.map': 'Value of the claim → groups.',
  'identityProvider.attributes': 'Attribute of the membership → claim that it is copied from.',
}
