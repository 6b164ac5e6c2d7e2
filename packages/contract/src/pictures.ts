/** Recognizes values of documents that are pictures. */

const pictureNames =
  /(^|[^a-z])(image|img|picture|pic|photo|poster|thumbnail|thumb|cover|logo|avatar|artwork)(s|[^a-z]|url|$)/i
const isPictureFile = (text: string): boolean =>
  /^https?:\/\/[^?#]+\.(png|jpe?g|webp|gif|avif|svg)([?#]|$)/i.test(text)

/** Whether a text is the address of a picture: by its ending, or an address in a field with such a name. */
export const isPictureAddress = (name: string, text: string): boolean =>
  isPictureFile(text) || (pictureNames.test(name) && /^https?:\/\/\S+$/i.test(text))
