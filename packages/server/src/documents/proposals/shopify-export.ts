/** Product exports of Shopify: a row for each variant, where only the first row of a product has its title, vendor and type. */
import { type ProposedField, titleWeight } from '@querent/contract/proposal'

export const isShopifyExport = (names: readonly string[]): boolean =>
  names.includes('Handle') &&
  names.includes('Title') &&
  names.some(name => /^(?:option ?1|variant) /i.test(name))

/** Columns to choose from, however few rows have them. */
const facetNames: readonly string[] = ['Vendor', 'Type', 'Tags']

/** Sets what the columns are for, which the share of rows with a value does not tell. */
export const adjustShopifyFields = (fields: readonly ProposedField[]): void => {
  for (const field of fields) {
    if (!field.use) continue
    if (field.name === 'Title')
      Object.assign(field, { type: 'text', search: false, facet: false, weight: titleWeight, sort: true })
    else if (field.weight === titleWeight) Object.assign(field, { weight: 1, sort: false })
    if (facetNames.includes(field.name))
      Object.assign(field, { type: 'keyword', search: true, facet: true, weight: 1, sort: false })
    // The names of the options are words such as Size in every row.
    if (/^option ?\d name$/i.test(field.name))
      Object.assign(field, { type: 'keyword', search: false, facet: false })
    // Rows without a title are found by these words.
    if (field.name === 'Handle')
      Object.assign(field, { type: 'text', search: false, facet: false, weight: 1 })
  }
}
