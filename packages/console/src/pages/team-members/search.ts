/** The member search in the address. */

export interface MemberSearch {
  search?: string
}

export const readMemberSearch = ({ search }: Record<string, unknown>): MemberSearch =>
  // `?search=12` is read as a number.
  typeof search === 'number' || (typeof search === 'string' && search !== '')
    ? { search: String(search) }
    : {}
