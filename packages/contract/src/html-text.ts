/** Texts that are HTML as people read them: without tags. The documents keep them. */

/** Elements whose text stands apart from the text before. */
const blockNames =
  'address|article|aside|blockquote|br|caption|center|dd|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul'
const inlineNames =
  'a|abbr|b|bdi|big|cite|code|del|em|font|i|iframe|img|ins|kbd|label|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr'

/** Elements whose content is for programs, and comments. */
const unread = /<(script|style)\b[^<>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi
const blockTag = new RegExp(`</?(?:${blockNames})\\b[^<>]*>`, 'gi')
const inlineTag = new RegExp(`</?(?:${inlineNames})\\b[^<>]*>`, 'gi')
/** An end, or an element that needs none. A text about `<div>` has neither. */
const markup = new RegExp(`</(?:${blockNames}|${inlineNames})\\s*>|<(?:br|hr|img|p)\\b[^<>]*>`, 'i')
/** Where a part of a text begins or ends within a tag. */
const cutTagBefore = /^[^<>]*>/
const cutTagAfter = /<\/?[a-z!][^<>]*$|<\/?$/i

export const isMarkup = (text: string): boolean => markup.test(text)

/** Returns the text without tags of HTML. Characters that entities stand for stay as they are written. */
export const removeTags = (text: string): string =>
  text.replace(unread, ' ').replace(blockTag, ' ').replace(inlineTag, '').replace(/\s+/g, ' ').trim()

/** Removes what is left of tags at both ends of a part of a text that is HTML. */
export const removeCutTags = (part: string): string => part.replace(cutTagBefore, '').replace(cutTagAfter, '')

/** Returns the first characters of a value that people read: without tags, and without half an entity at the end. */
export const shortenValue = (text: string, charactersMax: number): string => {
  const plain = isMarkup(text) ? removeTags(text) : text
  return plain.length <= charactersMax ? plain : plain.slice(0, charactersMax).replace(/&#?\w{0,30}$/, '')
}
