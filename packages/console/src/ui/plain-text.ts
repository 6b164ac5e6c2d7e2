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
const entity = /&(?:[a-z]\w{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/i

export const isMarkup = (text: string): boolean => markup.test(text)

/** Returns the text without tags of HTML, and with the characters that entities stand for. Other texts stay as they are. */
export const plainText = (text: string, hasMarkup = isMarkup(text)): string =>
  decodeEntities(hasMarkup ? removeTags(text) : text)

const removeTags = (text: string): string =>
  text.replace(unread, ' ').replace(blockTag, ' ').replace(inlineTag, '').replace(/\s+/g, ' ').trim()

/** Parsing `<` as the beginning of a tag would lose text. */
const decodeEntities = (text: string): string =>
  entity.test(text)
    ? new DOMParser().parseFromString(text.replaceAll('<', '&lt;'), 'text/html').body.textContent
    : text
