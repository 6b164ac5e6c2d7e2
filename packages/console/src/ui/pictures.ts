/** Pictures in documents. Those of other servers load only after the person asked for them (docs/console.md, Results as cards). */
import { isPictureAddress } from '@querent/contract/pictures'
import type { Entity } from '@querent/contract/query'

const isInlinePicture = (text: string): boolean => /^data:image\/(png|jpeg|webp|gif|avif);base64,/i.test(text)

const isPicture = (name: string, value: unknown): value is string =>
  typeof value === 'string' && (isInlinePicture(value) || isPictureAddress(name, value))

export const isPictureField = (name: string, values: readonly unknown[]): boolean =>
  values.length > 0 && values.every(value => isPicture(name, value))

/** Returns the address of the first picture of a document. Addresses of `http:` become those of `https:`, as browsers do for pictures. */
export const findPicture = ({ attributes }: Pick<Entity, 'attributes'>): string | undefined =>
  listPictures(attributes, nestedMax)[0]?.replace(/^http:/i, 'https:')

/** Objects inside objects that are looked at, such as `company.logo`. */
const nestedMax = 3

const listPictures = (attributes: object, depth: number): string[] => {
  const entries = Object.entries(attributes).flatMap(([name, value]) =>
    [value].flat().map((each: unknown) => ({ name, each })),
  )
  const pictures = entries.flatMap(({ name, each }) => (isPicture(name, each) ? [each] : []))
  return pictures.length > 0 || depth === 0
    ? pictures
    : entries.flatMap(({ each }) =>
        typeof each === 'object' && each !== null ? listPictures(each, depth - 1) : [],
      )
}

/** Whether a picture comes from another server, which learns that somebody looks at it. */
export const isRemote = (picture: string): boolean => !picture.startsWith('data:')
