/** Recognizes values of documents that are pictures. */

/** Names in small letters, without the endings of several. Dutch, German, French and Spanish exports have names of their own. */
const pictureNames =
  /(^|[^\p{L}])(image|img|picture|pic|photo|foto|poster|thumbnail|thumb|cover|omslag|logo|avatar|artwork|afbeelding|plaatje|bild|imagen|portrait)(s|es|en|er)?([^\p{L}]|url|uri|link|src|$)/u
const isPictureFile = (text: string): boolean =>
  /^https?:\/\/[^?#\s]+\.(png|jpe?g|webp|gif|avif|svg)([?#]|$)/i.test(text)

/** Whether a text is the address of a picture: by its ending, or an address in a field with such a name. */
export const isPictureAddress = (name: string, text: string): boolean =>
  isPictureFile(text) || (/^https?:\/\/\S+$/i.test(text) && isPictureName(name))

/** Whether a field with such a name has pictures, if its values are addresses: `Foto`, `imageUrl`, `product_images`. */
const isPictureName = (name: string): boolean =>
  pictureNames.test(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase())
