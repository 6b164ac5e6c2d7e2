/** Texts that are HTML as people read them: without tags. The documents keep them. */
import { isMarkup, removeCutTags, removeTags } from '@querent/contract/html-text'

const entity = /&(?:[a-z]\w{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/i

/** Returns the text without tags of HTML, and with the characters that entities stand for. Other texts stay as they are. */
export const plainText = (text: string): string => decodeEntities(isMarkup(text) ? removeTags(text) : text)

/** Returns the same for a part of the text `whole`, which may begin and end within a tag if it `isCut`. */
export const plainPart = (part: string, whole: string, isCut: boolean): string =>
  decodeEntities(isMarkup(whole) ? removeTags(isCut ? removeCutTags(part) : part) : part)

/** Parsing `<` as the beginning of a tag would lose text. */
const decodeEntities = (text: string): string =>
  entity.test(text)
    ? new DOMParser().parseFromString(text.replaceAll('<', '&lt;'), 'text/html').body.textContent
    : text
