/** Recognizes documents in which the whole text of a field is the query, without case, accents and punctuation. */
import type { ParsedText } from '#engines/engine'
import { anyClause, unscoredClauses } from './matching.ts'
import type { QueryWord } from './query-words.ts'
import { column, findTextField, sortCharactersMax } from './schema.ts'
import type { SearchContext } from './search-context.ts'
import type { Clause } from './values.ts'
import type { Weights } from './words.ts'

/** Compares the words of the column for sorting, which holds the beginning of the text in lowercase and without accents. */
const wholeTextSource = `
  def texts = doc[params.column];
  if (texts.size() != 1 || texts[0].length() >= ${sortCharactersMax}) { return false; }
  String text = texts[0];
  StringBuilder words = new StringBuilder();
  boolean isInside = false;
  for (int at = 0; at < text.length(); ) {
    int character = text.codePointAt(at);
    at += Character.charCount(character);
    if (Character.isAlphabetic(character) || Character.isLetterOrDigit(character)) {
      if (!isInside && words.length() > 0) { words.append(' '); }
      words.appendCodePoint(character);
      isInside = true;
    } else if (character < 768 || character > 879) {
      isInside = false;
    }
  }
  return words.toString().equals(params.text);`

/**
 * Returns a clause for documents that have all words as such, and a field whose whole text is the query. Returns undefined for a text with
 * phrases or exclusions, because no field contains it like that.
 */
export async function exactTextClause(
  { schema, analyzer }: SearchContext,
  text: ParsedText,
  fields: Weights,
  words: readonly QueryWord[],
): Promise<Clause | undefined> {
  if (text.phrases.length + text.excludedWords.length + text.excludedPhrases.length > 0) return undefined
  const typed = [...text.words, ...(text.unfinished === undefined ? [] : [text.unfinished])].join(' ')
  if ([...typed].length >= sortCharactersMax) return undefined
  const should = await Promise.all(
    fields.map(async ({ name }) => {
      const field = findTextField(schema, name)
      const [typedWords = []] = await analyzer.typed(field.language, [typed])
      const params = { column: column.sort(field), text: typedWords.map(word => word.text).join(' ') }
      return { script: { script: { source: wholeTextSource, params } } }
    }),
  )
  const wordFilters = words.map(word => anyClause(unscoredClauses(word.query)))
  return { bool: { filter: [...wordFilters, anyClause(should)] } }
}
