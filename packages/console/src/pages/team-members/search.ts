/** The search of members, and the address to invite, in the address of the page. */

export interface MemberSearch {
  search?: string
  /** E-mail address; opens the dialog to invite it. */
  invite?: string
}

export const readMemberSearch = ({ search, invite }: Record<string, unknown>): MemberSearch => ({
  // `?search=12` is read as a number.
  ...(typeof search === 'number' || (typeof search === 'string' && search !== '')
    ? { search: String(search) }
    : {}),
  ...(typeof invite === 'string' && invite !== '' ? { invite } : {}),
})
